package exchange

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"botarena/arena/rating"
)

// Games are counted as a map counts them, however often they are sorted meanwhile.
func TestCounts(t *testing.T) {
	t.Parallel()
	g := rand.New(rand.NewPCG(1, 2))
	type game struct {
		first, second int32
		score         rating.Score
	}
	const last = 1<<playerBits - 1
	var c counts
	want := map[game]int{}
	for k := range 10_000 {
		one := game{g.Int32N(9), last - g.Int32N(9), rating.Score(g.IntN(3))}
		if k%2 == 0 {
			one.first, one.second = one.second, one.first
		}
		want[one]++
		c.add(one.first, one.second, one.score)
		if g.IntN(500) == 0 {
			c.sorted()
		}
	}
	list := c.sorted()
	got := map[game]int{}
	for _, n := range list {
		first, second, score := n.game()
		got[game{first, second, score}] = n.times
	}
	if !maps.Equal(got, want) || len(list) != len(want) || !slices.IsSortedFunc(list, func(a, b counted) int { return int(int64(a.key>>1) - int64(b.key>>1)) }) {
		t.Errorf("%d kinds of games; want %d", len(list), len(want))
	}
}
