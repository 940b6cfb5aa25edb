package referee

import (
	"cmp"
	"fmt"
	"time"

	"botarena/arena"
	"botarena/arena/session"
)

// Review referees again a game that somebody else reports as played by spec, and
// returns an error if the report is wrong. It derives from the moves, scores and
// clocks, and compares: the end by a rule, the adjudication by scores and by tables,
// the move limit, the time of each move, who may be blamed for what. It cannot verify
// that a bot crashed, was late for the missing move, or offered a draw. A void game is
// accepted if it claims nothing else.
func Review(spec Spec, g *arena.Game) error {
	if g.Reason == arena.Void {
		if g.Result != arena.Unplayed || g.Blame != "" {
			return fmt.Errorf("a void game with the result %q and the blame %q", g.Result, g.Blame)
		}
		return nil
	}
	if err := g.CheckEnding(); err != nil {
		return err
	}
	r := review{game: game{spec: spec}, claimed: g}
	return r.check()
}

// A review is the state of one Review call; what the referee would have decided goes
// into the verdict.
type review struct {
	game
	claimed *arena.Game
	spent   time.Duration
}

func (r *review) check() error {
	g := r.claimed
	r.spec.MaxPlies = cmp.Or(max(r.spec.MaxPlies, 0), r.spec.Game.MaxPlies())
	r.timers = session.NewTimers(r.spec.Clocks)
	r.adj.Adjudication = r.spec.Adjudicate
	if err := r.setUp(true); err != nil {
		return err
	}
	if g.Plies != len(g.Moves) {
		return fmt.Errorf("plies is %d, but there are %d moves", g.Plies, len(g.Moves))
	}
	arena.Expect(r.path.Position, nil, g.Moves, false)
	over := false
	if out := r.path.Position.Outcome(); out.Over {
		over = true
		r.byRule(out)
	}
	for i := range g.Moves {
		if over {
			return fmt.Errorf("ply %d: %s: the game was over before it: %s (%s)", i+1, g.Moves[i].Move, r.Reason, r.Detail)
		}
		goesOn, err := r.ply(i)
		if err != nil {
			return fmt.Errorf("ply %d: %w", i+1, err)
		}
		over = !goesOn
	}
	if r.spent > g.Wall {
		return fmt.Errorf("its moves took %v, the whole game %v", r.spent, g.Wall)
	}
	if over {
		if g.Result != r.Result || g.Reason != r.Reason || g.Detail != r.Detail {
			return fmt.Errorf("it ends with %s by %s (%s), not with %s by %s (%s)", r.Result, r.Reason, r.Detail, g.Result, g.Reason, g.Detail)
		}
		return nil
	}
	return r.unfinished()
}

// ply plays a move as the referee would, and reports whether the game goes on.
func (r *review) ply(i int) (goesOn bool, err error) {
	played := &r.claimed.Moves[i]
	pos := r.path.Position
	side := pos.Turn()
	m, err := pos.ParseMove(played.Move)
	if err != nil {
		return false, err
	}
	timer := &r.timers[side]
	if timer.Timed() && played.Time > timer.Allowance()+timer.Margin {
		return false, fmt.Errorf("it took %v, and %v was left with a margin of %v", played.Time, timer.Allowance(), timer.Margin)
	}
	timer.Spend(played.Time)
	r.spent += played.Time
	if text := r.path.PlayText(m, played.Move); text != played.Move {
		return false, fmt.Errorf("%q is written %s here", played.Move, text)
	}
	r.Moves = r.claimed.Moves[:i+1]
	last := i == len(r.claimed.Moves)-1
	agreed := last && i > 0 && r.claimed.Reason == arena.Adjudicated && r.claimed.Detail == agreedDraw
	goesOn = r.after(side, agreed)
	return goesOn, r.failed
}

// unfinished checks the end of a game that the moves do not end.
func (r *review) unfinished() error {
	g := r.claimed
	mover := r.path.Position.Turn()
	names := [2]string{g.First, g.Second}
	switch g.Reason {
	case arena.Resign:
		if g.Result != arena.ResultFor(mover.Other()) {
			return fmt.Errorf("%s was to move and so can only have resigned, but the result is %s", names[mover], g.Result)
		}
	case arena.TimeForfeit:
		if !r.spec.Clocks[mover].Timed() {
			return fmt.Errorf("%s lost on time without a clock", names[mover])
		}
		fallthrough
	case arena.IllegalMove:
		if g.Blame != names[mover] {
			return fmt.Errorf("%s of %s, but %s was to move", g.Reason, g.Blame, names[mover])
		}
	case arena.Crash, arena.Stall, arena.ProtocolError:
		if len(g.Moves) > 0 && g.Blame != names[mover] {
			return fmt.Errorf("%s of %s, but %s was to move", g.Reason, g.Blame, names[mover])
		}
	default:
		return fmt.Errorf("the moves do not end it, and the reason is %q", g.Reason)
	}
	return nil
}
