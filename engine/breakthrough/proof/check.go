package proof

import (
	"context"
	"fmt"
	"slices"

	"botarena/engine"
	"botarena/engine/breakthrough"
)

// A WrongError says where a proof proves nothing.
type WrongError struct {
	Position string // "" where it is about the whole
	What     string
}

// Error names the position.
func (e *WrongError) Error() string {
	if e.Position == "" {
		return "wrong proof: " + e.What
	}
	return fmt.Sprintf("wrong proof: in %s %s", e.Position, e.What)
}

// A Checked is what a replay has looked at.
type Checked struct {
	Answers int    // the positions with an answer, each once
	Leaves  uint64 // positions without, each time: those that were searched
	Longest int    // the most plies that the answers' lines have before such a one, or the end
}

// Check replays the proof from the start: each answer, and after it all moves of the
// other side, down to positions that are over, or that the winner wins within Plies by
// a search of all moves. tell, which may be nil, is told how far it is now and then. The
// error is a *WrongError or ctx's.
func (p *Proof) Check(ctx context.Context, tell func(Checked)) (Checked, error) {
	g, err := breakthrough.New(p.Cols, p.Rows)
	if err != nil {
		return Checked{}, &WrongError{What: err.Error()}
	}
	c := checker{Proof: p, ctx: ctx, pos: g.Start().(*breakthrough.Position), seen: make([]bool, len(p.answers)), tell: tell}
	for range p.Cols * p.Rows {
		c.power = append(c.power, 1)
		if n := len(c.power); n > 1 {
			c.power[n-1] = 3 * c.power[n-2]
		}
	}
	if c.pos.Turn() == p.Winner {
		err = c.answer()
	} else {
		err = c.replies()
	}
	if err == nil && c.done.Answers != len(p.answers) {
		err = &WrongError{What: fmt.Sprintf("no line reaches %d of its %d answers", len(p.answers)-c.done.Answers, len(p.answers))}
	}
	return c.done, err
}

type checker struct {
	*Proof
	done  Checked
	ctx   context.Context
	pos   *breakthrough.Position
	seen  []bool
	power []uint64 // of 3, by square
	tell  func(Checked)
}

func (c *checker) wrong(what string) error { return &WrongError{c.pos.String(), what} }

// answer replays a position in which the winner is to move.
func (c *checker) answer() error {
	c.done.Longest = max(c.done.Longest, c.pos.Ply())
	number, mirrored := c.number()
	at, ok := slices.BinarySearch(c.positions, number)
	if !ok {
		c.done.Leaves++
		if !c.wins(c.Plies) {
			return c.wrong(fmt.Sprintf("the proof has no answer, and there is no win within %d plies", c.Plies))
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

// square is a square as the winner sees it, and the other way round.
func (c *checker) square(sq int) int {
	if c.Winner == engine.Second {
		return c.Cols*c.Rows - 1 - sq
	}
	return sq
}

// reflected is a square's image left to right.
func (c *checker) reflected(sq int) int { return sq - sq%c.Cols + c.Cols - 1 - sq%c.Cols }

// number is the position's number: see [New].
func (c *checker) number() (n uint64, mirrored bool) {
	var here, there uint64
	for i := range c.Cols * c.Rows {
		digit := uint64(0)
		switch c.pos.PieceAt(i) {
		case c.Winner:
			digit = 1
		case c.Winner.Other():
			digit = 2
		}
		sq := c.square(i)
		here += digit * c.power[sq]
		there += digit * c.power[c.reflected(sq)]
	}
	return min(here, there), there < here
}

func (c *checker) move(answer byte, mirrored bool) engine.Move {
	from := int(answer / 3)
	to := from + c.Cols + int(answer%3) - 1
	if mirrored {
		from, to = c.reflected(from), c.reflected(to)
	}
	return breakthrough.NewMove(c.square(from), c.square(to))
}

// wins reports whether the winner, who is to move, can force the game's end within so
// many plies, by trying the moves.
func (c *checker) wins(plies int) bool {
	// With a ply left, only a move that ends the game will do; with three, only one that
	// does so or after which there is a piece one step from home. No other moves are
	// tried then: it makes no difference to the result.
	home := c.Rows - 1
	for _, m := range c.pos.Legal(make([]engine.Move, 0, 64)) {
		row := c.square(breakthrough.To(m)) / c.Cols
		if row < home-1 && plies <= 3 && !c.pos.Captures(m) && !c.near(home-1) || row < home && plies <= 1 && !c.pos.Captures(m) {
			continue
		}
		c.pos.Play(m)
		won := c.pos.Outcome().Over || plies > 2 && c.loses(plies-1)
		c.pos.Undo()
		if won {
			return true
		}
	}
	return false
}

// near reports whether the winner has a piece on a row, counted from its home row.
func (c *checker) near(row int) bool {
	for file := range c.Cols {
		if c.pos.PieceAt(c.square(row*c.Cols+file)) == c.Winner {
			return true
		}
	}
	return false
}

// loses reports whether the winner wins within so many plies whatever the other side,
// which is to move, plays.
func (c *checker) loses(plies int) bool {
	for _, m := range c.pos.Legal(make([]engine.Move, 0, 64)) {
		c.pos.Play(m)
		lost := !c.pos.Outcome().Over && c.wins(plies-1)
		c.pos.Undo()
		if !lost {
			return false
		}
	}
	return true
}
