package rating

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
)

// Repeats counts games that are the same move for move. Between deterministic
// bots they are one observation, not many. The zero value is ready to use.
type Repeats struct {
	seen  map[[sha256.Size]byte]int
	games int
}

// Add takes a game: who played which side, from which position and with which
// moves. It returns how often the very same game was seen before.
func (r *Repeats) Add(first, second, position string, moves []string) (before int) {
	if r.seen == nil {
		r.seen = map[[sha256.Size]byte]int{}
	}
	var key []byte
	for _, part := range append([]string{first, second, position}, moves...) {
		// The length goes first, so that no two lists run together to the same bytes.
		key = binary.AppendUvarint(key, uint64(len(part)))
		key = append(key, part...)
	}
	sum := sha256.Sum256(key)
	before = r.seen[sum]
	r.seen[sum]++
	r.games++
	return before
}

// Games is the number of games added, Repeated how many of them were the same as
// an earlier one.
func (r *Repeats) Games() int { return r.games }

// Repeated is the number of games that were the same as an earlier one.
func (r *Repeats) Repeated() int { return r.games - len(r.seen) }

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
	decisive := map[[2]int32]*[2][2]int{} // by pair of bots: wins, losses of the first as first and as second
	for _, y := range r.tallies() {
		key, side := [2]int32{y.first, y.second}, 0
		w, l := int(y.n[Win]), int(y.n[Loss])
		if y.first > y.second {
			key, side, w, l = [2]int32{y.second, y.first}, 1, l, w
		}
		if decisive[key] == nil {
			decisive[key] = &[2][2]int{}
		}
		decisive[key][side] = [2]int{w, l}
	}
	limit := 0.05 / float64(n*(n-1))
	beats := make([]map[int32]float64, n) // chance of such a result between equals
	for i := range beats {
		beats[i] = map[int32]float64{}
	}
	for key, d := range decisive {
		i, j := key[0], key[1]
		at, _, ok := t.comparable(r.names[i], r.names[j])
		if !ok {
			continue
		}
		share := 1 / (1 + math.Exp(-t.fit(at).advantage)) // of decisive games between equals for the first side
		wins, as1, as2 := d[0][0]+d[1][0], d[0][0]+d[0][1], d[1][0]+d[1][1]
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

// tail is the probability of at least wins wins in as1 games won with
// probability share and as2 games won with 1 - share.
func tail(wins, as1, as2 int, share float64) float64 {
	n := as1 + as2
	if n == 0 {
		return 1
	}
	const exact = 4_000
	if n > exact {
		mean := float64(as1)*share + float64(as2)*(1-share)
		sd := math.Sqrt(float64(n) * share * (1 - share))
		return phi(-(float64(wins) - 0.5 - mean) / sd)
	}
	dist := []float64{1}
	for k := range n {
		p := share
		if k >= as1 {
			p = 1 - share
		}
		next := make([]float64, len(dist)+1)
		for w, q := range dist {
			next[w] += q * (1 - p)
			next[w+1] += q * p
		}
		dist = next
	}
	sum := 0.0
	for _, q := range dist[wins:] {
		sum += q
	}
	return sum
}
