//go:build external

package exchange

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/engine/games"
)

// extract runs pgn-extract over text and returns what it wrote and its complaints.
func extract(t *testing.T, text string, args ...string) (games, said string) {
	t.Helper()
	program, err := exec.LookPath("pgn-extract")
	if err != nil {
		program = "/usr/games/pgn-extract" // not on everybody's PATH
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("pgn-extract (Debian package pgn-extract): %v\n%s", err, stderr.String())
	}
	return stdout.String(), stderr.String()
}

// A program that was not written here reads chess games of every kind, and the
// tags and results of all games, without a complaint.
func TestExternalPGNExtract(t *testing.T) {
	for _, c := range []struct {
		name    string
		options PGNOptions
		games   []string
	}{
		{"chess", PGNOptions{}, []string{"chess"}},
		{"chess with comments", PGNOptions{Comments: true}, []string{"chess"}},
		{"tags of all games", PGNOptions{Tags: true}, gameNames()},
	} {
		t.Run(c.name, func(t *testing.T) {
			var list []*Game
			want := map[arena.Result]int{}
			for i := range 100 {
				g := played(source(uint64(i)), c.games[i%len(c.games)], i+1)
				g.First = fmt.Sprintf(`bot \%d "x"`, i)
				list = append(list, g)
				want[g.Result]++
			}
			out, said := extract(t, pgnOf(c.options, list...), "-s")
			if said != "" {
				t.Errorf("pgn-extract complains:\n%s", said)
			}
			got := map[arena.Result]int{}
			for _, m := range regexp.MustCompile(`(?m)^\[Result "(.*)"\]$`).FindAllStringSubmatch(out, -1) {
				got[arena.Result(m[1])]++
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("it read the results %v, want %v", got, want)
			}
			for _, g := range list {
				if name := `[White "` + string(appendTagValue(nil, g.First)) + `"]`; !strings.Contains(out, name) {
					t.Errorf("it did not read %s", name)
				}
			}
		})
	}
}

// A line without an end is refused, in whatever format.
func TestExternalEndlessLine(t *testing.T) {
	for name, begin := range map[string]string{"x.pgn": "1. e4 ", "x.jsonl": "{", "x.csv": "a"} {
		var r ResultsReader
		err := r.Read(name, &repeated{head: []byte(begin), block: bytes.Repeat([]byte("x"), 1<<20), times: 1 << 10})
		if err == nil || !strings.Contains(err.Error(), "longer than 1") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A million positions are written in bounded memory, in any order, and faster than any
// bot could play them.
func TestMillionPositions(t *testing.T) {
	for _, c := range []struct {
		name string
		PositionOptions
	}{
		{"as they were played", PositionOptions{}},
		{"shuffled", PositionOptions{Shuffle: true}},
		{"unique and shuffled", PositionOptions{Unique: true, Shuffle: true}},
		{"unique, as JSON", PositionOptions{Unique: true, JSON: true}},
	} {
		c.Share, c.Dir = 1, t.TempDir()
		p := NewPositions([]io.Writer{io.Discard}, games.All(), c.PositionOptions)
		var least, most uint64
		heap := func() {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			if least == 0 {
				least = m.HeapAlloc
			}
			most = max(most, m.HeapAlloc)
		}
		var spent time.Duration
		heap()
		for i := 0; p.seen < 1_000_000; i++ {
			g := played(source(uint64(i)), "breakthrough", i+1)
			g.Reason = arena.Resign
			for n := range g.Moves {
				g.Moves[n].HasScore = true
			}
			begun := time.Now()
			if err := p.Write(g); err != nil {
				t.Fatal(err)
			}
			spent += time.Since(begun)
			if i%2000 == 0 {
				heap()
			}
		}
		begun := time.Now()
		if err := p.Flush(); err != nil {
			t.Fatal(err)
		}
		heap()
		spent += time.Since(begun)
		t.Logf("%-20s %d of %d positions in %.1f s, %.0f a second, %d MB at most", c.name, p.Written, p.seen, spent.Seconds(), float64(p.seen)/spent.Seconds(), (most-least)>>20)
		if most-least > 64<<20 {
			t.Errorf("%s: %d MB", c.name, (most-least)>>20)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
