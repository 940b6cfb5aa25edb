package referee

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"botarena/arena"
	"botarena/arena/session"
	"botarena/engine"
)

// Play plays a game between two configured bots; the first is the first side. To end it
// early, cancel ctx and end the processes: the game is then void. A cancelled ctx alone
// does not end it. The error is not the bots' fault: an opening that the rules refuse,
// or a clock without limits.
func (r *Referee) Play(ctx context.Context, spec Spec, players [2]*session.Session) (Verdict, error) {
	g := game{Referee: r, ctx: ctx, spec: spec, players: players}
	if err := g.open(); err != nil {
		return Verdict{}, err
	}
	const usual = 128 // plies
	g.Moves = make([]arena.MoveRecord, 0, usual)
	g.Start = r.Now()
	g.Blame = engine.NoSide
	if out := g.path.Position.Outcome(); out.Over {
		g.byRule(out)
	} else if g.begin() {
		for g.move() {
		}
		g.finish()
		g.lookAgain()
	}
	g.Wall = r.Now().Sub(g.Start)
	g.Plies = len(g.Moves)
	return g.Verdict, g.failed
}

// A game is the state of one Play call.
type game struct {
	*Referee
	Verdict
	ctx     context.Context //nolint:containedctx // lives as long as one call
	spec    Spec
	players [2]*session.Session
	path    *session.Path
	timers  *session.Timers
	adj     adjudicator
	waiting offTurn
	offers  [2]bool // a side offered a draw with its last move
	failed  error   // what keeps the game from being judged
}

// open checks the spec and sets up the position.
func (g *game) open() error {
	s := &g.spec
	s.MaxPlies = cmp.Or(max(s.MaxPlies, 0), s.Game.MaxPlies())
	s.Ready = cmp.Or(max(s.Ready, 0), session.DefaultReady)
	s.Silent = cmp.Or(max(s.Silent, 0), session.DefaultSilent)
	for i, c := range s.Clocks {
		if err := check(c); err != nil {
			return fmt.Errorf("clock of %s: %w", g.players[i].Name, err)
		}
	}
	g.timers = session.NewTimers(s.Clocks)
	g.adj.Adjudication = s.Adjudicate
	return g.setUp(g.players[0].ReadsPositions() && g.players[1].ReadsPositions())
}

// setUp plays the opening; short makes bots get positions from the last irreversible
// move on.
func (g *game) setUp(short bool) error {
	s := &g.spec
	if s.Opening.Position == "" {
		g.path = session.NewPath(s.Game)
	} else {
		pos, err := s.Game.Parse(s.Opening.Position)
		if err != nil {
			return fmt.Errorf("opening: %w", err)
		}
		g.path = session.PathFrom(pos)
	}
	g.path.Short = short
	engine.Expect(g.path.Position, s.Opening.Moves, false)
	for i, text := range s.Opening.Moves {
		m, err := g.path.Position.ParseMove(text)
		if err != nil {
			return fmt.Errorf("opening, move %d: %w", i+1, err)
		}
		g.path.PlayText(m, text)
	}
	return nil
}

// begin tells both bots of a new game and waits until both are ready.
func (g *game) begin() bool {
	since := g.Now()
	var faults [2]*session.Fault
	for i, p := range g.players {
		if faults[i] = p.Settle(g.ctx, false); faults[i] == nil {
			faults[i] = p.TellNewGame(g.ctx, since, g.spec.Ready)
		}
	}
	for i, p := range g.players {
		if faults[i] == nil {
			// The other bot's fault does not excuse this one from its readyok,
			// which must not be left in the pipe.
			faults[i] = p.AwaitReady(g.ctx, since, g.spec.Ready)
		}
		// A process that has served a game before may have ended after it,
		// unseen: then this game has not begun. A new process tells.
		if f := faults[i]; f != nil && f.Reason == arena.Crash && p.Games > 0 {
			f.Detail = fmt.Sprintf("%s was lost between games: %s", p.Name, f.Detail)
			f.Reason = arena.Void
			g.Lost[i] = g.ctx.Err() == nil
		}
		p.Games++
	}
	blame := engine.NoSide
	for side := engine.First; side <= engine.Second; side++ {
		if faults[side] == nil {
			continue
		}
		g.Dirty[side] = true
		if blame == engine.NoSide || faults[side].Reason == arena.Void {
			blame = side
		}
	}
	if blame == engine.NoSide {
		return true
	}
	return g.fault(blame, faults[blame])
}

// move plays one ply and reports whether the game goes on.
func (g *game) move() bool {
	side := g.path.Position.Turn()
	p := g.players[side]
	if g.spec.Suspend {
		g.players[side.Other()].Process.Suspend()
		p.Process.Continue()
	}
	if f := p.Settle(g.ctx, true); f != nil {
		return g.fault(side, f)
	}
	q := g.timers.Question(g.path, g.spec.Silent)
	q.Offered = g.offers[side.Other()]
	if g.spec.Ponder {
		q.Meanwhile = func() { g.players[side.Other()].Absorb(g.ctx) }
	}
	if q.Timer.Base > 0 {
		q.Since = g.Start // a pause earlier in the game may have used the time up
	}
	a, f := p.Ask(g.ctx, q)
	if f != nil {
		if errors.Is(f, arena.ErrTimeout) {
			p.Stop()
		}
		return g.fault(side, f)
	}
	if a.Resign {
		return g.end(arena.ResultFor(side.Other()), arena.Resign, g.spec.Game.SideNames()[side]+" resigned")
	}
	q.Timer.Spend(a.Time)
	g.Moves = append(g.Moves, arena.MoveRecord{Move: g.path.PlayText(a.Move, a.Text), Time: a.Time})
	g.waiting.ply(g, side, a.Time)
	p.Report(&g.Moves[len(g.Moves)-1])
	if g.spec.Moved != nil {
		g.spec.Moved(g.Moves, a.At)
	}
	g.offers[side] = a.Offers
	if !g.after(side, a.Offers && q.Offered) {
		return false
	}
	if g.spec.Ponder {
		p.Ponder(g.path, a.Ponder, g.timers.Limits(side))
	}
	return true
}

// agreedDraw is the detail of a game whose bots offered each other a draw.
const agreedDraw = "both bots offered a draw"

// after reports whether the game goes on after a side's last move; agreed reports that
// both have offered a draw.
func (g *game) after(side engine.Side, agreed bool) bool {
	plies := len(g.Moves)
	if out := g.path.Position.Outcome(); out.Over {
		return g.byRule(out)
	}
	atLimit := plies >= g.spec.MaxPlies
	if g.spec.Exact != nil {
		winner, why, err := g.spec.Exact(g.path.Position, atLimit)
		if g.failed = err; err != nil {
			return false
		}
		if why != "" {
			return g.end(arena.ResultFor(winner), arena.ExactTables, why)
		}
	}
	if agreed {
		return g.end(arena.Draw, arena.Adjudicated, agreedDraw)
	}
	if winner, why := g.adj.add(side, &g.Moves[plies-1], g.path.Position, plies); why != "" {
		return g.end(arena.ResultFor(winner), arena.Adjudicated, why)
	}
	if atLimit {
		result, why := arena.AtLimit(g.spec.Game, plies)
		return g.end(result, arena.MoveLimit, why)
	}
	return true
}

// fault ends the game by a side's fault. It returns false, as end and byRule do.
func (g *game) fault(side engine.Side, f *session.Fault) bool {
	late := f.Reason == arena.TimeForfeit || f.Reason == arena.Stall
	g.lose(side, f)
	if late && g.players[side].Process.Stopped() {
		// Whoever sent the signal, the bot did not move: if this were void, a bot could
		// escape each loss by stopping itself.
		g.Detail += "; it was stopped by a signal"
		if g.Shielded {
			g.Detail += ", which only its own processes can send it"
		} else {
			g.Detail += "; sandbox: strict keeps other bots from sending one"
		}
	}
	return false
}

func (g *game) byRule(out engine.Outcome) bool {
	reason := arena.WinByRule
	if out.Winner == engine.NoSide {
		reason = arena.DrawByRule
	}
	return g.end(arena.ResultFor(out.Winner), reason, out.Reason)
}

func (g *game) end(result arena.Result, reason arena.Reason, detail string) bool {
	g.Result, g.Reason, g.Detail = result, reason, detail
	return false
}

// finish resumes suspended bots and tells both that the game is over.
func (g *game) finish() {
	for side, p := range g.players {
		if g.spec.Suspend {
			p.Process.Continue()
		}
		if g.Dirty[side] {
			continue
		}
		if g.spec.Ponder && p.EndPonder(g.ctx, g.spec.Ready) != nil {
			g.Dirty[side] = true
			continue
		}
		p.Finish(g.Result, g.Detail)
	}
}

// lookAgain finds bots that ended after the game was over: the game counts and they are
// restarted.
func (g *game) lookAgain() {
	for side, p := range g.players {
		if !g.Dirty[side] {
			g.Dirty[side] = p.Settle(g.ctx, true) != nil
		}
	}
}
