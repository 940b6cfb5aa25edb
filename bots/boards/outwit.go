package boards

import (
	"botarena/bots/learnt"
	"botarena/bots/minimax"
	"botarena/engine"
	"botarena/engine/outwit"
)

// outwitBoard is a position of Outwit in which one slide that wins is seen without search.
type outwitBoard struct {
	pos    *outwit.Position
	homing *learnt.Homing
	traits minimax.Traits
	chips  [2]int
	moves  []engine.Move
}

func newOutwit(homing *learnt.Homing, margin int) minimax.Board {
	return &outwitBoard{homing: homing, traits: minimax.Traits{Reduce: 200, Margin: margin, Late: true, Repeats: true}}
}

func (b *outwitBoard) Set(pos engine.Position) {
	b.pos = pos.(*outwit.Position)
	for side := range engine.Side(2) {
		b.chips[side] = b.pos.Soldiers(side).Len()
		if b.pos.King(side) != outwit.NoSquare {
			b.chips[side]++
		}
	}
}

func (b *outwitBoard) Key() uint64            { return b.pos.Hash() }
func (b *outwitBoard) Turn() engine.Side      { return b.pos.Turn() }
func (b *outwitBoard) Play(m engine.Move)     { b.pos.Play(m) }
func (b *outwitBoard) Undo()                  { b.pos.Undo() }
func (b *outwitBoard) Traits() minimax.Traits { return b.traits }
func (b *outwitBoard) Evaluate() int          { return minimax.Clamp(b.homing.Evaluate(b.pos)) }

// Settled knows, beyond the rules, that the last chip goes home.
func (b *outwitBoard) Settled() (score int, ok bool) {
	if score, ok = minimax.ByRule(b.pos); !ok && b.wins(b.pos.Turn()) {
		return minimax.Win - 1, true
	}
	return score, ok
}

// Pressed reports whether the enemy's last chip would go home next.
func (b *outwitBoard) Pressed() bool { return b.wins(b.pos.Turn().Other()) }

// wins reports whether a slide of the side would win.
func (b *outwitBoard) wins(side engine.Side) bool {
	if b.pos.Home(side) != b.chips[side&1]-1 {
		return false
	}
	near := b.homing.Near(b.pos, side)
	if king := b.pos.King(side); king != outwit.NoSquare && outwit.CornerOf(king) != side {
		return b.homing.KingNear(b.pos, side, near)
	}
	soldiers := b.pos.Soldiers(side)
	return soldiers.Low&near.Low|soldiers.High&near.High != 0
}

// The ranks of moves before the search has seen any.
const (
	goesHome   = 4000 // which cannot be taken back
	comesNear  = 1200 // one slide from home
	leavesNear = -1200
)

// Moves has no noisy ones: no move changes the balance but by one chip, and most
// positions have one that does.
func (b *outwitBoard) Moves(dst []minimax.Candidate, noisy bool) []minimax.Candidate {
	if noisy {
		return dst
	}
	side := b.pos.Turn()
	near := b.homing.Near(b.pos, side)
	b.moves = b.pos.Legal(b.moves[:0])
	for _, m := range b.moves {
		dst = append(dst, b.mark(m, side, near))
	}
	return dst
}

func (b *outwitBoard) mark(m engine.Move, side engine.Side, near outwit.Squares) minimax.Candidate {
	c := minimax.Candidate{Move: m}
	from, to := outwit.From(m), outwit.To(m)
	switch {
	case b.homing.Home(side, from):
	case b.homing.Home(side, to):
		c.Keep, c.Rank = true, goesHome
	case near.Has(to) && !near.Has(from):
		c.Rank = comesNear
	case near.Has(from) && !near.Has(to):
		c.Rank = leavesNear
	}
	return c
}

// Find knows the slides of soldiers.
func (b *outwitBoard) Find(m engine.Move) (c minimax.Candidate, ok bool) {
	side, from, to := b.pos.Turn(), outwit.From(m), outwit.To(m)
	if m>>14 != 0 || from == to || !b.pos.Soldiers(side).Has(from) {
		return c, false
	}
	for _, end := range b.pos.Ends(side, from) {
		if end == to {
			return b.mark(m, side, b.homing.Near(b.pos, side)), true
		}
	}
	return c, false
}
