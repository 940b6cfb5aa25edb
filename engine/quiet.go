package engine

// Quieter is implemented by positions that know whether they are quiet: an evaluation
// learns little from one in which pieces are about to be captured.
type Quieter interface {
	Position
	// Quiet reports whether no capture or threat is pending here, m being the chosen
	// legal move.
	Quiet(m Move) bool
}

// Quiet calls the method of a position that is a Quieter; known is false if it is not.
func Quiet(pos Position, m Move) (quiet, known bool) {
	q, known := pos.(Quieter)
	return known && q.Quiet(m), known
}
