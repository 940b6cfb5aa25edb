package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botarena/bots/builtin"
	"botarena/engine/games"
)

// Neighbours up to the given distance meet once, and greedy meets everybody.
func TestPairings(t *testing.T) {
	met := map[[2]string]int{}
	for _, m := range (&pool{near: 2}).pairings() {
		met[[2]string{m.a.name, m.b.name}]++
	}
	for _, want := range [][2]string{{"random", "level 1"}, {"random", "level 2"}, {"level 8", "level 10"}, {"random", "greedy"}, {"level 10", "greedy"}} {
		if met[want] != 1 {
			t.Errorf("%v: %d times", want, met[want])
		}
	}
	if far := met[[2]string{"random", "level 3"}]; far != 0 || len(met) != 10+9+11 {
		t.Errorf("%d pairings, random and level 3 %d times", len(met), far)
	}
}

// The same seed makes the same table by one thread or by three, another seed another;
// what is known of other games stays.
func TestTableRepeats(t *testing.T) {
	const known = `{"chess":[{"Bot":"random","Level":0,"Elo":1,"Error":2,"Games":3}]}`
	made := func(more ...string) (pools map[string][]builtin.Rating, told string) {
		file := filepath.Join(t.TempDir(), "ratings.json")
		if err := os.WriteFile(file, []byte(known), 0o644); err != nil {
			t.Fatal(err)
		}
		var out, log bytes.Buffer
		args := append([]string{"-rounds", "3", "-near", "2", "-file", file}, more...)
		if err := run(append(args, "breakthrough:4x5"), &out, &log); err != nil {
			t.Fatal(err, log.String())
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &pools); err != nil {
			t.Fatal(err)
		}
		return pools, out.String()
	}
	one, told := made()
	three, again := made("-threads", "3")
	other, _ := made("-seed", "2")
	if !strings.HasPrefix(told, "breakthrough:4x5: 180 games, from random up, ") || strings.Count(told, "LOS") != builtin.Levels || told != again {
		t.Errorf("told %q, then %q", told, again)
	}
	text := func(pools map[string][]builtin.Rating) string {
		data, err := json.Marshal(pools)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if text(one) != text(three) {
		t.Errorf("three threads made another table:\n%s\n%s", text(one), text(three))
	}
	if text(one) == text(other) {
		t.Error("another seed made the same table")
	}
	if chess := one["chess"]; len(chess) != 1 || chess[0].Elo != 1 {
		t.Errorf("chess is %v now", chess)
	}
	pool := one["breakthrough:4x5"]
	if len(pool) != builtin.Levels+2 {
		t.Fatalf("%d bots are rated", len(pool))
	}
	for i, r := range pool {
		if i > 0 && r.Elo > pool[i-1].Elo {
			t.Errorf("%+v is below %+v", r, pool[i-1])
		}
		if want := 2 * 3 * map[bool]int{true: builtin.Levels + 1, false: 1}[r.Bot == "greedy"]; r.Games < want || r.Error <= 0 {
			t.Errorf("%+v, want %d games or more", r, want)
		}
		if r.Level > 0 && r.At != builtin.LevelsOf("breakthrough:4x5")[r.Level-1] {
			t.Errorf("%+v", r)
		}
	}
}

// A game ends as its rules say, also at its move limit.
func TestGameToItsEnd(t *testing.T) {
	game, err := games.All().Lookup("breakthrough:4x5")
	if err != nil {
		t.Fatal(err)
	}
	p := pool{game: game, rounds: 4, near: 1, seed: 1}
	starts, err := p.openings()
	if err != nil {
		t.Fatal(err)
	}
	before := starts[0].String()
	results, err := p.match(pairing{a: player{name: "low", bot: "random"}, b: player{name: "high", bot: "minimax", level: 10}}, starts)
	if err != nil {
		t.Fatal(err)
	}
	points := 0
	for i, g := range results {
		if g.Pair != results[i-i%2].Pair || (g.First == "low") != (i%2 == 0) {
			t.Errorf("game %d is %+v", i, g)
		}
		if (g.First == "high") == (g.Score > 1) {
			points++
		}
	}
	if len(results) != 8 || points < 7 {
		t.Errorf("level 10 won %d of %d games against random", points, len(results))
	}
	if starts[0].String() != before {
		t.Error("a game changed its opening")
	}
}

func TestWrongUsage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ratings.json")
	if err := os.WriteFile(file, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, want string }{
		{"", "name the games"},
		{"-rounds 0 owlman", "must be positive"},
		{"-file " + file + " owlmen", "owlman"},
		{"-file " + file + ".none owlman", "none"},
	} {
		if err := run(strings.Fields(c.line), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.line, err)
		}
	}
}
