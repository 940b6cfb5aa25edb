package exchange

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"botarena/arena"
	"botarena/engine/games"
	"botarena/protocol/positions"
)

// positionsOf writes the positions of games to so many outputs, with spills that hold so
// many bytes, and returns the files and what was left out.
func positionsOf(t *testing.T, o PositionOptions, shards, most int, list ...*Game) (files []string, leftOut string) {
	t.Helper()
	if o.Share == 0 {
		o.Share = 1
	}
	o.Dir = t.TempDir()
	bufs := make([]bytes.Buffer, shards)
	out := make([]io.Writer, shards)
	for i := range bufs {
		out[i] = &bufs[i]
	}
	p := NewPositions(out, games.All(), o)
	for _, s := range []*spill{p.unique, p.order} {
		if s != nil {
			s.most = most
		}
	}
	for _, g := range list {
		must(p.Write(g))
	}
	must(p.Flush())
	must(p.Close())
	if left, err := os.ReadDir(o.Dir); err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
	for i := range bufs {
		files = append(files, bufs[i].String())
	}
	leftOut, _ = p.LeftOut()
	return files, leftOut
}

func scored(move string, score int) arena.MoveRecord {
	return arena.MoveRecord{Move: move, Score: score, HasScore: true}
}

func TestPositions(t *testing.T) {
	g := &Game{Game: arena.Game{
		Event: "e", Number: 3, Game: "breakthrough:4x5", First: "a", Second: "b", Result: arena.SecondWins, Reason: arena.Resign,
		Opening: arena.Opening{Moves: []string{"a2a3"}},
		Moves: []arena.MoveRecord{
			scored("b4b3", 30), // First can take on b3
			scored("a2b3", -40),
			{Move: "a4b3"},
			{Move: "c2b3", Score: -2, Mate: true, HasScore: true},
			scored("d4d3", 20),
		},
	}}
	g.Moves[1].Move = "c2b3"
	g.Moves[2].Move = "a4b3"
	g.Moves[3].Move = "a3a4"
	const (
		after1 = "pppp/pppp/P3/1PPP/PPPP b"
		after2 = "pppp/p1pp/Pp2/1PPP/PPPP w"
		after4 = "pppp/2pp/Pp2/1P1P/PPPP w"
		after5 = "pppp/P1pp/1p2/1P1P/PPPP b"
	)
	for _, c := range []struct {
		name    string
		options PositionOptions
		want    []string
		left    string
	}{
		{"of First", PositionOptions{}, []string{after1 + " | -30 | 0.0", after2 + " | -40 | 0.0", after4 + " | -31998 | 0.0", after5 + " | -20 | 0.0"}, "1 without a score"},
		{"of the mover", PositionOptions{Mover: true}, []string{after1 + " | 30 | 1.0", after2 + " | -40 | 0.0", after4 + " | -31998 | 0.0", after5 + " | 20 | 1.0"}, "1 without a score"},
		{"without the first", PositionOptions{SkipFirst: 2}, []string{after2 + " | -40 | 0.0", after4 + " | -31998 | 0.0", after5 + " | -20 | 0.0"}, "1 in the first plies, 1 without a score"},
		{"bounded", PositionOptions{MaxScore: 30}, []string{after1 + " | -30 | 0.0", after5 + " | -20 | 0.0"}, "1 without a score, 2 beyond the score"},
		{"quiet", PositionOptions{Quiet: true}, []string{after1 + " | -30 | 0.0", after4 + " | -31998 | 0.0"}, "1 without a score, 2 not quiet"},
	} {
		files, left := positionsOf(t, c.options, 1, spillAt, g)
		if got := strings.Split(strings.TrimSuffix(files[0], "\n"), "\n"); !slices.Equal(got, c.want) || left != c.left {
			t.Errorf("%s: %q, left out: %s", c.name, got, left)
		}
	}
	files, _ := positionsOf(t, PositionOptions{JSON: true, SkipFirst: 4}, 1, spillAt, g)
	first, _, _ := strings.Cut(files[0], "\n")
	if want := `{"game":"breakthrough:4x5","event":"e","number":3,"ply":4,"position":"` + after4 + `","move":"a3a4","score":-31998,"result":0}`; first != want {
		t.Errorf("got %s", first)
	}
	g.Reason, g.Blame = arena.TimeForfeit, "a"
	if files, left := positionsOf(t, PositionOptions{}, 1, spillAt, g); files[0] != "" || left != "" {
		t.Errorf("after a fault: %q, %s", files[0], left)
	}
}

// However little fits into memory, what is shuffled is the same positions in an order that
// the seed gives, what is unique is the first of each, and shards are dealt in turn.
func TestPositionsInOrder(t *testing.T) {
	var list []*Game
	for i := range 40 {
		g := played(source(uint64(i/2)), gameNames()[i/2%4], i+1) // each twice
		g.Reason = arena.Resign
		list = append(list, g)
	}
	lines := func(o PositionOptions, most int) []string {
		files, _ := positionsOf(t, o, 1, most, list...)
		return slices.Collect(strings.Lines(files[0]))
	}
	place := func(line string) string {
		s, err := positions.Parse([]byte(line))
		must(err)
		return s.Game + s.Position
	}
	all := lines(PositionOptions{JSON: true}, spillAt)
	var first []string
	seen := map[string]bool{}
	for _, line := range all {
		if !seen[place(line)] {
			first = append(first, line)
		}
		seen[place(line)] = true
	}
	if len(all) < 1000 || len(first) > len(all)/2 {
		t.Fatalf("%d positions, %d of them different", len(all), len(first))
	}
	for _, most := range []int{1, 2000, spillAt} {
		if got := lines(PositionOptions{JSON: true, Unique: true}, most); !slices.Equal(got, first) {
			t.Errorf("in %d bytes: %d unique positions, want %d", most, len(got), len(first))
		}
		shuffled := lines(PositionOptions{JSON: true, Shuffle: true, Seed: 1}, most)
		if !slices.Equal(shuffled, lines(PositionOptions{JSON: true, Shuffle: true, Seed: 1}, spillAt)) {
			t.Errorf("in %d bytes the seed gives another order", most)
		}
		if slices.Equal(shuffled, all) || slices.Equal(shuffled, lines(PositionOptions{JSON: true, Shuffle: true, Seed: 2}, most)) {
			t.Errorf("in %d bytes nothing is shuffled", most)
		}
		if !slices.Equal(slices.Sorted(slices.Values(shuffled)), slices.Sorted(slices.Values(all))) {
			t.Errorf("in %d bytes shuffling changes the positions", most)
		}
	}
	files, _ := positionsOf(t, PositionOptions{JSON: true}, 3, spillAt, list...)
	for i, line := range all {
		var ok bool
		if files[i%3], ok = strings.CutPrefix(files[i%3], line); !ok {
			t.Fatalf("position %d is not in its shard", i)
		}
	}
	half := lines(PositionOptions{JSON: true, Share: 0.5}, spillAt)
	if share := float64(len(half)) / float64(len(all)); share < 0.45 || share > 0.55 {
		t.Errorf("%.2f of the positions are drawn", share)
	}
}
