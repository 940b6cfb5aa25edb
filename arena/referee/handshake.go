package referee

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/text"
	"botarena/protocol"
)

// A Hello says how to greet a bot.
type Hello struct {
	Protocol arena.Protocol // "" is auto
	Timeout  time.Duration  // 0: DefaultHello
}

// Options and problems beyond these are not the declarations of a bot that
// means it.
const (
	mostOptions  = 4096
	mostProblems = 20
)

// Handshake greets a bot that has just been started and fills in Declared. The
// error is a *Fault.
//
// With ProtocolAuto it sends ugi and isready. A bot that knows UGI answers both,
// one that does not answers isready alone, or complains: then, or when a
// quarter of the time has passed, uci is sent too, and whichever of ugiok and
// uciok comes first decides.
func (r *Referee) Handshake(ctx context.Context, p *Player, hello Hello) error {
	h := greeting{
		Referee: r, ctx: ctx, p: p, timeout: hello.Timeout,
		auto: hello.Protocol == arena.ProtocolAuto || hello.Protocol == "",
	}
	if h.timeout <= 0 {
		h.timeout = DefaultHello
	}
	p.Declared = Declared{}
	p.legal = false
	if f := h.run(hello.Protocol); f != nil {
		return f
	}
	return nil
}

// A greeting is one handshake.
type greeting struct {
	*Referee
	ctx     context.Context //nolint:containedctx // lives as long as one call
	p       *Player
	auto    bool
	timeout time.Duration
	since   time.Time

	asked   bool // uci was sent
	isReady bool // readyok has come
	garbage *Fault
}

func (h *greeting) run(want arena.Protocol) *Fault {
	h.since = h.Clock.Now()
	deadline := h.since.Add(h.timeout)
	p := h.p
	p.Link.Reset()
	p.chatter = p.chatter[:0]
	switch {
	case want == arena.ProtocolUCI:
		h.asked = true
		h.out = protocol.AppendHello(h.out[:0], protocol.UCI)
	case h.auto:
		h.out = protocol.AppendIsReady(protocol.AppendHello(h.out[:0], protocol.UGI))
	default:
		h.out = protocol.AppendHello(h.out[:0], protocol.UGI)
	}
	if err := h.send(p, deadline); err != nil {
		return h.fault(h.ctx, p, err, h.since, notReading())
	}
	for {
		wait := deadline
		if h.auto && !h.asked {
			wait = h.since.Add(h.timeout / 4)
		}
		line, kind, err := h.receive(p, wait)
		var garbage *Fault
		if errors.As(err, &garbage) {
			h.garbage = garbage
		}
		late := errors.Is(err, arena.ErrTimeout) || (err == nil || garbage != nil) && h.Clock.Now().After(wait)
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
			f := h.fault(h.ctx, p, err, h.since, Fault{})
			if h.auto && f.Reason == arena.Crash {
				f.Detail += "; if it speaks only UCI, say so: protocol: uci"
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
			p.Declared.Dialect = m.Dialect
			if h.auto && m.Dialect == protocol.UGI && !h.isReady {
				return h.awaitReady(h.ctx, p, h.since, h.timeout)
			}
			return nil
		}
	}
}

func (h *greeting) askUCI(deadline time.Time) *Fault {
	h.asked = true
	h.out = protocol.AppendHello(h.out[:0], protocol.UCI)
	if err := h.send(h.p, deadline); err != nil {
		return h.fault(h.ctx, h.p, err, h.since, notReading())
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
		late = Fault{Reason: arena.ProtocolError, Detail: late.Detail + ", but " + h.garbage.Detail}
	}
	return h.fault(h.ctx, h.p, arena.ErrTimeout, h.since, late)
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
	d := &h.p.Declared
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

// A Setup is how a bot is set up before its first game.
type Setup struct {
	Game    string         // name of the event's game
	Options []arena.Option // of the bot's entry, sent in this order
	Timeout time.Duration  // for readyok; 0: DefaultReady
}

// An OptionsError lists every option of a bot's entry that it does not take, and
// a game that it does not play: a mistake in the event, not a fault of the bot.
type OptionsError struct {
	Bot      string
	Problems []error // *protocol.OptionError, wrapped or not
}

// Error joins the problems.
func (e *OptionsError) Error() string {
	texts := make([]string, len(e.Problems))
	for i, err := range e.Problems {
		texts[i] = text.Line(err.Error(), mostText)
	}
	return fmt.Sprintf("bot %q: %s", e.Bot, strings.Join(texts, "; "))
}

// Unwrap returns the problems.
func (e *OptionsError) Unwrap() []error { return e.Problems }

// Configure sets the game, UGI_LegalMoves and the options of the bot's entry,
// each where declared, and waits until the bot is ready. An option of the entry
// has precedence over what Configure would set by itself. The error is an
// *OptionsError, before anything was sent, or a *Fault.
func (r *Referee) Configure(ctx context.Context, p *Player, setup Setup) error {
	declared := p.Declared.Options
	own := map[string]bool{} // options that the entry sets
	for _, o := range setup.Options {
		own[strings.ToLower(o.Name)] = true
	}
	var problems []error
	out := r.out[:0]
	p.legal = false
	for _, name := range []string{protocol.UGI.VariantOption(), protocol.UCI.VariantOption()} {
		if _, ok := declared.Find(name); !ok || own[strings.ToLower(name)] {
			continue
		}
		name, value, err := declared.Resolve(name, setup.Game)
		if err != nil {
			problems = append(problems, fmt.Errorf("it does not play %s: %w", setup.Game, err))
		}
		out = protocol.AppendSetOption(out, protocol.Combo, name, value)
	}
	if o, ok := declared.Find(protocol.LegalMovesOption); ok && o.Type == protocol.Check && !own[strings.ToLower(o.Name)] {
		out = protocol.AppendSetOption(out, o.Type, o.Name, "true")
		p.legal = true
	}
	for _, o := range setup.Options {
		name, value, err := declared.Resolve(o.Name, o.Value)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		d, _ := declared.Find(name)
		out = protocol.AppendSetOption(out, d.Type, name, value)
		if strings.EqualFold(name, protocol.LegalMovesOption) {
			p.legal = value == "true"
		}
	}
	if problems != nil {
		return &OptionsError{Bot: p.Name, Problems: problems}
	}
	r.out = protocol.AppendIsReady(out)
	timeout := setup.Timeout
	if timeout <= 0 {
		timeout = DefaultReady
	}
	if f := r.ready(ctx, p, r.Clock.Now(), timeout); f != nil {
		return f
	}
	return nil
}
