package session

import (
	"bytes"
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

// Options and problems beyond these are not the declarations of a bot that
// means it.
const (
	mostOptions  = 4096
	mostProblems = 20
)

// Greet shakes hands with a bot that has just been started and fills in Declared.
// The error is a *Fault.
//
// With ProtocolAuto it sends ugi and isready. A bot that knows UGI answers both,
// one that does not answers isready alone, or complains: then, or when a
// quarter of the time has passed, uci is sent too. Where it complains of that as
// well, or when half of the time has passed, xboard follows. Whichever of ugiok,
// uciok and a feature line comes first decides. A bot that ends because it was
// sent a word that it does not know is started again, where Again is set: one that
// refused it as a chess move is greeted with xboard, another one with uci, then
// with xboard. So is, with the word that it answered, a bot whose answer came after
// a later word was sent: it may speak that, too, and would from then on.
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

// greet shakes hands with one process.
func (s *Session) greet(ctx context.Context, hello Hello, auto, second bool) (*greeting, *Fault) {
	h := &greeting{Session: s, ctx: ctx, timeout: hello.Timeout, sandbox: hello.Sandbox, auto: auto, second: second}
	if h.timeout <= 0 {
		h.timeout = DefaultHello
	}
	s.Declared = Declared{}
	s.sendsLegal, s.xboard = false, nil
	if hello.Protocol == arena.ProtocolXBoard {
		h.since = h.Now()
		h.begin()
		return h, h.runXBoard(h.since.Add(h.timeout))
	}
	return h, h.run(hello.Protocol)
}

// A greeting is one handshake.
type greeting struct {
	*Session
	ctx     context.Context //nolint:containedctx // lives as long as one call
	auto    bool
	timeout time.Duration
	sandbox arena.Sandbox
	since   time.Time

	asked      bool // uci was sent
	isReady    bool // readyok has come
	complaints int  // lines that seem to say that a word is unknown
	likeXBoard bool // one of them takes a word for a move
	second     bool // it was started again for this
	turned     bool // it answered a word after it was sent a later one
	garbage    *protocol.ParseError
}

func (h *greeting) run(want arena.Protocol) *Fault {
	h.since = h.Now()
	deadline := h.since.Add(h.timeout)
	h.begin()
	switch {
	case want == arena.ProtocolUCI:
		h.asked = true
		h.out = protocol.AppendHello(h.out[:0], protocol.UCI)
	case h.auto:
		h.out = protocol.AppendIsReady(protocol.AppendHello(h.out[:0], protocol.UGI))
	default:
		h.out = protocol.AppendHello(h.out[:0], protocol.UGI)
	}
	if err := h.write(deadline); err != nil {
		return h.fault(h.ctx, err, h.since, notReading())
	}
	for {
		wait := deadline
		if h.auto {
			wait = h.since.Add(h.timeout / 2)
			if !h.asked {
				wait = h.since.Add(h.timeout / 4)
			}
		}
		line, kind, err := h.receive(wait)
		var garbage *protocol.ParseError
		if errors.As(err, &garbage) {
			h.garbage = garbage
		}
		late := errors.Is(err, arena.ErrTimeout) || (err == nil || garbage != nil) && h.Now().After(wait)
		switch {
		case late && wait.Before(deadline) && h.asked:
			return h.runXBoard(deadline)
		case late && wait.Before(deadline):
			if err := h.askUCI(deadline); err != nil {
				return err
			}
		case late:
			return h.tooLate(want)
		case garbage != nil:
			// A banner in an old encoding does no harm before the bot has agreed
			// to the protocol; where it never does, this is the likely reason.
		case err != nil:
			f := h.fault(h.ctx, err, h.since, Fault{})
			if f.Reason == arena.Crash {
				f.Detail += endedHint(h.Process, h.sandbox, h.auto, len(h.chatter) > 0)
			}
			return f
		}
		if err != nil {
			continue
		}
		switch kind {
		case protocol.ReadyOK:
			h.isReady = true
			if h.auto && !h.asked {
				if f := h.askUCI(deadline); f != nil {
					return f
				}
			}
		case protocol.Chatter:
			if !complains(line) {
				continue
			}
			if h.second {
				return &Fault{Reason: arena.ProtocolError, Detail: "it does not know uci: " + text.Line(string(line), mostText)}
			}
			if !h.auto {
				continue
			}
			h.complaints++
			h.likeXBoard = h.likeXBoard || refuses(line)
			// ugi, isready and uci have been sent by then
			if h.asked && (h.complaints > 2 || bytes.Contains(line, []byte("uci"))) {
				return h.runXBoard(deadline)
			}
			if !h.asked {
				if f := h.askUCI(deadline); f != nil {
					return f
				}
			}
		case protocol.ID, protocol.OptionLine:
			if f := h.declare(line); f != nil {
				return f
			}
		case protocol.OK:
			m, err := protocol.ParseFromBot(line)
			if err != nil || want == arena.ProtocolUGI && m.Dialect != protocol.UGI || want == arena.ProtocolUCI && m.Dialect != protocol.UCI {
				continue
			}
			return h.agree(m.Dialect)
		}
	}
}

func (h *greeting) askUCI(deadline time.Time) *Fault {
	h.asked = true
	h.out = protocol.AppendHello(h.out[:0], protocol.UCI)
	if err := h.write(deadline); err != nil {
		return h.fault(h.ctx, err, h.since, notReading())
	}
	return nil
}

// leaves reports whether a bot seems to have ended for a word that it does not know.
func (h *greeting) leaves(f *Fault) bool {
	// A program that fails by itself, of an error in its text, says so in its
	// status and on stderr; one that leaves because of a line does not.
	return f.Reason == arena.Crash && !h.Process.Alive() && (len(h.chatter) > 0 || h.Process.ExitStatus() == "exit status 0")
}

// refuses reports whether a line is how an engine that speaks xboard says that it
// does not know a word: it takes it for a move.
func refuses(line []byte) bool {
	m, err := protocol.ParseXBoard(line)
	return err == nil && m.Kind == protocol.XBoardRefusal && (m.Illegal || bytes.HasPrefix(line, []byte("Error (")))
}

// runXBoard speaks xboard from now on. The engine has two seconds for its first
// feature line; one that sends none speaks version 1 of the protocol. In a
// handshake by ProtocolAuto it must have refused a word as such an engine does.
func (h *greeting) runXBoard(deadline time.Time) *Fault {
	x := newXBoard()
	h.xboard = x
	h.chatter = h.chatter[:0]
	h.out = protocol.AppendXBoard(protocol.AppendXBoard(h.out[:0], protocol.XBoard.String()), "protover", "2")
	if err := h.write(deadline); err != nil {
		return h.fault(h.ctx, err, h.since, notReading())
	}
	first := h.Now().Add(xboardFeatures)
	ok := false // a last feature line, or none at all
	for !ok {
		wait := deadline
		if !x.known && first.Before(deadline) && (!h.auto || h.likeXBoard) {
			wait = first
		}
		line, kind, err := h.receive(wait)
		var garbage *protocol.ParseError
		switch {
		case errors.As(err, &garbage):
			h.garbage = garbage
		case errors.Is(err, arena.ErrTimeout):
			if x.known {
				return h.fault(h.ctx, err, h.since, Fault{Reason: arena.Stall, Detail: fmt.Sprintf("no feature done=1 within %v", h.timeout)})
			}
			if wait.Equal(deadline) {
				h.xboard = nil
				return h.tooLate(arena.ProtocolAuto)
			}
			ok = true
		case err != nil:
			f := h.fault(h.ctx, err, h.since, Fault{})
			if f.Reason == arena.Crash {
				f.Detail += endedHint(h.Process, h.sandbox, h.auto, len(h.chatter) > 0)
			}
			return f
		case h.auto && kind == protocol.Chatter && !x.known:
			// A slow bot may come round to what it was sent before.
			m, err := protocol.ParseFromBot(line)
			switch {
			case err != nil:
			case m.Kind == protocol.OK:
				return h.agree(m.Dialect)
			case m.Kind == protocol.ReadyOK:
				h.isReady = true
			case m.Kind == protocol.ID, m.Kind == protocol.OptionLine:
				if f := h.declare(line); f != nil {
					return f
				}
			}
			h.likeXBoard = h.likeXBoard || refuses(line)
		}
		ok = ok || x.done
	}
	h.Declared.Dialect = protocol.XBoard
	h.Declared.Options = append(h.Declared.Options, protocol.Option{Name: protocol.PonderOption, Type: protocol.Check, Default: "false"})
	return nil
}

// agree ends a handshake in UGI or UCI, also where a later word was sent meanwhile.
func (h *greeting) agree(d protocol.Dialect) *Fault {
	h.Declared.Dialect = d
	h.turned = h.auto && (h.xboard != nil || d == protocol.UGI && h.asked)
	h.xboard = nil
	if h.auto && d == protocol.UGI && !h.isReady {
		return h.AwaitReady(h.ctx, h.since, h.timeout)
	}
	return nil
}

func (h *greeting) tooLate(want arena.Protocol) *Fault {
	answer := "neither ugiok nor uciok"
	if !h.auto {
		answer = "no " + string(want) + "ok"
	}
	late := Fault{Reason: arena.Stall, Detail: fmt.Sprintf("%s within %v", answer, h.timeout)}
	if h.garbage != nil {
		late = Fault{Reason: arena.ProtocolError, Detail: late.Detail + ", but " + text.Line(h.garbage.Error(), mostText)}
	}
	return h.fault(h.ctx, arena.ErrTimeout, h.since, late)
}

// complains reports whether a line is a program's way of not knowing "ugi".
func complains(line []byte) bool {
	lower := bytes.ToLower(line)
	for _, word := range []string{"unknown", "unrecogni", "invalid", "illegal", "no such command", "not understood", "'ugi'", `"ugi"`} {
		if bytes.Contains(lower, []byte(word)) {
			return true
		}
	}
	return false
}

// declare takes an id or option line.
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
