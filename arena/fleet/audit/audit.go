// Package audit looks for workers of a fleet whose games are not like those of the
// others: pure functions of counts.
package audit

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Score is how the pairs of games of two bots went at one worker.
type Score struct {
	Worker  string
	Pairing string // of the two bots, and how many games of each pair the worker played
	Games   int
	// Counts are the pairs that the first of the two bots lost, that were level, and
	// that it won, by points.
	Counts [3]int
}

// A Finding says how far a worker's results are from those of all others.
type Finding struct {
	Worker string
	Games  int
	// Chi2 is the sum of the squared residuals, Freedom its degrees of freedom; with
	// Freedom 0 there is too little to compare.
	Chi2    float64
	Freedom int
	// P is the chance of residuals at least as large at a worker that plays as the
	// others do; 1 with Freedom 0.
	P float64
}

// leastExpected is how often each result should have come for the approximation to
// hold: Cochran (1954), Some methods for strengthening the common chi-square tests,
// Biometrics 10.
const leastExpected = 5

// Residuals compares each worker's results with those of all others together, by
// Pearson's test of homogeneity (Agresti, Categorical Data Analysis, 3.2): for each
// pairing a table of two rows (the worker, the others) and the results as columns,
// with E = row total * column total / total, the sum over all cells of (O-E)^2/E is
// chi-square distributed with (columns-1) degrees of freedom; sums of independent
// ones are again, with the sum of the degrees. Pairings with too few games are taken
// together. Pairs are given to workers as these become free, not by who plays, so
// that honest workers meet all pairings alike. Pairs are counted and not games: the
// games of a pair start from one opening and depend on each other.
//
// The findings are in the order of P, the most suspicious worker first.
func Residuals(scores []Score) []Finding {
	total := map[string][3]int{} // by pairing
	workers := map[string]map[string][3]int{}
	games := map[string]int{}
	for _, s := range scores {
		games[s.Worker] += s.Games
		if workers[s.Worker] == nil {
			workers[s.Worker] = map[string][3]int{}
		}
		total[s.Pairing] = sum(total[s.Pairing], s.Counts)
		workers[s.Worker][s.Pairing] = sum(workers[s.Worker][s.Pairing], s.Counts)
	}
	var list []Finding
	for _, worker := range slices.Sorted(maps.Keys(workers)) {
		f := Finding{Worker: worker, Games: games[worker], P: 1}
		var few, fewOthers [3]int
		for _, pairing := range slices.Sorted(maps.Keys(workers[worker])) {
			own := workers[worker][pairing]
			others := less(total[pairing], own)
			if chi2, freedom := table(own, others); freedom > 0 {
				f.Chi2, f.Freedom = f.Chi2+chi2, f.Freedom+freedom
				continue
			}
			few, fewOthers = sum(few, own), sum(fewOthers, others)
		}
		chi2, freedom := table(few, fewOthers)
		f.Chi2, f.Freedom = f.Chi2+chi2, f.Freedom+freedom
		if f.Freedom > 0 {
			f.P = distuv.ChiSquared{K: float64(f.Freedom)}.Survival(f.Chi2)
		}
		list = append(list, f)
	}
	slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(a.P, b.P) })
	return list
}

// table is the statistic of two rows; freedom is 0 where too little is expected in
// a cell, or only one result came.
func table(a, b [3]int) (chi2 float64, freedom int) {
	na, nb := float64(size(a)), float64(size(b))
	columns := 0
	for i := range a {
		column := float64(a[i] + b[i])
		if column == 0 {
			continue
		}
		columns++
		for _, c := range []struct {
			seen int
			row  float64
		}{{a[i], na}, {b[i], nb}} {
			expected := c.row * column / (na + nb)
			if expected < leastExpected {
				return 0, 0
			}
			chi2 += (float64(c.seen) - expected) * (float64(c.seen) - expected) / expected
		}
	}
	if columns < 2 {
		return 0, 0
	}
	return chi2, columns - 1
}

func sum(a, b [3]int) [3]int  { return [3]int{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func less(a, b [3]int) [3]int { return [3]int{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }
func size(a [3]int) int       { return a[0] + a[1] + a[2] }

// Late returns the chance that a worker loses at least so many of its games on time
// which loses them as often as the others do: Fisher's exact test, one-sided (Agresti,
// Categorical Data Analysis, 3.5), so that false alarms are no more frequent than the
// chance says, however few games the others have played. A small one means a machine
// that answers late.
func Late(lost, games, othersLost, othersGames int) float64 {
	all, allLost := games+othersGames, lost+othersLost
	if lost == 0 || othersGames == 0 {
		return 1
	}
	ways := combin.LogGeneralizedBinomial(float64(all), float64(allLost))
	p := 0.0
	for k := lost; k <= min(allLost, games) && allLost-k <= othersGames; k++ {
		p += math.Exp(combin.LogGeneralizedBinomial(float64(games), float64(k)) +
			combin.LogGeneralizedBinomial(float64(othersGames), float64(allLost-k)) - ways)
	}
	return min(p, 1)
}
