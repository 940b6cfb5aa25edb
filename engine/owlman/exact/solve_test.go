package exact_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"botarena/engine"
	"botarena/engine/owlman"
	"botarena/engine/owlman/exact"
	"botarena/engine/solve/file"
)

// solve returns the layers up to a number of helpers.
func solve(t testing.TB, helpers int) exact.Tables {
	t.Helper()
	tables := exact.Bottoms()
	for n := 1; n <= helpers; n++ {
		catch, err := exact.Solve(context.Background(), tables.Catch[n-1], file.Options{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		force, err := exact.Solve(context.Background(), tables.Force[n-1], file.Options{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		tables.Catch, tables.Force = append(tables.Catch, catch), append(tables.Force, force)
	}
	return tables
}

func parse(t testing.TB, text string) exact.Position {
	t.Helper()
	game, err := owlman.Family{}.Open("")
	if err != nil {
		t.Fatal(err)
	}
	pos, err := game.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return pos.(exact.Position)
}

func winner(t testing.TB, tables exact.Tables, text string) engine.Side {
	t.Helper()
	v, ok, err := tables.Value(parse(t, text))
	if err != nil || !ok {
		t.Fatalf("%s: %v, known %v", text, err, ok)
	}
	return v.Winner
}

func TestSolve(t *testing.T) {
	tables := solve(t, 2)
	t.Run("figures", func(t *testing.T) { figures(t, tables) })
	t.Run("starts", func(t *testing.T) { starts(t, tables) })
	t.Run("verify", func(t *testing.T) { verify(t, tables, 3000) })
	// Doc's forced wins may be known of fewer helpers: then also where Owlman has to
	// capture one.
	t.Run("fewer forces", func(t *testing.T) {
		verify(t, exact.Tables{Catch: tables.Catch, Force: tables.Force[:2]}, 3000)
	})
	t.Run("too many helpers", func(t *testing.T) {
		if _, ok, err := tables.Value(parse(t, "D7/8/2H1H3/1H6/8/8/8/7O w")); ok || err != nil {
			t.Errorf("three helpers: known %v, %v", ok, err)
		}
	})
	t.Run("file", func(t *testing.T) { files(t, tables) })
}

func verify(t *testing.T, tables exact.Tables, draws int) {
	for n := 1; n <= tables.Helpers(); n++ {
		if err := tables.Verify(n, draws, rand.New(rand.NewPCG(1, uint64(n)))); err != nil {
			t.Error(err)
		}
	}
}

// A table with one bit wrong is found out by where it is looked at.
func TestVerifyFindsWrong(t *testing.T) {
	for _, layer := range []func(exact.Tables) *exact.Layer{
		func(t exact.Tables) *exact.Layer { return t.Catch[1] },
		func(t exact.Tables) *exact.Layer { return t.Force[1] },
	} {
		tables := solve(t, 1)
		layer(tables).Forget() // some state of it
		err := tables.Verify(1, 60_000, rand.New(rand.NewPCG(1, 2)))
		if err == nil || !strings.HasPrefix(err.Error(), "wrong table: ") {
			t.Errorf("a wrong table passes: %v", err)
		}
	}
}

// The designer's three endings, as the rules' page has them.
func figures(t *testing.T, tables exact.Tables) {
	square := func(file, rank int) string { return fmt.Sprintf("%c%d", 'a'+file, rank+1) }
	for file := range 8 {
		for rank := range 8 {
			if (file+rank)%2 == 0 || slices.Contains([]string{"b7", "a6", "c8"}, square(file, rank)) {
				continue
			}
			for _, turn := range []string{"w", "b"} {
				want := engine.First
				if square(file, rank) == "h1" && turn == "b" {
					want = engine.Second
				}
				text := board(map[string]byte{"b7": 'D', "a6": 'H', "c8": 'H', square(file, rank): 'O'}) + " " + turn
				if got := winner(t, tables, text); got != want {
					t.Errorf("Fig. 6 with Owlman on %s, %s to move: %v wins, want %v", square(file, rank), turn, got, want)
				}
			}
		}
	}
	for _, tt := range []struct {
		text string
		want engine.Side
	}{
		{"D7/8/8/1H6/2H5/8/8/7O b", engine.Second}, // Fig. 7
		{"D7/8/8/1O6/2H5/8/8/8 w", engine.Second},
		{"D7/8/8/1O6/2H5/8/8/8 b", engine.First},
		{"D1H5/1O6/8/8/8/8/8/8 w", engine.First}, // Fig. 8
	} {
		if got := winner(t, tables, tt.text); got != tt.want {
			t.Errorf("%s: %v wins, want %v", tt.text, got, tt.want)
		}
	}
}

func board(on map[string]byte) string {
	var b strings.Builder
	for rank := 8; rank >= 1; rank-- {
		for file := 'a'; file <= 'h'; file++ {
			if piece, ok := on[fmt.Sprintf("%c%d", file, rank)]; ok {
				b.WriteByte(piece)
			} else {
				b.WriteByte('1')
			}
		}
		if rank > 1 {
			b.WriteByte('/')
		}
	}
	return b.String()
}

// starts counts, for the start with so many helpers left, the choices of helpers
// that Owlman wins.
func starts(t *testing.T, tables exact.Tables) {
	want := map[int]int{1: 12, 2: 64, 3: 143, 4: 162, 5: 50, 6: 15}
	squares := strings.Fields("f1 g2 h3 d1 e2 f3 g4 h5 d3 e4 f5 d5")
	won := map[int]int{}
	for set := range 1 << len(squares) {
		n := bits.OnesCount(uint(set))
		if n == 0 || n > tables.Helpers() {
			continue
		}
		on := map[string]byte{"h1": 'D', "a8": 'O'}
		for i, square := range squares {
			if set>>i&1 != 0 {
				on[square] = 'H'
			}
		}
		if winner(t, tables, board(on)+" w") == engine.Second {
			won[n]++
		}
	}
	for n := 1; n <= tables.Helpers(); n++ {
		if won[n] != want[n] {
			t.Errorf("the start with %d of its helpers: Owlman wins %d, want %d", n, won[n], want[n])
		}
	}
}

// A layer comes back from its file, and a damaged file is found out.
func files(t *testing.T, tables exact.Tables) {
	var saved bytes.Buffer
	again := exact.Tables{Catch: slices.Clone(tables.Catch), Force: slices.Clone(tables.Force)}
	for _, kind := range [][]*exact.Layer{again.Force, again.Catch} {
		saved.Reset()
		was := kind[1]
		if _, err := was.WriteTo(&saved); err != nil {
			t.Fatal(err)
		}
		l, err := exact.Read(bytes.Clone(saved.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Check(); err != nil || l.Kind != was.Kind || l.White != was.White || l.Owl != was.Owl || l.Levels() != was.Levels() {
			t.Errorf("read back: %v, %d %d %d", err, l.White, l.Owl, l.Levels())
		}
		kind[1] = l
	}
	verify(t, again, 500)
	if l, err := exact.Solve(context.Background(), again.Catch[1], file.Options{Threads: 2}); err != nil || l.White != tables.Catch[2].White || l.Owl != tables.Catch[2].Owl {
		t.Errorf("two helpers from a file of one: %v, %+v", err, l)
	}
	for _, at := range []int{0, 40, 5000, saved.Len() / 2, saved.Len() - 1} {
		data := bytes.Clone(saved.Bytes())
		data[at] ^= 1
		l, err := exact.Read(data)
		if err == nil {
			err = l.Check()
		}
		var damaged *file.DamagedError
		if old := at < 5 && errors.Is(err, file.ErrVersion); !old && !errors.As(err, &damaged) {
			t.Errorf("byte %d changed: %v", at, err)
		}
	}
	var damaged *file.DamagedError
	if _, err := exact.Read(saved.Bytes()[:saved.Len()-1]); !errors.As(err, &damaged) {
		t.Errorf("cut short: %v", err)
	}
}

// A layer that goes on from any part of it is the same; one of another layer is refused.
func TestSolveGoesOn(t *testing.T) {
	below := solve(t, 1)
	written := func(l io.WriterTo) []byte {
		var b bytes.Buffer
		if _, err := l.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for _, layers := range [][]*exact.Layer{below.Catch, below.Force} {
		var parts [][]byte
		due := 0
		l, err := exact.Solve(context.Background(), layers[1], file.Options{
			Threads: 2,
			Due:     func() bool { due++; return due%41 == 0 },
			Keep:    func(p io.WriterTo) error { parts = append(parts, written(p)); return nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		want := written(l)
		if len(parts) < 3 {
			t.Fatalf("only %d parts were kept", len(parts))
		}
		for i, data := range parts[:3] {
			l, err := exact.Solve(context.Background(), layers[1], file.Options{Threads: 2, From: data})
			if err != nil || !bytes.Equal(written(l), want) {
				t.Errorf("from part %d of %d: another layer, or %v", i+1, len(parts), err)
			}
		}
		damaged := func(below *exact.Layer, data []byte) {
			t.Helper()
			var damaged *file.DamagedError
			if _, err := exact.Solve(context.Background(), below, file.Options{From: data}); !errors.As(err, &damaged) || !damaged.Part {
				t.Errorf("it goes on from a damaged part: %v", err)
			}
		}
		damaged(layers[0], parts[0]) // of another layer
		for _, at := range []int{60, len(parts[1]) - 1} {
			data := bytes.Clone(parts[1])
			data[at] ^= 1
			damaged(layers[1], data)
		}
	}
}

// Solving ends with its context.
func TestSolveEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := exact.Solve(ctx, exact.Bottom(exact.OwlmanCatches), file.Options{Threads: 1}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := exact.Solve(ctx, exact.Bottom(exact.DocForces), file.Options{Threads: 1}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	var saved bytes.Buffer
	if _, err := solve(f, 1).Catch[1].WriteTo(&saved); err != nil {
		f.Fatal(err)
	}
	f.Add(saved.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		if l, err := exact.Read(data); err == nil {
			_ = l.Check()
		}
	})
}

func BenchmarkSolve(b *testing.B) {
	for b.Loop() {
		solve(b, 4)
	}
}
