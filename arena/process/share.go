package process

// Share has one more user of the Starter close it: only the last Close ends what still
// runs. It reports false of a Starter that is closed. A process has one Starter at a time,
// since it sweeps up all that ended bots left, and would take what another Starter needs
// for such.
func (s *Starter) Share() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.shares++
	return true
}

// leave reports whether others still use the Starter, of whom there is one fewer now. It
// is called with mu held.
func (s *Starter) leave() bool {
	if s.shares == 0 {
		return false
	}
	s.shares--
	return true
}
