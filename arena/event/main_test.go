package event

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/process"
	"botarena/arena/rating"
	"botarena/arena/store"
	"botarena/bots/builtin"
	"botarena/bots/kit"
	"botarena/bots/misbehaving"
	"botarena/engine"
	"botarena/engine/games"
)

var starter *process.Starter

// The test program doubles as the bots ("stuck FILE", "bot NAME", "bad FAULT" in
// its second move, "worse FAULT" in its first).
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "bot":
			exit(runBot(os.Args[2]))
		case "bad", "worse":
			move := 2
			if os.Args[1] == "worse" {
				move = 1
			}
			status, err := misbehaving.Run(misbehaving.Config{
				Fault: os.Args[2], Move: move, Life: time.Minute, Delay: 2 * time.Second,
				Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ(),
			})
			if err != nil {
				exit(err)
			}
			os.Exit(status)
		case "slow":
			exit(runSlow(os.Args[2]))
		case "stuck":
			exit(runStuck(os.Args[2]))
		}
	}
	var err error
	if starter, err = newStarter("tournament-test"); err != nil {
		exit(err)
	}
	// Most tests wait for processes rather than compute, so that more of them may run at
	// once than there are cores.
	if err := flag.Set("test.parallel", "6"); err != nil {
		exit(err)
	}
	code := m.Run()
	if err := starter.Close(); err != nil {
		exit(err)
	}
	os.Exit(code)
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func newStarter(run string) (*process.Starter, error) {
	return process.NewStarter(process.Config{RunID: run, Environ: os.Environ(), Now: time.Now})
}

// runBot is one of the built-in bots, or "sleepy": a random one that takes 60 ms
// a move; or "chatty", which says on stderr that it has started, and takes 20 ms a
// move, so that this has been read long before its process ends (what a bot says
// last may be lost when it is ended).
func runBot(name string) error {
	var bot kit.Bot
	switch name {
	case "sleepy", "chatty":
		random, err := builtin.Find("random")
		if err != nil {
			return err
		}
		bot = random.New(games.All())
		choose := bot.Choose
		think := 60 * time.Millisecond
		if name == "chatty" {
			think = 20 * time.Millisecond
			fmt.Fprintln(os.Stderr, "started")
		}
		bot.Choose = func(t *kit.Turn) engine.Move {
			time.Sleep(think)
			return choose(t)
		}
	default:
		b, err := builtin.Find(name)
		if err != nil {
			return err
		}
		bot = b.New(games.All())
	}
	return kit.Run(bot, os.Stdin, os.Stdout, time.Now)
}

// runStuck is a bot that makes a file when it is to move, and then thinks for ever.
func runStuck(file string) error {
	random, err := builtin.Find("random")
	if err != nil {
		return err
	}
	bot := random.New(games.All())
	bot.Choose = func(*kit.Turn) engine.Move {
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			exit(err)
		}
		select {} // until it is killed
	}
	return kit.Run(bot, os.Stdin, os.Stdout, time.Now)
}

// runSlow is a rules program that takes its time, and makes the file when it is asked
// about a game that has begun.
func runSlow(file string) error {
	random, err := builtin.Find("random")
	if err != nil {
		return err
	}
	in, out := io.Pipe()
	go func() {
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			if strings.Contains(lines.Text(), " moves ") {
				_ = os.WriteFile(file, nil, 0o666)
				time.Sleep(100 * time.Millisecond)
			}
			fmt.Fprintln(out, lines.Text())
		}
		_ = out.Close()
	}()
	return kit.Run(random.New(games.All()), in, os.Stdout, time.Now)
}

// whenThere calls f once the file exists.
func whenThere(t *testing.T, file string, f func()) {
	go func() {
		for t.Context().Err() == nil {
			if _, err := os.Stat(file); err == nil {
				f()
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
}

func newRunner(s *store.Store, starter *process.Starter) (*Runner, error) {
	self, err := process.Self()
	if err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return &Runner{
		Store: s, Self: self, Catalog: games.All(), Starter: starter, Executable: exe, Path: os.Getenv("PATH"),
		BuiltinVersion: func(string) string { return "1" }, Now: time.Now,
	}, nil
}

var database struct {
	sync.Once
	empty []byte
}

// emptyDatabase returns the file of a database without events: making its tables takes
// longer than most tests do.
func emptyDatabase(t testing.TB) []byte {
	database.Do(func() {
		file := filepath.Join(t.TempDir(), "arena.db")
		s, err := store.Open(t.Context(), file, time.Now)
		if err == nil {
			err = s.Close()
		}
		if err == nil {
			database.empty, err = os.ReadFile(file)
		}
		if err != nil {
			t.Error(err)
		}
	})
	return database.empty
}

// A fixture is a Runner with a database of its own.
type fixture struct {
	*Runner
	t       testing.TB
	folder  string
	updates []Update
}

func setup(t testing.TB) *fixture {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "arena.db"), emptyDatabase(t), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), filepath.Join(folder, "arena.db"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	tour, err := newRunner(s, starter)
	if err != nil {
		t.Fatal(err)
	}
	tour.LogDir = filepath.Join(folder, "logs")
	f := &fixture{Runner: tour, t: t, folder: folder}
	tour.Observe = func(u Update) { f.updates = append(f.updates, u) }
	return f
}

// event reads an event from YAML; SELF stands for the test program. Unless the text says
// otherwise, it is e of breakthrough:5x5 at a depth of 1 between two random bots, a and b.
func (f *fixture) event(text string) arena.Event {
	f.t.Helper()
	for _, usual := range []string{"event: e", "game: breakthrough:5x5", "clock: {depth: 1}", "bots: [{name: a, builtin: random}, {name: b, builtin: random}]"} {
		if key, _, _ := strings.Cut(usual, ":"); !strings.Contains("\n"+text, "\n"+key+":") {
			text = usual + "\n" + text
		}
	}
	e, err := config.Read([]byte(strings.ReplaceAll(text, "SELF", f.Executable)), "e.yaml", f.folder, config.Known{Catalog: games.All()})
	if err != nil {
		f.t.Fatal(err)
	}
	return e
}

// warnings returns what a run warned of, a line each.
func (f *fixture) warnings() string {
	var lines []string
	for _, u := range f.updates {
		if u.Kind == Warning {
			lines = append(lines, u.Text)
		}
	}
	return strings.Join(lines, "\n")
}

func (f *fixture) mustRun(e arena.Event, opt Options) Summary {
	f.t.Helper()
	summary, err := f.Run(f.t.Context(), e, opt)
	if err != nil {
		f.t.Fatal(err)
	}
	return summary
}

// games are the event's, without what differs between two runs of one event.
func (f *fixture) games(event string) []store.Game {
	f.t.Helper()
	return gamesOf(f.t, f.Store, event)
}

func gamesOf(t testing.TB, s *store.Store, event string) []store.Game {
	t.Helper()
	list, err := s.Games(t.Context(), store.Filter{Event: event, Moves: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		g := &list[i]
		g.Start, g.Wall, g.CPU, g.OffTurn, g.Attempts = time.Time{}, 0, [2]time.Duration{}, [2]time.Duration{}, 0
		for j := range g.Moves {
			g.Moves[j].Time = 0
		}
	}
	return list
}

// wantElo recomputes the incremental Elo from the games.
func wantElo(list []store.Game) map[string]float64 {
	elo := rating.Elo{Start: 1500, K0: 40, KMin: 10, N0: 30}
	standings := map[string]rating.Standing{}
	for _, g := range list {
		for _, bot := range []string{g.First, g.Second} {
			if standings[bot].Games == 0 {
				standings[bot] = elo.New()
			}
		}
		points, _ := g.Result.Score()
		standings[g.First], standings[g.Second] = elo.Update(standings[g.First], standings[g.Second], rating.Score(2*points))
	}
	ratings := map[string]float64{}
	for bot, s := range standings {
		ratings[bot] = s.Rating
	}
	return ratings
}
