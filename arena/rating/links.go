package rating

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Link joins a version of a bot and the next one of the same bot.
type Link struct {
	Older string `json:"older"`
	Newer string `json:"newer"`
}

// VersionLinks describes the priors on the differences between versions of bots: each of
// them is N(0, Spread²).
type VersionLinks struct {
	Spread    float64 `json:"spread"`    // standard deviation in Elo
	Estimated bool    `json:"estimated"` // from the results, else given
	Count     int     `json:"links"`
	// Leaps are links that the games speak against, which are left out.
	Leaps []Link `json:"leaps,omitempty"`
}

// leap returns the number of standard errors by which a version's games have to say that it
// differs from the one before more than the prior allows, for its link to be left out: a
// Gaussian prior would hold it back for hundreds of games. It is 3, or of many links so
// many that in a tenth of pools without leaps one is seen.
func leap(links int) float64 {
	z := 3.0
	for 2*phi(-z)*float64(links) > 0.1 {
		z += 0.01
	}
	return z
}

// The spread that results of few links are drawn to, as if its logarithm was normal with
// this median and this factor for one standard deviation: the results of a few new
// versions often fit best with no difference at all, which would pool their games with
// those of the versions before.
const (
	usualSpread  = 50.0
	spreadFactor = 3.0
)

// The least and the greatest spread that an estimate can be.
const (
	leastSpread = 1.0
	mostSpread  = 1000.0
)

// link is a pair of versions by their numbers among the results, or in a problem.
type link struct{ older, newer int32 }

// forest returns the links among the results' bots, without those that would close a
// circle.
func (r *Results) forest(links []Link) []link {
	groups := newGroups(len(r.names))
	var out []link
	for _, l := range links {
		a, okA := r.index[l.Older]
		b, okB := r.index[l.Newer]
		if okA && okB && groups.join(int(a), int(b)) {
			out = append(out, link{a, b})
		}
	}
	return out
}

// tie adds what the links are of the log posterior's gradient, and returns what they are
// of itself.
func (p *problem) tie(theta, grad []float64) (ll float64) {
	for _, l := range p.links {
		d := theta[l.newer] - theta[l.older]
		ll -= p.weight * d * d / 2
		grad[l.newer] -= p.weight * d
		grad[l.older] += p.weight * d
	}
	return ll
}

// settle returns the maximum if links have this spread in Elo. Elo is on the score scale,
// whose unit depends on how likely draws are: so the weight of the links is adjusted until
// it agrees with the maximum. It starts from theta.
func (p *problem) settle(theta []float64, spread float64) ([]float64, error) {
	if len(p.links) == 0 {
		return p.maximum(theta)
	}
	const most, enough = 50, 1e-5
	for range most {
		_, lnv := p.shape(theta)
		x := spread * perElo * (2 + math.Exp(lnv)) / 2
		before := p.weight
		p.weight = 1 / (x * x)
		if math.Abs(p.weight-before) <= enough*before {
			return theta, nil
		}
		var err error
		if theta, err = p.maximum(theta); err != nil {
			return nil, err
		}
	}
	return theta, nil
}

// fitLinks fits the pieces that have links, and returns their spread: the given one or, if
// that is 0, the one that the results make most probable, sought from near on: the maximum of
// the marginal likelihood, in which ratings are integrated out by Laplace's approximation,
// times the prior of a spread.
func (p *pool) fitLinks(given, near float64) (spread float64, err error) {
	const most, enough = 20, 0.02 // rounds, and change of the spread's logarithm
	spread = cmp.Or(given, near)
	for range most {
		var seen []evidence
		for _, q := range p.pieces {
			if q == nil || len(q.problem.links) == 0 {
				continue
			}
			if err := q.solve(spread); err != nil {
				return 0, err
			}
			if given > 0 {
				continue
			}
			list, err := q.problem.evidence(q.solution, spread)
			if err != nil {
				return 0, err
			}
			seen = append(seen, list...)
		}
		if given > 0 {
			return given, nil
		}
		next := mostProbable(seen)
		if math.Abs(math.Log(next/spread)) < enough {
			return spread, nil
		}
		spread = next
	}
	return spread, nil
}

// leaps returns the links that the games speak against.
func (p *pool) leaps(r *Results, spread float64) (out []Link) {
	limit := leap(p.links)
	for c, q := range p.pieces {
		if q == nil || len(q.problem.links) == 0 {
			continue
		}
		_, lnv := q.problem.shape(q.solution.theta)
		scale := 2 / (2 + math.Exp(lnv)) / perElo
		for _, l := range q.problem.links {
			i, j, at := int(l.older), int(l.newer), q.solution.root.at
			variance := (at(i, i) + at(j, j) - 2*at(i, j)) * scale * scale
			d := (q.solution.theta[j] - q.solution.theta[i]) * scale
			// The difference by the games alone is e.shift/e.precision; by the prior its
			// variance is 1/e.precision + spread².
			e := evidence{max(0, 1/variance-1/(spread*spread)), d / variance}
			known := e.precision * spread * spread // 0, but for rounding, if no games tell
			if known > 1e-6 && e.shift*e.shift > limit*limit*e.precision*(1+known) {
				out = append(out, Link{r.names[p.list[c][i]], r.names[p.list[c][j]]})
			}
		}
	}
	return out
}

// evidence is what the games say of one linear combination of the differences between
// versions, apart from their prior: like an observation of it with an error that is
// normal, by its precision and that times the observed value.
type evidence struct{ precision, shift float64 }

// evidence returns what the games say of the links, given the fit with links of this
// spread, in independent parts. In a pool with many links, what correlates the lines of
// different bots is left out.
func (p *problem) evidence(s *solution, spread float64) ([]evidence, error) {
	_, lnv := p.shape(s.theta)
	scale := 2 / (2 + math.Exp(lnv)) / perElo
	var out []evidence
	for _, links := range p.blocks() {
		var bots []int32
		for _, l := range links {
			bots = append(bots, l.older, l.newer)
		}
		slices.Sort(bots)
		bots = slices.Compact(bots)
		at := map[int32]int{}
		for k, bot := range bots {
			at[bot] = k
		}
		between := mat.NewSymDense(len(bots), nil)
		for i := range bots {
			for j := i; j < len(bots); j++ {
				between.SetSym(i, j, s.root.at(int(bots[i]), int(bots[j]))*scale*scale)
			}
		}
		cov, mean := mat.NewSymDense(len(links), nil), make([]float64, len(links))
		for k, a := range links {
			mean[k] = (s.theta[a.newer] - s.theta[a.older]) * scale
			for m, b := range links[:k+1] {
				cov.SetSym(k, m, between.At(at[a.newer], at[b.newer])+between.At(at[a.older], at[b.older])-
					between.At(at[a.newer], at[b.older])-between.At(at[a.older], at[b.newer]))
			}
		}
		var own mat.EigenSym
		if !own.Factorize(cov, true) {
			return nil, ErrNoConvergence
		}
		var axes mat.Dense
		own.VectorsTo(&axes)
		for k, variance := range own.Values(nil) {
			if variance <= 0 { // by rounding: the games say all, and nothing of the spread is left
				continue
			}
			along := 0.0
			for m := range links {
				along += axes.At(m, k) * mean[m]
			}
			out = append(out, evidence{max(0, 1/variance-1/(spread*spread)), along / variance})
		}
	}
	return out, nil
}

// blocks divides the links into parts whose differences are taken as independent of each
// other: all of them if they are few, else those of each bot.
func (p *problem) blocks() [][]link {
	const few = 150
	if len(p.links) <= few {
		return [][]link{p.links}
	}
	groups := newGroups(p.bots)
	for _, l := range p.links {
		groups.join(int(l.older), int(l.newer))
	}
	of := map[int]int{}
	var out [][]link
	for _, l := range p.links {
		g := groups.find(int(l.older))
		if _, ok := of[g]; !ok {
			of[g] = len(out)
			out = append(out, nil)
		}
		out[of[g]] = append(out[of[g]], l)
	}
	return out
}

// mostProbable returns the most probable spread.
func mostProbable(seen []evidence) float64 {
	value := func(ln float64) float64 {
		s2 := math.Exp(2 * ln)
		z := (ln - math.Log(usualSpread)) / math.Log(spreadFactor)
		sum := -z * z / 2
		for _, e := range seen {
			d := 1 + s2*e.precision
			sum += (e.shift*e.shift*s2/d - math.Log(d)) / 2
		}
		return sum
	}
	low, high := math.Log(leastSpread), math.Log(mostSpread)
	for range 4 { // each time around the best of so many
		const steps = 50
		best, at := math.Inf(-1), low
		step := (high - low) / steps
		for k := range steps + 1 {
			ln := low + float64(k)*step
			if v := value(ln); v > best {
				best, at = v, ln
			}
		}
		low, high = max(low, at-step), min(high, at+step)
	}
	return math.Exp((low + high) / 2)
}
