package engine

// Foresight is implemented by positions whose rules are a program. Asked one by one,
// each answer costs a round trip; announced moves are asked about together.
type Foresight interface {
	Position
	// Expect announces that these moves are about to be played from here, in this
	// order; shown reports whether texts and boards of the positions will be needed.
	// Illegal moves may be among them: playing detects them.
	Expect(moves []string, shown bool)
	// Spread announces that the legal moves are about to be tried, one by one.
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
