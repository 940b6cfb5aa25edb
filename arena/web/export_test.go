package web

// Patterns lists the patterns of all pages and routes.
func (s *Server) Patterns() []string {
	all := append([]string(nil), s.patterns...)
	for _, r := range s.routes() {
		all = append(all, r.pattern)
	}
	return all
}
