// Package sessiontest provides bots that are functions, a clock that moves only when a
// bot is waited for, and a small game, for tests of dialogues and games.
package sessiontest

import (
	"fmt"
	"strings"
	"time"

	"botarena/arena"
	"botarena/engine"
)

// A Clock moves only when a Bot is waited for.
type Clock struct{ Time time.Time }

// NewClock returns a clock set to some time.
func NewClock() *Clock { return &Clock{time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)} }

// Now returns the time.
func (c *Clock) Now() time.Time { return c.Time }

// An Event is a line or an error that comes from a bot at a time.
type Event struct {
	At   time.Time
	Line string
	Err  error
}

// A Bot is a bot as a function from each line that it is sent. It obeys the
// contract of arena.Link in the time of its clock.
type Bot struct {
	Clock    *Clock
	Answer   func(b *Bot, line string)
	Sent     []string // every line sent to it
	Writes   []string // every write
	Events   []Event  // what it has said or will say
	WriteErr error    // of every write
	Resets   int
	Cost     time.Duration // of reading a line
	Exit     string        // how it ended; "" while it runs
	Halted   bool          // a signal has stopped it
	CPU      time.Duration // what it has used
	Begun    string        // what it wrote without a newline

	final error // of every further read
}

// Say makes the bot write a line after a delay from now.
func (b *Bot) Say(after time.Duration, format string, args ...any) {
	b.put(Event{At: b.Clock.Time.Add(after), Line: fmt.Sprintf(format, args...)})
}

// Fail ends the bot's output with an error after a delay from now.
func (b *Bot) Fail(after time.Duration, err error) {
	b.put(Event{At: b.Clock.Time.Add(after), Err: err})
}

func (b *Bot) put(e Event) {
	i := len(b.Events)
	for i > 0 && b.Events[i-1].At.After(e.At) {
		i--
	}
	b.Events = append(b.Events[:i], append([]Event{e}, b.Events[i:]...)...)
}

// Write passes the lines to Answer.
func (b *Bot) Write(lines []byte, deadline time.Time) error {
	text := string(lines)
	if !strings.HasSuffix(text, "\n") {
		panic("a write that does not end a line: " + text)
	}
	b.Writes = append(b.Writes, text)
	if b.WriteErr != nil {
		if b.WriteErr == arena.ErrTimeout && deadline.After(b.Clock.Time) { //nolint:errorlint // set by the test itself
			b.Clock.Time = deadline
		}
		return b.WriteErr
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		b.Sent = append(b.Sent, line)
		b.Answer(b, line)
	}
	return nil
}

// ReadLine moves the clock to the next event, or to the deadline.
func (b *Bot) ReadLine(deadline time.Time) ([]byte, error) {
	if b.final != nil {
		return nil, b.final
	}
	if len(b.Events) == 0 || b.Events[0].At.After(deadline) && b.Events[0].At.After(b.Clock.Time) {
		if deadline.After(b.Clock.Time) {
			b.Clock.Time = deadline
		}
		return nil, arena.ErrTimeout
	}
	b.Clock.Time = b.Clock.Time.Add(b.Cost)
	e := b.Events[0]
	b.Events = b.Events[1:]
	if e.At.After(b.Clock.Time) {
		b.Clock.Time = e.At
	}
	if e.Err != nil {
		b.final = e.Err
		return nil, e.Err
	}
	return []byte(e.Line), nil
}

// Reset is counted.
func (b *Bot) Reset() { b.Resets++ }

// PID is 0.
func (b *Bot) PID() int { return 0 }

// Alive reports whether Exit is not set.
func (b *Bot) Alive() bool { return b.Exit == "" }

// ExitStatus is Exit.
func (b *Bot) ExitStatus() string { return b.Exit }

// Stopped is Halted.
func (b *Bot) Stopped() bool { return b.Halted }

// Suspend is noted in Sent, as is Continue.
func (b *Bot) Suspend() { b.Halted = true; b.Sent = append(b.Sent, "(suspend)") }

// Continue undoes Suspend.
func (b *Bot) Continue() {
	if b.Halted {
		b.Halted = false
		b.Sent = append(b.Sent, "(continue)")
	}
}

// CPUTime is CPU.
func (b *Bot) CPUTime() time.Duration { return b.CPU }

// Unfinished is Begun.
func (b *Bot) Unfinished() []byte { return []byte(b.Begun) }

// End does nothing.
func (b *Bot) End(time.Duration) error { return nil }

// Polite answers the lines that every bot must, and go by move.
func Polite(move func(b *Bot, position, goLine string)) func(*Bot, string) {
	position := ""
	return func(b *Bot, line string) {
		switch {
		case line == "ugi":
			b.Say(0, "id name Fake")
			b.Say(0, "ugiok")
		case line == "isready":
			b.Say(0, "readyok")
		case strings.HasPrefix(line, "position"):
			position = line
		case strings.HasPrefix(line, "go"):
			move(b, position, line)
		}
	}
}

// Plays answers the n-th go with the n-th move, each after the same time, and not at
// all after the last.
func Plays(after time.Duration, moves ...string) func(*Bot, string) {
	n := 0
	return Polite(func(b *Bot, _, _ string) {
		if n < len(moves) {
			b.Say(after, "bestmove %s", moves[n])
		}
		n++
	})
}

// Shuttle is a game to test with: a piece on a ring of ten squares, and a stage.
// "u" and "d" move the piece and can be undone, "p" raises the stage and cannot;
// who raises it to Goal wins. "t" ends the game as a draw. The text of a move is
// followed by Pad, which makes long lines.
type Shuttle struct {
	Goal int
	Pad  string
}

// The moves.
const (
	moveU engine.Move = 1 + iota
	moveD
	moveP
	moveT
)

// Name returns "shuttle".
func (s Shuttle) Name() string { return "shuttle" }

// SideNames are colours.
func (s Shuttle) SideNames() [2]string { return [2]string{"red", "blue"} }

// Symmetric returns true.
func (s Shuttle) Symmetric() bool { return true }

// MaxPlies is plenty.
func (s Shuttle) MaxPlies() int { return 1000 }

// Start is square 0 and stage 0.
func (s Shuttle) Start() engine.Position {
	return &shuttlePos{game: s, states: []shuttleState{{}}}
}

// Parse reads STAGE SQUARE r|b.
func (s Shuttle) Parse(text string) (engine.Position, error) {
	var state shuttleState
	var turn string
	if _, err := fmt.Sscanf(text, "%d %d %s", &state.stage, &state.square, &turn); err != nil || turn != "r" && turn != "b" {
		return nil, &engine.PositionError{Game: "shuttle", Text: text, Why: "not STAGE SQUARE r|b"}
	}
	if turn == "b" {
		state.turn = engine.Second
	}
	return &shuttlePos{game: s, states: []shuttleState{state}}, nil
}

type shuttleState struct {
	stage, square, reversible int
	turn                      engine.Side
	tied                      bool
}

type shuttlePos struct {
	game   Shuttle
	states []shuttleState
}

func (p *shuttlePos) at() shuttleState  { return p.states[len(p.states)-1] }
func (p *shuttlePos) Game() engine.Game { return p.game }
func (p *shuttlePos) Turn() engine.Side { return p.at().turn }
func (p *shuttlePos) Ply() int          { return len(p.states) - 1 }
func (p *shuttlePos) Reversible() int   { return p.at().reversible }
func (p *shuttlePos) Undo()             { p.states = p.states[:len(p.states)-1] }
func (p *shuttlePos) Hash() uint64 {
	return uint64(p.at().stage*100 + p.at().square*2 + int(p.at().turn))
}

func (p *shuttlePos) Legal(dst []engine.Move) []engine.Move {
	if p.Outcome().Over {
		return dst
	}
	return append(dst, moveU, moveD, moveP, moveT)
}

func (p *shuttlePos) Play(m engine.Move) {
	s := p.at()
	s.turn = s.turn.Other()
	s.reversible++
	switch m {
	case moveU:
		s.square = (s.square + 1) % 10
	case moveD:
		s.square = (s.square + 9) % 10
	case moveP:
		s.stage++
		s.reversible = 0
	case moveT:
		s.tied = true
	}
	p.states = append(p.states, s)
}

func (p *shuttlePos) Outcome() engine.Outcome {
	s := p.at()
	switch {
	case s.tied:
		return engine.Outcome{Over: true, Winner: engine.NoSide, Reason: "tie agreed"}
	case s.stage >= p.game.Goal:
		return engine.Outcome{Over: true, Winner: s.turn.Other(), Reason: "goal reached"}
	}
	return engine.Outcome{Winner: engine.NoSide}
}

// ParseMove also reads capitals, so that there is a spelling to make canonical.
func (p *shuttlePos) ParseMove(text string) (engine.Move, error) {
	short := strings.TrimSuffix(text, p.game.Pad)
	if i := strings.Index("udpt", strings.ToLower(short)); len(short) == 1 && i >= 0 {
		return engine.Move(i + 1), nil
	}
	return 0, &engine.MoveError{Move: text, Why: "not one of u, d, p, t"}
}

func (p *shuttlePos) AppendMove(dst []byte, m engine.Move) []byte {
	return append(append(dst, "udpt"[m-1]), p.game.Pad...)
}

func (p *shuttlePos) AppendText(dst []byte) []byte {
	return fmt.Appendf(dst, "%d %d %c", p.at().stage, p.at().square, "rb"[p.at().turn])
}
func (p *shuttlePos) String() string { return string(p.AppendText(nil)) }
func (p *shuttlePos) Clone() engine.Position {
	return &shuttlePos{game: p.game, states: append([]shuttleState(nil), p.states...)}
}
func (p *shuttlePos) Board() engine.Board { return engine.Board{} }
