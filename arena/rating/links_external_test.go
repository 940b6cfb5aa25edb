//go:build external

package rating

import (
	"fmt"
	"math"
	"testing"
)

// TestExternalLinksGain prints what links gain and cost a new version.
func TestExternalLinksGain(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes: leave -short out; the plain tests have a smaller one")
	}
	const worlds, spread = 300, 30.0
	for _, jump := range []float64{math.NaN(), 0, 100, 200, 300} {
		for _, games := range []int{5, 10, 20, 50, 100, 200} {
			var square, held [2]float64
			mean := 0.0
			for seed := range uint64(worlds) {
				l, r, truth := newVersion(seed, games, jump, spread)
				for k, o := range []Options{
					{Pairs: true, PriorIfApart: UsualPrior},
					{Pairs: true, PriorIfApart: UsualPrior, Links: l.links()},
				} {
					off, in, s := missed(t, r, o, botName(len(l.elo)-1), truth)
					square[k] += off * off / worlds
					if in {
						held[k] += 100.0 / worlds
					}
					mean += s / worlds
				}
			}
			plain, linked := math.Sqrt(square[0]), math.Sqrt(square[1])
			fmt.Printf("jump %4.0f  games %3d  error %3.0f -> %3.0f Elo  held %3.0f %% -> %3.0f %%  s = %.0f\n",
				jump, games, plain, linked, held[0], held[1], mean)
			if math.IsNaN(jump) && (linked > 1.02*plain || held[1] < 90) {
				t.Errorf("links make it worse: %.1f and %.1f Elo, %.0f %% held", plain, linked, held[1])
			}
		}
	}
}
