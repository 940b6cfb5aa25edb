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

// A Hello says how to greet a bot.
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
// quarter of the time has passed, uci is sent too, and whichever of ugiok and
// uciok comes first decides.
func (s *Session) Greet(ctx context.Context, hello Hello) error {
	h := greeting{
		Session: s, ctx: ctx, timeout: hello.Timeout, sandbox: hello.Sandbox,
		auto: hello.Protocol == arena.ProtocolAuto || hello.Protocol == "",
	}
	if h.timeout <= 0 {
		h.timeout = DefaultHello
	}
	s.Declared = Declared{}
	s.sendsLegal = false
	if f := h.run(hello.Protocol); f != nil {
		return f
	}
	return nil
}

// A greeting is one handshake.
type greeting struct {
	*Session
	ctx     context.Context //nolint:containedctx // lives as long as one call
	auto    bool
	timeout time.Duration
	sandbox arena.Sandbox
	since   time.Time

	asked   bool // uci was sent
	isReady bool // readyok has come
	garbage *protocol.ParseError
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
		if h.auto && !h.asked {
			wait = h.since.Add(h.timeout / 4)
		}
		line, kind, err := h.receive(wait)
		var garbage *protocol.ParseError
		if errors.As(err, &garbage) {
			h.garbage = garbage
		}
		late := errors.Is(err, arena.ErrTimeout) || (err == nil || garbage != nil) && h.Now().After(wait)
		switch {
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
			if h.auto && !h.asked && complains(line) {
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
			h.Declared.Dialect = m.Dialect
			if h.auto && m.Dialect == protocol.UGI && !h.isReady {
				return h.AwaitReady(h.ctx, h.since, h.timeout)
			}
			return nil
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
