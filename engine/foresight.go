package engine

// Foresight is implemented by positions that must ask a program for their answers.
// Asked one by one, each answer costs a round trip; announced moves are asked about
// together.
type Foresight interface {
	Position
	// Expect says that these moves are about to be played from here, in this order, and
	// whether the texts and boards of the positions are going to be asked for. Moves
	// that are not legal may be among them: playing finds that out.
	Expect(moves []string, shown bool)
	// Spread says that the legal moves are about to be tried, one by one.
	Spread()
}

// Expect calls the method of a position that has Foresight, and does nothing for
// others.
func Expect(pos Position, moves []string, shown bool) {
	if f, ok := pos.(Foresight); ok {
		f.Expect(moves, shown)
	}
}

// Spread calls the method of a position that has Foresight, and does nothing for
// others.
func Spread(pos Position) {
	if f, ok := pos.(Foresight); ok {
		f.Spread()
	}
}
