package check

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"botarena/arena"
	"botarena/arena/referee"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/protocol"
)

// A Process is a running bot, such as a *process.Process.
type Process interface {
	arena.Link
	PID() int
	Alive() bool
	// ExitStatus says how it ended: "exit status 3".
	ExitStatus() string
	// End closes the bot's input, waits up to grace for it to end, and kills it.
	End(grace time.Duration) error
}

// A Start starts the bot anew; what the process writes to its stderr goes to the
// writer.
type Start func(ctx context.Context, stderr *Tail) (Process, error)

// Margin is how much later than its clock allows a bot may answer, as in a game
// whose clock names no margin of its own.
const Margin = 50 * time.Millisecond

// A Session is one process of a bot that was greeted and set up, and that can be
// asked for moves outside a game. It belongs to one goroutine.
type Session struct {
	Bot      arena.Bot
	Process  Process
	Declared referee.Declared
	// Log, where set, is given each line of the dialogue.
	Log func(referee.Line)
	// Stderr keeps the end of what the bot wrote there.
	Stderr *Tail

	referee *referee.Referee
	player  *referee.Player
	now     func() time.Time
	began   time.Time
	legal   bool // it is sent the legal moves
	owed    int  // go lines that it has not answered
	lines   []line
	dropped int // lines of the dialogue that are not kept any more
	watch   func(remark)
}

// A line is kept of the dialogue.
type line struct {
	at    time.Duration // since the start
	toBot bool
	text  string
}

// What is kept of a dialogue.
const (
	keptLines = 200
	keptText  = 2000 // bytes of a line
)

// Open starts a process of the bot. End it with End, whatever is said of it.
func Open(ctx context.Context, bot arena.Bot, start Start, now func() time.Time) (*Session, error) {
	s := &Session{Bot: bot, Stderr: &Tail{}, now: now, referee: &referee.Referee{Clock: clock(now)}}
	s.began = now()
	p, err := start(ctx, s.Stderr)
	if err != nil {
		return nil, err
	}
	s.Process = p
	s.player = &referee.Player{Name: bot.Name, Link: p, Why: p.ExitStatus, Log: s.log}
	return s, nil
}

type clock func() time.Time

func (c clock) Now() time.Time { return c() }

// Greet shakes hands and fills in Declared. The error is a *referee.Fault.
func (s *Session) Greet(ctx context.Context, timeout time.Duration) error {
	err := s.referee.Handshake(ctx, s.player, referee.Hello{Protocol: s.Bot.Protocol, Timeout: timeout})
	s.Declared = s.player.Declared
	return err
}

// Configure sets the game and the options of the bot's entry, as before an event.
// The error is a *referee.Fault or a *referee.OptionsError.
func (s *Session) Configure(ctx context.Context, game string, timeout time.Duration) error {
	o, ok := s.Declared.Options.Find(protocol.LegalMovesOption)
	s.legal = ok && o.Type == protocol.Check
	for _, own := range s.Bot.Options {
		if strings.EqualFold(own.Name, protocol.LegalMovesOption) {
			s.legal = strings.EqualFold(own.Value, "true")
		}
	}
	return s.referee.Configure(ctx, s.player, referee.Setup{Game: game, Options: s.Bot.Options, Timeout: timeout})
}

// End says quit and ends the process. The error names what could not be ended.
func (s *Session) End(grace time.Duration) error {
	if s.Process.Alive() {
		// A bot that does not read is killed: that it cannot be told is no matter.
		_ = s.Send(protocol.AppendQuit(nil), s.now().Add(100*time.Millisecond))
	}
	return s.Process.End(grace)
}

// log keeps a line of the dialogue.
func (s *Session) log(l referee.Line) {
	text := string(l.Text[:min(len(l.Text), keptText)])
	if len(l.Text) > keptText {
		text = strings.ToValidUTF8(text, "") + "..."
	}
	if len(s.lines) == 2*keptLines {
		s.lines = append(s.lines[:0], s.lines[keptLines:]...)
		s.dropped += keptLines
	}
	s.lines = append(s.lines, line{at: l.At.Sub(s.began), toBot: l.ToBot, text: text})
	if s.Log != nil {
		s.Log(l)
	}
	if l.ToBot {
		return
	}
	m, err := protocol.ParseFromBot(l.Text)
	unasked := false
	if m.Kind == protocol.BestMove {
		unasked = s.owed == 0
		s.owed = max(s.owed-1, 0)
	}
	if s.watch != nil {
		s.watch(remark{kind: m.Kind, text: text, err: err, unasked: unasked})
	}
}

// A remark is what a line of the bot's, or the want of one, shows of its manners.
type remark struct {
	kind    protocol.BotKind
	text    string
	err     error // it breaks the protocol
	unasked bool  // a bestmove that nobody asked for
}

// mark is a place in the dialogue for Since.
func (s *Session) mark() int { return s.dropped + len(s.lines) }

// since quotes the dialogue from a mark on, its middle left out where it is long.
func (s *Session) since(mark int) []string {
	const head, tail = 8, 10
	list := s.lines[min(max(mark-s.dropped, 0), len(s.lines)):]
	var out []string
	for i, l := range list {
		if len(list) > head+tail && i >= head && i < len(list)-tail {
			if i == head {
				out = append(out, fmt.Sprintf("(%d lines)", len(list)-head-tail))
			}
			continue
		}
		out = append(out, l.String())
	}
	return out
}

// String is the line with its time in seconds since the start of the process, and
// > where it went to the bot, < where it came from it.
func (l line) String() string {
	arrow := "<"
	if l.toBot {
		arrow = ">"
	}
	return fmt.Sprintf("%7.3f %s %s", l.at.Seconds(), arrow, text.Escape(l.text))
}

// Send writes complete lines by the deadline.
func (s *Session) Send(lines []byte, deadline time.Time) error {
	now := s.now()
	for text := range strings.Lines(string(lines)) {
		text = strings.TrimRight(text, "\r\n")
		s.log(referee.Line{At: now, ToBot: true, Text: []byte(text)})
		if text == "go" || strings.HasPrefix(text, "go ") {
			s.owed++
		}
	}
	s.Process.Reset()
	return s.Process.Write(lines, deadline)
}

// Receive reads a line by the deadline and tells what it is. The error is the
// link's, or a *protocol.ParseError with the line.
func (s *Session) Receive(deadline time.Time) (protocol.BotMessage, error) {
	text, err := s.Process.ReadLine(deadline)
	if err != nil {
		if s.watch != nil && (errors.Is(err, arena.ErrFlood) || errors.Is(err, arena.ErrLineTooLong)) {
			s.watch(remark{err: err})
		}
		return protocol.BotMessage{}, err
	}
	s.log(referee.Line{At: s.now(), Text: text})
	return protocol.ParseFromBot(text)
}

// Thinking reports whether the bot owes a bestmove.
func (s *Session) Thinking() bool { return s.owed > 0 }

// fault says in words what an error of Send or Receive means for who waited for
// something for a time.
func (s *Session) fault(err error, awaited string, within time.Duration) error {
	switch {
	case errors.Is(err, arena.ErrTimeout) && within > 0:
		return fmt.Errorf("%s within %v: %w", awaited, within, err)
	case errors.Is(err, arena.ErrClosed) && !s.Process.Alive():
		return &endedError{awaited, s.Process.ExitStatus()}
	case errors.Is(err, arena.ErrClosed):
		return fmt.Errorf("%s: %w, but lives on", awaited, err)
	}
	return fmt.Errorf("%s: %w", awaited, err)
}

// unread is the fault of a bot that a line cannot be sent to.
func (s *Session) unread(err error) error { return s.fault(err, "the bot does not read its input", 0) }

// An endedError is an arena.ErrClosed of a process that has ended.
type endedError struct{ awaited, status string }

func (e *endedError) Error() string {
	return fmt.Sprintf("%s: the bot ended with %s", e.awaited, e.status)
}
func (e *endedError) Unwrap() error { return arena.ErrClosed }

// await reads until a line of that kind comes. What is wrong with other lines is
// no matter here: watch sees it.
func (s *Session) await(kind protocol.BotKind, since time.Time, within time.Duration, awaited string) error {
	deadline := since.Add(within)
	for {
		m, err := s.Receive(deadline)
		var parse *protocol.ParseError
		if err != nil && !errors.As(err, &parse) {
			return s.fault(err, awaited, within)
		}
		if m.Kind == kind {
			return err
		}
		if s.now().After(deadline) {
			return s.fault(arena.ErrTimeout, awaited, within)
		}
	}
}

// Ready sends isready after the given lines and awaits readyok.
func (s *Session) Ready(lines []byte, timeout time.Duration) error {
	since := s.now()
	if err := s.Send(protocol.AppendIsReady(lines), since.Add(timeout)); err != nil {
		return s.unread(err)
	}
	return s.await(protocol.ReadyOK, since, timeout, "no readyok")
}

// NewGame says that another game begins and awaits readyok.
func (s *Session) NewGame(timeout time.Duration) error {
	return s.Ready(protocol.AppendNewGame(nil, s.Declared.Dialect), timeout)
}

// An Answer is what came of a go.
type Answer struct {
	Move   engine.Move // 0 where it gives the game up
	Resign bool
	Text   string // the move as the bot wrote it
	Time   time.Duration
	Info   string // the last info line with a score, or the last one
}

// A moveError is an answer that names no legal move.
type moveError struct {
	position string
	err      error
}

func (e *moveError) Error() string { return fmt.Sprintf("illegal move %v in %s", e.err, e.position) }
func (e *moveError) Unwrap() error { return e.err }

// AppendSetup appends the lines that set a position up: position, and legal
// where the bot asked for it.
func (s *Session) AppendSetup(dst []byte, path *Path) []byte {
	dst = path.appendTo(dst)
	if !s.legal {
		return dst
	}
	moves := path.Position.Legal(nil)
	if len(moves) == 0 {
		return dst
	}
	return protocol.AppendLegal(dst, len(moves), func(dst []byte, i int) []byte { return path.Position.AppendMove(dst, moves[i]) })
}

// Ask sets a position up, lets the bot think within the limits, and awaits its
// legal move for at most the given time. What the bot said before is read first,
// so that a bestmove too many is no answer. The error wraps the link's, a
// *protocol.ParseError or an *engine.MoveError.
func (s *Session) Ask(path *Path, limits protocol.GoParams, within time.Duration) (Answer, error) {
	if err := s.Listen(0); err != nil {
		return Answer{}, err
	}
	lines := protocol.AppendGo(s.AppendSetup(nil, path), s.Declared.Dialect, limits)
	since := s.now()
	if err := s.Send(lines, since.Add(within)); err != nil {
		return Answer{}, s.unread(err)
	}
	return s.Answer(path, since, within)
}

// Answer awaits the bot's answer to a go that was sent at a time.
func (s *Session) Answer(path *Path, since time.Time, within time.Duration) (Answer, error) {
	var a Answer
	deadline := since.Add(within)
	for {
		m, err := s.Receive(deadline)
		a.Time = s.now().Sub(since)
		var parse *protocol.ParseError
		switch {
		case errors.As(err, &parse):
			if m.Kind == protocol.BestMove {
				return a, err
			}
		case err != nil:
			return a, s.fault(err, "no bestmove", within)
		case m.Kind == protocol.InfoLine:
			if m.Info.Has&protocol.HasScore != 0 || !strings.Contains(a.Info, "score") {
				a.Info = s.lastLine()
			}
		case m.Kind == protocol.BestMove && m.Resign:
			a.Resign = true
			return a, nil
		case m.Kind == protocol.BestMove:
			a.Text = string(m.Move)
			a.Move, err = path.Position.ParseMove(a.Text)
			if err != nil {
				return a, &moveError{path.Position.String(), err}
			}
			return a, nil
		}
		if s.now().After(deadline) {
			return a, s.fault(arena.ErrTimeout, "no bestmove", within)
		}
	}
}

func (s *Session) lastLine() string { return s.lines[len(s.lines)-1].text }

// Listen reads what comes within a time. The error is the link's; that nothing
// comes is none.
func (s *Session) Listen(d time.Duration) error {
	deadline := s.now().Add(d)
	for {
		_, err := s.Receive(deadline)
		var parse *protocol.ParseError
		switch {
		case errors.Is(err, arena.ErrTimeout):
			return nil
		case err != nil && !errors.As(err, &parse):
			return s.fault(err, "before the next request", 0)
		case s.now().After(deadline):
			return nil
		}
	}
}

// A Path is a position and how it came about.
type Path struct {
	Position engine.Position
	From     string   // the text of the position that the moves start at; "" for the game's own start
	Moves    []string // as the protocol writes them
}

// NewPath is the game's own start.
func NewPath(game engine.Game) *Path { return &Path{Position: game.Start()} }

// Play makes a legal move.
func (p *Path) Play(m engine.Move) {
	p.Moves = append(p.Moves, string(p.Position.AppendMove(nil, m)))
	p.Position.Play(m)
}

// Undo takes the last move back; false where there is none.
func (p *Path) Undo() bool {
	if len(p.Moves) == 0 {
		return false
	}
	p.Moves = p.Moves[:len(p.Moves)-1]
	p.Position.Undo()
	return true
}

// bare is the position without its history.
func (p *Path) bare() *Path { return &Path{Position: p.Position, From: p.Position.String()} }

func (p *Path) appendTo(dst []byte) []byte {
	n := len(dst)
	dst = protocol.AppendPosition(dst, p.From, p.Moves...)
	if len(dst)-n > protocol.MaxLine {
		dst = protocol.AppendPosition(dst[:n], p.Position.String())
	}
	return dst
}

// A Tail keeps the end of what is written to it. It may be used by several
// goroutines.
type Tail struct {
	mu      sync.Mutex
	text    []byte
	written int64
}

// Write never fails.
func (t *Tail) Write(b []byte) (int, error) {
	const kept = 8 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.written += int64(len(b))
	t.text = append(t.text, b...)
	if len(t.text) > 2*kept {
		t.text = append(t.text[:0], t.text[len(t.text)-kept:]...)
	}
	return len(b), nil
}

// Lines are at most the n last lines, with what would spoil a terminal escaped.
func (t *Tail) Lines(n int) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := strings.TrimSpace(string(t.text))
	if kept == "" {
		return nil
	}
	list := strings.Split(kept, "\n")
	list = list[max(0, len(list)-n):]
	for i := range list {
		list[i] = text.Escape(strings.ReplaceAll(strings.TrimRight(list[i], "\r"), "\t", "    "))
	}
	return list
}

// Written counts the bytes.
func (t *Tail) Written() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.written
}
