// Package casual plays games of a person against a bot, for the command play in a
// terminal and for the pages in a browser.
//
//	g := casual.New(bot, casual.Setup{Path: session.NewPath(game), Person: engine.First, Clocks: clocks})
//	err := g.Begin(ctx)
//	for err == nil && g.Ended() == nil {
//		if g.PersonsTurn() {
//			err = g.Play(move, took)
//		} else {
//			_, err = g.Answer(ctx)
//		}
//	}
//
// The session is configured already, and ended by whoever started the bot. A game
// belongs to one goroutine, apart from what says otherwise.
package casual

import (
	"context"
	"errors"
	"fmt"
	"time"

	"botarena/arena"
	"botarena/arena/rules"
	"botarena/arena/session"
	"botarena/engine"
)

// patience is how far a bot may overstep its clock: a slow bot is better than no game. It
// is longer than a rules program has for an answer, so that a built-in bot, whose rules
// program hangs, can say so before it is blamed itself.
const patience = session.DefaultReady + 5*time.Second

// A Setup describes a game to be played.
type Setup struct {
	Path   *session.Path // where it begins
	Person engine.Side   // the side of the person
	// Clocks are the person's and the bot's. The person's may be without a limit.
	Clocks   [2]arena.TimeControl
	MaxPlies int // 0: the game's own
	// Builtin reports that the bot is one of arena's. Such a bot asks a rules program
	// in a process of its own, whose failure is not the bot's fault.
	Builtin bool
}

// A Game is a game of a person against a bot.
type Game struct {
	Setup
	// Moves are those played so far, with what the bot said of its own.
	Moves []arena.MoveRecord

	bot    *session.Session
	begin  string // position of the beginning, "" for the game's own start
	timers *session.Timers
	end    *Ending
}

// An Ending describes how a game ended.
type Ending struct {
	Result arena.Result
	Reason arena.Reason
	Detail string
	Blame  engine.Side // the side at fault, NoSide for none
}

// ErrOver reports that the game has ended.
var ErrOver = errors.New("the game is over")

// ErrTurn reports that the other side is to move.
var ErrTurn = errors.New("it is the other side's turn")

// New returns a game that has not begun.
func New(bot *session.Session, s Setup) *Game {
	bySide := s.Clocks
	if s.Person == engine.Second {
		bySide[0], bySide[1] = bySide[1], bySide[0]
	}
	g := &Game{Setup: s, bot: bot, timers: session.NewTimers(bySide)}
	if game := s.Path.Position.Game(); s.Path.Position.String() != game.Start().String() {
		g.begin = s.Path.Position.String()
	}
	if g.MaxPlies <= 0 {
		g.MaxPlies = s.Path.Position.Game().MaxPlies()
	}
	g.judge()
	return g
}

// Begin announces the game to the bot and waits until it is ready. The error is a
// *session.Fault.
func (g *Game) Begin(ctx context.Context) error {
	if err := g.bot.NewGame(ctx, session.DefaultReady); err != nil {
		var f *session.Fault
		if !errors.As(err, &f) {
			f = &session.Fault{Reason: arena.Crash, Detail: err.Error()}
		}
		return g.fault(f)
	}
	return nil
}

// PersonsTurn reports whether the person is to move.
func (g *Game) PersonsTurn() bool { return g.Path.Position.Turn() == g.Person }

// Ended returns how the game ended, nil while it goes on.
func (g *Game) Ended() *Ending { return g.end }

// Left returns the time that a side has for its next move, and whether its clock runs.
func (g *Game) Left(side engine.Side) (left time.Duration, runs bool) {
	return g.timers[side].Allowance(), g.timers[side].Timed()
}

// judge ends the game if the rules do.
func (g *Game) judge() {
	switch out := g.Path.Position.Outcome(); {
	case out.Over && out.Winner == engine.NoSide:
		g.end = &Ending{arena.Draw, arena.DrawByRule, out.Reason, engine.NoSide}
	case out.Over:
		g.end = &Ending{arena.ResultFor(out.Winner), arena.WinByRule, out.Reason, engine.NoSide}
	case len(g.Moves) >= g.MaxPlies:
		result, why := arena.AtLimit(g.Path.Position.Game(), g.MaxPlies)
		g.end = &Ending{result, arena.MoveLimit, why, engine.NoSide}
	}
}

// fault ends the game by the bot's fault, which it returns.
func (g *Game) fault(f *session.Fault) *session.Fault {
	if _, program := g.Path.Position.(engine.Foresight); program && g.Builtin && f.Reason == arena.Crash &&
		g.bot.Process.ExitStatus() == fmt.Sprintf("exit status %d", rules.ExitStatus) {
		f = &session.Fault{Reason: arena.Void, Detail: "the process of the rules that " + g.bot.Name + " asks failed"}
	}
	side := g.Person.Other()
	if f.Reason == arena.Void {
		g.end = &Ending{arena.Unplayed, arena.Void, f.Detail, engine.NoSide}
		return f
	}
	g.end = &Ending{arena.ResultFor(g.Person), f.Reason, f.Detail, side}
	return f
}

// Play plays the person's move, in any spelling that the rules allow, which took
// so long; a move that comes after the person's time is not played, and ends the
// game. The error is ErrOver, ErrTurn or an *engine.MoveError.
func (g *Game) Play(text string, took time.Duration) error {
	switch {
	case g.end != nil:
		return ErrOver
	case !g.PersonsTurn():
		return ErrTurn
	}
	move, err := g.Path.Position.ParseMove(text)
	if err != nil {
		return err
	}
	timer := &g.timers[g.Person]
	if timer.Timed() && took > timer.Allowance()+timer.Margin {
		g.Flag()
		return ErrOver
	}
	timer.Spend(took)
	g.Moves = append(g.Moves, arena.MoveRecord{Move: g.Path.PlayText(move, ""), Time: took})
	g.judge()
	return nil
}

// Answer lets the bot move, and returns the move's record; nil if it gave the
// game up or overstepped its time, which ends the game. The error is ErrOver,
// ErrTurn or the bot's *session.Fault, which ends the game, too.
func (g *Game) Answer(ctx context.Context) (*arena.MoveRecord, error) {
	switch {
	case g.end != nil:
		return nil, ErrOver
	case g.PersonsTurn():
		return nil, ErrTurn
	}
	side := g.Person.Other()
	a, err := g.ask(ctx)
	if err != nil {
		return nil, err
	}
	timer := &g.timers[side]
	switch {
	case a.Resign:
		g.end = &Ending{arena.ResultFor(g.Person), arena.Resign, g.sideName(side) + " resigned", engine.NoSide}
		return nil, nil
	case timer.Base > 0 && a.Time > timer.Allowance()+timer.Margin:
		g.end = &Ending{
			arena.ResultFor(g.Person), arena.TimeForfeit,
			fmt.Sprintf("%.1f s passed; %.1f s was left", a.Time.Seconds(), timer.Allowance().Seconds()), side,
		}
		return nil, nil
	}
	timer.Spend(a.Time)
	record := arena.MoveRecord{Move: g.Path.PlayText(a.Move, a.Text), Time: a.Time}
	g.bot.Report(&record)
	g.Moves = append(g.Moves, record)
	g.judge()
	return &record, nil
}

// Hint asks the bot what it would play for the person, with the bot's own limits and
// none of its time; a nil record means that it would resign. The errors are those of
// Answer.
func (g *Game) Hint(ctx context.Context) (*arena.MoveRecord, error) {
	switch {
	case g.end != nil:
		return nil, ErrOver
	case !g.PersonsTurn():
		return nil, ErrTurn
	}
	a, err := g.ask(ctx)
	if err != nil {
		return nil, err
	}
	if a.Resign {
		return nil, nil
	}
	record := arena.MoveRecord{Move: string(g.Path.Position.AppendMove(nil, a.Move)), Time: a.Time}
	g.bot.Report(&record)
	return &record, nil
}

// ask asks the bot for a move of the side to move, always with its own limits. A fault
// ends the game.
func (g *Game) ask(ctx context.Context) (session.Answer, error) {
	within := session.DefaultSilent
	if left, runs := g.Left(g.Person.Other()); runs {
		within = left + patience
	}
	a, f := g.bot.Ask(ctx, session.Question{Path: g.Path, Limits: g.timers.Limits(g.Person.Other()), Within: within})
	if f != nil {
		return a, g.fault(f)
	}
	return a, nil // a nil *Fault is no nil error
}

// Undo takes back the person's last move and the bot's answer, and reports whether
// there were any. The time stays spent. A game that the rules ended goes on.
func (g *Game) Undo() bool {
	n := 2
	if !g.PersonsTurn() { // the game ended by the person's own move
		n = 1
	}
	if len(g.Moves) < n || g.end != nil && g.end.Reason != arena.WinByRule && g.end.Reason != arena.DrawByRule {
		return false
	}
	for range n {
		g.Path.Undo()
	}
	g.Moves = g.Moves[:len(g.Moves)-n]
	g.end = nil
	return true
}

// Resign ends the game as lost by the person.
func (g *Game) Resign() {
	if g.end == nil {
		g.end = &Ending{arena.ResultFor(g.Person.Other()), arena.Resign, g.sideName(g.Person) + " resigned", engine.NoSide}
	}
}

// Flag ends the game because the person's time is up.
func (g *Game) Flag() {
	if g.end == nil {
		g.end = &Ending{
			arena.ResultFor(g.Person.Other()), arena.TimeForfeit,
			fmt.Sprintf("%.1f s was left", g.timers[g.Person].Allowance().Seconds()), g.Person,
		}
	}
}

func (g *Game) sideName(side engine.Side) string {
	return g.Path.Position.Game().SideNames()[side]
}

// Fill copies the game into a record's row, which must have the players' names. There
// is no result while the game goes on.
func (g *Game) Fill(to *arena.Game) {
	to.Game = g.Path.Position.Game().Name()
	to.Opening = arena.Opening{Position: g.begin}
	to.Moves, to.Plies = g.Moves, len(g.Moves)
	if g.end == nil {
		return
	}
	to.Result, to.Reason, to.Detail = g.end.Result, g.end.Reason, g.end.Detail
	switch g.end.Blame {
	case engine.First:
		to.Blame = to.First
	case engine.Second:
		to.Blame = to.Second
	}
}
