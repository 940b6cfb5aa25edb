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

// Anytime returns an interval that holds the truth with probability 95 % at all times
// together: whoever looks at it after each observation, and stops when it pleases him, is
// wrong in 5 % of all matches at most. That takes a wider interval than that of [Compare],
// which is right at a time fixed before the match.
//
// It is the confidence sequence by betting of Waudby-Smith and Ramdas (2024): against each
// mean score someone bets, from a capital of 1, a fraction of what he has on every
// observation, that scores are higher on average. Where the mean is the truth his
// capital is a martingale and comes to 40 with probability 1/40 at most (Ville); so
// means against which it has come so far are left out, on both sides. What they bet is
// spread over fixed fractions, so that the capital depends on the counts alone, not on
// their order.
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

// lowest returns the least mean score that nobody has come to 40 by betting against. The
// capital falls with the mean.
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

// bets are fractions, each bet with an equal part of the capital.
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

// logCapital returns the logarithm of what betting against a mean score has come to: each
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
