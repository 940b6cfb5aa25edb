package pairs_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"botarena/bots/boards"
	"botarena/bots/bottest"
	"botarena/bots/pairs"
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

func weights(v *pairs.Game) []int16 {
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
	w := weights(v)
	judge := v.NewJudge(w).Evaluator()
	rapid.Check(t, func(rt *rapid.T) {
		pos := bottest.Random(rt, game)
		indexes := v.Indexes(nil, pos)
		sum := 0
		for _, i := range indexes {
			sum += int(w[i])
		}
		if got := judge(pos); got != sum/pairs.Unit {
			rt.Fatalf("%s: %d, the weights sum to %d", pos, got, sum/pairs.Unit)
		}
		slices.Sort(indexes)
		if n := len(indexes); n != len(slices.Compact(indexes)) || n == 0 {
			rt.Fatalf("%s: %d weights, some twice", pos, n)
		}
	})
}

// A table is read as it was written; one that is cut, or another game's, is refused.
func TestEncode(t *testing.T) {
	v, _ := view(t, "owlman")
	w := weights(v)
	data := v.Encode(w)
	if got, err := v.Decode(data); err != nil || !slices.Equal(got, w) || !pairs.Is(data) {
		t.Fatalf("read back otherwise: %v", err)
	}
	for _, cut := range []int{0, 5, 14, 16, 20, len(data) - 1} {
		if _, err := v.Decode(data[:cut]); err == nil {
			t.Errorf("%d of %d bytes are a table", cut, len(data))
		}
	}
	other := *v
	other.Name = "outwit"
	if _, err := other.Decode(data); err == nil || !strings.Contains(err.Error(), "not for outwit") {
		t.Errorf("the table of owlman in outwit: %v", err)
	}
}
