package exact_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/breakthrough/exact"
	"botarena/engine/solve/file"
)

func game(t testing.TB, cols, rows int) *breakthrough.Game {
	t.Helper()
	g, err := breakthrough.New(cols, rows)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func solve(t testing.TB, cols, rows int) *exact.Table {
	t.Helper()
	table, err := exact.Solve(context.Background(), game(t, cols, rows), file.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// wins is the plain search, by nothing but the rules.
func wins(pos *breakthrough.Position, known map[string]bool) bool {
	if out := pos.Outcome(); out.Over {
		return out.Winner == pos.Turn()
	}
	key := pos.String()
	if v, ok := known[key]; ok {
		return v
	}
	won := false
	for _, m := range pos.Legal(nil) {
		pos.Play(m)
		won = !wins(pos, known)
		pos.Undo()
		if won {
			break
		}
	}
	known[key] = won
	return won
}

// Every position of the smallest boards has the value that a plain search finds.
func TestTableAgainstPlainSearch(t *testing.T) {
	for _, size := range [][2]int{{2, 4}, {2, 5}, {3, 4}} {
		cols, rows := size[0], size[1]
		t.Run(fmt.Sprintf("%dx%d", cols, rows), func(t *testing.T) {
			g := game(t, cols, rows)
			table := solve(t, cols, rows)
			known := map[string]bool{}
			rng := rand.New(rand.NewPCG(1, uint64(cols)))
			for range 4000 {
				pos := exact.Draw(g, rng)
				got, err := table.Winner(pos)
				if err != nil {
					t.Fatal(err)
				}
				if want := pos.Turn() == got; !pos.Outcome().Over && want != wins(pos, known) {
					t.Fatalf("%s: the side to move wins: %v by the table", pos, want)
				}
			}
		})
	}
}

// The second player wins each of these boards, as a search without tables finds.
func TestStarts(t *testing.T) {
	for _, tt := range []struct {
		cols, rows  int
		want        engine.Side
		states, won uint64
	}{
		{4, 4, engine.Second, 77_775, 34_683},
		{3, 5, engine.Second, 116_073, 55_975},
	} {
		table := solve(t, tt.cols, tt.rows)
		g := game(t, tt.cols, tt.rows)
		got, err := table.Winner(g.Start().(*breakthrough.Position))
		if err != nil || got != tt.want || table.States != tt.states || table.Won != tt.won {
			t.Errorf("%s: side %d wins, %d of %d, %v", g.Name(), got, table.Won, table.States, err)
		}
		if err := table.Verify(g, 500, rand.New(rand.NewPCG(1, 2))); err != nil {
			t.Error(err)
		}
	}
}

// A table comes back from its file, and a damaged file is found out.
func TestFile(t *testing.T) {
	was := solve(t, 3, 4)
	var saved bytes.Buffer
	if _, err := was.WriteTo(&saved); err != nil {
		t.Fatal(err)
	}
	table, err := exact.Read(bytes.Clone(saved.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Check(); err != nil || table.States != was.States || table.Won != was.Won || !table.Fits(game(t, 3, 4)) || table.Fits(game(t, 4, 3+1)) {
		t.Errorf("read back: %v, %d %d", err, table.States, table.Won)
	}
	if err := table.Verify(game(t, 3, 4), 500, rand.New(rand.NewPCG(1, 2))); err != nil {
		t.Error(err)
	}
	for at := range saved.Len() {
		data := bytes.Clone(saved.Bytes())
		data[at] ^= 1
		table, err := exact.Read(data)
		if err == nil {
			err = table.Check()
		}
		var damaged *file.DamagedError
		if !errors.Is(err, file.ErrVersion) && !errors.As(err, &damaged) {
			t.Fatalf("byte %d changed: %v", at, err)
		}
	}
	var damaged *file.DamagedError
	if _, err := exact.Read(saved.Bytes()[:saved.Len()-1]); !errors.As(err, &damaged) {
		t.Errorf("cut short: %v", err)
	}
}

// A table that is wrong somewhere is found out by the rules.
func TestVerifyFindsWrong(t *testing.T) {
	table := solve(t, 3, 4)
	table.Forget()
	if err := table.Verify(game(t, 3, 4), 50_000, rand.New(rand.NewPCG(1, 2))); err == nil || !strings.HasPrefix(err.Error(), "wrong table: ") {
		t.Errorf("a wrong table passes: %v", err)
	}
}

func TestSolveRefuses(t *testing.T) {
	if err := exact.Solvable(game(t, 6, 5)); err == nil || !strings.HasSuffix(err.Error(), "the board is too large") {
		t.Errorf("6x5: %v", err)
	}
	for _, size := range [][2]int{{5, 5}, {5, 4}, {4, 6}, {3, 7}, {2, 8}} {
		if err := exact.Solvable(game(t, size[0], size[1])); err != nil {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := exact.Solve(ctx, game(t, 4, 4), file.Options{Threads: 1}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	var saved bytes.Buffer
	if _, err := solve(f, 2, 4).WriteTo(&saved); err != nil {
		f.Fatal(err)
	}
	f.Add(saved.Bytes())
	f.Fuzz(func(_ *testing.T, data []byte) {
		if table, err := exact.Read(data); err == nil {
			_ = table.Check()
		}
	})
}

func BenchmarkSolve(b *testing.B) {
	for b.Loop() {
		solve(b, 4, 5)
	}
}

// A table that goes on from any part of it is the same; a changed one is found out.
func TestSolveGoesOn(t *testing.T) {
	written := func(w io.WriterTo) []byte {
		var b bytes.Buffer
		if _, err := w.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	var parts [][]byte
	g := game(t, 3, 4)
	whole, err := exact.Solve(context.Background(), g, file.Options{
		Threads: 2,
		Due:     func() bool { return true },
		Keep:    func(p io.WriterTo) error { parts = append(parts, written(p)); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(parts) < 10 {
		t.Fatalf("only %d parts were kept", len(parts))
	}
	for i, data := range parts {
		again, err := exact.Solve(context.Background(), g, file.Options{From: data})
		if err != nil || !bytes.Equal(written(again), written(whole)) {
			t.Errorf("from part %d of %d: another table, or %v", i+1, len(parts), err)
		}
	}
	var damaged *file.DamagedError
	changed := bytes.Clone(parts[5])
	changed[len(changed)-1] ^= 1
	if _, err := exact.Solve(context.Background(), g, file.Options{From: changed}); !errors.As(err, &damaged) || !damaged.Part {
		t.Errorf("a changed part: %v", err)
	}
	if _, err := exact.Solve(context.Background(), game(t, 4, 4), file.Options{From: parts[5]}); !errors.As(err, &damaged) || !damaged.Part {
		t.Errorf("another board's part: %v", err)
	}
}
