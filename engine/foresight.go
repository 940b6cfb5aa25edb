package engine

// Foresight is a position that has to ask for what it is asked, as of a game whose
// rules are a program: asked for one by one, answers take a way there and back each.
type Foresight interface {
	Position
	// Expect says that these moves are about to be played from here, in this order, and
	// whether the texts and boards of the positions are going to be asked for. Moves
	// that are not legal may be among them: playing finds that out.
	Expect(moves []string, shown bool)
	// Spread says that the legal moves are about to be tried, one by one.
	Spread()
}

// Expect is that of a position which has Foresight, and nothing for others.
func Expect(pos Position, moves []string, shown bool) {
	if f, ok := pos.(Foresight); ok {
		f.Expect(moves, shown)
	}
}

// Spread is that of a position which has Foresight, and nothing for others.
func Spread(pos Position) {
	if f, ok := pos.(Foresight); ok {
		f.Spread()
	}
}
