package exact

// Forget lets each state of one own set be lost.
func (t *Table) Forget() {
	clear(t.data[len(t.data)/2:])
	t.sum()
}
