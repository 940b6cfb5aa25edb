package tables_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/games"
	"botarena/engine/owlman/exact"
	"botarena/engine/tables"
)

func game(t *testing.T, name string) engine.Game {
	t.Helper()
	g, err := games.All().Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// A win of Owlman's is certain until he has made his moves towards the next capture
// from some position; Doc's is certain at all times.
func TestCertain(t *testing.T) {
	dir := tables.Dir(t.TempDir())
	o, err := dir.Owlman(1)
	if err != nil {
		t.Fatal(err)
	}
	if err := dir.SolveOwlman(context.Background(), o, exact.OwlmanCatches, 1, nil, nil); err != nil {
		t.Fatal(err)
	}
	o.Close()
	oracle := &tables.Oracle{Dir: dir}
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
	dir := tables.Dir(t.TempDir())
	o, err := dir.Owlman(1)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	always := func() bool { return true }
	kind := exact.DocForces
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	err = dir.SolveOwlman(ctx, o, kind, 1, always, func(p exact.Progress) {
		if p.Level == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || !dir.OwlmanBegun(kind, 1) {
		t.Fatalf("ended: %v, kept %v", err, dir.OwlmanBegun(kind, 1))
	}
	least := 0
	if err := dir.SolveOwlman(context.Background(), o, kind, 1, nil, func(p exact.Progress) {
		if least == 0 {
			least = p.Level
		}
	}); err != nil || least != 3 || dir.OwlmanBegun(kind, 1) {
		t.Errorf("went on at level %d, %v, kept %v", least, err, dir.OwlmanBegun(kind, 1))
	}
	if l := o.Force[1]; l.White != 207 || l.Owl != 87 {
		t.Errorf("%d and %d states", l.White, l.Owl)
	}
	part := filepath.Join(string(dir), "owlman-01.part")
	if err := os.WriteFile(part, []byte("arena part owlman-2010/1\nx"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := dir.SolveOwlman(context.Background(), o, exact.OwlmanCatches, 1, nil, nil); err == nil || !strings.Contains(err.Error(), "owlman-01.part: damaged table: its header; delete it") {
		t.Errorf("a damaged part: %v", err)
	}
}

// Several may solve the same board at once: each writes it whole.
func TestSolveAtOnce(t *testing.T) {
	dir := tables.Dir(t.TempDir())
	g := game(t, "breakthrough:3x4").(*breakthrough.Game)
	if print, err := dir.Print(g); print != "" || err != nil {
		t.Errorf("no tables: print %q, %v", print, err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := dir.SolveBreakthrough(context.Background(), g, 1, nil, nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	b, err := dir.Breakthrough(g)
	if err != nil || b == nil {
		t.Fatal(err)
	}
	if err := dir.Check(b, g); err != nil {
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
	dir := tables.Dir(t.TempDir())
	oracle := &tables.Oracle{Dir: dir}
	defer oracle.Close()
	var missing *tables.MissingError
	if _, err := oracle.Value(game(t, "breakthrough:4x4").Start()); !errors.As(err, &missing) || !strings.Contains(err.Error(), "`arena solve breakthrough:4x4` computes it") {
		t.Errorf("no table: %v", err)
	}
	var unsolved *tables.UnsolvedError
	if _, err := oracle.Value(game(t, "chess").Start()); !errors.As(err, &unsolved) {
		t.Errorf("chess: %v", err)
	}
	file := filepath.Join(string(dir), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := tables.Dir(file).SolveBreakthrough(context.Background(), game(t, "breakthrough:2x4").(*breakthrough.Game), 1, nil, nil)
	if err == nil || !strings.Contains(err.Error(), filepath.Join(file, "breakthrough-2x4.")) {
		t.Errorf("a folder that is a file: %v", err)
	}
}
