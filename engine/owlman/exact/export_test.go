package exact

// Forget lets a state that Owlman wins be Doc's.
func (l *Layer) Forget() {
	for i := range l.levels[0] {
		if b, err := l.levels[0][i].get(); err == nil && !b.IsEmpty() {
			b.Remove(b.Minimum())
			return
		}
	}
}
