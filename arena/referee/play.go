package referee

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"botarena/arena"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/protocol"
)

// A Spec is a game to be played.
type Spec struct {
	Game       engine.Game
	Opening    arena.Opening
	Clocks     [2]arena.TimeControl // of the first and the second side
	MaxPlies   int                  // of the bots, the opening's not counted; 0: the game's own
	Adjudicate arena.Adjudication
	// ShortHistory sends positions from the last irreversible move on. Without
	// it bots get every move since the opening's position.
	ShortHistory bool
	Ready        time.Duration // for both readyok before the game; 0: DefaultReady
	Silent       time.Duration // for a move of a bot without a time limit; 0: DefaultSilent
}

// A Verdict is how a game went.
type Verdict struct {
	Result arena.Result
	Reason arena.Reason
	Detail string
	Blame  engine.Side // the side at fault, NoSide for none
	Plies  int
	Moves  []arena.MoveRecord
	Start  time.Time
	Wall   time.Duration
	// Dirty says which bots must not play another game in the same process:
	// they ended, may still be thinking, or broke the protocol.
	Dirty [2]bool
}

// Fill copies the record into the game's row, whose bots' names it needs.
func (r *Verdict) Fill(g *arena.Game) {
	g.Result, g.Reason, g.Detail = r.Result, r.Reason, r.Detail
	g.Plies, g.Moves, g.Start, g.Wall = r.Plies, r.Moves, r.Start, r.Wall
	switch r.Blame {
	case engine.First:
		g.Blame = g.First
	case engine.Second:
		g.Blame = g.Second
	default:
		g.Blame = ""
	}
}

// Play plays a game between two configured players; the first is the first side.
// To end it early, cancel ctx and close the links: it is void then. A cancelled
// ctx alone does not end it. The error is not the bots' fault: an opening that
// the rules refuse, or a clock without limits.
func (r *Referee) Play(ctx context.Context, spec Spec, players [2]*Player) (Verdict, error) {
	g := game{Referee: r, ctx: ctx, spec: spec, players: players}
	if err := g.open(); err != nil {
		return Verdict{}, err
	}
	g.record.Start = r.Clock.Now()
	g.record.Blame = engine.NoSide
	if out := g.pos.Outcome(); out.Over {
		g.byRule(out)
	} else if g.begin() {
		for g.move() {
		}
		g.lookAgain()
	}
	g.record.Wall = r.Clock.Now().Sub(g.record.Start)
	g.record.Plies = len(g.record.Moves)
	return g.record, nil
}

// A game is one call of Play.
type game struct {
	*Referee
	ctx     context.Context //nolint:containedctx // lives as long as one call
	spec    Spec
	players [2]*Player
	pos     engine.Position
	timers  [2]timer
	adj     adjudicator
	texts   []string // the moves since the position that the game began with
	record  Verdict
}

// open checks the spec and sets up the position.
func (g *game) open() error {
	s := &g.spec
	if s.MaxPlies <= 0 {
		s.MaxPlies = s.Game.MaxPlies()
	}
	if s.Ready <= 0 {
		s.Ready = DefaultReady
	}
	if s.Silent <= 0 {
		s.Silent = DefaultSilent
	}
	for i, c := range s.Clocks {
		if err := check(c); err != nil {
			return fmt.Errorf("clock of %s: %w", g.players[i].Name, err)
		}
		g.timers[i] = newTimer(c)
	}
	g.adj.Adjudication = s.Adjudicate
	if s.Opening.Position == "" {
		g.pos = s.Game.Start()
		g.line.Start("")
	} else {
		pos, err := s.Game.Parse(s.Opening.Position)
		if err != nil {
			return fmt.Errorf("opening: %w", err)
		}
		g.pos = pos
		g.line.Start(pos.String())
	}
	for i, text := range s.Opening.Moves {
		m, err := g.pos.ParseMove(text)
		if err != nil {
			return fmt.Errorf("opening, move %d: %w", i+1, err)
		}
		g.play(m, text)
	}
	return nil
}

// play makes a legal move and keeps the position line. It returns the move's
// canonical text, which is the given one itself where that is canonical.
func (g *game) play(m engine.Move, text string) string {
	g.text = g.pos.AppendMove(g.text[:0], m)
	if string(g.text) != text {
		text = string(g.text)
	}
	g.pos.Play(m)
	g.texts = append(g.texts, text)
	if g.spec.ShortHistory && g.pos.Reversible() == 0 {
		g.startLine()
		return text
	}
	g.line.Play(text)
	if g.line.Len() > protocol.MaxLine {
		g.shorten()
	}
	return text
}

func (g *game) startLine() {
	g.text = g.pos.AppendText(g.text[:0])
	g.line.Start(string(g.text))
}

// shorten begins the position line anew after the last irreversible move, or at
// the current position where even that line would be too long.
func (g *game) shorten() {
	n := g.pos.Reversible()
	before := g.pos.Clone()
	for range n {
		before.Undo()
	}
	g.line.Start(before.String())
	for _, text := range g.texts[len(g.texts)-n:] {
		g.line.Play(text)
	}
	if g.line.Len() > protocol.MaxLine {
		g.startLine()
	}
}

// begin tells both bots of a new game and waits until both are ready.
func (g *game) begin() bool {
	since := g.Clock.Now()
	deadline := since.Add(g.spec.Ready)
	var faults [2]*Fault
	for i, p := range g.players {
		faults[i] = g.tellNewGame(p, since, deadline)
	}
	for i, p := range g.players {
		if faults[i] == nil {
			// The other bot's fault does not excuse this one from its readyok,
			// which must not be left in the pipe.
			faults[i] = g.awaitReady(g.ctx, p, since, g.spec.Ready)
		}
		// A process that has served a game before may have ended after it,
		// unseen: then this game has not begun. A new process tells.
		if f := faults[i]; f != nil && f.Reason == arena.Crash && p.games > 0 {
			f.Detail = fmt.Sprintf("%s was lost between games: %s", p.Name, f.Detail)
			f.Reason = arena.Void
		}
		p.games++
	}
	blame := engine.NoSide
	for side := engine.First; side <= engine.Second; side++ {
		if faults[side] == nil {
			continue
		}
		g.record.Dirty[side] = true
		if blame == engine.NoSide || faults[side].Reason == arena.Void {
			blame = side
		}
	}
	if blame == engine.NoSide {
		return true
	}
	g.lose(blame, faults[blame])
	return false
}

func (g *game) tellNewGame(p *Player, since, deadline time.Time) *Fault {
	if err := g.drain(p, since, func([]byte, protocol.BotKind) error { return nil }); err != nil {
		return g.fault(g.ctx, p, err, since, Fault{})
	}
	p.Link.Reset()
	p.chatter = p.chatter[:0]
	g.out = protocol.AppendIsReady(protocol.AppendNewGame(g.out[:0], p.Declared.Dialect))
	if err := g.send(p, deadline); err != nil {
		return g.fault(g.ctx, p, err, since, notReading())
	}
	return nil
}

// drain reads what has come by now from a bot that owes nothing, without waiting.
func (r *Referee) drain(p *Player, now time.Time, each func(line []byte, kind protocol.BotKind) error) error {
	for more := true; more; now = r.Clock.Now() {
		more = false
		for {
			line, kind, err := r.receive(p, now)
			if errors.Is(err, arena.ErrTimeout) {
				break
			}
			if err != nil {
				return err
			}
			more = true
			if err := each(line, kind); err != nil {
				return err
			}
		}
	}
	return nil
}

// unasked refuses an answer to what was not asked.
func unasked(_ []byte, kind protocol.BotKind) error {
	if kind == protocol.BestMove {
		return &Fault{Reason: arena.ProtocolError, Detail: "bestmove without go (a second answer, or one before the question)"}
	}
	return nil
}

// move plays one ply and reports whether the game goes on.
func (g *game) move() bool {
	side := g.pos.Turn()
	p := g.players[side]
	since := g.Clock.Now()
	if err := g.drain(p, since, unasked); err != nil {
		return g.lose(side, g.fault(g.ctx, p, err, since, Fault{}))
	}
	m, elapsed, f := g.ask(side)
	if f != nil {
		return g.lose(side, f)
	}
	if m.Resign {
		return g.end(arena.ResultFor(side.Other()), arena.Resign, g.sideName(side)+" resigned")
	}
	said := string(m.Move)
	move, err := g.pos.ParseMove(said)
	if err != nil {
		return g.lose(side, &Fault{Reason: arena.IllegalMove, Detail: text.Line(err.Error(), mostText)})
	}
	g.timers[side].spend(elapsed)
	played := arena.MoveRecord{Move: g.play(move, said), Time: elapsed}
	p.report(&played)
	g.record.Moves = append(g.record.Moves, played)
	plies := len(g.record.Moves)

	if out := g.pos.Outcome(); out.Over {
		return g.byRule(out)
	}
	if winner, why := g.adj.add(side, &played, plies); why != "" {
		return g.end(arena.ResultFor(winner), arena.Adjudicated, why)
	}
	if plies >= g.spec.MaxPlies {
		return g.end(arena.Draw, arena.MoveLimit, fmt.Sprintf("%d plies", plies))
	}
	return true
}

// ask sends the position to the side to move and awaits its answer. The answer's
// move is valid until the next line is read from the bot.
func (g *game) ask(side engine.Side) (protocol.BotMessage, time.Duration, *Fault) {
	p, t := g.players[side], &g.timers[side]
	p.Link.Reset()
	p.best, p.exact, p.chatter = p.best[:0], false, p.chatter[:0]
	g.out = g.line.AppendTo(g.out[:0])
	if p.legal {
		g.legal = g.pos.Legal(g.legal[:0])
		g.out = protocol.AppendLegal(g.out, len(g.legal), func(dst []byte, i int) []byte {
			return g.pos.AppendMove(dst, g.legal[i])
		})
	}
	g.out = protocol.AppendGo(g.out, p.Declared.Dialect, limits(&g.timers, side))

	limit := g.spec.Silent
	if t.Timed() {
		limit = t.allowance() + t.Margin
	}
	since := g.Clock.Now()
	deadline := since.Add(limit)
	if err := g.send(p, deadline); err != nil {
		return protocol.BotMessage{}, 0, g.fault(g.ctx, p, err, since, notReading())
	}
	for {
		line, kind, err := g.receive(p, deadline)
		elapsed := g.Clock.Now().Sub(since).Truncate(time.Microsecond)
		if err == nil && elapsed > limit {
			err = arena.ErrTimeout
		}
		if err != nil {
			from := since
			if t.Base > 0 {
				from = g.record.Start // a pause earlier in the game may have used the time up
			}
			f := g.fault(g.ctx, p, err, from, t.late(elapsed, limit))
			if errors.Is(err, arena.ErrTimeout) {
				g.stop(p)
			}
			return protocol.BotMessage{}, elapsed, f
		}
		switch kind {
		case protocol.BestMove:
			m, err := protocol.ParseFromBot(line)
			if err != nil {
				return m, elapsed, &Fault{Reason: arena.ProtocolError, Detail: text.Line(err.Error(), mostText)}
			}
			return m, elapsed, nil
		case protocol.InfoLine:
			p.keep(line)
		}
	}
}

// late is the fault of a bot that did not answer within its limit.
func (t *timer) late(elapsed, limit time.Duration) Fault {
	if !t.Timed() {
		return Fault{Reason: arena.Stall, Detail: fmt.Sprintf("no bestmove within %v, the limit where no clock runs", limit)}
	}
	return Fault{
		Reason: arena.TimeForfeit,
		Detail: fmt.Sprintf("%v passed; %v was left, with a margin of %v", elapsed, t.allowance(), t.Margin),
	}
}

// stop asks a bot that is late to stop thinking, without waiting for anything.
func (g *game) stop(p *Player) {
	g.out = protocol.AppendStop(g.out[:0])
	// The bot has lost, and is not used again: that it cannot be told is no matter.
	_ = g.send(p, g.Clock.Now())
}

// keep remembers the info line that says most of a bot's score: the last exact
// one of the principal variation, else the last bound.
func (p *Player) keep(line []byte) {
	if !bytes.Contains(line, []byte("score")) || bytes.HasPrefix(line, []byte("info string")) {
		return
	}
	if i := bytes.Index(line, []byte("multipv ")); i >= 0 && !bytes.HasPrefix(line[i:], []byte("multipv 1 ")) {
		return
	}
	exact := !bytes.Contains(line, []byte("erbound"))
	if exact || !p.exact {
		p.best, p.exact = append(p.best[:0], line...), exact
	}
}

// report copies what the bot said of its move.
func (p *Player) report(to *arena.MoveRecord) {
	if len(p.best) == 0 {
		return
	}
	// An error is about a fact that cannot be read: the others still count.
	m, _ := protocol.ParseFromBot(p.best)
	to.Depth, to.Nodes = int(m.Info.Depth), m.Info.Nodes
	if m.Info.Has&protocol.HasScore != 0 {
		to.HasScore, to.Score, to.Mate = true, int(m.Info.Score.Value), m.Info.Score.Mate
	}
}

func (g *game) sideName(side engine.Side) string { return g.spec.Game.SideNames()[side] }

// lose ends the game by a side's fault. It returns false, as end and byRule do.
func (g *game) lose(side engine.Side, f *Fault) bool {
	if f.Reason != arena.IllegalMove {
		g.record.Dirty[side] = true
	}
	if f.Reason == arena.Void {
		return g.end(arena.Unplayed, arena.Void, f.Detail)
	}
	g.record.Blame = side
	return g.end(arena.ResultFor(side.Other()), f.Reason, f.Detail)
}

func (g *game) byRule(out engine.Outcome) bool {
	reason := arena.WinByRule
	if out.Winner == engine.NoSide {
		reason = arena.DrawByRule
	}
	return g.end(arena.ResultFor(out.Winner), reason, out.Reason)
}

func (g *game) end(result arena.Result, reason arena.Reason, detail string) bool {
	g.record.Result, g.record.Reason, g.record.Detail = result, reason, detail
	return false
}

// lookAgain finds bots that ended once the game was over, so that the game
// stands and they are started anew.
func (g *game) lookAgain() {
	for side, p := range g.players {
		if !g.record.Dirty[side] {
			err := g.drain(p, g.Clock.Now(), unasked)
			g.record.Dirty[side] = err != nil
		}
	}
}
