package rating

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// ErrNoConvergence reports that the maximum of the likelihood was not found. No results
// are known that cause it.
var ErrNoConvergence = errors.New("the maximum-likelihood rating did not converge; please report these results, and rate with a prior meanwhile")

// separationPrior is the standard deviation of the prior, in units of x, that is
// put on the advantage or ln v where the games leave it unbounded: 400 Elo.
const separationPrior = 400 * perElo

// problem is the likelihood of the games within one component, to be maximised.
// Its parameters are the ratings of the bots in units of x, then the advantage,
// then ln v, the latter two where fitted.
type problem struct {
	bots      int
	tallies   []tally // by the bots' numbers in this problem
	advantage bool    // fitted, else 0
	draws     bool    // ln v is fitted, else v = 0
	prior     float64
	links     []link  // by the bots' numbers in this problem
	weight    float64 // of each link in the information
	// Priors on the advantage and on ln v, where these would grow without limit.
	holdAdvantage, holdDraws bool
}

// solution is the maximum and the inverse of the information there.
type solution struct {
	theta []float64
	ll    float64
	root  root
}

func (p *problem) size() int {
	n := p.iV()
	if p.draws {
		n++
	}
	return n
}

// iA and iV are the places of the advantage and ln v among the parameters.
func (p *problem) iA() int { return p.bots }

func (p *problem) iV() int {
	if p.advantage {
		return p.bots + 1
	}
	return p.bots
}

// shape returns the advantage and ln v; -Inf where draws are not in the model.
func (p *problem) shape(theta []float64) (a, lnv float64) {
	lnv = math.Inf(-1)
	if p.advantage {
		a = theta[p.iA()]
	}
	if p.draws {
		lnv = theta[p.iV()]
	}
	return a, lnv
}

// davidson returns the probabilities of one game by score at x and v. Their common
// denominator is z times e^(|x|/2), whose logarithm is large where x is.
func davidson(x, v float64) (prob [3]float64, z float64) {
	// Divided by the larger exponential, so that nothing overflows.
	e := math.Exp(-math.Abs(x) / 2)
	d := v * e
	z = 1 + d + e*e
	prob = [3]float64{e * e / z, d / z, 1 / z}
	if x < 0 {
		prob[Loss], prob[Win] = prob[Win], prob[Loss]
	}
	return prob, z
}

// logarithm returns that of the common denominator of davidson's probabilities.
func logarithm(x, z float64) float64 { return math.Abs(x)/2 + math.Log(z) }

// eval returns the log-likelihood with its priors (log posterior), and sets its gradient.
func (p *problem) eval(theta, grad []float64) (ll, widest float64) {
	clear(grad)
	parts := make([]struct{ ll, widest float64 }, p.parts())
	p.each(grad, func(part, from, to int, grad []float64) {
		parts[part].ll, parts[part].widest = p.evalPart(theta, p.tallies[from:to], grad)
	})
	for _, part := range parts {
		ll, widest = ll+part.ll, max(widest, part.widest)
	}
	for k, w := range p.holds() {
		ll -= theta[k] * theta[k] * w / 2
		grad[k] -= theta[k] * w
	}
	return ll + p.tie(theta, grad), widest
}

// evalPart returns what tallies are of the log-likelihood, and adds what they are of its
// gradient.
func (p *problem) evalPart(theta []float64, tallies []tally, grad []float64) (ll, widest float64) {
	a, lnv := p.shape(theta)
	v := math.Exp(lnv)
	for k := range tallies {
		t := &tallies[k]
		i, j, games := t.first, t.second, t.games()
		x := theta[i] - theta[j] + a
		widest = max(widest, math.Abs(x))
		prob, z := davidson(x, v)
		ll += (t.n[Win]-t.n[Loss])*x/2 - games*logarithm(x, z)
		if t.n[Draw] > 0 {
			ll += t.n[Draw] * lnv
		}
		gx := (t.n[Win] - t.n[Loss] - games*(prob[Win]-prob[Loss])) / 2
		grad[i] += gx
		grad[j] -= gx
		if p.advantage {
			grad[p.iA()] += gx
		}
		if p.draws {
			grad[p.iV()] += t.n[Draw] - games*prob[Draw]
		}
	}
	return ll, widest
}

// holds returns what the priors add to the diagonal of the information.
func (p *problem) holds() []float64 {
	hold := make([]float64, p.size())
	for i := range p.bots {
		if p.prior > 0 {
			hold[i] = 1 / (p.prior * p.prior)
		}
	}
	if p.holdAdvantage {
		hold[p.iA()] = 1 / (separationPrior * separationPrior)
	}
	if p.holdDraws {
		hold[p.iV()] = 1 / (separationPrior * separationPrior)
	}
	return hold
}

// centre shifts the ratings to a mean of 0.
func (p *problem) centre(theta []float64) {
	ratings := theta[:p.bots]
	floats.AddConst(-stat.Mean(ratings, nil), ratings)
}

// covariance returns the covariance of all parameters, the ratings as differences to
// their mean: T H^-1 T'. With clusters it is the sandwich
// T H^-1 J H^-1 T', J the sum of the outer products of the clusters' scores and
// what the prior says. It is in Elo, scale of them for one unit of x.
func (p *problem) covariance(s *solution, clusters []cluster, scale float64) covariance {
	n := p.size()
	var elements func(i, j int) float64
	if clusters == nil {
		c := p.centredBy(s.root, scale*scale)
		if n >= largePool {
			return c
		}
		elements = c.At
	} else {
		rows, scores := p.centredRows(s.root), p.scores(s.theta, clusters)
		const few = 6 // so much faster are blocks of a full matrix than entries that are not 0
		if n >= largePool && few*len(clusters) <= n*n {
			return newSandwich(rows, scores, scale)
		}
		var half, full mat.Dense
		half.Mul(rows, mat.DenseCopyOf(scores)) // gonum multiplies dense matrices in blocks
		full.Mul(&half, rows.T())
		elements = func(i, j int) float64 { return full.At(i, j) * scale * scale }
	}
	cov := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			cov.SetSym(i, j, elements(i, j))
		}
	}
	return cov
}

// centredRows returns T H^-1.
func (p *problem) centredRows(r root) *mat.Dense {
	rows := mat.DenseCopyOf(r.dense())
	mean := make([]float64, r.n)
	for i := range p.bots {
		floats.AddScaled(mean, 1/float64(p.bots), rows.RawRowView(i))
	}
	for i := range p.bots {
		floats.Sub(rows.RawRowView(i), mean)
	}
	return rows
}

// scores is J of the clustered covariance.
func (p *problem) scores(theta []float64, clusters []cluster) *mat.SymDense {
	n := p.size()
	sum := mat.NewSymDense(n, nil)
	a, lnv := p.shape(theta)
	v := math.Exp(lnv)
	for _, c := range clusters {
		i, j := int(c.games[0].first), int(c.games[0].second)
		gi, ga, gv := 0.0, 0.0, 0.0
		for _, g := range c.games {
			f, s := int(g.first), int(g.second)
			prob, _ := davidson(theta[f]-theta[s]+a, v)
			gx := (float64(g.score) - 1 - prob[Win] + prob[Loss]) / 2
			ga += gx
			if f == i {
				gi += gx
			} else {
				gi -= gx
			}
			if g.score == Draw {
				gv++
			}
			gv -= prob[Draw]
		}
		at, by := []int{i, j}, []float64{gi, -gi}
		if p.advantage {
			at, by = append(at, p.iA()), append(by, ga)
		}
		if p.draws {
			at, by = append(at, p.iV()), append(by, gv)
		}
		for k := range at {
			for m := range at {
				if at[k] <= at[m] {
					sum.SetSym(at[k], at[m], sum.At(at[k], at[m])+float64(c.times)*by[k]*by[m])
				}
			}
		}
	}
	if p.prior > 0 {
		for i := range p.bots {
			sum.SetSym(i, i, sum.At(i, i)+1/(p.prior*p.prior))
		}
	}
	for _, l := range p.links {
		i, j := int(l.older), int(l.newer)
		sum.SetSym(i, i, sum.At(i, i)+p.weight)
		sum.SetSym(j, j, sum.At(j, j)+p.weight)
		sum.SetSym(i, j, sum.At(i, j)-p.weight)
	}
	return sum
}

// start returns where the iteration begins: level ratings, and draws as frequent as seen.
func (p *problem) start() []float64 {
	theta := make([]float64, p.size())
	if p.draws {
		draws, games := 0.0, 0.0
		for k := range p.tallies {
			draws += p.tallies[k].n[Draw]
			games += p.tallies[k].games()
		}
		theta[p.iV()] = math.Log(2 * draws / (games - draws + 1))
	}
	return theta
}

// maximum returns the maximum by Newton's method on all parameters together, from theta
// on, with halved steps where a whole one overshoots. A factor of the information is kept
// while it still shrinks the gradient well: most of the work, but for large pools.
// Where the games leave the advantage or ln v unbounded, these get a prior.
func (p *problem) maximum(from []float64) ([]float64, error) {
	const (
		mostSteps = 500
		longest   = 4.0   // of a step, in units of x
		farX      = 14.0  // separated games cannot converge nearer than these
		farV      = 7.0   // (ln v)
		tiny      = 1e-10 // of a step, in units of x
		decrement = 1e-18 // squared distance to the maximum in standard errors
		nearby    = 1e-6  // likewise: here whole steps are safe, and the likelihood's rounding misleads
	)
	n := p.size()
	theta, grad := slices.Clone(from), make([]float64, n)
	trial, trialGrad := make([]float64, n), make([]float64, n)
	step := mat.NewVecDense(n, nil)
	var chol mat.Cholesky
	ll, _ := p.eval(theta, grad)
	checked, stale, iterate := false, true, n >= largePool
	for range mostSteps {
		if iterate {
			iterate = p.curvature(theta).solve(step.RawVector().Data, grad)
		}
		if stale && !iterate {
			if !chol.Factorize(p.curvature(theta).dense()) {
				return nil, fmt.Errorf("%w (singular information)", ErrNoConvergence)
			}
		}
		if !iterate {
			if err := solveFor(&chol, step, grad); err != nil {
				return nil, err
			}
		}
		raw := step.RawVector().Data
		gain := floats.Dot(raw, grad)
		if floats.Norm(raw, math.Inf(1)) < tiny || gain < decrement {
			floats.Add(theta, raw)
			return theta, nil
		}
		scale := min(1, longest/floats.Norm(raw, math.Inf(1)))
		var trialLL, widest float64
		for ; ; scale /= 2 {
			floats.AddScaledTo(trial, theta, scale, raw)
			trialLL, widest = p.eval(trial, trialGrad)
			if trialLL >= ll || gain < nearby {
				break
			}
			if scale < 1e-12 {
				return nil, fmt.Errorf("%w (no step raises the likelihood)", ErrNoConvergence)
			}
		}
		stale = scale < 1 || floats.Norm(trialGrad, 2) > 0.05*floats.Norm(grad, 2)
		theta, trial, grad, trialGrad, ll = trial, theta, trialGrad, grad, trialLL
		if _, lnv := p.shape(theta); !checked && (widest > farX || (p.draws && math.Abs(lnv) > farV)) {
			checked = true
			p.holdAdvantage = p.advantage && p.advantageUnbounded() != 0
			p.holdDraws = p.draws && p.drawsUnbounded()
			if p.holdAdvantage || p.holdDraws {
				theta, stale = p.start(), true
				ll, _ = p.eval(theta, grad)
			}
		}
	}
	return nil, ErrNoConvergence
}

// solveFor solves with a factor that may be badly conditioned, which the steps
// to come make good.
func solveFor(chol *mat.Cholesky, dst *mat.VecDense, grad []float64) error {
	var cond mat.Condition
	if err := chol.SolveVecTo(dst, mat.NewVecDense(len(grad), grad)); err != nil && !errors.As(err, &cond) {
		return fmt.Errorf("%w: %w", ErrNoConvergence, err)
	}
	return nil
}

// finish returns the maximum with ratings around their mean, and with its information.
func (p *problem) finish(theta []float64) (*solution, error) {
	p.centre(theta)
	ll, _ := p.eval(theta, make([]float64, len(theta)))
	r, err := newRoot(p.curvature(theta).dense())
	if err != nil {
		return nil, err
	}
	return &solution{theta: theta, ll: ll, root: r}, nil
}
