package sprt

import (
	"fmt"
	"math"
)

// overshoot is the mean distance, in standard deviations of one step, of a random walk
// past a boundary when it is first seen beyond it (Siegmund, 1985): tests look after
// each observation only, so the boundary acts that much farther out.
const overshoot = 0.5826

// walk is a test's log-likelihood ratio as a Brownian motion from 0: its
// variance grows by step^2 with each observation, and time is counted in that
// variance, so that it stops at -a or b.
type walk struct{ a, b, step float64 }

func (s Test) walk(step float64) walk {
	lower, upper := s.Bounds()
	return walk{a: -lower + overshoot*step, b: upper + overshoot*step, step: step}
}

// upper returns the probability that the walk reaches b before -a.
func (w walk) upper(drift float64) float64 {
	if math.Abs(drift)*(w.a+w.b) < 1e-8 {
		return w.a / (w.a + w.b)
	}
	if drift < 0 { // the same, without exponentials that overflow
		return math.Exp(2*drift*w.b) * math.Expm1(2*drift*w.a) / math.Expm1(2*drift*(w.a+w.b))
	}
	return math.Expm1(-2*drift*w.a) / math.Expm1(-2*drift*(w.a+w.b))
}

// time returns the expected time at which the walk stops.
func (w walk) time(drift float64) float64 {
	if math.Abs(drift)*(w.a+w.b) < 1e-6 {
		return w.a * w.b
	}
	p := w.upper(drift)
	return (w.b*p - w.a*(1-p)) / drift
}

// distance returns how far the hypotheses lie apart in standard deviations of an
// observation: one step of the walk.
func (s Test) distance(per, sd float64) float64 {
	if s.Model == Logistic {
		return (Expected(s.Elo1) - Expected(s.Elo0)) / sd
	}
	return (s.Elo1 - s.Elo0) / per
}

// drift returns the drift of the walk at a mean score: -1/2 at Elo0, 1/2 at Elo1.
func (s Test) drift(mean, per, sd float64) float64 {
	if s.Model == Logistic {
		s0, s1 := Expected(s.Elo0), Expected(s.Elo1)
		return (mean - (s0+s1)/2) / (s1 - s0)
	}
	return ((mean-0.5)/sd*per - (s.Elo0+s.Elo1)/2) / (s.Elo1 - s.Elo0)
}

// A Plan holds the expected course of a test.
type Plan struct {
	Observations float64 `json:"observations"` // expected pairs (or games) until it stops
	AcceptH1     float64 `json:"accept_h1"`    // probability
	Elo          float64 `json:"elo"`          // of the assumed scores, logistic
	NElo         float64 `json:"nelo"`         // of the assumed scores
}

// Plan returns the expected course if observations have these probabilities, from the
// worst score to the best (five for pairs, three for single games): by Wald's
// identities for the walk as a Brownian motion.
func (s Test) Plan(p []float64) Plan { return s.planFrom(p, 0) }

// planFrom returns the plan of a test whose ratio stands at llr.
func (s Test) planFrom(p []float64, llr float64) Plan {
	_, mean, variance := moments(p)
	sd, per := math.Sqrt(variance), neloPer(p)
	w := s.walk(s.distance(per, sd))
	w.a, w.b = w.a+llr, w.b-llr
	drift := s.drift(mean, per, sd)
	plan := Plan{
		Observations: w.time(drift) / (w.step * w.step),
		AcceptH1:     w.upper(drift),
		NElo:         (mean - 0.5) / sd * per,
	}
	if elo := eloOf(mean); elo != nil {
		plan.Elo = *elo
	}
	return plan
}

// PairModel returns the probabilities of the five scores of a pair whose games
// are independent, are drawn with probability draws, and are won so that the
// mean score is that of elo (logistic). The error names the greatest share of draws that
// is possible.
func PairModel(elo, draws float64) ([]float64, error) {
	game, err := GameModel(elo, draws)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(Pentanomial{}))
	for i, p := range game {
		for j, q := range game {
			out[i+j] += p * q
		}
	}
	return out, nil
}

// GameModel returns the probabilities of loss, draw and win of such a game.
func GameModel(elo, draws float64) ([]float64, error) {
	mean := Expected(elo)
	most := 2 * min(mean, 1-mean)
	if !(draws >= 0 && draws < most) {
		return nil, fmt.Errorf("draw rate %g: must be at least 0 and less than %.3g at this Elo", draws, most)
	}
	return []float64{1 - mean - draws/2, draws, mean - draws/2}, nil
}

// Left returns the expected rest of a test with these counts: how many more
// observations until it stops, and how, if their distribution stays the same. ok is
// false if the test has stopped or the counts show no spread.
func (s Test) Left(c Counts) (plan Plan, ok bool) {
	bins := c.bins()
	llr := s.LLR(c)
	n, _, variance := moments(bins)
	if n < 2 || variance == 0 || s.Verdict(llr) != Continue {
		return plan, false
	}
	return s.planFrom(regularised(bins), llr), true
}
