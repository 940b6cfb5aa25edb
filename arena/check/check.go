// Package check tests whether a bot keeps the protocol, for the bot's author.
//
// [Run] starts the bot several times and tests it in the situations of an event and
// some others. Each [Result] passes, warns or fails: a failure loses games, a warning
// is something that an author should know. Both come with the lines of the dialogue
// that show the problem and a hint how to fix it.
package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/session"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/protocol"
)

// A Status is the outcome of a check.
type Status string

// The statuses. Skip is a check that does not apply, or that another one's
// failure made pointless.
const (
	Pass Status = "pass"
	Warn Status = "warn"
	Fail Status = "fail"
	Skip Status = "skip"
)

// A Result is the outcome of one check with its details.
type Result struct {
	Check    string   `json:"check"`
	Status   Status   `json:"status"`
	Detail   string   `json:"detail"`
	Hint     string   `json:"hint,omitempty"`     // how to mend it
	Dialogue []string `json:"dialogue,omitempty"` // "SECONDS > line" to the bot, "SECONDS < line" from it
	Stderr   []string `json:"stderr,omitempty"`   // the last lines that the bot wrote there
	Seconds  float64  `json:"seconds"`
}

// Lines returns what stands below a result for people: the hint, and of a warning or a
// failure the dialogue and what the bot wrote to stderr.
func (r *Result) Lines() (lines []string) {
	if r.Hint != "" {
		lines = append(lines, "hint: "+r.Hint)
	}
	if r.Status == Pass || r.Status == Skip {
		return lines
	}
	lines = append(lines, r.Dialogue...)
	for i, line := range r.Stderr {
		if i == 0 {
			lines = append(lines, "stderr:")
		}
		lines = append(lines, "  "+line)
	}
	return lines
}

// The names of the checks, in their order.
const (
	Handshake     = "handshake"
	Options       = "options"
	GameCheck     = "game"
	FirstMove     = "first move"
	NewGame       = "new game"
	Quit          = "quit"
	ReadyThinking = "isready while thinking"
	Stop          = "stop"
	EndOfInput    = "end of input"
	LegalMoves    = "legal moves"
	TimeKeeping   = "time keeping"
	Memory        = "memory"
	SameSeed      = "same seed"
	AskedOnly     = "answers when asked"
	Output        = "output"
)

// Limit is the maximum duration of a whole check.
const Limit = 90 * time.Second

// Timeouts where no game clock runs.
const (
	readyTime  = 5 * time.Second
	moveTime   = 10 * time.Second
	quitTime   = 2 * time.Second // the grace of an event
	listenTime = 100 * time.Millisecond
)

// A Config describes what to check.
type Config struct {
	Bot   arena.Bot
	Start session.Start
	Now   func() time.Time
	// Game is the game to be played; nil leaves the choice to the check: what the bot
	// declares, else chess for a bot that speaks UCI, else the catalog's first.
	Game    engine.Game
	Catalog engine.Catalog
	Seed    uint64 // of the positions
	Quick   bool   // a fifth of the positions and games
	// Handshake limits the handshake; 0 is session.DefaultHello, as in an event.
	Handshake time.Duration
	// Resident returns the memory that a process and its descendants use, in bytes; if
	// it is nil or fails, memory is not measured.
	Resident func(pid int) (int64, error)
	// Busy describes the machine's other load, "" if it is low; nil is never busy.
	Busy func() string
	// Observe, if set, is given each result as it comes.
	Observe func(Result)
}

// A Report holds the results of all checks.
type Report struct {
	Declared session.Declared
	Game     engine.Game // nil if the bot did not get so far
	Results  []Result
}

// Failed reports whether any check failed.
func (r *Report) Failed() bool {
	return slices.ContainsFunc(r.Results, func(r Result) bool { return r.Status == Fail })
}

// Run checks a bot. A bot's fault is a result and never an error; the error says
// why the bot cannot be started, or that ctx was cancelled.
func Run(ctx context.Context, c Config) (*Report, error) {
	r := &run{Config: c, ctx: ctx, report: &Report{Game: c.Game}, end: c.Now().Add(Limit)}
	defer func() {
		if r.session != nil {
			_ = r.session.End(0)
		}
	}()
	if err := r.all(); err != nil {
		return nil, err
	}
	return r.report, ctx.Err()
}

// A run is the state of one Run call.
type run struct {
	Config
	ctx     context.Context //nolint:containedctx // lives as long as one call
	report  *Report
	session *probe // of the checks that run now, nil if they need a new one
	mark    int    // where the dialogue of the check that runs now begins
	end     time.Time
	greeted bool // the handshake is over
	manners manners
}

// outcome is the result of a check as it finds it.
type outcome struct {
	status       Status
	detail, hint string
	quote        []string // the dialogue to show; nil: that of the whole check
	stderr       []string // where the session has ended already
}

// lastWords is the number of lines of stderr that are shown.
const lastWords = 10

func pass(format string, args ...any) outcome {
	return outcome{status: Pass, detail: fmt.Sprintf(format, args...)}
}

func skip(why string) outcome { return outcome{status: Skip, detail: why} }

func warn(hint, format string, args ...any) outcome {
	return outcome{status: Warn, detail: fmt.Sprintf(format, args...), hint: hint}
}

func fail(hint, format string, args ...any) outcome {
	return outcome{status: Fail, detail: fmt.Sprintf(format, args...), hint: hint}
}

// quoting returns the outcome with lines that replace the check's whole dialogue.
func (o outcome) quoting(lines ...string) outcome {
	o.quote = lines
	return o
}

func outOfTime() string { return fmt.Sprintf("the check as a whole ends after %v", Limit) }

// add reports a check, with its dialogue and stderr unless it passed.
func (r *Report) add(name string, o outcome, took time.Duration, observe func(Result)) Status {
	result := Result{Check: name, Status: o.status, Detail: text.Escape(strings.ReplaceAll(o.detail, "\n", "; ")), Hint: o.hint, Seconds: took.Seconds()}
	if o.status == Fail || o.status == Warn {
		result.Dialogue, result.Stderr = o.quote, o.stderr
	}
	r.Results = append(r.Results, result)
	if observe != nil {
		observe(result)
	}
	return o.status
}

// all runs the checks in their order.
func (r *run) all() error {
	if err := r.open(); err != nil {
		return err
	}
	configured := false
	if r.check(Handshake, r.handshake) != Fail {
		r.check(Options, r.options)
		configured = r.check(GameCheck, r.game) != Fail
	}
	moves := true
	for _, c := range []struct {
		name  string
		run   func() outcome
		moves bool // needs a bot that answers go
		fresh bool // begins with a new process
	}{
		{name: FirstMove, run: r.firstMove},
		{name: NewGame, run: r.newGame, moves: true},
		{name: Quit, run: r.quit},
		{name: ReadyThinking, run: r.readyThinking, moves: true},
		{name: Stop, run: r.stop, moves: true},
		{name: EndOfInput, run: r.endOfInput},
		{name: LegalMoves, run: r.legalMoves, moves: true},
		{name: TimeKeeping, run: r.timeKeeping, moves: true, fresh: true},
		{name: Memory, run: r.memory, moves: true, fresh: true},
		{name: SameSeed, run: r.sameSeed, moves: true, fresh: true},
	} {
		if c.fresh {
			r.close()
		}
		status := r.check(c.name, func() outcome {
			switch {
			case !configured:
				return skip("needs a bot that is set up")
			case c.moves && !moves:
				return skip("needs a bot that answers go")
			}
			if err := r.ready(); err != nil {
				return r.broken(err)
			}
			return c.run()
		})
		if c.name == FirstMove {
			moves = status != Fail || r.manners.moved
		}
	}
	r.verdicts()
	return nil
}

// check runs one check and reports it.
func (r *run) check(name string, f func() outcome) Status {
	start := r.Now()
	if r.session != nil {
		r.mark = r.session.mark()
	}
	var o outcome
	switch {
	case r.ctx.Err() != nil:
		o = skip("interrupted")
	case start.After(r.end):
		o = skip(outOfTime())
	default:
		o = f()
	}
	if s := r.session; s != nil && (o.status == Fail || o.status == Warn) {
		if o.quote == nil {
			o.quote = s.since(r.mark)
		}
		if o.status == Fail && name != Options {
			r.close() // it may be in any state; and its last words are there only then
			o.stderr = s.stderr.Lines(lastWords)
		}
	}
	return r.report.add(name, o, r.Now().Sub(start), r.Observe)
}

// open starts a process and makes it the session.
func (r *run) open() error {
	r.close()
	r.greeted, r.manners.early = false, nil
	p, err := newProbe(r.ctx, &r.Config, func(m remark) { r.manners.note(r.session, m, r.greeted) })
	if err != nil {
		return err
	}
	r.session, r.mark = p, 0
	return nil
}

// ready starts and sets up a session unless one is open.
func (r *run) ready() error {
	if r.session != nil {
		return nil
	}
	if err := r.open(); err != nil {
		return err
	}
	if err := r.greet(); err != nil {
		return fmt.Errorf("handshake of a new process: %w", err)
	}
	if err := r.configure(r.report.Game); err != nil {
		return fmt.Errorf("options of a new process: %w", err)
	}
	return nil
}

// greet performs the handshake.
func (r *run) greet() error {
	err := r.session.Greet(r.ctx, session.Hello{Protocol: r.Bot.Protocol, Timeout: r.within(r.hello()), Sandbox: r.Bot.Sandbox})
	if err == nil {
		r.greeted = true
		r.manners.greeted(r.session.Declared.Dialect)
	}
	return err
}

// hello returns how long a handshake may take.
func (r *run) hello() time.Duration { return cmp.Or(r.Handshake, session.DefaultHello) }

// configure sets the game and the options of the bot's entry.
func (r *run) configure(game engine.Game) error {
	return r.session.Configure(r.ctx, session.Setup{Game: game.Name(), Options: r.Bot.Options, Timeout: r.within(readyTime)})
}

// close ends the session, if there is one.
func (r *run) close() {
	if r.session == nil {
		return
	}
	r.manners.stderr = max(r.manners.stderr, r.session.stderr.Written())
	// What cannot be ended shows in the checks of how the bot ends.
	_ = r.session.End(200 * time.Millisecond)
	r.session = nil
}

// within returns d, cut to what the limit of the whole check leaves.
func (r *run) within(d time.Duration) time.Duration {
	return max(min(d, r.end.Sub(r.Now())), 100*time.Millisecond)
}

// manners collects breaches of the protocol over all sessions.
type manners struct {
	moved   bool // it has answered a go
	unasked []string
	broken  error // the protocol is broken
	quote   []string
	early   []string // chatter of this session before the handshake's end
	chatter []string
	more    int      // lines of chatter beyond those kept
	unread  []string // info lines that could not be read
	stderr  int64    // most bytes of one process
}

// mostExamples is the maximum number of examples kept of each kind.
const mostExamples = 5

func (m *manners) note(s *probe, r remark, hello bool) {
	var parse *protocol.ParseError
	switch {
	case r.kind == protocol.BestMove && r.err == nil && !r.unasked:
		m.moved = true
	case r.unasked:
		if m.unasked == nil {
			m.unasked = s.since(s.mark() - 6)
		}
		return
	}
	switch {
	case errors.As(r.err, &parse) && r.kind != protocol.InfoLine && r.kind != protocol.OptionLine:
		m.breach(s, r.err)
	case r.err != nil && r.kind == protocol.InfoLine:
		if len(m.unread) < mostExamples {
			m.unread = append(m.unread, r.err.Error())
		}
	case r.kind == protocol.Chatter && strings.TrimSpace(r.text) != "":
		if hello {
			m.chat(r.text)
		} else if len(m.early) < mostExamples {
			m.early = append(m.early, r.text)
		}
	}
}

// breach records a breach of the protocol.
func (m *manners) breach(s *probe, err error) {
	if m.broken == nil {
		m.broken, m.quote = err, s.since(s.mark()-4)
	}
}

// chat keeps a line of chatter.
func (m *manners) chat(line string) {
	line = "< " + text.Escape(line)
	switch {
	case slices.Contains(m.chatter, line):
	case len(m.chatter) < mostExamples:
		m.chatter = append(m.chatter, line)
	default:
		m.more++
	}
}

// greeted judges the chatter before the handshake's end: UCI engines may
// introduce themselves, and complain of "ugi".
func (m *manners) greeted(d protocol.Dialect) {
	if d == protocol.UGI {
		for _, text := range m.early {
			m.chat(text)
		}
	}
	m.early = nil
}

// verdicts reports the breaches collected over all sessions.
func (r *run) verdicts() {
	r.close()
	m := &r.manners
	r.check(AskedOnly, func() outcome {
		switch {
		case m.unasked != nil:
			return fail("say bestmove once for each go, and never before it; such a line loses the game", "it said bestmove without being asked").quoting(m.unasked...)
		case !m.moved:
			return skip("it never answered")
		}
		return pass("one bestmove for each go")
	})
	r.check(Output, func() outcome {
		switch {
		case m.broken != nil:
			return fail("write lines of UTF-8 text that end with a newline, of at most 64 KiB, and no more than 16 MiB for one move", "%v", m.broken).quoting(m.quote...)
		case m.chatter != nil:
			return warn("stdout is for the protocol: write remarks to stderr, or as \"info string ...\"", "%s of lines that are not protocol", text.Plural(len(m.chatter)+m.more, "kind")).quoting(m.chatter...)
		case m.unread != nil:
			return warn("see the grammar of info lines: `go doc botarena/protocol`", "info lines that cannot be read: %s", strings.Join(m.unread, "; "))
		case m.stderr >= 1<<20:
			return warn("arena keeps 1 MiB of stderr a game and drops the rest", "over 1 MiB to stderr")
		case m.early != nil: // what it said was not judged
			return skip("needs a bot that is set up")
		}
		return pass("nothing but the protocol on stdout")
	})
}
