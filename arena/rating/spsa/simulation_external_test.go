//go:build external

package spsa_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"botarena/arena/rating/spsa"
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

// twelve has eleven parameters that matter, some little, some whole, one with its best
// value at a bound, and one that does not matter.
func twelve() *madeUp {
	m := &madeUp{draws: 0.3}
	for i := range 12 {
		p := spsa.Param{Start: 50, Min: 0, Max: 100, Whole: i%2 == 0}
		best, worth := 20+float64(i*7%11)*6, 10+float64(i%4)*10
		switch i {
		case 3:
			best = 100
		case 5:
			worth = 0
		case 6: // few values
			p, best = spsa.Param{Start: 1, Min: 0, Max: 8, Whole: true}, 5
		}
		m.params, m.best, m.worth = append(m.params, p), append(m.best, best), append(m.worth, worth)
	}
	return m
}

// fishtest returns the final theta of fishtest's own way: the same gains where asked
// for, else those that its form proposes; clipped values, the current theta.
func (m *madeUp) fishtest(iterations int, seed uint64, ours bool) []float64 {
	n := float64(iterations)
	params := spsa.New(spsa.Config{Params: m.params, Iterations: iterations, Pairs: 1}).Params()
	rng := rand.New(rand.NewPCG(seed, 2))
	theta := make([]float64, len(params))
	for i, p := range params {
		theta[i] = p.Start
		if !ours {
			params[i].C, params[i].R = (p.Max-p.Min)/20, 0.002
		}
	}
	flips, plus, minus := make([]float64, len(params)), make([]float64, len(params)), make([]float64, len(params))
	for k := 1; k <= iterations; k++ {
		for i, p := range params {
			c := p.C * math.Pow(n/float64(k), spsa.Gamma)
			flips[i] = float64(2*rng.IntN(2) - 1)
			values := [2]*float64{&plus[i], &minus[i]}
			for j, v := range values {
				*v = min(max(theta[i]+c*flips[i]*float64(1-2*j), p.Min), p.Max)
				if p.Whole { // stochastic rounding in the worker
					*v = math.Floor(*v + rng.Float64())
				}
			}
		}
		balance := float64(m.play(rng, plus, minus))
		for i, p := range params {
			c := p.C * math.Pow(n/float64(k), spsa.Gamma)
			a := p.R * p.C * p.C * math.Pow(1.1*n, spsa.Alpha)
			r := a / math.Pow(0.1*n+float64(k), spsa.Alpha) / (c * c)
			theta[i] = min(max(theta[i]+r*c*balance*flips[i], p.Min), p.Max)
		}
	}
	return theta
}
