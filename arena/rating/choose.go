package rating

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
)

// A Strategy selects how a [Chooser] finds the next pairing.
type Strategy string

// The strategies.
const (
	// Information takes the pairing whose pair of games shrinks the summed
	// variance of the ratings most: to order all bots.
	Information Strategy = "information"
	// Thompson samples ratings from their distribution, takes the best bot, and samples
	// again until another one is best: to find the best bot.
	Thompson Strategy = "thompson"
)

// A Chooser decides which two bots should meet next, in a pair of games. The same seed
// and the same tables give the same pairings.
type Chooser struct {
	// Among lists the bots that may be chosen; nil is all in the table.
	Among []string

	strategy Strategy
	rng      *rand.Rand
}

// NewChooser returns a chooser. The error names an unknown strategy.
func NewChooser(s Strategy, seed uint64) (*Chooser, error) {
	if s != Information && s != Thompson {
		return nil, fmt.Errorf("strategy %q: must be %q or %q", s, Information, Thompson)
	}
	return &Chooser{strategy: s, rng: rand.New(rand.NewPCG(seed, 0x6c6164646572))}, nil
}

// ErrNoPairing reports a table in which no two bots can be compared: rate with a
// prior, so that bots that have not met (or lost all) are rated too.
var ErrNoPairing = errors.New("no two comparable bots; rate with a prior")

// Next returns two bots of a component that should meet next, in no particular
// order of sides. The table should be rated with a prior ([Options]), with every
// bot entered. Pairings under way, whose pairs of games have no results yet, count
// as played with the results that the table expects: they narrow the errors and
// move no rating, so that choosing ahead does not choose the same pairing on and
// on. The error is ErrNoPairing.
func (c *Chooser) Next(t *Table, underWay ...[2]string) (a, b string, err error) {
	t = t.foresee(underWay)
	var rated []int // places of the largest component
	for i := range t.Players {
		if t.slot[i] >= 0 {
			rated = append(rated, i)
		}
	}
	if c.Among != nil {
		rated = slices.DeleteFunc(rated, func(i int) bool { return !slices.Contains(c.Among, t.Players[i].Name) })
	}
	if largest := t.largest(); largest >= 0 {
		rated = slices.DeleteFunc(rated, func(i int) bool { return t.Players[i].Component != largest })
	}
	if len(rated) < 2 {
		return "", "", ErrNoPairing
	}
	choose := c.informative
	if c.strategy == Thompson {
		choose = c.topTwo
	}
	i, j := choose(t, rated)
	return t.Players[i].Name, t.Players[j].Name, nil
}

// foresee returns the table as it would be after these pairs of games: with the
// covariance V - w V d (V d)'/(1 + w d'V d) for each of them, see informative. Pairs of
// bots that cannot be compared are skipped.
func (t *Table) foresee(pairs [][2]string) *Table {
	if len(pairs) == 0 {
		return t
	}
	after := *t
	after.fits = slices.Clone(t.fits)
	own := map[int]*mat.SymDense{} // by component
	for _, pair := range pairs {
		i, j, ok := t.comparable(pair[0], pair[1])
		if !ok {
			continue
		}
		f := after.fit(i)
		c := t.Players[i].Component
		if f == t.fit(i) { // still shared with t
			fit := *f
			f, own[c] = &fit, mat.NewSymDense(f.size, nil)
			for x := range f.size {
				for y := x; y < f.size; y++ {
					own[c].SetSym(x, y, f.cov.At(x, y))
				}
			}
			f.cov, after.fits[c] = own[c], f
		}
		n := f.size
		a, b, vd := t.slot[i], t.slot[j], mat.NewVecDense(n, nil)
		for k := range n {
			vd.SetVec(k, f.cov.At(k, a)-f.cov.At(k, b))
		}
		w := t.information(i, j)
		own[c].SymRankOne(own[c], -w/(1+w*(vd.AtVec(a)-vd.AtVec(b))), vd)
	}
	return &after
}

// information returns the information of a pair of games between two players of a component, by
// their places, about the difference of their ratings.
func (t *Table) information(i, j int) float64 {
	w, f := 0.0, t.fit(i)
	for _, side := range []float64{1, -1} {
		p, _ := davidson((*t.Players[i].Elo-*t.Players[j].Elo)/f.scale+side*f.advantage, f.v)
		tilt := p[Win] - p[Loss]
		w += (p[Win] + p[Loss] - tilt*tilt) / 4
	}
	return w / (f.scale * f.scale)
}

func (t *Table) largest() int {
	best := -1
	for c, names := range t.Components {
		if best < 0 || len(names) > len(t.Components[best]) {
			best = c
		}
	}
	return best
}

// informative finds the pairing with the greatest gain. A pair of games adds
// w d d' to the information, d being the difference of the two ratings (the
// advantage cancels) and w the information of both games about it; by Sherman
// and Morrison the sum of variances falls by w |V d|^2/(1 + w d'V d).
func (c *Chooser) informative(t *Table, rated []int) (besti, bestj int) {
	best, ties, cov := math.Inf(-1), 0.0, t.fit(rated[0]).cov
	for x, i := range rated {
		for _, j := range rated[x+1:] {
			a, b := t.slot[i], t.slot[j]
			w := t.information(i, j)
			sum := 0.0
			for _, k := range rated {
				d := cov.At(t.slot[k], a) - cov.At(t.slot[k], b)
				sum += d * d
			}
			gain := w * sum / (1 + w*(cov.At(a, a)+cov.At(b, b)-2*cov.At(a, b)))
			switch {
			case gain > best*(1+1e-12):
				best, ties, besti, bestj = gain, 1, i, j
			case gain >= best*(1-1e-12):
				// Of equals, each with the same chance.
				if ties++; c.rng.Float64()*ties < 1 {
					besti, bestj = i, j
				}
			}
		}
	}
	return besti, bestj
}

// topTwo is top-two Thompson sampling (Russo, 2016).
func (c *Chooser) topTwo(t *Table, rated []int) (i, j int) {
	n, all := len(rated), t.fit(rated[0]).cov
	mean, cov := make([]float64, n), mat.NewSymDense(n, nil)
	trace := 0.0
	for x := range n {
		mean[x] = *t.Players[rated[x]].Elo
		for y := x; y < n; y++ {
			cov.SetSym(x, y, all.At(t.slot[rated[x]], t.slot[rated[y]]))
		}
		trace += cov.At(x, x)
	}
	// Ratings sum to 0, so their covariance is singular: a little on the diagonal.
	for x := range n {
		cov.SetSym(x, x, cov.At(x, x)+1e-9*trace)
	}
	ratings, ok := distmv.NewNormal(mean, cov, c.rng)
	draw := func() (first, second int) {
		sample, order := slices.Clone(mean), make([]int, n)
		if ok {
			ratings.Rand(sample)
		}
		floats.Argsort(sample, order)
		return rated[order[n-1]], rated[order[n-2]]
	}
	i, runnerUp := draw()
	// If one bot is almost certainly best, use the runner-up of the first draw.
	const tries = 100
	for range tries {
		if j, _ = draw(); j != i {
			return i, j
		}
	}
	return i, runnerUp
}
