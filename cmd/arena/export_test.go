package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/process"
	"botarena/arena/store"
	"botarena/engine"
	"botarena/engine/games"
)

// command runs a command line in this process and returns what it printed.
func command(args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = run(context.Background(), args, &app{
		in: &bytes.Buffer{}, out: &out, err: &errs,
		getenv:   func(string) string { return "" },
		now:      time.Now,
		terminal: func(io.Writer) (int, bool) { return 0, false },
	})
	return out.String(), errs.String(), code
}

// randomGame is a game of random moves that the rules allow, which one side
// resigns if they do not end it.
func randomGame(rng *rand.Rand, game engine.Game, number int) arena.Game {
	names := [2]string{"a", "b"}
	g := arena.Game{
		Number: number, Round: 1 + number/3, Pair: 1 + number/2, Stage: []string{"", "final"}[rng.IntN(2)], Game: game.Name(),
		First: names[number%2], Second: names[1-number%2], Attempts: rng.IntN(3),
		Start: time.UnixMicro(1.7e15 + rng.Int64N(1e12)).UTC(), Wall: time.Duration(rng.IntN(1e9)) * time.Microsecond,
		CPU: [2]time.Duration{time.Duration(rng.IntN(1e8)) * time.Microsecond, time.Duration(rng.IntN(1e8)) * time.Microsecond},
	}
	pos := game.Start()
	if rng.IntN(2) == 0 {
		g.Opening.Name, g.Opening.Position = "the start", pos.String()
	}
	for opening, left := rng.IntN(4), rng.IntN(120); left > 0 && !pos.Outcome().Over; left-- {
		legal := pos.Legal(nil)
		m := legal[rng.IntN(len(legal))]
		text := string(pos.AppendMove(nil, m))
		pos.Play(m)
		if opening--; opening >= 0 {
			g.Opening.Moves = append(g.Opening.Moves, text)
			continue
		}
		g.Moves = append(g.Moves, arena.MoveRecord{
			Move: text, Time: time.Duration(rng.IntN(1e7)) * time.Microsecond, Depth: rng.IntN(30), Nodes: rng.Int64N(1e13),
			HasScore: true, Mate: rng.IntN(4) == 0, Score: rng.IntN(1e5) - 5e4,
		})
	}
	g.Plies = len(g.Moves)
	switch out := pos.Outcome(); {
	case !out.Over:
		g.Result, g.Reason, g.Detail = arena.ResultFor(pos.Turn().Other()), arena.Resign, "éh <&> \u2028"
	case out.Winner == engine.NoSide:
		g.Result, g.Reason, g.Detail = arena.Draw, arena.DrawByRule, out.Reason
	default:
		g.Result, g.Reason, g.Detail = arena.ResultFor(out.Winner), arena.WinByRule, out.Reason
	}
	return g
}

// fill makes a database with events of random games, numbers left out.
func fill(path string, rng *rand.Rand) (err error) {
	s, err := store.Open(context.Background(), path, time.Now)
	if err != nil {
		return err
	}
	defer s.Close()
	self, err := process.Self()
	if err != nil {
		return err
	}
	var events []store.Import
	for n, name := range []string{"breakthrough:4x5", "outwit", "owlman", "chess"} {
		game, err := games.All().Lookup(name)
		if err != nil {
			return err
		}
		e := config.Default()
		e.Name, e.Game, e.Format, e.Elo.K0 = fmt.Sprintf("event %d: \"%s\"", n, name), name, arena.FormatMatch, float64(10+rng.IntN(50))
		e.LogProtocol = rng.IntN(2) == 0
		e.Openings = arena.Openings{File: "/home/me/secret.epd", Order: "shuffled", Start: 3}
		for _, bot := range []string{"b", "a"} {
			b := config.DefaultBot()
			b.Name, b.Command, b.Env, b.Dir = bot, []string{"/home/me/secret"}, []string{"TOKEN=secret"}, "/home/me"
			b.Fingerprint, b.Version = bot+fmt.Sprint(rng.IntN(2)), []string{"", "v1"}[rng.IntN(2)]
			if b.Version != "" {
				b.Fingerprint += "v1"
			}
			e.Bots = append(e.Bots, b)
		}
		text, err := config.Encode(e)
		if err != nil {
			return err
		}
		var list []arena.Game
		for number := 1; len(list) < 3; number += 1 + rng.IntN(3) {
			list = append(list, randomGame(rng, game, number))
		}
		events = append(events, store.Import{Event: e, Config: text, Games: func(yield func(*arena.Game, error) bool) {
			for i := range list {
				if !yield(&list[i], nil) {
					return
				}
			}
		}})
	}
	return s.Import(context.Background(), events, self)
}

// Exported, imported elsewhere and exported again, a record is the same to the
// byte, and so are the ratings; commands and paths stay at home.
func TestExportImportExport(t *testing.T) {
	programs := regexp.MustCompile(`(?m)^\[(White|Black)(Engine|Options) .*\n`)
	for seed := range uint64(8) {
		rng, dir := rand.New(rand.NewPCG(seed, 0)), t.TempDir()
		first, second := filepath.Join(dir, "first.db"), filepath.Join(dir, "second.db")
		if err := fill(first, rng); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "games.jsonl")
		if _, said, code := command("export", "--db", first, "-o", file); code != 0 {
			t.Fatal(said)
		}
		if _, said, code := command("import", "--db", second, file); code != 0 {
			t.Fatal(said)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		again, said, code := command("export", "--db", second, "--format", "jsonl")
		if code != 0 || again != string(text) {
			t.Fatalf("seed %d: %s\nfirst\n%s\nsecond\n%s", seed, said, text, again)
		}
		for _, secret := range []string{"secret", "/home", "TOKEN"} {
			if bytes.Contains(text, []byte(secret)) {
				t.Fatalf("%q is exported:\n%s", secret, text)
			}
		}
		for _, args := range [][]string{
			{"leaderboard", "--event", `event 3: "chess"`, "--json"},
			{"export", "--format", "pgn", "--comments"},
			{"export", "--format", "csv", "--moves"},
		} {
			before, _, _ := command(append(args, "--db", first)...)
			after, said, code := command(append(args, "--db", second)...)
			before = programs.ReplaceAllString(before, "") // how bots are started stays with the first
			if code != 0 || before != after || before == "" {
				t.Fatalf("seed %d: %v: %s\nbefore\n%s\nafter\n%s", seed, args, said, before, after)
			}
		}
		if elo(t, first) != elo(t, second) {
			t.Fatal("the incremental Elo differs")
		}
	}
}

// elo is the incremental Elo of all events, as text.
func elo(t *testing.T, path string) string {
	s, err := store.OpenRead(context.Background(), path, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	events, err := s.Events(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var text string
	for _, e := range events {
		for _, n := range e.Entries {
			text += fmt.Sprintln(e.Name, n.Name, n.Fingerprint, n.Label, n.Rating, n.Rated)
		}
	}
	return text
}
