// Package exact solves Owlman: it computes and looks up who wins every position with at
// most a number of helpers.
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
// Layers of another kind keep the states in which Doc can force his win without the
// demand to vary, by the number of White's moves until then.
package exact

import (
	"math/bits"

	"github.com/RoaringBitmap/roaring/v2"

	"botarena/engine"
	"botarena/engine/owlman"
	"botarena/engine/owlman/board"
)

// A Kind is the kind of knowledge in a layer.
type Kind int

// The kinds: the states that Owlman wins, by when he catches somebody next, and
// those in which Doc forces his win without the demand to vary, by when.
const (
	OwlmanCatches Kind = iota
	DocForces
)

// A Layer is the solution of all states with one number of helpers.
type Layer struct {
	*space
	Kind    Kind
	Helpers int
	White   uint64 // states that are won with White to move, of States
	Owl     uint64 // and with Owlman to move
	levels  [][]chunk
	// next is 0, or of one that is not finished 1 more than the square of Doc's that comes
	// next. Then it has the White states of the levels that were done, those of the level at
	// hand, and all states with Owlman to move that were found, as its levels.
	next int
}

// Bottom returns a layer without helpers, which Owlman has won.
func Bottom(kind Kind) *Layer {
	l := &Layer{space: newSpace(), Kind: kind}
	if kind == DocForces {
		return l
	}
	level := make([]chunk, len(l.blocks))
	for i := range level {
		level[i].bitmap.Store(roaring.BitmapOf(0))
	}
	l.levels = [][]chunk{level}
	l.White, l.Owl = l.States(), l.States()
	return l
}

// Levels returns how many levels there are.
func (l *Layer) Levels() int { return len(l.levels) }

// States returns how many states there are for each side to move, a state and its
// reflection counted once unless Doc and Owlman both stand on the diagonal.
func (l *Layer) States() uint64 { return l.states(l.Helpers) }

func (s *space) states(n int) (sum uint64) {
	for i := range s.blocks {
		sum += uint64(s.size(&s.blocks[i], n))
	}
	return sum
}

// level returns the level of a White state, 0 if it is not among those that the
// layer has.
func (l *Layer) level(doc, owl uint8, helpers uint32) (int, error) {
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

// Tables are the layers from 0 helpers up to some number of them, by number. Those
// of Doc's forced wins may be fewer.
type Tables struct{ Catch, Force []*Layer }

// Bottoms returns the tables without helpers.
func Bottoms() Tables {
	return Tables{Catch: []*Layer{Bottom(OwlmanCatches)}, Force: []*Layer{Bottom(DocForces)}}
}

// A Value is who wins a state, whatever the other side does.
type Value struct {
	Winner engine.Side
	// Catch is, where Owlman wins, how many moves of his it takes at most until he
	// has caught somebody and still wins; 0 if Doc wins, or the game is over.
	Catch int
	// Force is in how many of White's moves Doc can force his win, where he can and
	// it is known. Where it is 0 his win rests on the demand to vary, or the tables
	// of Doc's forced wins do not reach so far (see [Tables.Forces]).
	Force int
}

// A Position holds the facts of a position that the tables need.
type Position interface {
	engine.Position
	// Pieces returns the helpers' squares, Doc's and Owlman's, as package board numbers them.
	Pieces() (helpers uint32, doc, owl uint8)
}

// Helpers is for how many helpers the winner is known.
func (t Tables) Helpers() int { return len(t.Catch) - 1 }

// Forces is for how many helpers it is known whether Doc can force his win.
func (t Tables) Forces() int { return len(t.Force) - 1 }

// NightsLeft returns how many moves White has left in owlman:daybreak before day breaks.
func NightsLeft(pos engine.Position) int {
	made := pos.Ply() / 2
	if pos.Turn() == engine.Second {
		made = (pos.Ply() + 1) / 2
	}
	return owlman.LastNight - made
}

// Forced reports whether it is known if Doc can force his win in a position.
func (t Tables) Forced(pos Position) bool {
	s, ok := stateOf(pos)
	return ok && bits.OnesCount32(s.helpers) <= t.Forces()
}

// Value returns who wins a position without its history; ok is false if there
// are too many helpers, or one stands where none can get to. The error is a
// *file.DamagedError.
func (t Tables) Value(pos Position) (v Value, ok bool, err error) {
	if out := pos.Outcome(); out.Over {
		return Value{Winner: out.Winner}, true, nil
	}
	s, ok := stateOf(pos)
	if !ok || bits.OnesCount32(s.helpers) > t.Helpers() {
		return v, false, nil
	}
	v, err = t.value(s, pos.Turn())
	return v, true, err
}

// A state is a position without its history, and without the side to move.
type state struct {
	doc, owl uint8
	helpers  uint32
}

func stateOf(pos Position) (s state, ok bool) {
	s.helpers, s.doc, s.owl = pos.Pieces()
	return s, s.doc != board.Nowhere && s.helpers&board.Bit(board.H1) == 0
}

// value looks up a state that is not over.
func (t Tables) value(s state, turn engine.Side) (Value, error) {
	if turn == engine.First {
		return t.white(s)
	}
	catch, force := 0, 0
	unforced := false // there is a move after which Doc cannot force his win
	g := t.Catch[0].space
	for to := g.targets(s.doc, s.owl, s.helpers); to != 0; to &= to - 1 {
		next, caught := g.after(s, uint8(bits.TrailingZeros32(to)))
		if next.doc == board.Nowhere || next.helpers == 0 {
			return Value{Winner: engine.Second, Catch: 1}, nil
		}
		v, err := t.white(next)
		switch {
		case err != nil:
			return v, err
		case v.Winner == engine.Second && caught:
			return Value{Winner: engine.Second, Catch: 1}, nil
		case v.Winner == engine.Second:
			if catch == 0 || v.Catch+1 < catch {
				catch = v.Catch + 1
			}
		}
		unforced = unforced || v.Force == 0
		force = max(force, v.Force)
	}
	switch {
	case catch > 0:
		return Value{Winner: engine.Second, Catch: catch}, nil
	case unforced:
		return Value{Winner: engine.First}, nil
	}
	return Value{Winner: engine.First, Force: force}, nil
}

// white looks up a state with White to move.
func (t Tables) white(s state) (Value, error) {
	n := bits.OnesCount32(s.helpers)
	catch, err := t.Catch[n].level(s.doc, s.owl, s.helpers)
	if err != nil || catch > 0 {
		return Value{Winner: engine.Second, Catch: catch}, err
	}
	v := Value{Winner: engine.First}
	if n <= t.Forces() {
		v.Force, err = t.Force[n].level(s.doc, s.owl, s.helpers)
	}
	return v, err
}
