// Package perfect plays by exact tables: it never gives a won position away, and
// where it can win it gets nearer to the win with each move.
//
// Of several moves that are as good it takes the one that a search prefers, so that
// an opponent who errs is punished. Where the tables do not reach, it plays by that
// search alone and says so.
package perfect

import (
	"fmt"
	"strings"

	"botarena/bots/kit"
	"botarena/engine"
	"botarena/engine/owlman/exact"
	"botarena/engine/tables"
	"botarena/protocol"
)

// A Player keeps the tables open between turns.
type Player struct {
	// Search picks one of several moves of the turn's position.
	Search func(*kit.Turn, []engine.Move) engine.Move

	dir    tables.Dir
	opened *tables.Owlman
}

// Choose returns a move by the tables in a folder. It fails the turn where a table is
// damaged.
func (p *Player) Choose(t *kit.Turn, dir tables.Dir) engine.Move {
	moves, err := p.best(t, dir)
	if err != nil {
		t.Fail(err)
		return 0
	}
	if len(moves) == 1 {
		return moves[0]
	}
	return p.Search(t, moves)
}

// best returns the moves among which the tables do not tell.
func (p *Player) best(t *kit.Turn, dir tables.Dir) ([]engine.Move, error) {
	pos, ok := t.Position.(exact.Position)
	if !ok {
		return nil, fmt.Errorf("there are no exact tables of %s", t.Position.Game().Name())
	}
	legal := pos.Legal(nil)
	if err := p.open(dir); err != nil {
		return nil, err
	}
	judge := grader(pos)
	var best []engine.Move
	top := 0
	for _, m := range legal {
		pos.Play(m)
		v, ok, err := p.opened.Value(pos)
		out := pos.Outcome()
		grade := judge(v, out)
		// Daybreak is decided by what Doc can force.
		ok = ok && (out.Over || !daybreak(pos) || v.Winner == engine.Second || p.opened.Forced(pos))
		pos.Undo()
		if err != nil {
			return nil, err
		}
		if !ok {
			t.Info(protocol.Info{String: fmt.Appendf(nil,
				"no exact table has this position, those in %s end with %d helpers: playing by search", dir, p.opened.Helpers())})
			return legal, nil
		}
		if best == nil || grade > top {
			best, top = best[:0], grade
		}
		if grade == top {
			best = append(best, m)
		}
	}
	return best, nil
}

// open opens the tables, once a folder.
func (p *Player) open(dir tables.Dir) (err error) {
	if p.opened != nil && p.dir == dir {
		return nil
	}
	if p.opened != nil {
		p.opened.Close()
		p.opened = nil
	}
	p.dir = dir
	p.opened, err = dir.Owlman(exact.Most)
	return err
}

// The grades of a move: the nearer the win, the higher. Between a win and a loss
// there is nothing.
const (
	wins = 1000 // less the moves that it takes
	safe = 100  // a win that rests on the demand to vary
)

// grader returns what a move is worth for the side to move of pos, by the value of the
// position after it.
func grader(pos exact.Position) func(exact.Value, engine.Outcome) int {
	mover := pos.Turn()
	day := daybreak(pos)
	left := exact.NightsLeft(pos) // after this ply
	if mover == engine.First {
		left--
	}
	return func(v exact.Value, out engine.Outcome) int {
		switch {
		case out.Over && out.Winner == mover:
			return wins
		case out.Over:
			return 0
		case day && mover == engine.First && v.Force > 0 && v.Force <= left,
			!day && mover == engine.First && v.Force > 0:
			return wins - v.Force
		case day && mover == engine.First:
			return 0
		case day && v.Winner == engine.First && v.Force > 0 && v.Force <= left:
			return 0
		case v.Winner == engine.Second && mover == engine.Second:
			return wins - v.Catch
		case day || v.Winner == mover:
			return safe
		}
		return 0
	}
}

// daybreak reports whether the game is the variant without the demand to vary.
func daybreak(pos engine.Position) bool { return strings.HasSuffix(pos.Game().Name(), ":daybreak") }
