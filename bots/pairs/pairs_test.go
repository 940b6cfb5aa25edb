package pairs_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"botarena/bots/boards"
	"botarena/bots/bottest"
	"botarena/bots/pairs"
	"botarena/bots/weights"
	"botarena/engine"
)

func view(t *testing.T, name string) (*pairs.Game, engine.Game) {
	t.Helper()
	game := bottest.Open(t, name)
	v, ok := boards.Pairs(game)
	if !ok {
		t.Fatalf("%s is not seen by pairs", name)
	}
	return v, game
}

func random(v *pairs.Game) []int16 {
	rng := rand.New(rand.NewPCG(1, 2))
	w := make([]int16, v.Size())
	for i := range w {
		w[i] = int16(rng.IntN(401) - 200)
	}
	return w
}

// What is judged is the sum of the weights that Indexes names, each in its place, and
// the indexes of a position are all different.
func TestJudgeSumsIndexes(t *testing.T) {
	v, game := view(t, "owlman")
	w := random(v)
	judge := v.NewJudge(w).Evaluator()
	rapid.Check(t, func(rt *rapid.T) {
		pos := bottest.Random(rt, game)
		indexes := v.Indexes(nil, pos)
		sum := 0
		for _, i := range indexes {
			sum += int(w[i])
		}
		if got := judge(pos); got != sum/weights.Unit {
			rt.Fatalf("%s: %d, the weights sum to %d", pos, got, sum/weights.Unit)
		}
		slices.Sort(indexes)
		if n := len(indexes); n != len(slices.Compact(indexes)) || n == 0 {
			rt.Fatalf("%s: %d weights, some twice", pos, n)
		}
	})
}
