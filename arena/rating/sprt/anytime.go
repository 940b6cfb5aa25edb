package sprt

import "math"

// An Interval is an interval of Elo; an end is nil if nothing bounds it there.
type Interval struct {
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

// Swap returns the interval of the other bot.
func (x Interval) Swap() Interval {
	negative := func(elo *float64) *float64 {
		if elo == nil {
			return nil
		}
		other := -*elo
		return &other
	}
	return Interval{negative(x.High), negative(x.Low)}
}

// Anytime returns an interval that contains the true Elo at all times together with
// probability 95 %: it may be looked at after each observation, and the match stopped at
// any time. It is wider than that of [Compare], which is valid only at a time fixed before
// the match.
//
// It is the confidence sequence by betting of Waudby-Smith and Ramdas (2024). For each
// hypothetical mean score, a capital of 1 is bet on higher scores, and another on lower
// ones. At the true mean the capital is a martingale, so it ever reaches 40 with
// probability 1/40 at most (Ville); the interval has the means against which neither has.
// The capital is spread over fixed fractions, so that it depends on the counts alone, not
// on their order.
func Anytime(c Counts) Interval {
	bins := c.bins()
	n, mean, _ := moments(bins)
	if n == 0 {
		return Interval{}
	}
	mirrored := make([]float64, len(bins))
	for i, x := range bins {
		mirrored[len(bins)-1-i] = x
	}
	bets := fractions()
	return Interval{Low: eloOf(lowest(bins, mean, &bets)), High: eloOf(1 - lowest(mirrored, 1-mean, &bets))}
}

// lowest returns the lowest mean score against which the capital stays below 40. The
// capital falls as the mean rises.
func lowest(bins []float64, mean float64, bets *bets) float64 {
	low, high := 0.0, mean
	for range 40 {
		if mid := (low + high) / 2; logCapital(bins, mid, bets) >= math.Log(40) {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// bets holds the fractions that are bet, each with an equal part of the capital.
type bets [24]float64

// fractions returns the fractions from 1/500 to nearly all of a capital, in equal ratios:
// the small ones win against means near the truth, after many observations.
func fractions() (f bets) {
	const least, most = 0.002, 0.95
	for i := range f {
		f[i] = least * math.Pow(most/least, float64(i)/float64(len(f)-1))
	}
	return f
}

// logCapital returns the logarithm of the capital bet against a mean score: each
// observation multiplies it by 1 + fraction*(score/mean - 1).
func logCapital(bins []float64, mean float64, bets *bets) float64 {
	if mean <= 0 {
		return math.Inf(1)
	}
	var logs [len(bets)]float64
	top := math.Inf(-1)
	for i := range logs {
		for b, n := range bins {
			if n > 0 {
				logs[i] += n * math.Log1p(bets[i]*(score(b, len(bins))/mean-1))
			}
		}
		top = max(top, logs[i])
	}
	sum := 0.0
	for _, l := range logs {
		sum += math.Exp(l - top)
	}
	return top + math.Log(sum/float64(len(bets)))
}
