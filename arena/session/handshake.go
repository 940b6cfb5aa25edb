package session

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"botarena/arena"
	"botarena/arena/text"
	"botarena/protocol"
)

// A Hello configures a handshake.
type Hello struct {
	Protocol arena.Protocol // "" is auto
	Timeout  time.Duration  // 0: DefaultHello
	Sandbox  arena.Sandbox  // in which it was started, for a hint where it ends
}

// The limits of declared options and problems; more are a protocol error.
const (
	mostOptions  = 4096
	mostProblems = 20
)

// Greet performs the handshake with a bot that has just been started and fills in
// Declared. The error is a *Fault.
//
// With ProtocolAuto it sends ugi and isready. A bot that knows UGI answers both,
// another answers isready alone, or complains: then, or after a quarter of the time,
// uci is sent too. If it complains of that as well, or after half of the time, xboard
// follows. The first of ugiok, uciok and a feature line decides. A bot that ends at an
// unknown word is started again if Again is set: one that refused it as a chess move is
// greeted with xboard, another one with uci, then with xboard. A bot whose answer came
// after a later word was sent is also started again, with the word that it answered: it
// may know the later word, too, and switch to it.
func (s *Session) Greet(ctx context.Context, hello Hello) error {
	auto := hello.Protocol == arena.ProtocolAuto || hello.Protocol == ""
	h, f := s.greet(ctx, hello, auto, false)
	if f == nil && h.turned && s.Again != nil && s.again(ctx) == nil {
		hello.Protocol = arena.Protocol(s.Declared.Dialect.String())
		_, f = s.greet(ctx, hello, false, false)
		auto = false
	}
	if f == nil {
		return nil
	}
	if !auto || s.Again == nil || !h.leaves(f) {
		return f
	}
	next := []arena.Protocol{arena.ProtocolUCI, arena.ProtocolXBoard}
	if h.likeXBoard {
		next = next[1:]
	}
	for _, hello.Protocol = range next {
		if s.again(ctx) != nil {
			return f
		}
		if _, again := s.greet(ctx, hello, false, true); again == nil {
			return nil
		}
	}
	return f
}

// again starts the bot anew.
func (s *Session) again(ctx context.Context) error {
	if err := s.Process.End(0); err != nil {
		return err
	}
	p, err := s.Again(ctx)
	if err != nil {
		return err
	}
	s.Process = p
	return nil
}

// greet performs the handshake with one process.
func (s *Session) greet(ctx context.Context, hello Hello, auto, second bool) (*greeting, *Fault) {
	h := &greeting{
		Session: s, ctx: ctx, want: hello.Protocol, auto: auto, second: second, sandbox: hello.Sandbox,
		timeout: cmp.Or(max(hello.Timeout, 0), DefaultHello), since: s.Now(),
	}
	h.deadline = h.since.Add(h.timeout)
	s.Declared = Declared{}
	s.sendsLegal, s.xboard = false, nil
	s.begin()
	return h, h.run()
}

// A greeting is the state of one handshake.
type greeting struct {
	*Session
	ctx             context.Context //nolint:containedctx // lives as long as one call
	want            arena.Protocol
	auto            bool // the bot's dialect is not known
	second          bool // it was started again for this
	sandbox         arena.Sandbox
	timeout         time.Duration
	since, deadline time.Time

	asked      bool      // uci was sent
	features   time.Time // until when the first feature line is waited for, once xboard was sent
	isReady    bool      // readyok has come
	complaints int       // lines that seem to say that a word is unknown
	likeXBoard bool      // one of them takes a word for a move
	agreed     bool
	turned     bool // it answered a word after it was sent a later one
	garbage    *protocol.ParseError
}

// run sends the first word, and further ones after complaints or silence, until the bot
// has agreed to one.
func (h *greeting) run() *Fault {
	for f := h.begins(); ; {
		if f != nil || h.agreed {
			return f
		}
		wait := h.patience()
		line, kind, err := h.receive(wait)
		var garbage *protocol.ParseError
		if errors.As(err, &garbage) {
			// A banner in an old encoding does no harm before the bot has agreed
			// to the protocol; where it never does, this is the likely reason.
			h.garbage = garbage
		}
		late := errors.Is(err, arena.ErrTimeout) || h.xboard == nil && (err == nil || garbage != nil) && h.Now().After(wait)
		switch {
		case late && wait.Before(h.deadline):
			f = h.goesOn()
		case late:
			return h.tooLate()
		case err != nil && garbage == nil:
			f = h.fault(h.ctx, err, h.since, Fault{})
			if f.Reason == arena.Crash {
				f.Detail += endedHint(h.Process, h.sandbox, h.auto, len(h.chatter) > 0)
			}
		}
		if f == nil && err == nil {
			f = h.hear(line, kind)
		}
	}
}

// begins sends the first word.
func (h *greeting) begins() *Fault {
	switch {
	case h.want == arena.ProtocolXBoard:
		return h.askXBoard()
	case h.want == arena.ProtocolUCI:
		return h.askUCI()
	case h.auto:
		return h.say(protocol.AppendIsReady(protocol.AppendHello(h.out[:0], protocol.UGI)))
	}
	return h.say(protocol.AppendHello(h.out[:0], protocol.UGI))
}

func (h *greeting) say(lines []byte) *Fault {
	h.out = lines
	if err := h.write(h.deadline); err != nil {
		return h.fault(h.ctx, err, h.since, notReading())
	}
	return nil
}

func (h *greeting) askUCI() *Fault {
	h.asked = true
	return h.say(protocol.AppendHello(h.out[:0], protocol.UCI))
}

// askXBoard switches the session to xboard. The engine has two seconds for its first
// feature line; without one it speaks version 1 of the protocol. In a handshake by
// ProtocolAuto it must have refused a word as such an engine does.
func (h *greeting) askXBoard() *Fault {
	h.xboard = newXBoard()
	h.chatter = h.chatter[:0]
	h.features = h.Now().Add(xboardFeatures)
	return h.say(protocol.AppendXBoard(protocol.AppendXBoard(h.out[:0], protocol.XBoard.String()), "protover", "2"))
}

// patience returns the deadline for an answer to the last word.
func (h *greeting) patience() time.Time {
	switch {
	case h.xboard != nil && !h.xboard.known && h.features.Before(h.deadline) && (!h.auto || h.likeXBoard):
		return h.features
	case h.xboard != nil || !h.auto:
		return h.deadline
	case h.asked:
		return h.since.Add(h.timeout / 2)
	}
	return h.since.Add(h.timeout / 4)
}

// goesOn sends the next word to a bot that is silent.
func (h *greeting) goesOn() *Fault {
	switch {
	case h.xboard != nil: // version 1
		h.agreeXBoard()
		return nil
	case h.asked:
		return h.askXBoard()
	}
	return h.askUCI()
}

// hear handles a line from the bot.
func (h *greeting) hear(line []byte, kind protocol.BotKind) *Fault {
	if x := h.xboard; x != nil {
		if x.done {
			h.agreeXBoard()
		}
		if x.known || !h.auto || kind != protocol.Chatter {
			return nil
		}
		// A slow bot may come round to what it was sent before.
		h.likeXBoard = h.likeXBoard || refuses(line)
		if kind, _ = protocol.Classify(line); kind == protocol.Chatter {
			return nil
		}
	}
	switch kind {
	case protocol.ReadyOK:
		h.isReady = true
		if h.auto && !h.asked {
			return h.askUCI()
		}
	case protocol.Chatter:
		return h.complaint(line)
	case protocol.ID, protocol.OptionLine:
		return h.declare(line)
	case protocol.OK:
		m, err := protocol.ParseFromBot(line)
		if err == nil && (h.auto || m.Dialect.String() == string(h.want)) {
			return h.agree(m.Dialect)
		}
	}
	return nil
}

// complaint handles a line that may complain of an unknown word.
func (h *greeting) complaint(line []byte) *Fault {
	switch {
	case !complains(line):
		return nil
	case h.second:
		return &Fault{Reason: arena.ProtocolError, Detail: "it does not know uci: " + text.Line(string(line), mostText)}
	case !h.auto:
		return nil
	}
	h.complaints++
	h.likeXBoard = h.likeXBoard || refuses(line)
	switch {
	case !h.asked:
		return h.askUCI()
	case h.complaints > 2 || bytes.Contains(line, []byte("uci")): // ugi, isready and uci have been sent by then
		return h.askXBoard()
	}
	return nil
}

// leaves reports whether a bot seems to have ended because of an unknown word.
func (h *greeting) leaves(f *Fault) bool {
	// A program that fails by itself, of an error in its text, says so in its
	// status and on stderr; one that leaves because of a line does not.
	return f.Reason == arena.Crash && !h.Process.Alive() && (len(h.chatter) > 0 || h.Process.ExitStatus() == "exit status 0")
}

// refuses reports whether a line is an xboard engine's complaint about an unknown word,
// which it takes for a move.
func refuses(line []byte) bool {
	m, err := protocol.ParseXBoard(line)
	return err == nil && m.Kind == protocol.XBoardRefusal && (m.Illegal || bytes.HasPrefix(line, []byte("Error (")))
}

// agreeXBoard ends a handshake in xboard.
func (h *greeting) agreeXBoard() {
	h.agreed = true
	h.Declared.Dialect = protocol.XBoard
	h.Declared.Options = append(h.Declared.Options, protocol.Option{Name: protocol.PonderOption, Type: protocol.Check, Default: "false"})
}

// agree ends a handshake in UGI or UCI, also if a later word was sent meanwhile.
func (h *greeting) agree(d protocol.Dialect) *Fault {
	h.agreed = true
	h.Declared.Dialect = d
	h.turned = h.auto && (h.xboard != nil || d == protocol.UGI && h.asked)
	h.xboard = nil
	if h.auto && d == protocol.UGI && !h.isReady {
		return h.AwaitReady(h.ctx, h.since, h.timeout)
	}
	return nil
}

func (h *greeting) tooLate() *Fault {
	answer := "neither ugiok nor uciok"
	switch {
	case h.xboard != nil && h.xboard.known:
		answer = "no feature done=1"
	case !h.auto:
		answer = "no " + string(h.want) + "ok"
	}
	h.xboard = nil
	late := Fault{Reason: arena.Stall, Detail: fmt.Sprintf("%s within %v", answer, h.timeout)}
	if h.garbage != nil {
		late = Fault{Reason: arena.ProtocolError, Detail: late.Detail + ", but " + text.Line(h.garbage.Error(), mostText)}
	}
	return h.fault(h.ctx, arena.ErrTimeout, h.since, late)
}

// complains reports whether a line is a complaint about the unknown word "ugi".
func complains(line []byte) bool {
	lower := bytes.ToLower(line)
	for _, word := range []string{"unknown", "unrecogni", "invalid", "illegal", "no such command", "not understood", "'ugi'", `"ugi"`} {
		if bytes.Contains(lower, []byte(word)) {
			return true
		}
	}
	return false
}

// declare handles an id or option line.
func (h *greeting) declare(line []byte) *Fault {
	d := &h.Declared
	m, err := protocol.ParseFromBot(line)
	switch {
	case err != nil:
		if len(d.Problems) < mostProblems {
			d.Problems = append(d.Problems, text.Line(err.Error(), mostText))
		}
	case m.Kind == protocol.ID && m.Field == "name":
		d.Name = text.Line(string(m.Text), mostText)
	case m.Kind == protocol.ID:
		d.Author = text.Line(string(m.Text), mostText)
	case m.Kind == protocol.OptionLine:
		if old, ok := d.Options.Find(m.Option.Name); ok && old.Name == m.Option.Name {
			return nil // a bot that speaks both dialects declares its options twice
		}
		if len(d.Options) == mostOptions {
			return &Fault{Reason: arena.ProtocolError, Detail: fmt.Sprintf("more than %d options", mostOptions)}
		}
		d.Options = append(d.Options, *m.Option)
	}
	return nil
}
