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

	"botarena/bots/bottest"
	"botarena/bots/learnt"
	"botarena/engine"
	"botarena/protocol/positions"
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
	if _, err := learnt.Decode(bottest.Open(t, "breakthrough:4x5"), read(whole)); err != nil {
		t.Error(err)
	}
}

// The stronger the prior, the nearer a new table stays to the last one, whose scale alone is
// another then.
func TestPriorHoldsToTheLastTable(t *testing.T) {
	learn := func(prior string) []int16 {
		dir := t.TempDir()
		if err := run(args(dir, "-prior", prior, "-pairs", "1"), io.Discard); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, "generation-01", "table"))
		if err != nil {
			t.Fatal(err)
		}
		weights, err := learnt.Decode(bottest.Open(t, "breakthrough:4x5"), data)
		if err != nil {
			t.Fatal(err)
		}
		return weights
	}
	tied := learn("1e12")
	hand := make([]int16, len(tied)) // it has no files and rows
	copy(hand, learnt.RulesOfThumb(bottest.Open(t, "breakthrough:4x5")))
	largest := slices.Index(hand, slices.Max(hand))
	scale := float64(tied[largest]) / float64(hand[largest])
	for i, w := range tied {
		if want := scale * float64(hand[i]); math.Abs(float64(w)-want) > 1 {
			t.Errorf("weight %d is %d, by rules of thumb %g", i, w, want)
		}
	}
	far := func(weights []int16) (sum float64) {
		for i, w := range weights {
			sum += math.Abs(float64(w - tied[i]))
		}
		return sum
	}
	if free, held := far(learn("0")), far(learn("300")); held <= 0 || held >= free {
		t.Errorf("%g away from rules of thumb without a prior, %g by 300", free, held)
	}
}

// What is learnt of Outwit is a table that its boards judge by, and goes on from the rules
// of thumb or from another table.
func TestTrainOutwit(t *testing.T) {
	game := bottest.Open(t, "outwit:push")
	played := "" // the games of the first
	for _, start := range []string{"hand", "built-in"} {
		dir := t.TempDir()
		more := []string{"-games", "100", "-nodes-from", "4", "-nodes-to", "9", "-pairs", "1", "-start", start}
		if played != "" {
			more = append(more, "-data", played)
		}
		if err := run(append(small(dir), append(more, "outwit:push")...), io.Discard); err != nil {
			t.Fatal(err)
		}
		played = filepath.Join(dir, "generation-01", "games-0000")
		data, err := os.ReadFile(filepath.Join(dir, "generation-01", "table"))
		if err != nil {
			t.Fatal(err)
		}
		if weights, err := learnt.Decode(game, data); err != nil || slices.Equal(weights, learnt.RulesOfThumb(game)) {
			t.Errorf("nothing was learnt: %v", err)
		}
	}
}

// What follows counts so much for each sample of the same game, seen by who is to move, and
// the result is the end of it.
func TestTargets(t *testing.T) {
	samples := []sample{ // level, then won by the second side in the eyes of the search; won by it
		{score: 0, result: 0},
		{second: true, score: 1e6, result: 1},
		{second: true, score: 0, result: 0.5, last: true}, // as if drawn
		{score: -1e6, result: 0, last: true},
	}
	for _, c := range []struct {
		lambda, result float64
		want           [4]float32
	}{
		{0, 0, [4]float32{0.5, 1, 0.5, 0}},
		{1, 0, [4]float32{0.5, 0.5, 0.5, 0}},
		{0.5, 0, [4]float32{0.375, 0.75, 0.5, 0}},
		{0, 1, [4]float32{0, 1, 0.5, 0}},
		{0, 0.5, [4]float32{0.25, 1, 0.5, 0}},
	} {
		p := plan{lambda: c.lambda, result: c.result}
		if got := p.targets(samples, 100); !slices.Equal(got, c.want[:]) {
			t.Errorf("lambda %v, result %v: %v, want %v", c.lambda, c.result, got, c.want)
		}
	}
}

// Games are read as they were written, and told from each other, each position by who is
// to move; none is read of a line that was cut short.
func TestGamesAreRead(t *testing.T) {
	p := plan{game: bottest.Open(t, "breakthrough:4x5"), lambda: 1}
	const start = "pppp/pppp/4/PPPP/PPPP "
	samples := []sample{
		{position: start + "w", score: -3, result: 1},
		{position: start + "b", second: true, score: 4, last: true},
		{position: start + "w", result: 0.5, last: true},
	}
	file := filepath.Join(t.TempDir(), "games-0000")
	text := encode(samples)
	for cut := range len(text) + 1 {
		if err := os.WriteFile(file, text[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := p.decode([]string{file}, func(engine.Position) {})
		for i := range got { // a file that ends early ends a game
			if want := samples[i]; i < len(got)-1 && got[i] != want {
				t.Errorf("%d of %d bytes: sample %d is %+v, want %+v", cut, len(text), i, got[i], want)
			}
		}
		if whole := cut == 0 || text[cut-1] == '\n'; whole != (err == nil) {
			t.Errorf("%d of %d bytes: %v", cut, len(text), err)
		}
		if cut == len(text) && !slices.Equal(got, samples) {
			t.Errorf("got %+v", got)
		}
	}
}

// A table is learnt from positions that others wrote, as text and as JSON; what comes
// later in a game says something only where the games are told apart.
func TestTrainFromFiles(t *testing.T) {
	dir := t.TempDir()
	if err := run(args(dir, "-pairs", "1"), io.Discard); err != nil {
		t.Fatal(err)
	}
	shard := filepath.Join(dir, "generation-01", "games-0000")
	text := filepath.Join(dir, "data.txt")
	var lines []byte
	err := readPositions(shard, func(s *positions.Sample) error {
		lines = s.AppendText(lines)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(text, lines, 0o644); err != nil {
		t.Fatal(err)
	}
	learn := func(file string, more ...string) ([]byte, error) {
		dir := t.TempDir()
		if err := run(args(dir, append(more, "-pairs", "1", "-data", file)...), io.Discard); err != nil {
			return nil, err
		}
		return os.ReadFile(filepath.Join(dir, "generation-01", "table"))
	}
	fromJSON, err := learn(shard)
	if err != nil {
		t.Fatal(err)
	}
	if fromText, err := learn(text); err != nil || !bytes.Equal(fromText, fromJSON) {
		t.Errorf("text makes another table than JSON: %v", err)
	}
	if _, err := learn(text, "-lambda", "0.5"); err == nil || !strings.Contains(err.Error(), "numbers of their games") {
		t.Error(err)
	}
	if _, err := learn(filepath.Join(dir, "nothing")); err == nil {
		t.Error("no error without the file")
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
		if _, err := learnt.Decode(bottest.Open(t, "breakthrough:4x5"), data[:cut]); err == nil {
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
		{"-lambda 1.5 breakthrough", "--lambda 1.5"},
		{"-result NaN breakthrough", "--result NaN"},
		{"-start nowhere/table breakthrough:4x5", "nowhere"},
	} {
		if err := run(append([]string{"-dir", t.TempDir()}, strings.Fields(c.line)...), io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.line, err)
		}
	}
}
