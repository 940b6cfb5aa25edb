package sprt

import (
	"fmt"
	"math"
)

// perElo is ln 10 / 400: one Elo in the unit of the logistic function.
const perElo = math.Ln10 / 400

// z95 is the normal quantile that gives a two-sided 95 % interval.
const z95 = 1.96

// phi returns the normal distribution function.
func phi(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// Expected returns the logistic expectation of the player who is rated diff Elo
// higher: 1/(1 + 10^(-diff/400)).
func Expected(diff float64) float64 { return 1 / (1 + math.Exp(-perElo*diff)) }

// Counts are observations of one bot against another: [Pentanomial] or
// [Trinomial].
type Counts interface {
	// bins counts the observations by score, from 0 to 1 in equal steps.
	bins() []float64
	// Validate returns an error if the counts are impossible.
	Validate() error
}

// A Pentanomial counts pairs of games (same opening, sides swapped) by the score
// of the pair: 0, 1/2, 1, 3/2 and 2 points.
type Pentanomial [5]int

// A Trinomial counts single games: losses, draws, wins.
type Trinomial [3]int

func (p Pentanomial) bins() []float64 { return floatsOf(p[:]) }
func (p Trinomial) bins() []float64   { return floatsOf(p[:]) }

// Variance returns the variance of the scores of pairs, from 0 to 1; 0 without pairs.
func (p Pentanomial) Variance() float64 {
	_, _, variance := moments(p.bins())
	return variance
}

// Validate returns an error for a negative count.
func (p Pentanomial) Validate() error { return validate(p[:]) }

// Validate returns an error for a negative count.
func (p Trinomial) Validate() error { return validate(p[:]) }

func validate(counts []int) error {
	for i, n := range counts {
		if n < 0 {
			return fmt.Errorf("count %d of %d is %d: counts cannot be negative", i+1, len(counts), n)
		}
	}
	return nil
}

func floatsOf(counts []int) []float64 {
	out := make([]float64, len(counts))
	for i, n := range counts {
		out[i] = float64(n)
	}
	return out
}

// moments of observations: their number, mean and variance.
func moments(bins []float64) (n, mean, variance float64) {
	top := float64(len(bins) - 1)
	for i, c := range bins {
		n += c
		mean += c * float64(i) / top
	}
	if n == 0 {
		return 0, 0.5, 0
	}
	mean /= n
	for i, c := range bins {
		d := float64(i)/top - mean
		variance += c * d * d
	}
	return n, mean, variance / n
}

// neloUnit is nElo for one standard deviation of the score of a game.
const neloUnit = 800 / math.Ln10

// neloPer is nElo for one standard deviation of an observation: a pair's mean
// score spreads less than a game's by the square root of 2.
func neloPer(bins []float64) float64 {
	if isPairs(bins) {
		return neloUnit / math.Sqrt2
	}
	return neloUnit
}

func isPairs(bins []float64) bool { return len(bins) == len(Pentanomial{}) }

// A Comparison holds the estimated strength of the first of two bots, from the mean and
// spread of its scores. Errors are half-widths of 95 % intervals. Fields are nil if the
// observations do not determine them: Elo of a perfect score (then Low or High is a
// one-sided bound), errors if all scores are the same.
type Comparison struct {
	Observations int     `json:"observations"` // pairs, or games
	Score        float64 `json:"score"`        // mean, 0 to 1
	// Elo by the logistic curve, its 95 % interval and half of its width.
	Elo      *float64 `json:"elo"`
	EloError *float64 `json:"elo_error"`
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
	// NElo is normalized Elo: the mean in standard deviations of a game's score.
	NElo      *float64 `json:"nelo"`
	NEloError *float64 `json:"nelo_error"`
	LOS       *float64 `json:"los"` // likelihood of superiority
	// DrawRatio is the share of level observations (pairs of one point each, or
	// drawn games); PairsRatio of won pairs to lost ones, nil for single games.
	DrawRatio  float64  `json:"draw_ratio"`
	PairsRatio *float64 `json:"pairs_ratio"`
	// Naive tells that the Elo and its interval take a test for stopped at a fixed number
	// of games, while its results stopped it: another estimate is given beside.
	Naive bool `json:"naive,omitempty"`
}

// Compare returns the estimates from the counts. A perfect score of n observations has
// a one-sided bound: the Elo at which so perfect a result still had probability 5 %,
// each observation being won with probability 0.05^(1/n).
func Compare(c Counts) Comparison {
	bins := c.bins()
	n, mean, variance := moments(bins)
	out := Comparison{Observations: int(n), Score: mean}
	if n == 0 {
		return out
	}
	out.DrawRatio = bins[len(bins)/2] / n
	if isPairs(bins) && bins[0]+bins[1] > 0 {
		ratio := (bins[3] + bins[4]) / (bins[0] + bins[1])
		out.PairsRatio = &ratio
	}
	out.Elo = eloOf(mean)
	se := math.Sqrt(variance / n)
	switch {
	case mean == 1:
		out.Low = eloOf(math.Pow(0.05, 1/n))
	case mean == 0:
		out.High = eloOf(1 - math.Pow(0.05, 1/n))
	case variance > 0:
		out.Low, out.High = eloOf(mean-z95*se), eloOf(mean+z95*se)
		if out.Low != nil && out.High != nil {
			e := (*out.High - *out.Low) / 2
			out.EloError = &e
		}
	}
	if variance > 0 {
		nelo, e, los := (mean-0.5)/math.Sqrt(variance)*neloPer(bins), z95/math.Sqrt(n)*neloPer(bins), phi((mean-0.5)/se)
		out.NElo, out.NEloError, out.LOS = &nelo, &e, &los
	} else {
		// One bin alone has no spread: take that of the regularised counts.
		m, mean, variance := moments(regularised(bins))
		los := phi((mean - 0.5) / math.Sqrt(variance/m))
		out.LOS = &los
	}
	return out
}

// eloOf returns the Elo of a mean score, nil at and beyond 0 and 1.
func eloOf(mean float64) *float64 {
	if mean <= 0 || mean >= 1 {
		return nil
	}
	elo := math.Log(mean/(1-mean)) / perElo
	return &elo
}
