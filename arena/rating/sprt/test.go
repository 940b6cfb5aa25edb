// Package sprt analyses the games of two bots: it estimates their difference in
// strength from the scores of pairs or single games ([Compare]), and implements the
// sequential probability ratio test ([Test]) with the estimate after its stop and its
// expected course ([Test.Plan]).
package sprt

import (
	"errors"
	"math"

	"botarena/arena"
)

// A Model is the unit in which the hypotheses of a [Test] are given.
type Model string

// The models: Elo of the logistic curve, or normalized Elo, whose tests take as
// long whatever the share of draws.
const (
	Normalized Model = "normalized"
	Logistic   Model = "logistic"
)

// A Test is a sequential probability ratio test of H1, the bot is Elo1 stronger,
// against H0, it is Elo0 stronger. The likelihood ratio is that of the most likely
// distributions of scores under each hypothesis (the generalized test), over pairs
// or single games.
type Test struct {
	Elo0  float64 `json:"elo0"`
	Elo1  float64 `json:"elo1"`
	Alpha float64 `json:"alpha"` // chance to accept H1 at Elo0
	Beta  float64 `json:"beta"`  // chance to accept H0 at Elo1
	Model Model   `json:"model"`
	// Corrected says that the bounds are nearer than Wald's: see [Test.Bounds].
	Corrected bool `json:"corrected,omitempty"`
	// Single says that the observations are single games, whose ratio goes in shorter
	// steps than that of pairs.
	Single bool `json:"single,omitempty"`
}

// Of returns the test of an event.
func Of(t *arena.SPRT) Test {
	return Test{Elo0: t.Elo0, Elo1: t.Elo1, Alpha: t.Alpha, Beta: t.Beta, Model: Model(t.Model), Corrected: t.Bounds == BoundsCorrected}
}

// BoundsCorrected is the word of [arena.SPRT] for bounds that are corrected.
const BoundsCorrected = "corrected"

// Validate returns an *arena.InvalidError that lists all that is wrong with the test.
func (s Test) Validate() error {
	t := arena.SPRT{Elo0: s.Elo0, Elo1: s.Elo1, Alpha: s.Alpha, Beta: s.Beta, Model: string(s.Model)}
	return t.Validate()
}

// Bounds returns the bounds of the ratio: the test accepts H0 at or below lower and H1 at
// or above upper. Wald's take the ratio to stop on a bound, but it stops a little beyond,
// so that the test errs less than it may and plays longer than it must. Corrected bounds
// are nearer by half a step of the ratio: the mean distance beyond them is 0.58 steps
// (Siegmund 1985), half a one where scores take few values, as of games that are never
// drawn. A step of normalized Elo is that of the hypotheses; of logistic Elo it hangs on the spread
// of scores too, and the shortest is taken, that of games which are never drawn.
//
// Fishtest measures the distance during the test instead, from each new extreme of the
// ratio; then the bounds hang on the order of the pairs, and no counts tell where a test
// stands.
func (s Test) Bounds() (lower, upper float64) {
	lower, upper = math.Log(s.Beta/(1-s.Alpha)), math.Log((1-s.Beta)/s.Alpha)
	if !s.Corrected {
		return lower, upper
	}
	per, sd := neloUnit/math.Sqrt2, 0.5/math.Sqrt2
	if s.Single {
		per, sd = neloUnit, 0.5
	}
	const most = 0.9 // of a bound, where hypotheses lie so far apart that one pair decides
	inward := s.distance(per, sd) / 2
	return lower + min(inward, -most*lower), upper - min(inward, most*upper)
}

// A Verdict is the decision of a test so far.
type Verdict string

// The verdicts.
const (
	AcceptH0 Verdict = "accept H0"
	AcceptH1 Verdict = "accept H1"
	Continue Verdict = "continue"
)

// Verdict returns the verdict of a test with this log-likelihood ratio.
func (s Test) Verdict(llr float64) Verdict {
	lower, upper := s.Bounds()
	switch {
	case llr >= upper:
		return AcceptH1
	case llr <= lower:
		return AcceptH0
	}
	return Continue
}

// A Report holds the state of a test and the estimates from its counts. Elo, NElo and
// their errors are the naive ones of [Compare], biased once the test has stopped;
// Unbiased is then the valid estimate.
type Report struct {
	LLR      float64   `json:"llr"`
	Lower    float64   `json:"lower"`
	Upper    float64   `json:"upper"`
	Verdict  Verdict   `json:"verdict"`
	Unbiased *Estimate `json:"unbiased,omitempty"`
	Comparison
}

// Report returns the state of the test with these counts. The error is from
// the test's or the counts' Validate.
func (s Test) Report(c Counts) (Report, error) {
	if err := errors.Join(s.Validate(), c.Validate()); err != nil {
		return Report{}, err
	}
	out := Report{LLR: s.LLR(c), Comparison: Compare(c)}
	out.Lower, out.Upper = s.Bounds()
	out.Verdict = s.Verdict(out.LLR)
	if e, ok := s.AfterStop(c); ok {
		out.Unbiased = &e
	}
	return out, nil
}

// emptyBin is the count used for an empty bin, so that no logarithm is infinite.
const emptyBin = 1e-3

func regularised(bins []float64) []float64 {
	out := make([]float64, len(bins))
	for i, n := range bins {
		out[i] = max(n, emptyBin)
	}
	return out
}

// LLR returns the log-likelihood ratio of the counts; 0 without observations.
func (s Test) LLR(c Counts) float64 { return s.ratio(c.bins()) }

func (s Test) ratio(bins []float64) float64 {
	if n, _, _ := moments(bins); n == 0 {
		return 0
	}
	p := regularised(bins)
	n := 0.0
	for _, x := range p {
		n += x
	}
	for i := range p {
		p[i] /= n
	}
	var q0, q1 []float64
	if s.Model == Logistic {
		q0, q1 = withMean(p, Expected(s.Elo0)), withMean(p, Expected(s.Elo1))
	} else {
		q0, q1 = withRatio(p, s.Elo0/neloPer(bins)), withRatio(p, s.Elo1/neloPer(bins))
	}
	sum := 0.0
	for i := range p {
		sum += p[i] * math.Log(q1[i]/q0[i])
	}
	return n * sum
}

// withMean returns the distribution nearest to p (in likelihood) whose mean
// score is mean.
func withMean(p []float64, mean float64) []float64 {
	q, phi := make([]float64, len(p)), make([]float64, len(p))
	for i := range phi {
		phi[i] = score(i, len(p)) - mean
	}
	tilt(q, p, phi, 0)
	return q
}

func score(i, bins int) float64 { return float64(i) / float64(bins-1) }

// root returns where a falling function is 0 between low and high: by Newton's steps
// from t on, halving the bracket where one leaves it. f returns the function and how
// steeply it falls; a value within the tolerance will do.
func root(low, high, t, tolerance float64, f func(t float64) (value, fall float64)) float64 {
	const last = 1e-10 // of the way to an end: the error after so short a step is its square
	if !(low < t && t < high) {
		t = 0
	}
	least, most := low, high
	for range 200 {
		value, fall := f(t)
		if math.Abs(value) <= tolerance {
			break
		}
		if value > 0 {
			low = t
		} else {
			high = t
		}
		next := t + value/fall
		if !(low < next && next < high) {
			next = low + (high-low)/2
		}
		length := math.Abs(next - t)
		t = next
		if length <= last*min(t-least, most-t) {
			break
		}
	}
	return t
}

// tilt sets q to p/(1 + t phi) with the t that makes the mean of phi 0, which it seeks
// from near on and returns; ok is false if phi does not take both signs.
func tilt(q, p, phi []float64, near float64) (t float64, ok bool) {
	low, high := math.Inf(-1), math.Inf(1)
	for _, x := range phi {
		if x > 0 {
			low = max(low, -1/x)
		}
		if x < 0 {
			high = min(high, -1/x)
		}
	}
	if math.IsInf(low, 0) || math.IsInf(high, 0) {
		return 0, false
	}
	// The mean falls from +Inf to -Inf; times the distances to both ends it is a
	// polynomial, on which Newton's steps go astray less.
	t = root(low, high, near, 0, func(t float64) (value, fall float64) {
		for i := range p {
			r := phi[i] / (1 + t*phi[i])
			value += p[i] * r
			fall += p[i] * r * r
		}
		both := (t - low) * (high - t)
		return value * both, fall*both + value*(2*t-low-high)
	})
	for i := range p {
		q[i] = p[i] / (1 + t*phi[i])
	}
	return t, true
}

// withRatio returns the distribution nearest to p whose mean lies ratio standard
// deviations above 1/2. It iterates: the constraint is linearised at q, and the
// nearest distribution to p under that is the next q. Steps are damped when they
// do not shrink. Where hypotheses are so wide that no distribution meets the
// linearised constraint, it is taken at the spread of q and the mean that
// belongs to that.
func withRatio(p []float64, ratio float64) []float64 {
	const rounds, near, enough = 5000, 1e-3, 1e-13
	q, next, phi := make([]float64, len(p)), make([]float64, len(p)), make([]float64, len(p))
	for i := range q {
		q[i] = 1 / float64(len(p))
	}
	// No distribution on [0, 1] with that ratio has a greater standard deviation.
	widest := 0.5 / math.Sqrt(1+ratio*ratio)
	last, damping, t := math.Inf(1), 1.0, 0.0
	for range rounds {
		_, mu, variance := moments(q)
		sd := math.Sqrt(variance)
		slope(phi, ratio, mu, sd)
		var ok bool
		for t, ok = tilt(next, p, phi, t); !ok; t, ok = tilt(next, p, phi, t) {
			sd = min(sd, widest) * 0.999
			mu = 0.5 + ratio*sd
			slope(phi, ratio, mu, sd)
		}
		change := 0.0
		for i := range q {
			change = max(change, math.Abs(next[i]-q[i]))
			q[i] += damping * (next[i] - q[i])
		}
		if change < enough || change < near && withSpread(next, p, phi, ratio, sd, t, 100*change) {
			return next
		}
		if change > 0.9*last {
			damping = max(damping/2, 1.0/64)
		}
		last = change
	}
	return q
}

// withSpread goes the rest of the way where rounds converge slowly: by secants to
// the spread at which the constraint is linearised and which the nearest
// distribution, q, then has. It reports whether that leads no farther than by most.
// It begins at a spread with a tilt near t, and overwrites phi.
func withSpread(q, p, phi []float64, ratio, from, t, most float64) bool {
	const (
		rounds = 20
		enough = 1e-11 // where a bin hardly counts, rounding leaves 1e-12
	)
	sd, last, lastMore := from, 0.0, 0.0
	for k := range rounds {
		mu := 0.5 + ratio*sd
		slope(phi, ratio, mu, sd)
		var ok bool
		if t, ok = tilt(q, p, phi, t); !ok || math.Abs(sd-from) > most {
			return false
		}
		_, mean, variance := moments(q)
		more := math.Sqrt(variance+(mean-mu)*(mean-mu)) - sd
		if math.Abs(more) < enough {
			return true
		}
		next := sd + more
		if k > 0 && more != lastMore {
			next = sd - more*(sd-last)/(more-lastMore)
		}
		sd, last, lastMore = next, sd, more
	}
	return false
}

// slope sets phi to how the constraint mean - 1/2 - ratio*sd changes with the probability
// of each bin, where mean and standard deviation are mu and sd.
func slope(phi []float64, ratio, mu, sd float64) {
	for i := range phi {
		x := score(i, len(phi))
		z := (x - mu) / sd
		phi[i] = x - 0.5 - ratio*sd/2*(1+z*z)
	}
}
