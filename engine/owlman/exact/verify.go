package exact

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"botarena/engine"
	"botarena/engine/owlman"
	"botarena/engine/owlman/board"
	"botarena/engine/placement"
)

// Verify draws so many states of a layer and compares the value of each, with either
// side to move, with what follows from its legal moves by the rules of package
// owlman and from the values behind them. The error names a position whose values differ,
// or is a *file.DamagedError.
func (t Tables) Verify(helpers, draws int, rng *rand.Rand) error {
	game, err := owlman.Family{}.Open("")
	if err != nil {
		return err
	}
	s, all := t.Catch[helpers].space, t.Catch[helpers].States()
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

// text returns the position's text.
func (s state) text(turn engine.Side) string {
	form := placement.Form{Cols: 8, Rows: 8}
	text := form.Append(nil, func(col, row int) byte {
		if sq, light := board.SquareAt(col, row); light {
			return board.Letter(sq, s.doc, s.owl, s.helpers)
		}
		return 0
	})
	return string(text) + " " + [2]string{"w", "b"}[turn]
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
		return fmt.Errorf("wrong table: %s is %+v by the table, %+v by the rules and the positions that follow", pos, got, want)
	}
	return nil
}

// follows returns a position's value by those after its legal moves.
func (t Tables) follows(pos Position) (Value, error) {
	before, _ := stateOf(pos)
	white := pos.Turn() == engine.First
	var owl, doc []Value // who wins after each move
	for _, m := range pos.Legal(nil) {
		pos.Play(m)
		v, _, err := t.Value(pos)
		after, _ := stateOf(pos)
		over := pos.Outcome().Over
		pos.Undo()
		if err != nil {
			return v, err
		}
		if v.Winner == engine.Second {
			if !white && (over || bits.OnesCount32(after.helpers) < bits.OnesCount32(before.helpers)) { // somebody is caught
				v.Catch = 0
			}
			owl = append(owl, v)
			continue
		}
		if bits.OnesCount32(after.helpers) > t.Forces() {
			v.Force = 0
		} else if over {
			v.Force = -1 // in no move more
		}
		doc = append(doc, v)
	}
	want := Value{Winner: engine.First}
	switch {
	case white && len(doc) == 0:
		want.Winner = engine.Second
		for _, v := range owl {
			want.Catch = max(want.Catch, v.Catch)
		}
	case !white && len(owl) > 0:
		want.Winner, want.Catch = engine.Second, owl[0].Catch+1
		for _, v := range owl {
			want.Catch = min(want.Catch, v.Catch+1)
		}
	case white && bits.OnesCount32(before.helpers) <= t.Forces():
		for _, v := range doc {
			moves := max(v.Force, 0) + 1
			if v.Force != 0 && (want.Force == 0 || moves < want.Force) {
				want.Force = moves
			}
		}
	case !white: // whose every move may lead to fewer helpers
		for _, v := range doc {
			if v.Force == 0 {
				want.Force = 0
				break
			}
			want.Force = max(want.Force, v.Force)
		}
	}
	return want, nil
}
