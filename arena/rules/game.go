// Package rules plays games whose rules are a program: any UGI engine that answers
// UGI's queries and the one for the legal moves (see "Queries" in package protocol).
//
//	game, err := rules.Open(ctx, rules.Config{Name: "hex", Start: start, Now: time.Now})
//	defer game.Close()
//	err = play(game) // which begins with: defer engine.Catch(&err)
//
// A [Game] is an engine.Game like any other. Since the methods of that interface return
// no errors, they panic with an *engine.RulesError with a [Fault] inside. The README in
// this folder explains why.
package rules

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"botarena/arena"
	"botarena/arena/session"
	"botarena/engine"
	"botarena/protocol"
)

// Grace limits how long a program may take to end after quit.
const Grace = 3 * time.Second

// A Config names the program that knows the rules of a game.
type Config struct {
	Name    string // of the game, as events name it
	Command string // for people
	// Print is the program's fingerprint; "" if games are not recorded. See
	// arena.RulesName.
	Print   string
	Start   session.Start
	Now     func() time.Time
	Options []arena.Option // sent as setoption
	Hello   time.Duration  // for the handshake; 0: session.DefaultHello
	Within  time.Duration  // for an answer; 0: session.DefaultReady
	// Suspended reports whether arena was suspended since then; nil is never.
	Suspended func(since time.Time) bool
}

// A Game is an engine.Game whose rules are a running program. It is safe for concurrent
// use; callers wait for each other. Close it after use.
type Game struct {
	cfg       Config
	ctx       context.Context //nolint:containedctx // of all that is asked
	name      string
	offered   map[string]bool
	sides     [2]string
	symmetric bool
	maxPlies  int
	atLimit   engine.Side
	starts    int

	mu      sync.Mutex // guards what follows
	session *session.Session
	stderr  *session.Tail
	out     []byte
	spans   [][2]int // of out, of each position that is asked about
	asked   []byte   // the part of out that a fault is about
	answers []string
	heard   heard
	hello   []string // the dialogue of the handshake, until that is over
	list    []string // what is left of the array for the next moves
	broken  *engine.RulesError
	seen    map[string]bool   // of the moves being read
	known   map[string]*facts // the positions that games began at, as they were told first
}

// defaultPlies is the move limit, in plies, of a game whose rules name none.
const defaultPlies = 1000

// mostStarts is the maximum number of starts that a program may report.
const mostStarts = 1_000_000

// Open starts and greets the program, and finds out which queries it answers. The error
// is an *engine.RulesError with a *Fault inside, or that of starting it.
func Open(ctx context.Context, cfg Config) (_ *Game, err error) {
	g := &Game{
		cfg: cfg, ctx: ctx, name: arena.RulesName(cfg.Name, cfg.Print), offered: map[string]bool{}, stderr: &session.Tail{},
		sides: [2]string{"first", "second"}, symmetric: true, maxPlies: defaultPlies, atLimit: engine.NoSide,
		known: map[string]*facts{}, seen: map[string]bool{},
	}
	if g.cfg.Within <= 0 {
		g.cfg.Within = session.DefaultReady
	}
	g.session, err = session.Open(ctx, session.Config{
		Bot:   arena.Bot{Name: cfg.Name, Protocol: arena.ProtocolUGI, Options: cfg.Options},
		Start: cfg.Start, Stderr: g.stderr, Now: cfg.Now, Suspended: cfg.Suspended, Hello: cfg.Hello,
		Log:   func(l session.Line) { g.hello = append(g.hello, dialogueLine(l.ToBot, l.Text)) },
		Setup: session.Setup{Timeout: g.cfg.Within},
		Choose: func(d *session.Declared, setup *session.Setup) error {
			setup.Game = g.plays(d)
			return nil
		},
	})
	if g.session == nil {
		return nil, fmt.Errorf("rules of %s: %w", cfg.Name, err)
	}
	defer func() {
		if err != nil {
			_ = g.Close() // what went wrong is said
		}
	}()
	if err != nil {
		return nil, g.fault(err, "", g.hello)
	}
	g.session.Log, g.hello = nil, nil
	defer engine.Catch(&err)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.probe()
	g.look(g.first(""))
	return g, nil
}

// Broken returns the error after which the program is not used any more: it ended,
// contradicted itself or broke the protocol. It returns nil if the program works.
func (g *Game) Broken() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.broken == nil {
		return nil
	}
	return g.broken
}

// Close ends the program.
func (g *Game) Close() error { return g.session.End(Grace) }

// plays returns the game that the program is told to play if it has an option for that:
// the event's name if the option lists it, else the option's default, since its command
// line may choose the game.
func (g *Game) plays(d *session.Declared) string {
	base := arena.PlainName(g.cfg.Name)
	o, ok := d.Options.Find(protocol.UGI.VariantOption())
	if !ok || o.Default == "" || slices.ContainsFunc(o.Vars, func(v string) bool { return strings.EqualFold(v, base) }) {
		return base
	}
	return o.Default
}

// probe finds out which of the optional queries the program answers.
func (g *Game) probe() {
	for _, fact := range []string{
		protocol.QuerySides, protocol.QueryReason, protocol.QueryFEN, protocol.QueryBoard,
		protocol.QueryMaxPlies, protocol.QueryAtLimit, protocol.QuerySymmetric, protocol.QueryStarts,
	} {
		var start protocol.PositionLine
		start.Start("")
		g.begin(&start)
		g.query(fact, "")
		answers := g.exchange()
		if len(answers) == 0 || answers[0] == protocol.Unknown {
			continue
		}
		g.offered[fact] = true
		var err error
		switch fact {
		case protocol.QuerySides:
			words := strings.Fields(answers[0])
			if len(words) != 2 || words[0] == words[1] {
				g.fail(`"query sides" must be answered with two different words, not %q`, answers[0])
			}
			g.sides = [2]string{words[0], words[1]}
		case protocol.QueryMaxPlies:
			if g.maxPlies, err = strconv.Atoi(answers[0]); err != nil || g.maxPlies < 1 || g.maxPlies > 1_000_000 {
				g.fail(`"query maxplies" must be answered with a number from 1 to 1000000, not %q`, answers[0])
			}
		case protocol.QueryAtLimit:
			switch answers[0] {
			case protocol.P1Win:
				g.atLimit = engine.First
			case protocol.P2Win:
				g.atLimit = engine.Second
			case protocol.DrawGame:
			default:
				g.fail(`"query atlimit" must be answered with p1win, p2win or draw, not %q`, answers[0])
			}
		case protocol.QuerySymmetric:
			g.symmetric = g.truth(fact, answers[0])
		case protocol.QueryStarts:
			if g.starts, err = strconv.Atoi(answers[0]); err != nil || g.starts < 1 || g.starts > mostStarts {
				g.fail(`"query starts" must be answered with a number from 1 to %d, not %q`, mostStarts, answers[0])
			}
		}
	}
	if g.starts > 1 && !g.offered[protocol.QueryFEN] {
		g.fail(`it has %d starts, but no "query fen" to write them`, g.starts)
	}
}

// Name returns the canonical name: see arena.RulesName.
func (g *Game) Name() string { return g.name }

// SideNames returns the program's names of the sides, or first and second.
func (g *Game) SideNames() [2]string { return g.sides }

// Symmetric returns the program's answer, or true.
func (g *Game) Symmetric() bool { return g.symmetric }

// MaxPlies returns the program's answer, or 1000.
func (g *Game) MaxPlies() int { return g.maxPlies }

// AtLimit returns the program's answer, or no winner.
func (g *Game) AtLimit() engine.Side { return g.atLimit }

// Start returns the game's own start, or the first of several.
func (g *Game) Start() engine.Position { return g.StartAt(0) }

// first returns a position without moves, at a text or at the game's own start for "".
func (g *Game) first(text string) *position {
	p := &position{game: g, begin: text, nodes: []*node{{}}}
	p.line.Start(text)
	return p
}

// Parse parses a position by the program's "position fen". A program that does not
// write positions is assumed not to read them.
func (g *Game) Parse(text string) (_ engine.Position, err error) {
	refuse := func(format string, args ...any) error {
		return &engine.PositionError{Game: g.name, Text: text, Why: fmt.Sprintf(format, args...)}
	}
	switch words := strings.Fields(text); {
	case !g.offered[protocol.QueryFEN]:
		return nil, refuse(`its rules do not answer "query fen", so a position cannot be written down; give the moves from the start instead`)
	case len(words) == 0:
		return nil, refuse("it is empty")
	case slices.Contains(words, "moves"), strings.ContainsAny(text, "\n\r\x00"), !utf8.ValidString(text):
		return nil, refuse(`no position has the word "moves", more than one line, or signs that are not UTF-8`)
	}
	p := g.first(strings.TrimSpace(text))
	if p.line.Len() > protocol.MaxLine {
		return nil, refuse("it is longer than a line of the protocol, %d bytes", protocol.MaxLine)
	}
	defer engine.Catch(&err)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.begin(&p.line)
	g.query(protocol.QueryFEN, "")
	answers := g.exchange()
	switch {
	case len(answers) != 1:
		g.fail(`"query fen" had %d answers, and one before`, len(answers))
	case invalid(answers[0]):
		return nil, refuse("%s", strings.TrimSpace(strings.TrimPrefix(answers[0], protocol.Invalid)))
	case strings.TrimSpace(answers[0]) == "":
		g.fail(`"query fen" was answered with nothing`)
	}
	p.nodes[0].text = strings.TrimSpace(answers[0])
	g.look(p)
	return p, nil
}

// Starts returns the number of starts.
func (g *Game) Starts() int { return max(g.starts, 1) }

// StartAt returns the start of that number.
func (g *Game) StartAt(n int) engine.Position {
	if g.starts <= 1 {
		return g.first("")
	}
	p, err := g.Parse(g.startText(n))
	var broken *engine.RulesError
	switch {
	case errors.As(err, &broken):
		panic(broken)
	case err != nil:
		g.mu.Lock()
		defer g.mu.Unlock()
		g.fail("its start %d is no position: %v", n, err)
	}
	return p
}

func (g *Game) startText(n int) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.out = g.out[:0]
	g.query(protocol.QueryStart, strconv.Itoa(n))
	answers := g.exchange()
	if len(answers) != 1 || answers[0] == protocol.Unknown {
		g.fail(`it has %d starts, but "query start %d" had no answer`, g.starts, n)
	}
	return answers[0]
}

// Offered lists the optional queries that the program answers.
func (g *Game) Offered() []string { return slices.Sorted(maps.Keys(g.offered)) }

// Refuses reports whether the program refuses a position line that ends in an illegal
// move. The error is its failure.
func (g *Game) Refuses(pos engine.Position, move string) (refused bool, err error) {
	defer engine.Catch(&err)
	p, ok := pos.Clone().(*position)
	if !ok {
		return false, fmt.Errorf("%s is no position of %s", pos, g.name)
	}
	p.play(move)
	answers := g.ask(p, protocol.QueryGameOver, "")
	return len(answers) > 0 && invalid(answers[0]), nil
}
