package exact

import (
	"fmt"
	"math/rand/v2"

	"botarena/engine/breakthrough"
	"botarena/engine/placement"
)

// Draw returns a random position of a board, with few pieces or many: not only such
// as come up in games.
func Draw(g *breakthrough.Game, rng *rand.Rand) *breakthrough.Position {
	form := placement.Form{Cols: g.Cols(), Rows: g.Rows()}
	for {
		own := 1 + rng.IntN(2*g.Cols())
		opp := 1 + rng.IntN(2*g.Cols())
		text := form.Append(nil, func(_, row int) byte {
			// A finished position now and then: its value is known, too.
			switch n := rng.IntN(g.Cols() * g.Rows()); {
			case n < own && (row > 0 || rng.IntN(50) == 0):
				return 'P'
			case n >= own && n < own+opp && (row < g.Rows()-1 || rng.IntN(50) == 0):
				return 'p'
			}
			return 0
		})
		pos, err := g.Parse(string(text) + " " + [2]string{"w", "b"}[rng.IntN(2)])
		if err == nil { // else no piece at all, or both at home
			return pos.(*breakthrough.Position)
		}
	}
}

// Verify draws so many positions and compares the winner of each with what follows
// from its legal moves by the rules of package breakthrough and from the winners
// after them. The error names a position whose winners differ, or is a *file.DamagedError.
func (t *Table) Verify(g *breakthrough.Game, draws int, rng *rand.Rand) error {
	for range draws {
		pos := Draw(g, rng)
		got, err := t.Winner(pos)
		if err != nil {
			return err
		}
		want := pos.Outcome().Winner
		if !pos.Outcome().Over {
			want = pos.Turn().Other()
		}
		for _, m := range pos.Legal(nil) {
			pos.Play(m)
			after, err := t.Winner(pos)
			pos.Undo()
			if err != nil {
				return err
			}
			if after == pos.Turn() {
				want = after
				break
			}
		}
		if got != want {
			sides := g.SideNames()
			return fmt.Errorf("wrong table: %s is won by %s by the table, by %s by the rules and the positions that follow", pos, sides[got], sides[want])
		}
	}
	return nil
}
