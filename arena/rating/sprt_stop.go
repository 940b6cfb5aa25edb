package rating

import (
	"fmt"
	"math"
)

// overshoot is how far, in standard deviations of one step, a random walk is past
// a boundary on average when it is first seen beyond it (Siegmund, 1985): tests
// look after each observation only, so the boundary acts that much farther out.
const overshoot = 0.5826

// walk is a test's log-likelihood ratio as a Brownian motion from 0: its
// variance grows by step^2 with each observation, and time is counted in that
// variance, so that it stops at -a or b.
type walk struct{ a, b, step float64 }

func (s SPRT) walk(step float64) walk {
	lower, upper := s.Bounds()
	return walk{a: -lower + overshoot*step, b: upper + overshoot*step, step: step}
}

// upperBy is the probability that the walk with this drift reaches b by time t
// without having been at -a. Each term is an inverse Gaussian distribution: that
// of the first passage through an image of b.
func (w walk) upperBy(t, drift float64) float64 {
	root, width := math.Sqrt(t), w.a+w.b
	sum := 0.0
	for k := 0; ; k++ {
		term := 0.0
		for _, n := range []int{k, -k} {
			c := w.b + 2*float64(n)*width
			d := math.Abs(c)
			// exp(drift b) belongs to the exponents, which alone may overflow.
			p := math.Exp(drift*w.b-math.Abs(drift)*d)*phi((math.Abs(drift)*t-d)/root) +
				math.Exp(drift*w.b+math.Abs(drift)*d+logPhi((-math.Abs(drift)*t-d)/root))
			term += math.Copysign(p, c)
			if k == 0 {
				break
			}
		}
		sum += term
		far := 2 * float64(k) * width
		if k > 0 && far-w.b > 9*root && math.Abs(term) < 1e-15 {
			return min(1, max(0, sum))
		}
		if k > 10_000 {
			return min(1, max(0, sum))
		}
	}
}

// logPhi is ln phi(z), also where phi underflows.
func logPhi(z float64) float64 {
	if z > -30 {
		return math.Log(phi(z))
	}
	return -z*z/2 - math.Log(-z*math.Sqrt(2*math.Pi)) - 1/(z*z)
}

// upper is the probability that the walk reaches b before -a.
func (w walk) upper(drift float64) float64 {
	if math.Abs(drift)*(w.a+w.b) < 1e-8 {
		return w.a / (w.a + w.b)
	}
	if drift < 0 { // the same, without exponentials that overflow
		return math.Exp(2*drift*w.b) * math.Expm1(2*drift*w.a) / math.Expm1(2*drift*(w.a+w.b))
	}
	return math.Expm1(-2*drift*w.a) / math.Expm1(-2*drift*(w.a+w.b))
}

// time is the expected time at which the walk stops.
func (w walk) time(drift float64) float64 {
	if math.Abs(drift)*(w.a+w.b) < 1e-6 {
		return w.a * w.b
	}
	p := w.upper(drift)
	return (w.b*p - w.a*(1-p)) / drift
}

// An Estimate is what a test says about the bot after it has stopped, free of
// the bias that the stopping brings with it: Elo is median-unbiased, and the
// interval holds the truth with probability 95 %.
type Estimate struct {
	Elo  float64 `json:"elo"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// The same in normalized Elo.
	NElo     float64 `json:"nelo"`
	NEloLow  float64 `json:"nelo_low"`
	NEloHigh float64 `json:"nelo_high"`
}

// AfterStop returns the estimate for the counts at which the test stopped; ok is
// false where it has not stopped, or where the counts are all the same.
//
// The walk of the ratio is taken as a Brownian motion whose variance per
// observation is w^2, w being the distance of the hypotheses in standard
// deviations. Results are ordered by stages: those that stop at the upper bound
// before those at the lower, earlier ones there first; at the lower bound later
// ones first (Siegmund, Sequential Analysis, 1985). The estimate is the strength
// at which a result at least this good has probability 1/2; the ends of the
// interval those at which it has 2.5 % and 97.5 %.
func (s SPRT) AfterStop(c Counts) (e Estimate, ok bool) {
	verdict := s.Verdict(s.LLR(c))
	bins := c.bins()
	n, _, variance := moments(bins)
	if verdict == Continue || variance == 0 {
		return e, false
	}
	sd := math.Sqrt(variance)
	w := s.walk(s.distance(neloPer(bins), sd))
	t := n * w.step * w.step
	better := func(drift float64) float64 { // rises with drift
		if verdict == AcceptH1 {
			return w.upperBy(t, drift)
		}
		mirror := walk{a: w.b, b: w.a, step: w.step}
		return 1 - mirror.upperBy(t, -drift)
	}
	at := func(p float64) (elo, nelo float64) {
		low, high := -1.0, 1.0
		for better(low) > p && low > -1e6 {
			low *= 2
		}
		for better(high) < p && high < 1e6 {
			high *= 2
		}
		for range 52 {
			if mid := (low + high) / 2; better(mid) < p {
				low = mid
			} else {
				high = mid
			}
		}
		return s.strength((low+high)/2, neloPer(bins), sd)
	}
	e.Elo, e.NElo = at(0.5)
	e.Low, e.NEloLow = at(0.025)
	e.High, e.NEloHigh = at(0.975)
	return e, true
}

// distance is how far the hypotheses lie apart in standard deviations of an
// observation: one step of the walk.
func (s SPRT) distance(per, sd float64) float64 {
	if s.Model == Logistic {
		return (Expected(s.Elo1) - Expected(s.Elo0)) / sd
	}
	return (s.Elo1 - s.Elo0) / per
}

// strength is the strength at which the walk has this drift: -1/2 at Elo0, 1/2
// at Elo1. Scores are kept within (0, 1).
func (s SPRT) strength(drift, per, sd float64) (elo, nelo float64) {
	var mean float64
	if s.Model == Logistic {
		s0, s1 := Expected(s.Elo0), Expected(s.Elo1)
		mean = (s0+s1)/2 + drift*(s1-s0)
	} else {
		mean = 0.5 + ((s.Elo0+s.Elo1)/2+drift*(s.Elo1-s.Elo0))/per*sd
	}
	const edge = 1e-6
	mean = min(1-edge, max(edge, mean))
	return *eloOf(mean), (mean - 0.5) / sd * per
}

// drift is the inverse of strength, for a mean score.
func (s SPRT) drift(mean, per, sd float64) float64 {
	if s.Model == Logistic {
		s0, s1 := Expected(s.Elo0), Expected(s.Elo1)
		return (mean - (s0+s1)/2) / (s1 - s0)
	}
	return ((mean-0.5)/sd*per - (s.Elo0+s.Elo1)/2) / (s.Elo1 - s.Elo0)
}

// A Plan is what to expect of a test.
type Plan struct {
	Observations float64 `json:"observations"` // expected pairs (or games) until it stops
	AcceptH1     float64 `json:"accept_h1"`    // probability
	Elo          float64 `json:"elo"`          // of the assumed scores, logistic
	NElo         float64 `json:"nelo"`         // of the assumed scores
}

// Plan returns what to expect where observations have these probabilities, from
// the worst score to the best (five for pairs, three for single games): by
// Wald's identities for the walk as a Brownian motion.
func (s SPRT) Plan(p []float64) Plan {
	_, mean, variance := moments(p)
	sd, per := math.Sqrt(variance), neloPer(p)
	w := s.walk(s.distance(per, sd))
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

// A DrawRateError reports a share of draws that no bot of that strength can have.
type DrawRateError struct{ DrawRate, Most float64 }

// Error names the greatest share that is possible.
func (e *DrawRateError) Error() string {
	return fmt.Sprintf("draw rate %g: must be at least 0 and less than %.3g at this Elo", e.DrawRate, e.Most)
}

// PairModel returns the probabilities of the five scores of a pair whose games
// are independent, are drawn with probability draws, and are won so that the
// mean score is that of elo (logistic). The error is a *DrawRateError.
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
		return nil, &DrawRateError{draws, most}
	}
	return []float64{1 - mean - draws/2, draws, mean - draws/2}, nil
}
