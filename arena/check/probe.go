package check

import (
	"context"
	"fmt"
	"strings"
	"time"

	"botarena/arena/session"
	"botarena/arena/text"
	"botarena/protocol"
)

// A probe is the session of one process of the bot, with the last lines of its
// dialogue.
type probe struct {
	*session.Session
	stderr *session.Tail

	began   time.Time
	lines   []line
	dropped int // lines of the dialogue that are not kept any more
	watch   func(remark)
}

// A line is one line of the dialogue.
type line struct {
	at    time.Duration // since the start
	toBot bool
	text  string
}

// Limits of what is kept of a dialogue.
const (
	keptLines = 200
	keptText  = 2000 // bytes of a line
)

// newProbe starts a process of the bot. The caller must call End, also after an error.
func newProbe(ctx context.Context, c *Config, watch func(remark)) (*probe, error) {
	p := &probe{stderr: &session.Tail{}, began: c.Now(), watch: watch}
	process, err := c.Start(ctx, p.stderr)
	if err != nil {
		return nil, err
	}
	p.Session = &session.Session{Name: c.Bot.Name, Process: process, Now: c.Now, Log: p.log}
	p.Again = func(ctx context.Context) (session.Process, error) { return c.Start(ctx, p.stderr) }
	return p, nil
}

// log keeps a line of the dialogue.
func (p *probe) log(l session.Line) {
	text := string(l.Text[:min(len(l.Text), keptText)])
	if len(l.Text) > keptText {
		text = strings.ToValidUTF8(text, "") + "..."
	}
	if len(p.lines) == 2*keptLines {
		p.lines = append(p.lines[:0], p.lines[keptLines:]...)
		p.dropped += keptLines
	}
	p.lines = append(p.lines, line{at: l.At.Sub(p.began), toBot: l.ToBot, text: text})
	if !l.ToBot {
		said := l.Text
		if l.Meaning != nil {
			said = l.Meaning
		}
		m, err := protocol.ParseFromBot(said)
		p.watch(remark{kind: m.Kind, text: text, err: err, unasked: l.Unasked})
	}
}

// A remark is a fault or oddity in a line of the bot.
type remark struct {
	kind    protocol.BotKind
	text    string
	err     error // it breaks the protocol
	unasked bool  // a bestmove that nobody asked for
}

// mark returns the current place in the dialogue, for since.
func (p *probe) mark() int { return p.dropped + len(p.lines) }

// since quotes the dialogue from a mark on, without its middle if it is long.
func (p *probe) since(mark int) []string {
	const head, tail = 8, 10
	list := p.lines[min(max(mark-p.dropped, 0), len(p.lines)):]
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

// optionLines quotes the declarations.
func (p *probe) optionLines() []string {
	const most = 20
	list := []string{}
	for _, l := range p.lines {
		if !l.toBot && strings.HasPrefix(strings.TrimSpace(l.text), "option") && len(list) < most {
			list = append(list, l.String())
		}
	}
	return list
}

// String returns the line with its time in seconds since the start of the process, and
// > where it went to the bot, < where it came from it.
func (l line) String() string {
	arrow := "<"
	if l.toBot {
		arrow = ">"
	}
	return fmt.Sprintf("%7.3f %s %s", l.at.Seconds(), arrow, text.Escape(l.text))
}
