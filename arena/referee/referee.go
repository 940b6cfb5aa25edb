// Package referee plays games between two bots, a [session.Session] each: it owns the
// clocks, checks every move by the rules engine, and decides how the game ended and
// whose fault that was. Its verdicts are final.
//
// A process is greeted once and configured, then plays any number of games:
//
//	r := &referee.Referee{Now: time.Now}
//	verdict, err := r.Play(ctx, referee.Spec{Game: g, Clocks: clocks}, [2]*session.Session{p, q})
//
// A bot's fault is never an error of Play: it ends the game. Play returns an error if
// the game cannot be played at all.
//
// No deadline is ever extended: a bot that keeps talking gains nothing. How
// time is counted, what each fault is called, and why, is in README.md.
package referee

import (
	"fmt"
	"time"

	"botarena/arena"
	"botarena/arena/session"
	"botarena/engine"
)

// A Referee plays games, one at a time; each worker has its own.
type Referee struct {
	Now func() time.Time // monotonic, as time.Now's times are
	// Shielded reports whether no bot can send a signal to another.
	Shielded bool
}

// A Spec describes a game to be played.
type Spec struct {
	Game       engine.Game
	Opening    arena.Opening
	Clocks     [2]arena.TimeControl // of the first and the second side
	MaxPlies   int                  // of the bots, the opening's not counted; 0: the game's own
	Adjudicate arena.Adjudication
	// Exact, if set, returns the certain winner of a position and a line for people
	// that explains it, "" if it is unknown; at the move limit it may ignore the moves
	// played before. Play returns its error.
	Exact   func(pos engine.Position, atLimit bool) (winner engine.Side, why string, err error)
	Ready   time.Duration // for both readyok before the game; 0: session.DefaultReady
	Silent  time.Duration // for a move of a bot without a time limit; 0: session.DefaultSilent
	Ponder  bool          // bots that were set up for it think while the other is to move
	Suspend bool          // the bot that is not to move is stopped; not with Ponder
	// Moved, if set, is called after each move with all moves so far and the time at
	// which the last one was read. No clock runs meanwhile, but the game waits. The
	// moves do not change any more.
	Moved func(moves []arena.MoveRecord, at time.Time)
}

// A Verdict holds how a game ended and whose fault that was.
type Verdict struct {
	Result arena.Result
	Reason arena.Reason
	Detail string
	Blame  engine.Side // the side at fault, NoSide for none
	Plies  int
	Moves  []arena.MoveRecord
	Start  time.Time
	Wall   time.Duration
	// OffTurn is the CPU time that each bot used while the other was to move, in
	// plies of 5 ms or more.
	OffTurn [2]time.Duration
	// Dirty reports which bots must not play another game in the same process: they
	// ended, may still be thinking, or broke the protocol.
	Dirty [2]bool
	// Lost reports which of them had ended, after an earlier game, before this one
	// could begin.
	Lost [2]bool
}

// Fill copies the verdict into the game's row, which must have the bots' names.
func (v *Verdict) Fill(g *arena.Game) {
	g.Result, g.Reason, g.Detail = v.Result, v.Reason, v.Detail
	g.Plies, g.Moves, g.Start, g.Wall, g.OffTurn = v.Plies, v.Moves, v.Start, v.Wall, v.OffTurn
	switch v.Blame {
	case engine.First:
		g.Blame = g.First
	case engine.Second:
		g.Blame = g.Second
	default:
		g.Blame = ""
	}
}

// Unable returns the verdict on a game that a side's bot cannot begin.
func (r *Referee) Unable(side engine.Side, f *session.Fault) Verdict {
	v := Verdict{Start: r.Now(), Blame: engine.NoSide}
	v.lose(side, f)
	return v
}

// lose ends the game by a side's fault.
func (v *Verdict) lose(side engine.Side, f *session.Fault) {
	v.Dirty[side] = f.Reason != arena.IllegalMove // that bot is in step
	v.Reason, v.Detail = f.Reason, f.Detail
	if f.Reason != arena.Void {
		v.Result, v.Blame = arena.ResultFor(side.Other()), side
	}
}

// check returns an error if a clock is invalid.
func check(c arena.TimeControl) error {
	switch {
	case c.Move < 0 || c.Base < 0 || c.Increment < 0 || c.Moves < 0 || c.Nodes < 0 || c.Depth < 0 || c.Margin < 0:
		return fmt.Errorf("a negative limit in %+v", c)
	case !c.Timed() && c.Nodes == 0 && c.Depth == 0:
		return fmt.Errorf("no limit; set a move time, a base time, nodes or depth")
	}
	return nil
}
