package rating

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A NashLine is one bot's line of the Nash average.
type NashLine struct {
	Name string `json:"bot"`
	// Share is the bot's probability in the equilibrium: how much a player who
	// must choose a bot against a clever opponent should rely on it.
	Share float64 `json:"share"`
	// Elo is the bot's expected difference to the equilibrium: 0 for bots in it,
	// negative for bots that it beats.
	Elo float64 `json:"elo"`
}

// NashAverage returns the maximum-entropy Nash average of a pool (Balduzzi,
// Tuyls, Perolat and Graepel, Re-evaluating evaluation, 2018), best first: the
// equilibrium of the game in which two players choose a bot each and get the
// logarithm of its odds. Unlike a rating it is not moved by copies of a bot, and
// it suits pools in which a beats b beats c beats a. The odds of two bots are
// those of their own games, with half a point for each side added and both sides
// weighing the same; of two that have not met, those of the ratings, or level
// where these cannot be compared.
func NashAverage(r *Results, t *Table) []NashLine {
	n := len(r.names)
	if n == 0 {
		return nil
	}
	odds := headToHead(r, t)
	share := maxEntropyNash(odds)
	out := make([]NashLine, n)
	for i, name := range r.names {
		elo := 0.0
		for j := range n {
			elo += odds.At(i, j) * share[j]
		}
		out[i] = NashLine{Name: name, Share: share[i], Elo: elo / perElo}
	}
	slices.SortFunc(out, func(a, b NashLine) int {
		// Shares that differ by rounding alone are equal.
		if math.Abs(a.Share-b.Share) > 1e-6 {
			return cmp.Compare(b.Share, a.Share)
		}
		if math.Abs(a.Elo-b.Elo) > 1e-6 {
			return cmp.Compare(b.Elo, a.Elo)
		}
		return cmp.Compare(a.Name, b.Name)
	})
	return out
}

// headToHead returns the antisymmetric matrix of log-odds.
func headToHead(r *Results, t *Table) *mat.Dense {
	n := len(r.names)
	points, games := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil) // of the row as first side
	for _, y := range r.tallies() {
		i, j := int(y.first), int(y.second)
		points.Set(i, j, y.n[Win]+y.n[Draw]/2)
		games.Set(i, j, y.games())
	}
	odds := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range i {
			ni, nj := games.At(i, j), games.At(j, i)
			total := ni + nj
			var x float64
			switch total {
			case 0:
				if elo, _, _, ok := t.Compare(r.names[i], r.names[j]); ok {
					x = elo * perElo
				}
			default:
				score := (points.At(i, j) + nj - points.At(j, i)) / total
				if ni > 0 && nj > 0 {
					score = (points.At(i, j)/ni + 1 - points.At(j, i)/nj) / 2
				}
				won := score*total + 0.5
				x = math.Log(won / (total + 1 - won))
			}
			odds.Set(i, j, x)
			odds.Set(j, i, -x)
		}
	}
	return odds
}

// maxEntropyNash returns the equilibrium of greatest entropy of the symmetric
// zero-sum game a: of all p with a'p >= 0 the one nearest to uniform. Its dual is
// to minimise ln sum exp(a m) over m >= 0, with p proportional to exp(a m): a
// convex problem, solved by Newton's steps on the free m. A share that is 0 is
// approached from above.
func maxEntropyNash(a *mat.Dense) []float64 {
	const rounds, enough, ridge = 500, 1e-10, 1e-10
	n, _ := a.Dims()
	m, p := make([]float64, n), make([]float64, n)
	value := func(m, p []float64) float64 {
		x := mat.NewVecDense(n, nil)
		x.MulVec(a, mat.NewVecDense(n, m))
		top := mat.Max(x)
		sum := 0.0
		for i := range p {
			p[i] = math.Exp(x.AtVec(i) - top)
			sum += p[i]
		}
		for i := range p {
			p[i] /= sum
		}
		return top + math.Log(sum)
	}
	now := value(m, p)
	trial, trialP := make([]float64, n), make([]float64, n)
	for range rounds {
		grad := mat.NewVecDense(n, nil)
		grad.MulVec(a.T(), mat.NewVecDense(n, p))
		var free []int
		worst := 0.0
		for j := range n {
			if g := grad.AtVec(j); m[j] > 0 || g < 0 {
				free = append(free, j)
				worst = max(worst, -g, min(g, g*m[j]))
			}
		}
		if worst < enough {
			break
		}
		// The Hessian is a' (diag p - p p') a on the free coordinates.
		h, step := mat.NewSymDense(len(free), nil), mat.NewVecDense(len(free), nil)
		g := mat.NewVecDense(len(free), nil)
		for x, j := range free {
			g.SetVec(x, grad.AtVec(j))
			for y := x; y < len(free); y++ {
				k := free[y]
				sum := -grad.AtVec(j) * grad.AtVec(k)
				for i := range n {
					sum += p[i] * a.At(i, j) * a.At(i, k)
				}
				if x == y {
					sum += ridge * (1 + sum)
				}
				h.SetSym(x, y, sum)
			}
		}
		var chol mat.Cholesky
		if chol.Factorize(h) {
			_ = chol.SolveVecTo(step, g) // badly conditioned is still downhill
		} else {
			step.CopyVec(g)
		}
		better := false
		for scale := 1.0; scale > 1e-12; scale /= 2 {
			copy(trial, m)
			for x, j := range free {
				trial[j] = max(0, m[j]-scale*step.AtVec(x))
			}
			if v := value(trial, trialP); v < now {
				now, better = v, true
				copy(m, trial)
				copy(p, trialP)
				break
			}
		}
		if !better {
			break
		}
	}
	return p
}
