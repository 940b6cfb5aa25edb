package spsa_test

import (
	"math"
	"math/rand/v2"

	"botarena/arena/rating/spsa"
)

// A madeUp bot has a strength that is a known function of its parameters: it falls with
// the square of the distance from the best values, by worth Elo at half of the range.
type madeUp struct {
	params []spsa.Param
	best   []float64
	worth  []float64
	draws  float64 // share of drawn games
}

// elo returns the strength of some values, 0 for the best ones.
func (m *madeUp) elo(values []float64) (elo float64) {
	for i, p := range m.params {
		d := (values[i] - m.best[i]) / ((p.Max - p.Min) / 2)
		elo -= m.worth[i] * d * d
	}
	return elo
}

// distance returns the root of the mean square distance from the best values, in
// halves of the ranges, of the parameters that matter.
func (m *madeUp) distance(values []float64) float64 {
	sum, n := 0.0, 0.0
	for i, p := range m.params {
		if m.worth[i] > 0 {
			d := (values[i] - m.best[i]) / ((p.Max - p.Min) / 2)
			sum, n = sum+d*d, n+1
		}
	}
	return math.Sqrt(sum / n)
}

// play returns wins less losses of a pair of games.
func (m *madeUp) play(rng *rand.Rand, a, b []float64) (balance int) {
	win := 1/(1+math.Pow(10, (m.elo(b)-m.elo(a))/400)) - m.draws/2
	for range 2 {
		switch x := rng.Float64(); {
		case x < win:
			balance++
		case x >= win+m.draws:
			balance--
		}
	}
	return balance
}

// three has three parameters: a whole one, one whose best value is at a bound, and one
// that does not matter.
func three() *madeUp {
	return &madeUp{
		params: []spsa.Param{{Start: 150, Min: 0, Max: 200, Whole: true}, {Start: 0.3, Min: 0, Max: 1}, {Start: 20, Min: -100, Max: 100}},
		best:   []float64{60, 1, 0}, worth: []float64{40, 20, 0}, draws: 0.3,
	}
}

// tune returns a finished tuning whose iterations see no result of the lag before them.
func (m *madeUp) tune(iterations, lag int, seed uint64) *spsa.Tuner {
	t := spsa.New(spsa.Config{Params: m.params, Iterations: iterations, Pairs: 1, Seed: seed})
	rng := rand.New(rand.NewPCG(seed, 1))
	var waiting []int
	for k := 1; k <= iterations; k++ {
		plus, minus := t.Points(k)
		waiting = append(waiting, m.play(rng, plus, minus))
		if len(waiting) > lag {
			t.Update(waiting[0])
			waiting = waiting[1:]
		}
	}
	for _, balance := range waiting {
		t.Update(balance)
	}
	return t
}

// tuned returns the values that a tuning comes to.
func tuned(t *spsa.Tuner) []float64 {
	var values []float64
	for _, e := range t.Estimates() {
		values = append(values, e.Value)
	}
	return values
}
