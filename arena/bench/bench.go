// Package bench counts the nodes that a bot searches in a task that is always the same.
//
// The count tells builds of one version apart, as a checksum does: a search without a
// clock visits the same positions on each machine, whatever its speed, unless the program
// was built from other sources, by a compiler with a fault, or with other network files.
// OpenBench and fishtest refuse a worker by it.
//
// The task is the command bench of engines that speak UCI, where a bot has one, else a
// set of positions of its game at fixed nodes. A bench of its own is looked for in what
// it writes until it answers isready and in its stderr, in the words that OpenBench
// reads, too: "1234567 nodes", "Nodes searched: 1234567". A bot that answers isready
// while its bench is still running counts as one without. Positions come from random
// games of a seed that never changes; the bot begins a new game for each, and options
// that it declares for a seed are set to one.
package bench

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/session"
	"botarena/engine"
	"botarena/protocol"
)

// A Config describes what to count.
type Config struct {
	Bot   arena.Bot
	Start session.Start
	Now   func() time.Time
	// Game is the game of the positions; nil leaves the choice to what the bot declares.
	Game    engine.Game
	Catalog engine.Catalog
	// Positions passes over the bot's own bench.
	Positions bool
	Nodes     int64         // for each position
	Handshake time.Duration // 0: session.DefaultHello
	Limit     time.Duration // of the whole
}

// A Result is what was counted.
type Result struct {
	Game string
	// Task describes what was searched; counts of different tasks are not comparable.
	Task  string
	Nodes int64  // 0 if the bot reports none
	Moves string // identifies the moves found, 8 hexadecimal digits; "" of the bot's own bench
	Time  time.Duration
	Speed int64 // nodes a second, 0 if unknown
}

// Same reports whether two results of one task are those of the same program.
func (r *Result) Same(nodes int64, moves string) bool { return r.Nodes == nodes && r.Moves == moves }

// Own is the task of a bot's own bench.
const Own = "its own bench"

// Run starts the bot and counts. The error is from starting it, from the choice of its
// game, a *session.OptionsError, or a *session.Fault.
func Run(ctx context.Context, c Config) (Result, error) {
	r := &runner{Config: c, deadline: c.Now().Add(c.Limit)}
	if !c.Positions && c.Bot.Builtin == "" {
		if result, found, err := r.own(ctx); found || err != nil {
			return result, err
		}
	}
	return r.positions(ctx)
}

// runner is the state of one call of Run.
type runner struct {
	Config
	deadline time.Time
	stderr   *session.Tail

	searching bool
	nodes     int64    // of the search so far
	lines     []string // outside the protocol
}

// open starts the bot, set up for its game.
func (r *runner) open(ctx context.Context) (*session.Session, error) {
	r.stderr, r.lines = &session.Tail{}, nil
	return session.Open(ctx, session.Config{
		Bot: r.Bot, Start: r.Start, Stderr: r.stderr, Now: r.Now, Log: r.hear, Hello: r.Handshake,
		Choose: func(d *session.Declared, setup *session.Setup) (err error) {
			if r.Game == nil {
				if r.Game, _, err = session.ChooseGame(d, r.Catalog); err != nil {
					return fmt.Errorf("%w; choose one with --game", err)
				}
			}
			setup.Game = r.Game.Name()
			given := func(name string) bool {
				return slices.ContainsFunc(r.Bot.Options, func(o arena.Option) bool { return strings.EqualFold(o.Name, name) })
			}
			if o, ok := d.SeedOption(); ok && !given(o.Name) {
				setup.Options = append(setup.Options, arena.Option{Name: o.Name, Value: strconv.FormatInt(min(max(1, o.Min), o.Max), 10)})
			}
			return nil
		},
	})
}

// mostLines is the number of lines kept of a bot's own bench, at least.
const mostLines = 100

// hear keeps what a line of the dialogue tells of nodes.
func (r *runner) hear(line session.Line) {
	if line.ToBot {
		return
	}
	text := line.Text
	if line.Meaning != nil {
		text = line.Meaning
	}
	switch kind, err := protocol.Classify(text); {
	case err != nil:
	case kind == protocol.InfoLine && r.searching:
		// An error is about a fact that cannot be read: the others still count.
		if m, _ := protocol.ParseFromBot(text); m.Info.Has&protocol.HasNodes != 0 {
			r.nodes = m.Info.Nodes
		}
	case kind == protocol.Chatter && len(text) > 0:
		if r.lines = append(r.lines, string(text)); len(r.lines) > 2*mostLines {
			r.lines = append(r.lines[:0], r.lines[len(r.lines)-mostLines:]...)
		}
	}
}

// quitTime is how long the bot has to end.
const quitTime = 2 * time.Second

// own runs the bot's own bench; found is false if it has none.
func (r *runner) own(ctx context.Context) (result Result, found bool, err error) {
	s, err := r.open(ctx)
	if s == nil {
		return Result{}, false, err
	}
	if err != nil || s.Declared.Dialect != protocol.UCI {
		return Result{}, false, errors.Join(err, s.End(quitTime))
	}
	began := r.Now()
	r.lines = nil
	err = s.Send([]byte("bench\nisready\n"), r.deadline)
	if err == nil {
		err = s.Await(ctx, protocol.ReadyOK, began, r.deadline.Sub(began), "no end of its own bench")
	}
	took := r.Now().Sub(began)
	ended := s.End(quitTime) // all of stderr has come then
	nodes, speed := counted(r.lines)
	if nodes == 0 {
		nodes, speed = counted(r.stderr.Lines(mostLines))
	}
	switch {
	case err != nil && (nodes == 0 || !errors.Is(err, arena.ErrClosed)): // some end after their bench
		return Result{}, false, fmt.Errorf("bench: %w", err)
	case nodes == 0:
		return Result{}, false, nil
	case err == nil && ended != nil:
		return Result{}, false, ended
	}
	return Result{
		Game: r.Game.Name(), Task: Own, Nodes: nodes, Time: took,
		Speed: cmp.Or(speed, perSecond(nodes, took)),
	}, true, nil
}

func perSecond(nodes int64, took time.Duration) int64 {
	if took <= 0 {
		return 0
	}
	return int64(float64(nodes) / took.Seconds())
}

// counted returns the last total that lines of a bench have, 0 if there is none.
func counted(lines []string) (nodes, speed int64) {
	for i := len(lines) - 1; i >= 0; i-- {
		line := numberMarks.ReplaceAllString(lines[i], "$1")
		line = strings.Join(strings.Fields(otherMarks.ReplaceAllString(line, " ")), " ")
		nodes, speed = cmp.Or(nodes, number(nodesWords, line)), cmp.Or(speed, number(speedWords, line))
	}
	return nodes, speed
}

var (
	numberMarks = regexp.MustCompile(`(\d)[,'_]\b`)
	otherMarks  = regexp.MustCompile(`[^a-zA-Z0-9]+`)
	nodesWords  = regexp.MustCompile(`(?i)\b(?:(\d+) nodes\b(?: searched)?|nodes (\d+)|nodes searched (\d+))`)
	speedWords  = regexp.MustCompile(`(?i)\b(?:(\d+) nps|nps (\d+)|nodes second (\d+)|(\d+) nodes second)`)
)

func number(words *regexp.Regexp, line string) int64 {
	m := words.FindStringSubmatch(line)
	for i := 1; i < len(m); i++ {
		if n, err := strconv.ParseInt(m[i], 10, 64); err == nil {
			return n
		}
	}
	return 0
}

// positions lets the bot search the set of positions of its game.
func (r *runner) positions(ctx context.Context) (result Result, err error) {
	s, err := r.open(ctx)
	if s == nil {
		return result, err
	}
	defer func() { err = errors.Join(err, s.End(quitTime)) }()
	if err != nil {
		return result, err
	}
	paths, err := set(r.Game)
	if err != nil {
		return result, err
	}
	result.Game = r.Game.Name()
	where, found := sha256.New(), sha256.New()
	for i, moves := range paths {
		path := session.NewPath(r.Game)
		for _, m := range moves {
			path.Play(m)
		}
		write(where, strings.Join(path.Moves, " "))
		if err := s.NewGame(ctx, session.DefaultReady); err != nil {
			return result, at(i, err)
		}
		r.nodes, r.searching = 0, true
		left := r.deadline.Sub(r.Now())
		answer, fault := s.Ask(ctx, session.Question{Path: path, Limits: protocol.GoParams{Nodes: r.Nodes}, Within: left})
		r.searching = false
		if fault != nil {
			return result, at(i, fault)
		}
		result.Nodes += r.nodes
		result.Time += answer.Time
		if answer.Resign {
			write(found, "resign")
			continue
		}
		write(found, string(path.Position.AppendMove(nil, answer.Move)))
	}
	result.Moves = short(found)
	result.Task = fmt.Sprintf("%d positions at %d nodes, set %s", len(paths), r.Nodes, short(where))
	if result.Nodes > 0 {
		result.Speed = perSecond(result.Nodes, result.Time)
	}
	return result, nil
}

func at(i int, err error) error { return fmt.Errorf("bench: position %d: %w", i+1, err) }

func write(h hash.Hash, text string) { _, _ = h.Write([]byte(text + "\n")) }

func short(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:4]) }
