// Package session conducts the dialogue with one running bot: the handshake, its
// options, new games, questions and answers, the end. The referee and the commands
// check, play and debug all talk to bots through a [Session]. No other package writes
// lines of the protocol, apart from the bots' own kit.
//
//	s := &session.Session{Name: "deep", Process: process, Now: time.Now}
//	err := s.Greet(ctx, session.Hello{})                  // *Fault
//	err = s.Configure(ctx, session.Setup{Game: g.Name()}) // *Fault or *OptionsError
//	err = s.NewGame(ctx, session.DefaultReady)            // *Fault
//	answer, fault := s.Ask(ctx, session.Question{Path: session.NewPath(g), ...})
//
// A session reports what went wrong ([Fault]); the referee decides what it means for a
// game. It belongs to one goroutine. No deadline is ever extended: a bot that keeps
// talking gains nothing.
package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/protocol"
)

// The default timeouts of steps without a game clock.
const (
	DefaultHello  = 10 * time.Second // for the handshake
	DefaultReady  = 10 * time.Second // for readyok
	DefaultSilent = 60 * time.Second // for a move without a time limit
)

// A Process is a running bot, such as a *process.Process.
type Process interface {
	arena.Link
	PID() int
	Alive() bool
	// ExitStatus returns how it ended: "exit status 3".
	ExitStatus() string
	// Stopped reports whether a signal has stopped it (SIGSTOP).
	Stopped() bool
	// Suspend stops the bot with all in its process group until Continue; it does
	// nothing if the platform cannot.
	Suspend()
	Continue()
	// CPUTime returns the CPU time used so far, with descendants.
	CPUTime() time.Duration
	// Unfinished returns the bot's output since its last newline.
	Unfinished() []byte
	// End closes the bot's input, waits up to grace for it to end, and kills it.
	End(grace time.Duration) error
}

// A Session is the dialogue with one process of a bot, from its start to its end.
type Session struct {
	Name    string
	Process Process
	Now     func() time.Time // monotonic, as time.Now's times are
	// Log, if set, is called with each line sent and received.
	Log func(Line)
	// Suspended reports whether arena itself, or the machine, was suspended at some
	// time since then: a late answer is then Void. Nil is never.
	Suspended func(since time.Time) bool

	// Again starts the bot anew, for ProtocolAuto, if it ended at an unknown word. If
	// it is nil, such an end is the bot's fault.
	Again func(ctx context.Context) (Process, error)
	// Opponent is the name of the bot that it plays, for bots that want to know.
	Opponent string

	// Declared holds the bot's declarations in the handshake.
	Declared Declared
	Games    int // that this process has begun

	game       string // that it was set up for
	sendsLegal bool   // it is sent the legal moves
	owed       int    // go lines that it has not answered
	out        []byte // the lines being sent
	legal      []engine.Move
	best       []byte // the info line since go that says most
	exact      bool   // best has an exact score
	chatter    []byte // what it said last that is not protocol
	recent     recent
	ponders    bool // it was told that it may ponder
	ponder     ponder
	xboard     *xboard // nil if it speaks UGI or UCI
}

// A Line is one line of a dialogue.
type Line struct {
	At    time.Time
	ToBot bool
	Text  []byte // without newline; valid during the call
	// Meaning is the UCI translation of an xboard engine's line; nil if Text is UCI
	// already.
	Meaning []byte
	// Unasked reports that it is a bestmove that no go asked for.
	Unasked bool
}

// Declared holds what a bot declares in the handshake.
type Declared struct {
	Dialect  protocol.Dialect
	Name     string // as it calls itself; not Session.Name
	Author   string
	Options  protocol.Options
	Problems []string // option lines that could not be read, and the like
}

// A Fault reports why a bot cannot play on: Reason is Crash, Stall, ProtocolError,
// TimeForfeit or IllegalMove, or Void if it is not the bot's fault.
type Fault struct {
	Reason arena.Reason
	Detail string
	// Err is the underlying error, nil for none: one of the link's errors
	// (arena.ErrTimeout, ...), a *protocol.ParseError or an *engine.MoveError.
	Err error
}

// Error returns "REASON: DETAIL".
func (f *Fault) Error() string { return fmt.Sprintf("%s: %s", f.Reason, f.Detail) }

// Unwrap returns Err.
func (f *Fault) Unwrap() error { return f.Err }

// SendsLegal reports whether the bot has asked for the legal moves.
func (s *Session) SendsLegal() bool { return s.sendsLegal }

// ReadsPositions reports whether the bot may be sent positions from the last
// irreversible move on instead of all moves. Chess engines, which speak UCI, read
// FEN as well as moves, and would spend more time on repeating a long game than
// arena does on refereeing it; other bots may keep a board of their own.
func (s *Session) ReadsPositions() bool {
	name, _, _ := strings.Cut(s.game, ":")
	return s.Declared.Dialect != protocol.UGI && name == uciGame
}

// uciGame is the game of engines that speak UCI and name no game.
const uciGame = "chess"

// chess960 is the variant for which engines have an option of its own.
const chess960 = uciGame + ":960"

// Thinking reports whether the bot owes a bestmove.
func (s *Session) Thinking() bool { return s.owed > 0 }

// mostChatter is the maximum length in bytes kept of lines outside the protocol.
const mostChatter = 120

// mostText is the maximum length in letters kept of a bot's text.
const mostText = 300

// write sends the lines in s.out, as a new request.
func (s *Session) write(deadline time.Time) error {
	if len(s.out) == 0 { // xboard has no word for some requests
		return nil
	}
	if s.Log != nil {
		now := s.Now()
		for line := range strings.Lines(string(s.out)) {
			s.Log(Line{At: now, ToBot: true, Text: []byte(strings.TrimRight(line, "\r\n"))})
		}
	}
	return s.Process.Write(s.out, deadline)
}

// begin resets the state of the last request.
func (s *Session) begin() {
	s.Process.Reset()
	s.chatter = s.chatter[:0]
}

// receive reads and classifies a line. The error is a *protocol.ParseError for an
// invalid line, or the link's.
func (s *Session) receive(deadline time.Time) ([]byte, protocol.BotKind, error) {
	if s.xboard != nil {
		return s.receiveXBoard(deadline)
	}
	line, err := s.Process.ReadLine(deadline)
	if err != nil {
		return nil, protocol.Chatter, err
	}
	kind, err := protocol.Classify(line)
	if kind != protocol.ReadyOK {
		s.recent.add(line)
	}
	s.heard(line, nil, kind, err)
	return line, kind, err
}

// heard logs a line of the bot; meaning is its UCI translation, if it differs.
func (s *Session) heard(line, meaning []byte, kind protocol.BotKind, err error) {
	unasked := kind == protocol.BestMove && s.owed == 0
	if kind == protocol.BestMove && s.owed > 0 {
		s.owed--
	}
	if s.Log != nil {
		s.Log(Line{At: s.Now(), Text: line, Meaning: meaning, Unasked: unasked})
	}
	if err == nil && kind == protocol.Chatter && len(line) > 0 {
		s.chatter = append(s.chatter[:0], line[:min(len(line), mostChatter)]...)
	}
}

// fault converts an error to a fault of a bot that had to act since a time; late is the
// fault at a missed deadline.
func (s *Session) fault(ctx context.Context, err error, since time.Time, late Fault) *Fault {
	var f *Fault
	var parse *protocol.ParseError
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &parse):
		return &Fault{Reason: arena.ProtocolError, Detail: text.Line(err.Error(), mostText), Err: err}
	case errors.Is(err, arena.ErrTimeout):
		if s.Suspended != nil && s.Suspended(since) {
			return &Fault{Reason: arena.Void, Detail: "arena or the machine was suspended while " + s.Name + " had to answer", Err: err}
		}
		f = &late
		f.Detail += s.said()
	case errors.Is(err, arena.ErrLineTooLong), errors.Is(err, arena.ErrFlood):
		return &Fault{Reason: arena.ProtocolError, Detail: err.Error(), Err: err}
	case errors.Is(err, arena.ErrClosed) && s.Process.Alive():
		f = &Fault{Reason: arena.Crash, Detail: "the bot closed its input or output and is still running"}
	case errors.Is(err, arena.ErrClosed):
		f = &Fault{Reason: arena.Crash, Detail: "the bot ended: " + text.Line(s.Process.ExitStatus(), mostText) + s.began()}
	default:
		f = &Fault{Reason: arena.Crash, Detail: text.Line(err.Error(), mostText)}
	}
	f.Err = err
	if ctx.Err() != nil {
		return &Fault{Reason: arena.Void, Detail: "interrupted", Err: err}
	}
	return f
}

// notReading returns the fault of a bot whose pipe is full at the deadline.
func notReading() Fault { return Fault{Reason: arena.Stall, Detail: "the bot does not read its input"} }

// Send writes complete lines as they are, for manual dialogues. The
// error is the link's.
func (s *Session) Send(lines []byte, deadline time.Time) error {
	for line := range strings.Lines(string(lines)) {
		if m, err := protocol.ParseFromArena([]byte(strings.TrimRight(line, "\r\n"))); err == nil && m.Kind == protocol.Go {
			s.owed++
			if s.xboard != nil {
				s.xboard.inStep = false
			}
		}
	}
	s.out = append(s.out[:0], lines...)
	s.begin()
	return s.write(deadline)
}

// Tell sends a line of the protocol that concerns neither position nor search,
// translated if the bot speaks xboard. The error is the link's.
func (s *Session) Tell(line string, deadline time.Time) error {
	m, err := protocol.ParseFromArena([]byte(line))
	if s.xboard == nil || err != nil {
		return s.Send([]byte(line+"\n"), deadline)
	}
	switch m.Kind {
	case protocol.Stop:
		s.out = s.appendStop(s.out[:0])
	case protocol.IsReady:
		s.out = s.appendIsReady(s.out[:0])
	case protocol.SetOption:
		o, ok := s.Declared.Options.Find(string(m.Name))
		if !ok {
			o = protocol.Option{Name: string(m.Name), Type: protocol.String}
		}
		s.out = s.appendOption(s.out[:0], o.Type, o.Name, string(m.Value))
	default:
		return s.Send([]byte(line+"\n"), deadline)
	}
	s.begin()
	return s.write(deadline)
}

// Receive reads a line by the deadline. The error is the link's, or a
// *protocol.ParseError with the line. The message is valid until the next line
// is read.
func (s *Session) Receive(deadline time.Time) (protocol.BotMessage, error) {
	line, kind, err := s.receive(deadline)
	if err != nil {
		return protocol.BotMessage{Kind: kind}, err
	}
	if kind == protocol.Chatter { // also where the words would mean something in UCI
		return protocol.BotMessage{Text: line}, nil
	}
	return protocol.ParseFromBot(line)
}

// Drain reads for a limited time from a bot that owes nothing. The error is a *Fault;
// silence is not an error. Lines that break the protocol, and unasked answers, are
// ignored, but logged.
func (s *Session) Drain(ctx context.Context, within time.Duration) error {
	since := s.Now()
	deadline := since.Add(within)
	for {
		_, _, err := s.receive(deadline)
		var parse *protocol.ParseError
		switch {
		case errors.Is(err, arena.ErrTimeout):
			return nil
		case err != nil && !errors.As(err, &parse):
			return s.fault(ctx, err, since, Fault{})
		case s.Now().After(deadline):
			return nil
		}
	}
}

// Settle reads, without waiting, what a bot that owes nothing has written. A line that
// breaks the protocol is its fault, and so is a bestmove if strict: it could be taken
// for the answer to the next go.
func (s *Session) Settle(ctx context.Context, strict bool) *Fault {
	if f := s.ponder.fault; f != nil {
		s.ponder.fault = nil
		return f
	}
	since := s.Now()
	now, came := since, false
	for {
		line, kind, err := s.receive(now)
		switch {
		case errors.Is(err, arena.ErrTimeout) && !came:
			return nil
		case errors.Is(err, arena.ErrTimeout): // more may have come while this was read
			now, came = s.Now(), false
		case err != nil:
			return s.fault(ctx, err, since, Fault{})
		case s.pondered(kind, line):
			came = true
		case strict && kind == protocol.BestMove:
			return &Fault{Reason: arena.ProtocolError, Detail: "bestmove without go (a second answer, or one before the question)"}
		default:
			came = true
		}
	}
}

// Ready sends isready and awaits readyok. The error is a *Fault. As in NewGame and
// SetOption, other lines that break the protocol are ignored, but logged.
func (s *Session) Ready(ctx context.Context, timeout time.Duration) error {
	return s.ready(ctx, s.out[:0], timeout, false)
}

// NewGame announces another game and awaits readyok. The error is a *Fault.
func (s *Session) NewGame(ctx context.Context, timeout time.Duration) error {
	return s.ready(ctx, s.appendNewGame(s.out[:0]), timeout, false)
}

// ready sends isready after the given lines and awaits readyok: see awaitReady.
func (s *Session) ready(ctx context.Context, lines []byte, timeout time.Duration, strict bool) error {
	since := s.Now()
	f := s.tellReady(ctx, lines, since, timeout)
	if f == nil {
		f = s.awaitReady(ctx, since, timeout, strict)
	}
	if f != nil {
		return f
	}
	return nil
}

// tellReady sends isready after the given lines.
func (s *Session) tellReady(ctx context.Context, lines []byte, since time.Time, timeout time.Duration) *Fault {
	s.out = s.appendIsReady(lines)
	s.begin()
	if err := s.write(since.Add(timeout)); err != nil {
		return s.fault(ctx, err, since, notReading())
	}
	return nil
}

// TellNewGame announces another game without awaiting readyok: see AwaitReady. The
// error is a *Fault.
func (s *Session) TellNewGame(ctx context.Context, since time.Time, timeout time.Duration) *Fault {
	return s.tellReady(ctx, s.appendNewGame(s.out[:0]), since, timeout)
}

// AwaitReady awaits the readyok that was asked for at the given time. A bestmove before
// it, or any line that breaks the protocol, is a fault.
func (s *Session) AwaitReady(ctx context.Context, since time.Time, timeout time.Duration) *Fault {
	return s.awaitReady(ctx, since, timeout, true)
}

// awaitReady ignores lines that break the protocol unless strict.
func (s *Session) awaitReady(ctx context.Context, since time.Time, timeout time.Duration, strict bool) *Fault {
	return s.awaitKind(ctx, protocol.ReadyOK, since, timeout, Fault{Reason: arena.Stall, Detail: fmt.Sprintf("no readyok within %v", timeout)}, strict)
}

// Finish sends the result of a game, without waiting, in protocols that have a word for
// it.
func (s *Session) Finish(result arena.Result, why string) {
	if s.xboard == nil || result == arena.Unplayed {
		return
	}
	s.out = s.xboard.appendResult(s.out[:0], string(result), why)
	_ = s.write(s.Now()) // one that does not read shows it at the next game
}

// Stop asks a bot to stop thinking, without waiting for anything.
func (s *Session) Stop() {
	s.out = s.appendStop(s.out[:0])
	// One that does not read is late anyhow.
	_ = s.write(s.Now())
}

// Quit tells the bot to end, without waiting. The error is the link's.
func (s *Session) Quit() error {
	s.out = protocol.AppendQuit(s.out[:0])
	return s.write(s.Now())
}

// End sends quit, waits up to grace for the process to end, and kills it; without grace
// it kills at once. The error names what could not be ended.
func (s *Session) End(grace time.Duration) error {
	if grace > 0 && s.Process.Alive() {
		// A bot that does not read gets the same grace as one that does not obey.
		_ = s.Quit()
	}
	return s.Process.End(grace)
}

// The lines to a bot, in the words of the protocol that it speaks.

func (s *Session) appendOption(dst []byte, t protocol.OptionType, name, value string) []byte {
	if s.xboard != nil {
		return s.xboard.appendOption(dst, t, name, value)
	}
	return protocol.AppendSetOption(dst, t, name, value)
}

func (s *Session) appendIsReady(dst []byte) []byte {
	if s.xboard != nil {
		return s.xboard.appendReady(dst)
	}
	return protocol.AppendIsReady(dst)
}

func (s *Session) appendNewGame(dst []byte) []byte {
	if s.xboard != nil {
		return s.xboard.appendNew(dst, s.Opponent)
	}
	return protocol.AppendNewGame(dst, s.Declared.Dialect)
}

func (s *Session) appendGo(dst []byte, p protocol.GoParams, offered bool) []byte {
	if s.xboard != nil {
		return s.xboard.appendGo(dst, p, offered)
	}
	return protocol.AppendGo(dst, s.Declared.Dialect, p)
}

func (s *Session) appendStop(dst []byte) []byte {
	if s.xboard != nil {
		return protocol.AppendXBoard(dst, "?")
	}
	return protocol.AppendStop(dst)
}
