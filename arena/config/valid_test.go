package config_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/event"
	"botarena/arena/exchange"
	"botarena/arena/process"
	"botarena/arena/schedule"
	"botarena/arena/store"
	"botarena/engine/games"
)

// wild changes an event somewhere to what nobody should write.
func wild(t *rapid.T, e *arena.Event) {
	word := rapid.OneOf(rapid.String(), words(), rapid.SampledFrom([]string{
		"", " x", "x ", "foo", "Foo", "\xff", "a\x00b", "\x1b[31m", "\u0085", "\ufeff", "\u2028", "\x7f", "a\r\nb",
		"..", "/", "naïve", "не папка", "\U0001f600", "#1 cup",
	}), rapid.StringN(60, 70, -1)).Draw(t, "word")
	whole := rapid.OneOf(rapid.Int(), rapid.SampledFrom([]int{
		math.MinInt, -1, 0, 1, 2, 1000, 1001, 4096, 4097, 10_000, 1_000_000, 1_000_001, 1 << 53, math.MaxInt,
	})).Draw(t, "whole")
	real := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{
		math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 1e-320, 1e9, 1e10,
	})).Draw(t, "real")
	long := time.Duration(whole)
	if rapid.Bool().Draw(t, "hours") {
		long = time.Duration(rapid.Int64Range(-1, 30_000).Draw(t, "hour")) * time.Hour
	}
	b := &e.Bots[rapid.IntRange(0, len(e.Bots)-1).Draw(t, "bot")]
	clock := &e.Clock
	if b.Clock != nil && rapid.Bool().Draw(t, "own") {
		clock = b.Clock
	}
	changes := []func(){
		func() { e.Name = word },
		func() { e.Game = word },
		func() { e.Format = arena.Format(word) },
		func() { e.Format = arena.Format(rapid.SampledFrom(schedule.Formats()).Draw(t, "format")) },
		func() { e.Rounds = whole },
		func() { e.Cycles = whole },
		func() { e.Concurrency = whole },
		func() { e.MaxPlies = whole },
		func() { e.Grace = long },
		func() { e.Pin = arena.Pin(word) },
		func() { e.Gauntlet.Challengers = whole },
		func() { e.Knockout.TieBreaks = whole },
		func() { e.Ladder.Games = whole },
		func() { e.Ladder.Time = long },
		func() { e.Ladder.Width = real },
		func() { e.Ladder.Choose = word },
		func() { e.SPRT = &arena.SPRT{Elo0: real, Elo1: real + 5, Alpha: 0.05, Beta: 0.05, Model: "logistic"} },
		func() { e.SPRT = &arena.SPRT{Elo1: 5, Alpha: real, Beta: 0.05, Model: word} },
		func() { e.Openings.Random = whole },
		func() { e.Openings.File = word },
		func() { e.Openings.Order = word },
		func() { e.Openings.Start = whole },
		func() { e.Openings.Balanced = &arena.Balanced{Plies: whole, Bot: word, Depth: 1, Window: 1, Count: 1} },
		func() { e.Adjudicate.Resign.Score = whole },
		func() { e.Adjudicate.Resign.Moves = whole },
		func() { e.Adjudicate.Draw.Score = whole },
		func() { e.Adjudicate.Draw.Moves = whole },
		func() { e.Adjudicate.Draw.From = whole },
		func() { e.Elo.Start = real },
		func() { e.Elo.K0 = real },
		func() { e.Elo.KMin = real },
		func() { e.Elo.N0 = real },
		func() { clock.Move = long },
		func() { clock.Base = long },
		func() { clock.Increment = long },
		func() { clock.Moves = whole },
		func() { clock.Nodes = int64(whole) },
		func() { clock.Depth = whole },
		func() { clock.Margin = long },
		func() { b.Name = word },
		func() { b.Builtin = word },
		func() { b.Command = []string{word} },
		func() { b.Command = nil },
		func() { b.Command = append(slices.Clone(b.Command), word) },
		func() { b.Args = []string{word} },
		func() { b.Build = []string{word, word} },
		func() { b.Dir = word },
		func() { b.Env = []string{word} },
		func() { b.Env = []string{"A=" + word} },
		func() { b.Options = []arena.Option{{Name: word, Value: "1"}} },
		func() { b.Options = []arena.Option{{Name: "x", Value: word}, {Name: "X"}} },
		func() { b.Options = []arena.Option{{Name: "x", Value: word}} },
		func() { b.Protocol = arena.Protocol(word) },
		func() { b.Sandbox = arena.Sandbox(word) },
		func() { b.SandboxRead = []string{".", word} },
		func() { b.Travel = arena.Travel(word) },
		func() { b.Restart = arena.Restart(word) },
		func() { b.Version = word },
		func() { b.Threads = whole },
		func() { b.Seed = whole },
		func() { b.Limits.Memory = int64(whole) },
		func() { b.Limits.Processes = whole },
		func() { b.Limits.CPUTime = long },
		func() { b.Limits.FileSize = int64(whole) },
		func() { e.Bots = e.Bots[:1] },
		func() { e.Bots = append(slices.Clone(e.Bots), *b) },
	}
	changes[rapid.IntRange(0, len(changes)-1).Draw(t, "change")]()
}

// Whatever Validate accepts can be written and read, recorded, gone on with,
// exported and imported.
func TestValidIsEnough(t *testing.T) {
	ctx := t.Context()
	open := func(name string) *store.Store {
		s, err := store.Open(ctx, filepath.Join(t.TempDir(), name), time.Now)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	home, away := open("home.db"), open("away.db")
	me, err := process.Self()
	if err != nil {
		t.Fatal(err)
	}
	valid, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		e := generated(t)
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			wild(t, &e)
		}
		for i := range e.Bots {
			print, err := process.Fingerprint(e.Bots[i], "", "")
			if err != nil { // no such program
				print = fmt.Sprintf("print %d", i)
			}
			e.Bots[i].Fingerprint = print
		}
		all++
		if err := schedule.Validate(&e, known().Names()); err != nil {
			var invalid *arena.InvalidError
			if !errors.As(err, &invalid) || len(invalid.Problems) == 0 || err.Error() == "" {
				t.Fatalf("%#v", err)
			}
			return
		}
		valid++
		text, err := config.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := config.Decode(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if d := config.Diff(e, got); len(d) != 0 || got.Name != e.Name {
			t.Fatalf("%q\n%s", d, text)
		}
		hold, err := home.Create(ctx, e, text, me)
		if errors.Is(err, store.ErrExists) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		goOn(t, home, e)
		game := arena.Game{
			Event: e.Name, Game: e.Game, Number: 1, Round: 1, Pair: 1, First: e.Bots[0].Name, Second: e.Bots[1].Name,
			Result: arena.SecondWins, Reason: arena.Resign, Start: time.Unix(1, 0).UTC(),
		}
		if err := errors.Join(hold.Append(ctx, []arena.Game{game}), hold.Finish(ctx, &game), hold.Release(ctx)); err != nil {
			t.Fatal(err)
		}
		move(t, home, away, me, e.Name)
	})
	if valid < all/10 {
		t.Errorf("only %d of %d events were valid", valid, all)
	}
}

// goOn looks at what a run of the recorded event would do.
func goOn(t *rapid.T, s *store.Store, e arena.Event) {
	o := e.Openings
	if games, _ := schedule.Total(e); games == 0 || games > 10_000 || o.Random > 8 || o.File != "" || o.Balanced != nil {
		return // the plan alone would take long, or a file
	}
	run := &event.Runner{Store: s, Catalog: games.All()}
	if _, err := run.Preview(context.Background(), e, event.Options{}); err != nil {
		t.Fatal(err)
	}
}

// move exports an event from one database and imports it into another.
func move(t *rapid.T, from, to *store.Store, me process.Identity, name string) {
	ctx := context.Background()
	recorded, err := from.Event(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := config.Decode(recorded.Config)
	if err != nil {
		t.Fatal(err)
	}
	text, err := config.Encode(exchange.Public(settings))
	if err != nil {
		t.Fatal(err)
	}
	list, err := from.Games(ctx, store.Filter{Event: name})
	if err != nil {
		t.Fatal(err)
	}
	g := &exchange.Game{Game: list[0].Game, Config: string(text)}
	g.Versions[0].Fingerprint, g.Versions[1].Fingerprint = "a", "b"
	var file bytes.Buffer
	w := exchange.NewJSONL(&file)
	if err := errors.Join(w.Write(g), w.Flush()); err != nil {
		t.Fatal(err)
	}
	found := exchange.Inspect("file", bytes.NewReader(file.Bytes()), int64(file.Len()), exchange.NewChecker(games.All()), nil)
	if len(found.Problems) != 0 {
		t.Fatalf("%v\n%s", found.Problems, file.Bytes())
	}
	in := &found.Events[0]
	if err := to.Import(ctx, []store.Import{{Event: in.Entered(), Config: text, Games: in.Records()}}, me); err != nil {
		t.Fatal(err)
	}
}

// A game whose rules are a program: what is read, written back and compared.
func TestRules(t *testing.T) {
	const bots = "\nbots: [{name: a, command: a}, {name: b, command: b}]\n"
	read := func(game string) (arena.Event, error) {
		return config.Read([]byte("game: "+game+bots), "x.yaml", "/league", known())
	}
	short, err := read("{name: hex, rules: [python3, hex.py]}")
	if err != nil {
		t.Fatal(err)
	}
	if short.Game != "hex" || short.Rules == nil || short.Rules.Dir != "/league" || !slices.Equal(short.Rules.Command, []string{"python3", "hex.py"}) {
		t.Errorf("%q %+v", short.Game, short.Rules)
	}
	long, err := read("{name: hex, rules: {command: python3 hex.py, dir: rules, options: {Size: 7}, limits: {memory: 1MB}, sandbox: strict, version: '2', env: [A=B]}}")
	if err != nil {
		t.Fatal(err)
	}
	if long.Rules.Dir != "/league/rules" || long.Rules.Options[0].Value != "7" || long.Rules.Version != "2" || !slices.Equal(long.Rules.SandboxRead, []string{"."}) {
		t.Errorf("%+v", long.Rules)
	}
	for _, e := range []arena.Event{short, long} {
		text, err := config.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		again, err := config.Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(again.Rules, e.Rules) || again.Game != e.Game {
			t.Errorf("%s\nis read as %+v", text, again.Rules)
		}
	}
	for game, want := range map[string]string{
		"{name: hex}":                                               "game: needs rules",
		"{rules: [python3, hex.py]}":                                "game.name: is empty",
		"{name: hex, rules: []}":                                    "game.rules: names no program",
		"{name: hex, rule: [python3]}":                              `did you mean "rules"?`,
		"{name: 'hex@new', rules: [a]}":                             "what follows the @",
		"{name: hex, rules: {dir: x}}":                              "game.rules: names no program",
		"{name: hex, rules: {command: a, limits: {cpu_time: -1s}}}": "game.rules.limits.cpu_time",
		"[hex]": "game: must be a mapping with keys like name, rules, not a list",
	} {
		if _, err := read(game); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", game, err, want)
		}
	}
	// What the rules are says their fingerprint, where it is known on both sides.
	first, moved, changed := short, short, short
	first.Game, moved.Game, changed.Game = "hex@01234567", "hex@01234567", "hex@89abcdef"
	elsewhere := *short.Rules
	elsewhere.Dir, elsewhere.Command = "/elsewhere", []string{"python3", "/elsewhere/hex.py"}
	moved.Rules = &elsewhere
	if got := config.Diff(first, moved); len(got) > 0 {
		t.Errorf("moved: %q", got)
	}
	want := []string{"game: the rules of hex are another program now, or it reads something else: hex@01234567 -> hex@89abcdef"}
	if got := config.Diff(first, changed); !slices.Equal(got, want) {
		t.Errorf("changed: %q", got)
	}
	if got := config.Diff(first, short); len(got) > 0 {
		t.Errorf("not known yet: %q", got)
	}
	builtin := short
	builtin.Rules = nil
	if got := config.Diff(short, builtin); len(got) != 1 || !strings.Contains(got[0], "arena's own") {
		t.Errorf("arena's own: %q", got)
	}
}
