// Package perfect plays by exact tables: it never gives a won position away, and
// where it can win it gets nearer to the win with each move.
//
// Of several moves that are as good it takes the one that a search prefers, so that
// an opponent who errs is punished. Where the tables do not reach, or a proof of a
// larger board does not have the position, it plays by that search alone and says so.
package perfect

import (
	"errors"
	"fmt"

	"botarena/bots/kit"
	"botarena/engine"
	"botarena/engine/solve"
	"botarena/protocol"
)

// A Player keeps the tables open between turns.
type Player struct {
	// Search picks one of several moves of the turn's position.
	Search func(*kit.Turn, []engine.Move) engine.Move

	known *solve.Oracle
}

// Choose returns a move by the tables in a folder. It fails the turn where a table is
// damaged.
func (p *Player) Choose(t *kit.Turn, dir solve.Dir) engine.Move {
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
func (p *Player) best(t *kit.Turn, dir solve.Dir) ([]engine.Move, error) {
	pos := t.Position
	if p.known == nil || p.known.Dir != dir {
		if p.known != nil {
			p.known.Close()
		}
		p.known = &solve.Oracle{Dir: dir}
	}
	legal := pos.Legal(nil)
	grade := grader(pos)
	var best []engine.Move
	var lacking error // of the last move that is not known
	top := 0
	for _, m := range legal {
		pos.Play(m)
		v, err := p.known.Value(pos)
		g := grade(v, pos.Outcome())
		pos.Undo()
		var missing *solve.MissingError
		var unsolved *solve.UnsolvedError
		switch {
		case errors.As(err, &missing), errors.As(err, &unsolved):
			lacking, g = err, open
		case err != nil:
			return nil, err
		}
		if best == nil || g > top {
			best, top = best[:0], g
		}
		if g == top {
			best = append(best, m)
		}
	}
	if top == open {
		t.Info(protocol.Info{String: fmt.Appendf(nil, "playing by search: %v", lacking)})
	}
	return best, nil
}

// The grades of a move: the nearer the win, the higher, and 0 for a loss.
const (
	wins = 1000 // less the moves that it takes
	safe = 100  // a win of unknown length, or one that rests on the demand to vary
	open = 1    // no table or proof has the position after it
)

// grader returns what a move is worth for the side to move of pos, by the value of the
// position after it.
func grader(pos engine.Position) func(solve.Value, engine.Outcome) int {
	mover := pos.Turn()
	return func(v solve.Value, out engine.Outcome) int {
		switch {
		case v.Winner != mover:
			return 0
		case out.Over:
			return wins
		case v.Force > 0:
			return wins - v.Force
		case v.Catch > 0:
			return wins - v.Catch
		}
		return safe
	}
}
