package host

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/event"
	"botarena/arena/process"
	"botarena/arena/store"
	"botarena/arena/submission"
	"botarena/bots/builtin"
	"botarena/bots/kit"
	"botarena/bots/misbehaving"
	"botarena/engine"
	"botarena/engine/games"
)

var starter *process.Starter

// The test program doubles as the bots: "bot NAME"; "slow NAME", which takes a few milliseconds a
// move; "bad FAULT", in its second move; and "until FILE", which plays until there is such a
// file, and ends then when it is to move.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "bot":
			beBot(os.Args[2], func() {})
		case "slow":
			beBot(os.Args[2], func() { time.Sleep(3 * time.Millisecond) })
		case "until":
			beBot("random", func() {
				if _, err := os.Stat(os.Args[2]); err == nil {
					os.Exit(3)
				}
			})
		case "bad":
			status, err := misbehaving.Run(misbehaving.Config{
				Fault: os.Args[2], Move: 2, Life: time.Minute, Delay: 2 * time.Second,
				Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ(),
			})
			if err != nil {
				exit(err)
			}
			os.Exit(status)
		}
	}
	var err error
	if starter, err = process.NewStarter(process.Config{RunID: "host-test", Environ: os.Environ(), Now: time.Now}); err != nil {
		exit(err)
	}
	if err := flag.Set("test.parallel", "4"); err != nil {
		exit(err)
	}
	code := m.Run()
	if err := starter.Close(); err != nil {
		exit(err)
	}
	os.Exit(code)
}

// beBot is a built-in bot that does something before each move.
func beBot(name string, before func()) {
	b, err := builtin.Find(name)
	if err != nil {
		exit(err)
	}
	bot := b.New(games.All())
	choose := bot.Choose
	bot.Choose = func(turn *kit.Turn) engine.Move {
		before()
		return choose(turn)
	}
	exit(kit.Run(bot, os.Stdin, os.Stdout, time.Now))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// words makes bots of files that hold arguments of the test program; "refuse" is refused,
// and "machine" fails the first time by the machine's fault.
type words struct {
	mu     sync.Mutex
	failed bool
	built  func() // called by each build
}

func (w *words) Languages() []submission.Language {
	return []submission.Language{{Name: "words", Title: "Words", Endings: []string{".txt"}}}
}

func (w *words) Plan(dir string) (submission.Plan, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		return submission.Plan{}, errors.Join(err, fmt.Errorf("%d files", len(files)))
	}
	text, err := os.ReadFile(files[0])
	if err == nil && string(text) == "refuse" {
		err = &submission.RefusedError{Reason: "It says refuse; write bot."}
	}
	return submission.Plan{Language: "words", Command: strings.Fields(string(text))}, err
}

func (w *words) Build(ctx context.Context, dir, _ string, plan submission.Plan) (arena.Bot, string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.built != nil {
		w.built()
	}
	if plan.Command[0] == "machine" {
		if !w.failed {
			w.failed = true
			return arena.Bot{}, "", errors.New("the machine is at fault")
		}
		plan.Command = []string{"bot", "random"}
	}
	b := config.DefaultBot()
	b.Command, b.Dir = append([]string{os.Args[0]}, plan.Command...), dir
	return b, "built", ctx.Err()
}

// fixture is a league on a database of its own.
type fixture struct {
	*testing.T
	store  *store.Store
	config Config
	words  *words
	mu     sync.Mutex
	offset time.Duration // of the host's clock
	log    []string
}

const leagueText = `
event: cup
game: breakthrough:5x5
format: ladder
clock: {depth: 1}
openings: {random: 2}
concurrency: 2
max_faults: 3
bots:
  - {builtin: random}
  - {builtin: greedy}
`

func setup(t *testing.T, text string) *fixture {
	t.Helper()
	dir := t.TempDir()
	f := &fixture{T: t, words: &words{}}
	now := func() time.Time {
		f.mu.Lock()
		defer f.mu.Unlock()
		return time.Now().Add(f.offset)
	}
	path := filepath.Join(dir, "cup.yaml")
	f.must(os.WriteFile(path, []byte(leagueText+text), 0o600))
	l, err := Load(path, config.Known{Catalog: games.All(), Builtins: builtin.Names()})
	f.must(err)
	l.Limits = arena.Limits{}
	f.store, err = store.Open(t.Context(), filepath.Join(dir, "cup.db"), now)
	f.must(err)
	self, err := process.Self()
	f.must(err)
	cpus, _ := process.CPUs()
	f.config = Config{
		League: l, Dir: filepath.Join(dir, "cup.host"), Builder: f.words, Now: now, Pause: time.Millisecond,
		Runner: &event.Runner{
			Store: f.store, Self: self, Catalog: games.All(), Starter: starter, Executable: os.Args[0], Path: os.Getenv("PATH"),
			BuiltinVersion: func(string) string { return "1" }, Now: time.Now, CPUs: cpus, Observe: slowly,
		},
		Open: func(context.Context) (engine.Game, func() error, error) {
			g, err := games.All().Lookup(l.Game)
			return g, func() error { return nil }, err
		},
		Log: func(line string) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.log = append(f.log, line)
		},
		Kit: func(string) ([]byte, error) { return nil, nil },
	}
	t.Cleanup(func() {
		f.must(f.store.Close())
		if t.Failed() {
			t.Log(strings.Join(f.log, "\n"))
		}
	})
	return f
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// teams adds teams and returns their tokens.
func (f *fixture) teams(names ...string) (tokens []string) {
	f.Helper()
	for _, name := range names {
		token, hash := NewToken()
		f.must(f.store.AddTeam(f.Context(), name, hash))
		tokens = append(tokens, token)
	}
	return tokens
}

// pass moves the host's clock on.
func (f *fixture) pass(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.offset += d
}

// host runs a host until stop is called, which waits for its end.
func (f *fixture) host() (h *Host, stop func()) {
	f.Helper()
	h, err := New(f.config)
	f.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx, make(chan struct{})) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			f.Error(err)
		}
		f.must(h.Close())
	})
	f.Cleanup(stop)
	return h, stop
}

func (f *fixture) submit(h *Host, team, text string) store.Submission {
	f.Helper()
	sub, err := h.Submit(f.Context(), team, "bot.txt", strings.NewReader(text))
	f.must(err)
	return sub
}

// slowly observes a ladder, which would take the machine from what a test waits for.
func slowly(u event.Update) {
	if u.Kind == event.GameFinished {
		time.Sleep(30 * time.Millisecond)
	}
}

// until waits for a condition, for longer than it takes on a busy machine.
func (f *fixture) until(what string, ok func() bool) {
	f.Helper()
	for end := time.Now().Add(5 * time.Minute); !ok(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			f.Fatalf("never: %s", what)
		}
	}
}

// state waits until a submission is in a state, and returns it.
func (f *fixture) state(team string, number int, state string) (sub store.Submission) {
	f.Helper()
	f.until(fmt.Sprintf("%s %d is %s", team, number, state), func() bool {
		var err error
		sub, err = f.store.Submission(context.Background(), "cup", team, number)
		f.must(err)
		if !sub.Pending() && sub.State != state && sub.State != string(store.Entered) {
			f.Fatalf("%s %d is %s, want %s: %s", team, number, sub.State, state, sub.Reason)
		}
		return sub.State == state
	})
	return sub
}

// games counts a bot's games with a result.
func (f *fixture) games(bot string) int {
	f.Helper()
	n, err := f.store.Games(context.Background(), store.Filter{Event: "cup", Bot: bot, Played: true})
	var none *store.UnknownBotError
	var unknown *store.UnknownEventError
	if errors.As(err, &none) || errors.As(err, &unknown) {
		return 0
	}
	f.must(err)
	return len(n)
}
