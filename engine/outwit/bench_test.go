package outwit

import (
	"math/rand/v2"
	"testing"

	"botarena/engine"
	"botarena/engine/enginetest"
)

func BenchmarkPlayout(b *testing.B) {
	for _, variant := range variants() {
		game := open(b, variant)
		b.Run(game.Name(), func(b *testing.B) { enginetest.BenchPlayouts(b, game) })
	}
}

// BenchmarkRandomMoves plays random games through the package's own types.
func BenchmarkRandomMoves(b *testing.B) {
	for _, variant := range variants() {
		game := open(b, variant)
		b.Run(game.Name(), func(b *testing.B) {
			pos := game.Start().(*Position)
			rng := rand.New(rand.NewPCG(1, 2))
			var buf []engine.Move
			b.ReportAllocs()
			for b.Loop() {
				if pos.Outcome().Over {
					for pos.Ply() > 0 {
						pos.Undo()
					}
				}
				buf = pos.Legal(buf[:0])
				pos.Play(buf[rng.IntN(len(buf))])
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "moves/s")
		})
	}
}

func BenchmarkPerft4(b *testing.B) {
	for _, variant := range variants() {
		game := open(b, variant)
		b.Run(game.Name(), func(b *testing.B) { enginetest.BenchPerft(b, game, 4) })
	}
}

func BenchmarkOpenAndParse(b *testing.B) {
	for b.Loop() {
		game, err := Family{}.Open("push")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := game.Parse(StartText); err != nil {
			b.Fatal(err)
		}
	}
}
