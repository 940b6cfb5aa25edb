package rules

// Broken returns why the program does not play any more: it ended, or broke its own
// rules or the protocol's. nil is that it plays.
func (g *Game) Broken() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.broken == nil {
		return nil
	}
	return g.broken
}
