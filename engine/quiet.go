package engine

// Quieter is implemented by positions that know whether they can be judged as they
// stand: an evaluation learns little from one in which pieces are about to be taken.
type Quieter interface {
	Position
	// Quiet reports whether nothing is being taken or answered here: m is the legal
	// move that was chosen.
	Quiet(m Move) bool
}

// Quiet calls the method of a position that is a Quieter; known is false if it is none.
func Quiet(pos Position, m Move) (quiet, known bool) {
	q, known := pos.(Quieter)
	return known && q.Quiet(m), known
}
