package exact

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"

	"botarena/engine"
	"botarena/engine/owlman"
	"botarena/engine/owlman/board"
)

// A WrongError says that a value in the tables does not follow from the rules and
// the values after each legal move.
type WrongError struct {
	Position  string
	Got, Want Value
}

// Error names the position and both values.
func (e *WrongError) Error() string {
	return fmt.Sprintf("wrong table: %s is %+v by the table, %+v by the rules and the positions that follow", e.Position, e.Got, e.Want)
}

// Verify draws so many states of a layer and compares the value of each, with either
// side to move, with what follows from its legal moves by the rules of package
// owlman and from the values behind them. The error is a *WrongError or a
// *DamagedError.
func (t Tables) Verify(helpers, draws int, rng *rand.Rand) error {
	game, err := owlman.Family{}.Open("")
	if err != nil {
		return err
	}
	s, all := t[helpers].space, t[helpers].States()
	for range draws {
		at := rng.Uint64N(all)
		for i := range s.blocks {
			b := &s.blocks[i]
			size := uint64(s.size(b, helpers))
			if at >= size {
				at -= size
				continue
			}
			drawn := state{b.doc, b.owl, s.helpers(b, helpers, uint32(at))}
			for turn := engine.First; turn <= engine.Second; turn++ {
				pos, err := game.Parse(drawn.text(turn))
				if err != nil {
					return err
				}
				if err := t.verify(pos.(Position)); err != nil {
					return err
				}
			}
			break
		}
	}
	return nil
}

// text is the position's text.
func (s state) text(turn engine.Side) string {
	var b strings.Builder
	for row := range 8 {
		for col := range 8 {
			sq, light := board.SquareAt(col, row)
			switch {
			case light && sq == s.doc:
				b.WriteByte('D')
			case light && sq == s.owl:
				b.WriteByte('O')
			case light && s.helpers&board.Bit(sq) != 0:
				b.WriteByte('H')
			default:
				b.WriteByte('1')
			}
		}
		if row < 7 {
			b.WriteByte('/')
		}
	}
	return b.String() + " " + [2]string{"w", "b"}[turn]
}

func (t Tables) verify(pos Position) error {
	got, _, err := t.Value(pos)
	if err != nil {
		return err
	}
	want := Value{Winner: pos.Outcome().Winner}
	if !pos.Outcome().Over {
		if want, err = t.follows(pos); err != nil {
			return err
		}
	}
	if got != want {
		return &WrongError{pos.String(), got, want}
	}
	return nil
}

// follows is a position's value by those after its legal moves.
func (t Tables) follows(pos Position) (Value, error) {
	before, _ := stateOf(pos)
	best, saved := 0, false
	for _, m := range pos.Legal(nil) {
		pos.Play(m)
		v, _, err := t.Value(pos)
		after, _ := stateOf(pos)
		pos.Undo()
		switch {
		case err != nil:
			return v, err
		case v.Winner == engine.First:
			saved = true
		case pos.Turn() == engine.First:
			best = max(best, v.Catch)
		case bits.OnesCount32(after.helpers) < bits.OnesCount32(before.helpers) || v.Catch == 0: // somebody is caught
			best = 1
		case best == 0 || v.Catch+1 < best:
			best = v.Catch + 1
		}
	}
	if pos.Turn() == engine.First && saved || best == 0 {
		return Value{Winner: engine.First}, nil
	}
	return Value{Winner: engine.Second, Catch: best}, nil
}
