package rating

import (
	"cmp"
	"math"
	"slices"
)

// A Cycle is three bots each of which beats the next, the last one the first.
type Cycle struct {
	Bots [3]string `json:"bots"`
	LOS  float64   `json:"los"` // of the least certain of the three
}

// Cycles finds the significant intransitive triples of a pool, whose ratings
// from one number each cannot be right for all pairings. A bot counts as beating
// another where so many wins among their decisive games would come with
// probability 0.05/(n(n-1)) or less, were they equally strong (n bots, the
// advantage as fitted to their component, exact binomial). In a pool with no
// cycle at all one is then found with probability 5 % at most. All bots of a
// cycle are of one component of t, the table of these results.
func Cycles(r *Results, t *Table) []Cycle {
	n := len(r.names)
	if n < 3 {
		return nil
	}
	limit := 0.05 / float64(n*(n-1))
	beats := make([]map[int32]float64, n) // chance of such a result between equals
	for i := range beats {
		beats[i] = map[int32]float64{}
	}
	place := make([]int, n)
	for i, name := range r.names {
		place[i] = t.place[name]
	}
	list := ordered(r.tallies(), n, func(y *tally) int32 { return max(y.first, y.second) })
	list = ordered(list, n, func(y *tally) int32 { return min(y.first, y.second) })
	var to int
	for from := 0; from < len(list); from = to {
		i, j := list[from].first, list[from].second
		if i > j {
			i, j = j, i
		}
		wins, as1, as2 := 0, 0, 0 // of i, among the decisive games in which it was first and second
		for to = from; to < len(list) && min(list[to].first, list[to].second) == i && max(list[to].first, list[to].second) == j; to++ {
			w, l := int(list[to].n[Win]), int(list[to].n[Loss])
			if list[to].first == i {
				wins, as1 = wins+w, as1+w+l
			} else {
				wins, as2 = wins+l, as2+w+l
			}
		}
		if !t.together(place[i], place[j]) {
			continue
		}
		share := 1 / (1 + math.Exp(-t.fit(place[i]).advantage)) // of decisive games between equals for the first side
		if math.Pow(min(share, 1-share), float64(as1+as2)) > limit {
			continue // too few, even if one had won all
		}
		if p := tail(wins, as1, as2, share); p <= limit {
			beats[i][j] = p
		}
		if p := tail(as1+as2-wins, as2, as1, share); p <= limit {
			beats[j][i] = p
		}
	}
	var out []Cycle
	for i := range int32(n) {
		for j, ij := range beats[i] {
			for k, jk := range beats[j] {
				// The smallest number first, so that each cycle comes once.
				if ki, ok := beats[k][i]; ok && i < j && i < k {
					out = append(out, Cycle{[3]string{r.names[i], r.names[j], r.names[k]}, 1 - max(ij, jk, ki)})
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b Cycle) int {
		return cmp.Or(cmp.Compare(b.LOS, a.LOS), slices.Compare(a.Bots[:], b.Bots[:]))
	})
	return out
}

// tail returns the probability of at least wins wins in as1 games won with
// probability share and as2 games won with 1 - share: exact but for rounding and
// for what underflows.
func tail(wins, as1, as2 int, share float64) float64 {
	one, from1 := binomial(as1, share)
	two, from2 := binomial(as2, 1-share)
	// above[k] is the probability of at least from2+k wins as second.
	above := make([]float64, len(two)+1)
	for k := len(two) - 1; k >= 0; k-- {
		above[k] = above[k+1] + two[k]
	}
	sum := 0.0
	for k, p := range one {
		need := wins - (from1 + k) - from2
		sum += p * above[min(max(need, 0), len(two))]
	}
	return min(1, sum)
}

// binomial returns the probabilities of from, from+1, ... wins in n games that
// are each won with probability p, as far out as these do not underflow: some 37
// standard deviations. They grow from the most likely number of wins by the
// ratio of neighbours, so that no factorial loses digits.
func binomial(n int, p float64) (prob []float64, from int) {
	const least = 1e-300
	mode := min(n, int(float64(n+1)*p))
	odds := p / (1 - p)
	var down, up []float64
	for k, q := mode, 1.0; k > 0; k-- {
		if q *= float64(k) / float64(n-k+1) / odds; q < least {
			break
		}
		down = append(down, q)
	}
	for k, q := mode, 1.0; k < n; k++ {
		if q *= float64(n-k) / float64(k+1) * odds; q < least {
			break
		}
		up = append(up, q)
	}
	slices.Reverse(down)
	prob = append(append(down, 1), up...)
	sum := 0.0
	for _, q := range prob {
		sum += q
	}
	for k := range prob {
		prob[k] /= sum
	}
	return prob, mode - len(down)
}
