package proof

import (
	"context"
	"fmt"
	"slices"

	"botarena/engine/breakthrough"
)

// A Checked counts what a check has visited.
type Checked struct {
	Answers int    // the positions with an answer, each once
	Leaves  uint64 // positions without, each time: those that were searched
	Longest int    // the most plies that the answers' lines have before such a one, or the end
}

// Check replays the proof from the start: each answer, and after it all moves of the
// other side, down to positions that are over, or that the winner wins within Plies by
// a search of all moves. tell, which may be nil, is called with the progress now and
// then. The error says where the proof is wrong, or is ctx's.
func (p *Proof) Check(ctx context.Context, tell func(Checked)) (Checked, error) {
	g, err := breakthrough.New(p.Cols, p.Rows)
	if err != nil {
		return Checked{}, fmt.Errorf("wrong proof: %w", err)
	}
	c := checker{looker: p.look(p.Winner, g.Start().(*breakthrough.Position)), ctx: ctx, seen: make([]bool, len(p.answers)), tell: tell}
	if c.pos.Turn() == p.Winner {
		err = c.answer()
	} else {
		err = c.replies()
	}
	if err == nil && c.done.Answers != len(p.answers) {
		err = fmt.Errorf("wrong proof: no line reaches %d of its %d answers", len(p.answers)-c.done.Answers, len(p.answers))
	}
	return c.done, err
}

type checker struct {
	looker
	done Checked
	ctx  context.Context
	seen []bool
	tell func(Checked)
}

func (c *checker) wrong(what string) error { return fmt.Errorf("wrong proof: in %s %s", c.pos, what) }

// answer replays a position in which the winner is to move.
func (c *checker) answer() error {
	c.done.Longest = max(c.done.Longest, c.pos.Ply())
	number, mirrored := c.number()
	at, ok := slices.BinarySearch(c.positions, number)
	if !ok {
		c.done.Leaves++
		if !c.wins(c.Plies) {
			return c.wrong(fmt.Sprintf("the proof has no answer, and there is no win within %s", plies(c.Plies)))
		}
		return nil
	}
	if c.seen[at] {
		return nil
	}
	c.seen[at] = true
	if c.done.Answers++; c.done.Answers&1023 == 0 {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if c.tell != nil {
			c.tell(c.done)
		}
	}
	move := c.move(c.answers[at], mirrored)
	if !slices.Contains(c.pos.Legal(nil), move) {
		return c.wrong("its answer is no legal move")
	}
	c.pos.Play(move)
	defer c.pos.Undo()
	if c.pos.Outcome().Over {
		return nil // no move of the winner's loses
	}
	return c.replies()
}

// replies replays each move of the other side.
func (c *checker) replies() error {
	for _, m := range c.pos.Legal(nil) {
		c.pos.Play(m)
		var err error
		if c.pos.Outcome().Over {
			err = c.wrong("the other side has won")
		} else {
			err = c.answer()
		}
		c.pos.Undo()
		if err != nil {
			return err
		}
	}
	return nil
}

// plies formats a number of plies.
func plies(n int) string {
	if n == 1 {
		return "1 ply"
	}
	return fmt.Sprintf("%d plies", n)
}
