package referee_test

import (
	"fmt"
	"strings"
	"time"

	"botarena/arena"
	"botarena/engine"
)

// A fakeClock moves only when a fakeLink waits.
type fakeClock struct{ now time.Time }

func newClock() *fakeClock { return &fakeClock{now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *fakeClock) Now() time.Time { return c.now }

// An event is a line or an error that comes from a bot at a time.
type event struct {
	at   time.Time
	line string
	err  error
}

// A fakeLink is a bot as a function from each line that it is sent. It obeys the
// contract of arena.Link in the time of its clock.
type fakeLink struct {
	clock    *fakeClock
	answer   func(b *fakeLink, line string)
	sent     []string // every line sent to it
	writes   []string // every write
	events   []event
	final    error // what every further read answers
	writeErr error
	resets   int
	cost     time.Duration // of reading a line
}

// say makes the bot write a line after a delay from now.
func (b *fakeLink) say(after time.Duration, format string, args ...any) {
	b.put(event{at: b.clock.now.Add(after), line: fmt.Sprintf(format, args...)})
}

func (b *fakeLink) fail(after time.Duration, err error) {
	b.put(event{at: b.clock.now.Add(after), err: err})
}

func (b *fakeLink) put(e event) {
	i := len(b.events)
	for i > 0 && b.events[i-1].at.After(e.at) {
		i--
	}
	b.events = append(b.events[:i], append([]event{e}, b.events[i:]...)...)
}

func (b *fakeLink) Write(lines []byte, deadline time.Time) error {
	text := string(lines)
	if !strings.HasSuffix(text, "\n") {
		panic("a write that does not end a line: " + text)
	}
	b.writes = append(b.writes, text)
	if b.writeErr != nil {
		if b.writeErr == arena.ErrTimeout && deadline.After(b.clock.now) { //nolint:errorlint // set by the test itself
			b.clock.now = deadline
		}
		return b.writeErr
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		b.sent = append(b.sent, line)
		b.answer(b, line)
	}
	return nil
}

func (b *fakeLink) ReadLine(deadline time.Time) ([]byte, error) {
	if b.final != nil {
		return nil, b.final
	}
	if len(b.events) == 0 || b.events[0].at.After(deadline) && b.events[0].at.After(b.clock.now) {
		if deadline.After(b.clock.now) {
			b.clock.now = deadline
		}
		return nil, arena.ErrTimeout
	}
	b.clock.now = b.clock.now.Add(b.cost)
	e := b.events[0]
	b.events = b.events[1:]
	if e.at.After(b.clock.now) {
		b.clock.now = e.at
	}
	if e.err != nil {
		b.final = e.err
		return nil, e.err
	}
	return []byte(e.line), nil
}

func (b *fakeLink) Reset() { b.resets++ }

// polite answers what every bot answers, and go by the function.
func polite(move func(b *fakeLink, position, goLine string)) func(*fakeLink, string) {
	position := ""
	return func(b *fakeLink, line string) {
		switch {
		case line == "ugi":
			b.say(0, "id name Fake")
			b.say(0, "ugiok")
		case line == "isready":
			b.say(0, "readyok")
		case strings.HasPrefix(line, "position"):
			position = line
		case strings.HasPrefix(line, "go"):
			move(b, position, line)
		}
	}
}

// plays returns the n-th go with the n-th move, each after the same time, and
// nothing once they are used up.
func plays(after time.Duration, moves ...string) func(*fakeLink, string) {
	n := 0
	return polite(func(b *fakeLink, _, _ string) {
		if n < len(moves) {
			b.say(after, "bestmove %s", moves[n])
		}
		n++
	})
}

// shuttle is a game to test with: a piece on a ring of ten squares, and a stage.
// "u" and "d" move the piece and can be undone, "p" raises the stage and cannot;
// who raises it to goal wins. "t" ends the game as a draw. The text of a move is
// followed by pad, which makes long lines.
type shuttle struct {
	goal int
	pad  string
}

const (
	moveU engine.Move = 1 + iota
	moveD
	moveP
	moveT
)

func (s shuttle) Name() string         { return "shuttle" }
func (s shuttle) SideNames() [2]string { return [2]string{"red", "blue"} }
func (s shuttle) Symmetric() bool      { return true }
func (s shuttle) MaxPlies() int        { return 1000 }
func (s shuttle) Start() engine.Position {
	return &shuttlePos{game: s, states: []shuttleState{{}}}
}

func (s shuttle) Parse(text string) (engine.Position, error) {
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
	game   shuttle
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
	case s.stage >= p.game.goal:
		return engine.Outcome{Over: true, Winner: s.turn.Other(), Reason: "goal reached"}
	}
	return engine.Outcome{Winner: engine.NoSide}
}

// ParseMove also reads capitals, so that there is a spelling to make canonical.
func (p *shuttlePos) ParseMove(text string) (engine.Move, error) {
	short := strings.TrimSuffix(text, p.game.pad)
	if i := strings.Index("udpt", strings.ToLower(short)); len(short) == 1 && i >= 0 {
		return engine.Move(i + 1), nil
	}
	return 0, &engine.MoveError{Move: text, Why: "not one of u, d, p, t"}
}

func (p *shuttlePos) AppendMove(dst []byte, m engine.Move) []byte {
	return append(append(dst, "udpt"[m-1]), p.game.pad...)
}

func (p *shuttlePos) AppendText(dst []byte) []byte {
	return fmt.Appendf(dst, "%d %d %c", p.at().stage, p.at().square, "rb"[p.at().turn])
}
func (p *shuttlePos) String() string { return string(p.AppendText(nil)) }
func (p *shuttlePos) Clone() engine.Position {
	return &shuttlePos{game: p.game, states: append([]shuttleState(nil), p.states...)}
}
func (p *shuttlePos) Board() engine.Board { return engine.Board{} }
