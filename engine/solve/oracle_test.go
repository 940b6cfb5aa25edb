package solve_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"botarena/engine"
	"botarena/engine/games"
	"botarena/engine/solve"
)

func game(t *testing.T, name string) engine.Game {
	t.Helper()
	g, err := games.All().Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// compute solves a game in a folder, Owlman with one helper.
func compute(t *testing.T, ctx context.Context, dir solve.Dir, name string, o solve.Options) error {
	t.Helper()
	s, err := dir.Solver(game(t, name), 1, false)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Solve(ctx, o)
}

// options keep what is known at each chance.
func options() solve.Options {
	at := time.Unix(0, 0)
	return solve.Options{
		Threads: 1, Forced: 1, Draws: 1000, Keep: time.Millisecond, Log: io.Discard,
		Now: func() time.Time { at = at.Add(10 * time.Second); return at },
	}
}

// A logged writes what is logged to a function.
type logged func(line string)

func (l logged) Write(p []byte) (int, error) { l(string(p)); return len(p), nil }

// A win of Owlman's is certain until he has made his moves towards the next capture
// from some position; Doc's is certain at all times.
func TestCertain(t *testing.T) {
	dir := solve.Dir(t.TempDir())
	o := options()
	o.Keep = math.MaxInt64
	if err := compute(t, context.Background(), dir, "owlman", o); err != nil {
		t.Fatal(err)
	}
	oracle := &solve.Oracle{Dir: dir}
	defer oracle.Close()
	seen := map[bool]int{}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 12 {
		pos, err := game(t, "owlman").Parse("8/1D6/8/8/4H3/8/8/1O6 w")
		if err != nil {
			t.Fatal(err)
		}
		for !pos.Outcome().Over {
			v, err := oracle.Value(pos)
			if err != nil {
				t.Fatal(err)
			}
			sure, err := oracle.Certain(pos, v)
			switch {
			case err != nil:
				t.Fatal(err)
			case !sure && v.Winner == engine.First:
				t.Fatalf("%s: Doc's win is not certain", pos)
			case !sure && pos.Reversible() == 0:
				t.Fatalf("%s: nothing was played, and the win is not certain", pos)
			}
			seen[sure]++
			moves := pos.Legal(nil)
			pos.Play(moves[rng.IntN(len(moves))])
		}
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("too little was seen: %v", seen)
	}
}

// A table that was ended goes on from what was kept, of which nothing is left when it
// is there.
func TestSolveGoesOn(t *testing.T) {
	dir := solve.Dir(t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o := options()
	first := o
	first.Forced, first.Keep = 0, math.MaxInt64
	if err := compute(t, ctx, dir, "owlman", first); err != nil {
		t.Fatal(err)
	}
	ended := ""
	o.Log = logged(func(line string) {
		if strings.HasPrefix(line, "1 helper, Doc's forced wins: level 3") {
			cancel()
		}
		ended = line
	})
	if err := compute(t, ctx, dir, "owlman", o); !errors.Is(err, context.Canceled) || !strings.HasSuffix(ended, "from what was kept last\n") {
		t.Fatalf("ended: %v, %q", err, ended)
	}
	part := filepath.Join(string(dir), "owlman-doc-01.part")
	kept, err := os.ReadFile(part)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	o.Log = logged(func(line string) { lines = append(lines, line) })
	if err := compute(t, context.Background(), dir, "owlman", o); err != nil || !strings.Contains(lines[0], "going on from what was kept") || !strings.Contains(lines[1], ": level 3,") {
		t.Errorf("went on: %v, %q", err, lines)
	}
	if _, err := os.Stat(part); err == nil {
		t.Error("what was kept is still there")
	}
	s, err := dir.Solver(game(t, "owlman"), 1, false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.Report()
	if row := fmt.Sprint(r.Rows); err != nil || !strings.HasPrefix(row, "[[1 15234 14948 15125 7 207 87 5 ") {
		t.Errorf("%s, %v", row, err)
	}
	if err := os.Remove(filepath.Join(string(dir), "owlman-doc-01.table")); err != nil {
		t.Fatal(err)
	}
	kept[len(kept)-1] ^= 1
	if err := os.WriteFile(part, kept, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := compute(t, context.Background(), dir, "owlman", o); err == nil || !strings.Contains(err.Error(), "owlman-doc-01.part: damaged table: ") {
		t.Errorf("a damaged part: %v", err)
	}
}

// Several may solve the same board at once: each writes it whole.
func TestSolveAtOnce(t *testing.T) {
	dir := solve.Dir(t.TempDir())
	g := game(t, "breakthrough:3x4")
	if print, err := dir.Print(g); print != "" || err != nil {
		t.Errorf("no tables: print %q, %v", print, err)
	}
	o := options()
	o.Keep = math.MaxInt64 // what one keeps is another's to clear away
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := compute(t, context.Background(), dir, g.Name(), o); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	b, err := dir.Solver(g, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Verify(context.Background(), options(), func(string) {}); err != nil {
		t.Error(err)
	}
	b.Close()
	names, err := os.ReadDir(string(dir))
	if err != nil || len(names) != 1 {
		t.Errorf("left behind: %v, %v", names, err)
	}
	if print, err := dir.Print(g); len(print) != 16 || err != nil {
		t.Errorf("print %q, %v", print, err)
	}
}

// What the folder does not have, and what is no folder, is said with its name.
func TestOracleErrors(t *testing.T) {
	dir := solve.Dir(t.TempDir())
	oracle := &solve.Oracle{Dir: dir}
	defer oracle.Close()
	var missing *solve.MissingError
	if _, err := oracle.Value(game(t, "breakthrough:4x4").Start()); !errors.As(err, &missing) || !strings.Contains(err.Error(), "`arena solve breakthrough:4x4` computes it") {
		t.Errorf("no table: %v", err)
	}
	if _, err := oracle.Value(game(t, "chess").Start()); !errors.As(err, &missing) || !strings.Contains(err.Error(), "chess is not solved") {
		t.Errorf("chess: %v", err)
	}
	file := filepath.Join(string(dir), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := compute(t, context.Background(), solve.Dir(file), "breakthrough:2x4", options())
	if err == nil || !strings.Contains(err.Error(), filepath.Join(file, "breakthrough-2x4.")) {
		t.Errorf("a folder that is a file: %v", err)
	}
}
