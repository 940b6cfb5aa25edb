//go:build external

package spsa_test

import (
	"math"
	"testing"
)

// On made-up bots of 3 and 12 parameters, tunings of 20 seeds come within the distances
// and Elo of README.md, nearer than fishtest's own way at as many games; intervals hold
// the best values about as often as they say.
func TestExternalSimulation(t *testing.T) {
	const seeds = 20
	for _, c := range []struct {
		name           string
		bot            *madeUp
		iterations     int
		distance, loss float64 // at most, of every seed
		covered        float64 // at least, of all intervals
	}{
		{"3 parameters", three(), 20_000, 0.2, 2, 0.8},
		{"12 parameters", twelve(), 20_000, 0.15, 4, 0.75},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ways := []struct {
				name   string
				values func(seed uint64) []float64
			}{
				{"start", func(uint64) []float64 {
					var start []float64
					for _, p := range c.bot.params {
						start = append(start, p.Start)
					}
					return start
				}},
				{"arena tune", func(seed uint64) []float64 { return tuned(c.bot.tune(c.iterations, 16, seed)) }},
				{"the same, current theta", func(seed uint64) []float64 { return c.bot.tune(c.iterations, 16, seed).Theta() }},
				{"fishtest's way, same gains", func(seed uint64) []float64 { return c.bot.fishtest(c.iterations, seed, true) }},
				{"fishtest's way and gains", func(seed uint64) []float64 { return c.bot.fishtest(c.iterations, seed, false) }},
			}
			t.Logf("%s, %d games, %d seeds", c.name, 2*c.iterations, seeds)
			t.Logf("%-28s %8s %8s %8s %8s", "", "distance", "worst", "Elo", "worst")
			means := map[string]float64{}
			for _, way := range ways {
				var distance, elo, far, low float64
				for seed := range uint64(seeds) {
					v := way.values(seed)
					d, e := c.bot.distance(v), c.bot.elo(v)
					distance, elo = distance+d/seeds, elo+e/seeds
					far, low = max(far, d), min(low, e)
				}
				t.Logf("%-28s %8.3f %8.3f %8.2f %8.2f", way.name, distance, far, elo, low)
				means[way.name] = elo
				if way.name == "arena tune" && (far > c.distance || low < -c.loss) {
					t.Errorf("a tuning ends %.3f from the best values, at %.2f Elo; at most %v and -%v", far, low, c.distance, c.loss)
				}
			}
			if ours := means["arena tune"]; ours < means["fishtest's way, same gains"] || ours < means["fishtest's way and gains"] {
				t.Errorf("fishtest's own way is better: %v", means)
			}
			held, all := 0.0, 0.0
			for seed := range uint64(seeds) {
				for i, e := range c.bot.tune(c.iterations, 16, seed).Estimates() {
					if p := c.bot.params[i]; c.bot.worth[i] > 0 && c.bot.best[i] < p.Max { // none reaches beyond a bound
						all++
						if math.Abs(e.Value-c.bot.best[i]) <= e.Error {
							held++
						}
					}
				}
			}
			t.Logf("95 %% intervals that hold the best value: %.0f %% of %.0f", 100*held/all, all)
			if held < c.covered*all {
				t.Errorf("only %v of %v intervals hold the best value", held, all)
			}
		})
	}
}
