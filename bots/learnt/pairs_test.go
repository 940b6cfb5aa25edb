package learnt

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"botarena/bots/bottest"
)

// What is judged is the sum of the weights that indexes names, each in its place, and
// the indexes of a position are all different.
func TestPairsSumIndexes(t *testing.T) {
	game := bottest.Open(t, "owlman")
	w := random(pairsSize, 200)
	judge := NewPairs(w).Evaluator()
	rapid.Check(t, func(rt *rapid.T) {
		pos := bottest.Random(rt, game)
		indexes := pairsIndexes(nil, pos)
		sum := 0
		for _, i := range indexes {
			sum += int(w[i])
		}
		if got := judge(pos); got != sum/Unit {
			rt.Fatalf("%s: %d, the weights sum to %d", pos, got, sum/Unit)
		}
		slices.Sort(indexes)
		if n := len(indexes); n != len(slices.Compact(indexes)) || n == 0 {
			rt.Fatalf("%s: %d weights, some twice", pos, n)
		}
	})
}
