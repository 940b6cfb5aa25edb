// Package exact knows who wins Owlman, in every position with at most a number of
// helpers, and solves the game to know it.
//
// It is about the game of 2010, where White demands that Owlman vary. There,
// Owlman wins exactly the states in which he can force a capture of Doc or of the
// last helper in finitely many moves: he who can force it never needs to repeat
// himself, and where he cannot, White can make him run out of moves. So a state is
// Doc's and Owlman's squares, the helpers' and the side to move, without a
// history, and who wins is one least fixed point for each number of helpers, from
// that of one helper less.
//
// A [Layer] is the states with one number of helpers. It keeps those of Owlman's
// wins in which White is to move, by level: after each of White's moves Owlman
// catches Doc or a helper and still wins (level 1), or gets to a state of a lower
// level. A level is therefore the distance to the next capture, in Owlman's moves.
package exact

import (
	"math/bits"

	"github.com/RoaringBitmap/roaring/v2"

	"botarena/engine"
	"botarena/engine/owlman/board"
)

// A Layer is the solution of all states with one number of helpers.
type Layer struct {
	*space
	Helpers int
	White   uint64 // states that Owlman wins with White to move, of States
	Owl     uint64 // and with himself to move
	levels  [][]chunk
}

// Bottom returns the layer without helpers, which Owlman has won.
func Bottom() *Layer {
	l := &Layer{space: newSpace()}
	level := make([]chunk, len(l.blocks))
	for i := range level {
		level[i].bitmap.Store(roaring.BitmapOf(0))
	}
	l.levels = [][]chunk{level}
	l.White, l.Owl = l.States(), l.States()
	return l
}

// Levels is how many levels there are.
func (l *Layer) Levels() int { return len(l.levels) }

// States is how many states there are for each side to move, a state and its
// reflection counted once unless Doc and Owlman both stand on the diagonal.
func (l *Layer) States() uint64 { return l.states(l.Helpers) }

func (s *space) states(n int) (sum uint64) {
	for i := range s.blocks {
		sum += uint64(s.size(&s.blocks[i], n))
	}
	return sum
}

// eachWhite calls f with the index of each White state of a block that Owlman wins.
func (l *Layer) eachWhite(block int, f func(uint32)) error {
	for _, level := range l.levels {
		won, err := level[block].get()
		if err != nil {
			return err
		}
		for it := won.Iterator(); it.HasNext(); {
			f(it.Next())
		}
	}
	return nil
}

// white returns the level of a White state, 0 where White wins.
func (l *Layer) white(doc, owl uint8, helpers uint32) (int, error) {
	at, set := l.locate(doc, owl, helpers)
	index := l.index(&l.blocks[at], l.Helpers, set)
	for i := range l.levels {
		won, err := l.levels[i][at].get()
		if err != nil {
			return 0, err
		}
		if won.Contains(index) {
			return i + 1, nil
		}
	}
	return 0, nil
}

// Tables are the layers from 0 helpers up to some number of them, by number.
type Tables []*Layer

// A Value is who wins a state, whatever the other side does.
type Value struct {
	Winner engine.Side
	// Catch is, where Owlman wins, how many moves of his it takes at most until he
	// has caught somebody and still wins; 0 where Doc wins, or the game is over.
	Catch int
}

// A Position is what is asked of a position of the game; those of package owlman
// have it.
type Position interface {
	engine.Position
	Doc() (file, rank int, ok bool)
	Owl() (file, rank int)
	PieceAt(file, rank int) byte
}

// Value returns who wins a position without its history; ok is false where there
// are too many helpers, or one stands where none can get to. The error is a
// *DamagedError.
func (t Tables) Value(pos Position) (v Value, ok bool, err error) {
	if out := pos.Outcome(); out.Over && out.Winner != engine.NoSide && out.Reason != "daybreak" {
		return Value{Winner: out.Winner}, true, nil
	}
	s, ok := stateOf(pos)
	if !ok || bits.OnesCount32(s.helpers) >= len(t) {
		return v, false, nil
	}
	return t.value(s, pos.Turn())
}

// A state is a position without its history, and without the side to move.
type state struct {
	doc, owl uint8
	helpers  uint32
}

func stateOf(pos Position) (s state, ok bool) {
	square := func(file, rank int) uint8 {
		sq, _ := board.SquareAt(file, 7-rank)
		return sq
	}
	file, rank, ok := pos.Doc()
	if !ok {
		return s, false
	}
	s.doc, s.owl = square(file, rank), square(pos.Owl())
	for sq := range uint8(board.Squares) {
		if col, row := board.Place(sq); pos.PieceAt(col, 7-row) == 'H' {
			s.helpers |= board.Bit(sq)
		}
	}
	return s, s.helpers&board.Bit(board.H1) == 0
}

// value looks up a state that is not over.
func (t Tables) value(s state, turn engine.Side) (Value, bool, error) {
	n := bits.OnesCount32(s.helpers)
	if turn == engine.First {
		level, err := t[n].white(s.doc, s.owl, s.helpers)
		return value(level), true, err
	}
	best := 0
	g := &t[0].geo
	for to := t.targets(s); to != 0; to &= to - 1 {
		next, caught := after(g, s, uint8(bits.TrailingZeros32(to)))
		if next.doc == board.Nowhere || next.helpers == 0 {
			return value(1), true, nil
		}
		level, err := t[bits.OnesCount32(next.helpers)].white(next.doc, next.owl, next.helpers)
		if err != nil {
			return Value{}, false, err
		}
		if level > 0 && caught {
			return value(1), true, nil
		}
		if level > 0 && (best == 0 || level+1 < best) {
			best = level + 1
		}
	}
	return value(best), true, nil
}

// value is that of a state which Owlman wins at a level; at level 0 Doc wins.
func value(level int) Value {
	if level == 0 {
		return Value{Winner: engine.First}
	}
	return Value{Winner: engine.Second, Catch: level}
}

// targets are the squares that Owlman may go to.
func (t Tables) targets(s state) uint32 {
	if s.owl == board.H1 {
		return s.helpers
	}
	g := &t[0].geo
	open := ^(s.helpers | board.Bit(s.doc))
	if s.doc == board.H1 {
		open |= board.Bit(board.H1)
	}
	return (g.Step[s.owl] | g.Swoop[s.owl]) & open
}

// after is the state after a move of Owlman's.
func after(g *board.Geometry, s state, to uint8) (next state, caught bool) {
	next = state{doc: s.doc, owl: to, helpers: s.helpers}
	switch direction := g.Direction[s.owl][to]; {
	case to == s.doc:
		next.doc = board.Nowhere
	case s.owl == board.H1:
		next.helpers &^= board.Bit(to)
	case direction != board.NoDirection:
		next.helpers &^= g.FirstOn(s.helpers|board.Bit(s.doc), to, direction)
	}
	return next, next.doc != s.doc || next.helpers != s.helpers
}
