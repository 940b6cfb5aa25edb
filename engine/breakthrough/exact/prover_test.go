package exact_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/breakthrough/exact"
	"botarena/engine/breakthrough/proof"
	"botarena/engine/solve/file"
)

func prover(t testing.TB, g *breakthrough.Game, bytes int64) *exact.Prover {
	t.Helper()
	p, err := exact.NewProver(g, bytes)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What a search says of any position is what the table says, and with few nodes it
// says that or nothing.
func TestProverAgainstTable(t *testing.T) {
	for _, size := range [][2]int{{2, 5}, {4, 4}, {3, 5}} {
		g, table := game(t, size[0], size[1]), solve(t, size[0], size[1])
		p := prover(t, g, 1<<14)
		rng := rand.New(rand.NewPCG(3, uint64(size[0])))
		unknown := 0
		for range 2000 {
			pos := exact.Draw(g, rng)
			want, err := table.Winner(pos)
			if err != nil {
				t.Fatal(err)
			}
			hasty, err := p.Winner(context.Background(), pos, 2)
			if err != nil || hasty != want && hasty != engine.NoSide {
				t.Fatalf("%s: %d wins by a short search, %d by the table, %v", pos, hasty, want, err)
			}
			if hasty == engine.NoSide {
				unknown++
			}
			got, err := p.Winner(context.Background(), pos, math.MaxUint64)
			if err != nil || got != want {
				t.Fatalf("%s: %d wins by search, %d by the table, %v", pos, got, want, err)
			}
		}
		if unknown == 0 {
			t.Errorf("%s: two nodes are always enough", g.Name())
		}
	}
}

// A proof is of the winner that the table knows, and stands, also where the table of
// the search holds a small part of what it looked at only.
func TestProve(t *testing.T) {
	for _, tt := range []struct {
		cols, rows, plies int
		bytes             int64
	}{{4, 4, 3, 1 << 20}, {4, 4, 5, 1 << 20}, {3, 5, 4, 1 << 20}, {3, 5, 3, 0}, {2, 6, 3, 0}} {
		g := game(t, tt.cols, tt.rows)
		p, err := prover(t, g, tt.bytes).Prove(context.Background(), g, tt.plies, file.Options{})
		if err != nil {
			t.Fatal(err)
		}
		done, err := p.Check(context.Background(), nil)
		if err != nil || done.Answers != p.Answers() || done.Leaves == 0 {
			t.Errorf("%s: %+v of %d answers, %v", g.Name(), done, p.Answers(), err)
		}
		want, err := solve(t, tt.cols, tt.rows).Winner(g.Start().(*breakthrough.Position))
		if err != nil || p.Winner != want {
			t.Errorf("%s: %d wins by the proof, %d by the table, %v", g.Name(), p.Winner, want, err)
		}
	}
}

func TestProverRefuses(t *testing.T) {
	for _, size := range [][2]int{{6, 5}, {5, 7}, {7, 5}} {
		if err := exact.Provable(game(t, size[0], size[1])); err != nil {
			t.Error(err)
		}
	}
	for _, size := range [][2]int{{6, 6}, {8, 8}} {
		if err := exact.Provable(game(t, size[0], size[1])); err == nil || !strings.HasSuffix(err.Error(), "the board is too large") {
			t.Errorf("%v: %v", size, err)
		}
	}
	if err := exact.Searchable(game(t, 6, 6)); err != nil {
		t.Error(err)
	}
	if _, err := exact.NewProver(game(t, 8, 8), 1<<20); err == nil || !strings.HasSuffix(err.Error(), "the board is too large") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	g := game(t, 4, 4)
	if _, err := prover(t, g, 1<<20).Prove(ctx, g, 3, file.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func BenchmarkProve(b *testing.B) {
	g := game(b, 3, 6)
	for b.Loop() {
		if _, err := prover(b, g, 1<<26).Prove(context.Background(), g, 3, file.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// A search goes on from what another has written: it takes fewer nodes, and the proof
// holds.
func TestProveGoesOn(t *testing.T) {
	g := game(t, 2, 9)
	fresh := func() *exact.Prover { return prover(t, g, 1<<22) }
	nodes := func(p *exact.Prover, until uint64, from []byte) (n uint64, found *proof.Proof, kept []byte, err error) {
		enough := errors.New("enough")
		found, err = p.Prove(context.Background(), g, 3, file.Options{
			From: from,
			Tell: func(at fmt.Stringer) { n = at.(exact.ProofProgress).Nodes },
			Due:  func() bool { return n >= until },
			Keep: func(w io.WriterTo) error {
				var b bytes.Buffer
				_, err := w.WriteTo(&b)
				kept = b.Bytes()
				return errors.Join(enough, err)
			},
		})
		if errors.Is(err, enough) {
			err = nil
		}
		return n, found, kept, err
	}
	all, _, _, err := nodes(fresh(), math.MaxUint64, nil)
	if err != nil || all == 0 {
		t.Fatalf("%d nodes, %v", all, err)
	}
	_, found, kept, err := nodes(fresh(), all/2, nil)
	if err != nil || found != nil {
		t.Fatalf("ended in its midst: %v, %v", found, err)
	}
	rest, found, _, err := nodes(fresh(), math.MaxUint64, kept)
	if err != nil || rest >= all {
		t.Fatalf("%d nodes instead of %d, %v", rest, all, err)
	}
	if _, err := found.Check(context.Background(), nil); err != nil {
		t.Error(err)
	}
	changed := bytes.Clone(kept)
	changed[len(changed)-1] ^= 1
	var damaged *file.DamagedError
	if _, _, _, err := nodes(fresh(), math.MaxUint64, changed); !errors.As(err, &damaged) || !damaged.Part {
		t.Errorf("a changed file: %v", err)
	}
}
