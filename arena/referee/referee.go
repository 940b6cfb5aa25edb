// Package referee plays games between two bots: it speaks the protocol with
// them over an [arena.Link] each, owns the clocks, checks every move with the
// rules engine, and says how the game ended and whose fault that was.
//
// A process is greeted once and configured, then plays any number of games:
//
//	r := &referee.Referee{Clock: clock}
//	p := &referee.Player{Name: "deep", Link: link, Why: process.ExitStatus}
//	err := r.Handshake(ctx, p, referee.Hello{})       // *Fault
//	err = r.Configure(ctx, p, referee.Setup{Game: g}) // *Fault or *OptionsError
//	record, err := r.Play(ctx, referee.Spec{Game: g, Clocks: clocks}, [2]*referee.Player{p, q})
//
// A bot's fault is never an error of Play: it is how the game ended. Play's
// error means that it was asked for a game that cannot be played.
//
// No deadline is ever extended: a bot that keeps talking gains nothing. How
// time is counted, what each fault is called, and why, is in the README beside.
package referee

import (
	"context"
	"errors"
	"fmt"
	"time"

	"botarena/arena"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/protocol"
)

// The limits on what no game clock limits, where a field of that meaning is zero.
const (
	DefaultHello  = 10 * time.Second // for the handshake
	DefaultReady  = 10 * time.Second // for readyok
	DefaultSilent = 60 * time.Second // for a move without a time limit
)

// stillRunning is what Player.Why returns of a process that has not ended.
const stillRunning = "still running"

// A Clock tells the time. Its times must be monotonic, as time.Now's are.
type Clock interface{ Now() time.Time }

// A Referee plays games, one at a time: each worker has its own.
type Referee struct {
	Clock Clock
	// Suspended reports whether arena itself, or the machine, was stopped at some
	// time since then. A time forfeit or a stall is void where it was. Nil: never.
	Suspended func(since time.Time) bool

	out   []byte // the lines being sent
	line  protocol.PositionLine
	legal []engine.Move
	text  []byte
}

// A Player is one process of a bot, from its start to its end.
type Player struct {
	Name string
	Link arena.Link
	// Why tells how the process ended ("exit status 3"), or "still running", for the
	// record. It is called where the link was found closed. Nil: unknown.
	Why func() string
	// Log is given each line sent and received. Nil costs nothing.
	Log func(Line)

	// Declared is what the bot said in the handshake.
	Declared Declared

	legal   bool   // it is sent the legal moves
	games   int    // that this process has begun
	best    []byte // the info line since go that says most
	exact   bool   // best has an exact score
	chatter []byte // what it said last that is not protocol
}

// A Line is one line of a dialogue.
type Line struct {
	At    time.Time
	ToBot bool
	Text  []byte // without newline; valid during the call
}

// Declared is what a bot says of itself in the handshake.
type Declared struct {
	Dialect  protocol.Dialect
	Name     string // as it calls itself; not Player.Name
	Author   string
	Options  protocol.Options
	Problems []string // option lines that could not be read, and the like
}

// A Fault is why a bot cannot play, or lost a game: Reason is Crash, Stall,
// ProtocolError, TimeForfeit or IllegalMove, or Void where it is not the bot's
// fault.
type Fault struct {
	Reason arena.Reason
	Detail string
}

// Error is "REASON: DETAIL".
func (f *Fault) Error() string { return fmt.Sprintf("%s: %s", f.Reason, f.Detail) }

// send writes the lines in r.out to a bot.
func (r *Referee) send(p *Player, deadline time.Time) error {
	if p.Log != nil {
		r.logSent(p)
	}
	return p.Link.Write(r.out, deadline)
}

func (r *Referee) logSent(p *Player) {
	now := r.Clock.Now()
	for from := 0; from < len(r.out); {
		to := from
		for to < len(r.out) && r.out[to] != '\n' {
			to++
		}
		p.Log(Line{At: now, ToBot: true, Text: r.out[from:to]})
		from = to + 1
	}
}

// receive reads a line and tells what it is. A *Fault among its errors is the
// bot's breach of the protocol; the others are the link's.
func (r *Referee) receive(p *Player, deadline time.Time) ([]byte, protocol.BotKind, error) {
	line, err := p.Link.ReadLine(deadline)
	if err != nil {
		return nil, protocol.Chatter, err
	}
	if p.Log != nil {
		p.Log(Line{At: r.Clock.Now(), Text: line})
	}
	kind, err := protocol.Classify(line)
	if err != nil {
		return line, kind, &Fault{Reason: arena.ProtocolError, Detail: text.Line(err.Error(), mostText)}
	}
	if kind == protocol.Chatter && len(line) > 0 {
		p.chatter = append(p.chatter[:0], line[:min(len(line), mostChatter)]...)
	}
	return line, kind, nil
}

// mostChatter bytes are kept of what a bot says beside the protocol.
const mostChatter = 120

// mostText bounds, in letters, what is kept of a text of a bot.
const mostText = 300

// said quotes the bot's last chatter: where an answer is missing, a typing
// error in it is often the cause.
func (p *Player) said() string {
	if len(p.chatter) == 0 {
		return ""
	}
	return fmt.Sprintf("; it said %q", p.chatter)
}

// fault tells what an error of the link, while the bot was to do something since
// a time, makes of it; late is what it is where the deadline passed.
func (r *Referee) fault(ctx context.Context, p *Player, err error, since time.Time, late Fault) *Fault {
	var f *Fault
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, arena.ErrTimeout):
		if r.Suspended != nil && r.Suspended(since) {
			return &Fault{Reason: arena.Void, Detail: "arena or the machine was suspended while " + p.Name + " had to answer"}
		}
		f = &late
		f.Detail += p.said()
	case errors.Is(err, arena.ErrLineTooLong), errors.Is(err, arena.ErrFlood):
		return &Fault{Reason: arena.ProtocolError, Detail: err.Error()}
	case errors.Is(err, arena.ErrClosed):
		f = &Fault{Reason: arena.Crash, Detail: "the bot closed its input or output"}
		if p.Why != nil {
			switch why := p.Why(); why {
			case stillRunning:
				f.Detail += " and is still running"
			default:
				f.Detail = "the bot ended: " + text.Line(why, mostText)
			}
		}
	default:
		f = &Fault{Reason: arena.Crash, Detail: text.Line(err.Error(), mostText)}
	}
	if ctx.Err() != nil {
		return &Fault{Reason: arena.Void, Detail: "interrupted"}
	}
	return f
}

// notReading is the fault of a bot whose pipe is full at the deadline.
func notReading() Fault { return Fault{Reason: arena.Stall, Detail: "the bot does not read its input"} }

// ready sends what is in r.out, which ends with isready, and awaits readyok.
func (r *Referee) ready(ctx context.Context, p *Player, since time.Time, timeout time.Duration) *Fault {
	deadline := since.Add(timeout)
	p.Link.Reset()
	p.chatter = p.chatter[:0]
	if err := r.send(p, deadline); err != nil {
		return r.fault(ctx, p, err, since, notReading())
	}
	return r.awaitReady(ctx, p, since, timeout)
}

func (r *Referee) awaitReady(ctx context.Context, p *Player, since time.Time, timeout time.Duration) *Fault {
	deadline := since.Add(timeout)
	late := Fault{Reason: arena.Stall, Detail: fmt.Sprintf("no readyok within %v", timeout)}
	for {
		_, kind, err := r.receive(p, deadline)
		switch {
		case err != nil:
			return r.fault(ctx, p, err, since, late)
		case kind == protocol.ReadyOK:
			return nil
		case kind == protocol.BestMove:
			return &Fault{Reason: arena.ProtocolError, Detail: "bestmove before go"}
		case r.Clock.Now().After(deadline): // it keeps talking
			return r.fault(ctx, p, arena.ErrTimeout, since, late)
		}
	}
}
