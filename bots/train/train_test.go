package main

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"botarena/bots/boards"
	"botarena/bots/homing"
	"botarena/bots/pattern"
	"botarena/engine/games"
)

func args(dir string, more ...string) []string {
	return append(small(dir), append(more, "breakthrough:4x5")...)
}

// small is little to do, of a game that is to be named.
func small(dir string) []string {
	return []string{
		"-dir", dir, "-games", "200", "-nodes-from", "20", "-nodes-to", "60", "-generations", "1", "-pairs", "4",
		"-match-nodes", "50", "-epochs", "2",
	}
}

// The same seed makes the same table, whether it was made in one go, by two threads,
// or went on after a part of the games was lost; another seed makes another.
func TestTrainRepeats(t *testing.T) {
	whole, again, other := t.TempDir(), t.TempDir(), t.TempDir()
	var log bytes.Buffer
	if err := run(args(whole), &log); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "against the last table with 50 nodes a move") {
		t.Errorf("no word of the match:\n%s", log.String())
	}
	if err := run(args(again), io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, lost := range []string{"generation-01/table", "generation-01/match.json", "generation-01/games-0001"} {
		if err := os.Remove(filepath.Join(again, lost)); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(args(again, "-threads", "2"), io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := run(args(other, "-seed", "2"), io.Discard); err != nil {
		t.Fatal(err)
	}
	read := func(dir string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, "generation-01", "table"))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if !bytes.Equal(read(whole), read(again)) {
		t.Error("going on made another table")
	}
	if bytes.Equal(read(whole), read(other)) {
		t.Error("another seed made the same table")
	}
	table, err := pattern.Decode(read(whole))
	if err != nil || table.Cols != 4 || table.Rows != 5 {
		t.Errorf("%+v, %v", table, err)
	}
}

// The stronger the prior, the nearer a new table stays to the last one.
func TestPriorHoldsToTheLastTable(t *testing.T) {
	hand := pattern.ByHand(4, 5).Weights
	far := func(prior string) (sum float64) {
		dir := t.TempDir()
		if err := run(args(dir, "-prior", prior, "-pairs", "1"), io.Discard); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, "generation-01", "table"))
		if err != nil {
			t.Fatal(err)
		}
		table, err := pattern.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range table.Weights {
			sum += math.Abs(float64(w - hand[i]))
		}
		return sum
	}
	free, held, tied := far("0"), far("300"), far("1e12")
	if tied != 0 || held <= 0 || held >= free {
		t.Errorf("%g away from rules of thumb without a prior, %g by 300, %g by 1e12", free, held, tied)
	}
}

// What is learnt of Outwit is a table that its boards judge by, and goes on from the rules
// of thumb or from another table.
func TestTrainOutwit(t *testing.T) {
	game, err := games.All().Lookup("outwit:push")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	table := filepath.Join(dir, "generation-01", "table")
	for _, start := range []string{"hand", "built-in"} {
		more := []string{"-games", "100", "-nodes-from", "4", "-nodes-to", "9", "-pairs", "1", "-start", start, "outwit:push"}
		if err := run(append(small(dir), more...), io.Discard); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := boards.For(game, data); err != nil {
			t.Error(err)
		}
		if weights, err := homing.Decode(data); err != nil || slices.Equal(weights, homing.ByHand()) {
			t.Errorf("nothing was learnt: %v", err)
		}
		dir = t.TempDir()
		table = filepath.Join(dir, "generation-01", "table")
	}
}

// A file that was cut short is no table, and no games.
func TestDamagedFiles(t *testing.T) {
	dir := t.TempDir()
	if err := run(args(dir), io.Discard); err != nil {
		t.Fatal(err)
	}
	table := filepath.Join(dir, "generation-01", "table")
	data, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{0, 5, 18, len(data) - 1} {
		if _, err := pattern.Decode(data[:cut]); err == nil {
			t.Errorf("%d of %d bytes are a table", cut, len(data))
		}
	}
	games := filepath.Join(dir, "generation-01", "games-0000")
	if err := os.WriteFile(games, make([]byte, 30), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(table); err != nil {
		t.Fatal(err)
	}
	if err := run(args(dir), io.Discard); err == nil || !strings.Contains(err.Error(), "games-0000") {
		t.Errorf("got %v", err)
	}
}

func TestWrongUsage(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"chess", "no tables to learn"},
		{"braekthrough", "breakthrough"},
		{"-games 0 breakthrough", "must be a positive"},
		{"-pairs 0 breakthrough", "must be positive"},
		{"-start nowhere/table breakthrough:4x5", "nowhere"},
	} {
		if err := run(append([]string{"-dir", t.TempDir()}, strings.Fields(c.line)...), io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.line, err)
		}
	}
}
