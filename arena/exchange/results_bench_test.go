package exchange

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"botarena/arena"
	"botarena/arena/rating"
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
func league(format Format) (head, block []byte) {
	rng := rand.New(rand.NewPCG(1, 2))
	var list []*Game
	for i := range 1000 {
		g := played(rng, "breakthrough:6x6", i+1)
		white := rng.IntN(30)
		black := (white + 1 + rng.IntN(29)) % 30
		g.First, g.Second = fmt.Sprintf("bot-%d", white), fmt.Sprintf("bot-%d", black)
		g.Versions[0].Fingerprint, g.Versions[1].Fingerprint = fmt.Sprintf("%064d", white), fmt.Sprintf("%064d", black)
		g.Result = []arena.Result{arena.FirstWins, arena.SecondWins, arena.Draw}[rng.IntN(3)]
		list = append(list, g)
	}
	block = []byte(writtenBy(func(w io.Writer) Writer { return writerOf(format, w) }, list...))
	if format == FormatCSV {
		end := bytes.IndexByte(block, '\n') + 1
		head, block = block[:end], block[end:]
	}
	return head, block
}

// Reading and rating are linear in the games, and keep none of them.
func BenchmarkResults(b *testing.B) {
	for _, format := range formats() {
		head, block := league(format)
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
	for _, format := range formats() {
		b.Run(string(format), func(b *testing.B) {
			b.ReportAllocs()
			to := writerOf(format, io.Discard)
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
