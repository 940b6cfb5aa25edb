package exchange

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"botarena/arena"
	"botarena/arena/rating"
	"botarena/engine/games"
)

// A repeated reader returns a head and then a block again and again.
type repeated struct {
	head, block []byte
	times       int
	at          int
}

func (r *repeated) Read(p []byte) (int, error) {
	if len(r.head) > 0 {
		n := copy(p, r.head)
		r.head = r.head[n:]
		return n, nil
	}
	if r.times == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.block[r.at:])
	if r.at += n; r.at == len(r.block) {
		r.at, r.times = 0, r.times-1
	}
	return n, nil
}

// league is the export of 1,000 games of 30 bots in a format: what stands above
// them, and the games.
func league(b *testing.B, format Format) (head, block []byte) {
	b.Helper()
	var out bytes.Buffer
	var w Writer
	switch format {
	case FormatPGN:
		w = NewPGN(&out, games.All(), PGNOptions{})
	case FormatJSONL:
		w = NewJSONL(&out)
	default:
		w = NewCSV(&out, false)
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
		head = bytes.Clone(out.Bytes())
		out.Reset()
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 1000 {
		g := played(rng, "breakthrough:6x6", i+1)
		white := rng.IntN(30)
		black := (white + 1 + rng.IntN(29)) % 30
		g.First, g.Second = fmt.Sprintf("bot-%d", white), fmt.Sprintf("bot-%d", black)
		g.Versions[0].Fingerprint, g.Versions[1].Fingerprint = fmt.Sprintf("%064d", white), fmt.Sprintf("%064d", black)
		g.Result = []arena.Result{arena.FirstWins, arena.SecondWins, arena.Draw}[rng.IntN(3)]
		if err := w.Write(g); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	return head, bytes.Clone(out.Bytes())
}

// Reading and rating are linear in the games, and keep none of them.
func BenchmarkResults(b *testing.B) {
	for _, format := range []Format{FormatCSV, FormatPGN, FormatJSONL} {
		head, block := league(b, format)
		for _, n := range []int{10_000, 100_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", format, n), func(b *testing.B) {
				b.SetBytes(int64(len(block) * n / 1000))
				b.ReportAllocs()
				for b.Loop() {
					r := ResultsReader{Format: format}
					if err := r.Read("x", &repeated{head: head, block: block, times: n / 1000}); err != nil {
						b.Fatal(err)
					}
					results, err := r.Results()
					if err != nil || results.Len() != n {
						b.Fatal(results.Len(), err)
					}
					if _, err := rating.Rate(results, rating.Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// Writing costs the same for every game.
func BenchmarkWrite(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	list := make([]*Game, 200)
	for i := range list {
		list[i] = played(rng, "chess", i+1)
	}
	for _, w := range []struct {
		name   string
		writer func(io.Writer) Writer
	}{
		{"pgn", func(w io.Writer) Writer { return NewPGN(w, games.All(), PGNOptions{}) }},
		{"jsonl", func(w io.Writer) Writer { return NewJSONL(w) }},
		{"csv", func(w io.Writer) Writer { return NewCSV(w, false) }},
	} {
		b.Run(w.name, func(b *testing.B) {
			b.ReportAllocs()
			to := w.writer(io.Discard)
			for i := 0; b.Loop(); i++ {
				if err := to.Write(list[i%len(list)]); err != nil {
					b.Fatal(err)
				}
			}
			if err := to.Flush(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
