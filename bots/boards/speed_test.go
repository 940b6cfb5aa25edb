package boards_test

import (
	"math/rand/v2"
	"testing"

	"botarena/bots/boards"
	"botarena/bots/bottest"
	"botarena/bots/kit"
	"botarena/bots/minimax"
	"botarena/engine"
	"botarena/protocol"
)

// BenchmarkSearch searches middle games of Breakthrough with 20,000 nodes each, and tells
// how deep these lead.
func BenchmarkSearch(b *testing.B) {
	game := bottest.Open(b, "breakthrough")
	made, err := boards.For(game, nil)
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var starts []engine.Position
	for len(starts) < 40 {
		pos := game.Start()
		for range 8 + rng.IntN(16) {
			if moves := pos.Legal(nil); !pos.Outcome().Over {
				pos.Play(moves[rng.IntN(len(moves))])
			}
		}
		if !pos.Outcome().Over {
			starts = append(starts, pos)
		}
	}
	s := minimax.New(minimax.Config{Megabytes: 1}, made)
	depth := int64(0)
	for b.Loop() {
		for _, pos := range starts {
			s.NewGame()
			turn := kit.NewTurn(pos.Clone(), 1, nil)
			turn.Nodes = 20_000
			var last protocol.Info
			turn.OnInfo(func(info protocol.Info) { last = info })
			s.Choose(turn)
			depth += last.Depth
		}
	}
	b.ReportMetric(float64(depth)/float64(b.N*len(starts)), "depth")
}
