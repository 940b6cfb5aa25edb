package rating

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// dense is the fit of a problem by factors of the information alone, with the
// inverse as a whole.
func dense(t *testing.T, p *problem) (theta []float64, inv *mat.SymDense) {
	t.Helper()
	n := p.size()
	theta = p.start()
	grad, step := make([]float64, n), mat.NewVecDense(n, nil)
	var chol mat.Cholesky
	for range 100 {
		p.eval(theta, grad)
		if !chol.Factorize(p.curvature(theta).dense()) {
			t.Fatal("singular information")
		}
		if err := solveFor(&chol, step, grad); err != nil {
			t.Fatal(err)
		}
		long := 0.0
		for i := range theta {
			long = max(long, math.Abs(step.AtVec(i)))
		}
		for i := range theta {
			theta[i] += step.AtVec(i) * min(1, 2/long)
		}
		if long < 1e-12 {
			break
		}
	}
	p.centre(theta)
	if !chol.Factorize(p.curvature(theta).dense()) {
		t.Fatal("singular information")
	}
	inv = mat.NewSymDense(n, nil)
	if err := chol.InverseTo(inv); err != nil {
		t.Fatal(err)
	}
	return theta, inv
}

// Large pools are rated as small ones are: ratings, the errors of differences and
// the advantage agree with those by the whole inverse to 1e-6 Elo.
func TestLargePoolAgreesWithDense(t *testing.T) {
	for _, c := range []struct {
		name         string
		bots, games  int
		spread, v    float64
		prior        float64
		pairs, chain bool
	}{
		{name: "draws", bots: largePool, games: 6_000, spread: 200, v: 1},
		{name: "no draws", bots: largePool + 7, games: 8_000, spread: 150},
		{name: "few games and a prior", bots: largePool + 2, games: 1_500, spread: 300, v: 0.5, prior: 400},
		{name: "by pairs", bots: largePool + 1, games: 16_000, spread: 200, v: 1, pairs: true},
		{name: "by pairs, most bots have not met", bots: largePool + 1, games: 5_000, spread: 150, v: 1, pairs: true},
		// Conjugate gradients give up here, and a factor does it.
		{name: "a chain", bots: largePool + largePool/2, games: 30_000, spread: 100, v: 1, chain: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := rng(11)
			w := newWorld(g, c.bots, c.spread, 40, c.v)
			r := &Results{}
			for k := range c.games {
				i := g.IntN(c.bots)
				j := (i + 1 + g.IntN(c.bots-1)) % c.bots
				if c.chain {
					if j = i + 1; j == c.bots {
						i, j = 0, 1
					}
				}
				pair := int64(0)
				if c.pairs {
					pair = int64(k + 1)
				}
				r.mustAdd(i, j, w.score(g.Float64(), i, j), pair)
				r.mustAdd(j, i, w.score(g.Float64(), j, i), pair)
			}
			table, err := Rate(r, Options{Prior: c.prior, Pairs: c.pairs})
			if err != nil || len(table.Components) != 1 {
				t.Fatalf("%v, %d components", err, len(table.Components))
			}
			pool := newPool(r, Options{Prior: c.prior})
			p := &pool.pieces[0].problem
			theta, inv := dense(t, p)
			grad := make([]float64, p.size())
			p.eval(p.start(), grad)
			if quick := p.curvature(p.start()).solve(make([]float64, p.size()), grad); quick == c.chain {
				t.Fatalf("conjugate gradients come to an end: %v", quick)
			}
			_, lnv := p.shape(theta)
			scale := 2 / (2 + math.Exp(lnv)) / perElo
			cov := inv
			if c.pairs {
				if !table.Pairs {
					t.Fatal("errors are not from pairs")
				}
				pool.cluster(r)
				var half, full mat.Dense
				whole := mat.DenseCopyOf(inv) // products of dense matrices are quick
				half.Mul(whole, mat.DenseCopyOf(p.scores(theta, pool.pieces[0].clusters)))
				full.Mul(&half, whole)
				cov = mat.NewSymDense(inv.SymmetricDim(), nil)
				for i := range inv.SymmetricDim() {
					for j := i; j < inv.SymmetricDim(); j++ {
						cov.SetSym(i, j, full.At(i, j))
					}
				}
			}
			slot := func(name string) int { return int(pool.slot[r.index[name]]) }
			for k := range table.Players {
				i := slot(table.Players[k].Name)
				if got, want := *table.Players[k].Elo, theta[i]*scale; !near(got, want, 1e-6) {
					t.Fatalf("%s: %.9f, by the whole inverse %.9f", table.Players[k].Name, got, want)
				}
				for _, far := range []int{1, 7, c.bots / 2} {
					if k+far >= c.bots {
						continue
					}
					j := slot(table.Players[k+far].Name)
					_, got, _, _ := table.Compare(table.Players[k].Name, table.Players[k+far].Name)
					want := z95 * scale * math.Sqrt(cov.At(i, i)+cov.At(j, j)-2*cov.At(i, j))
					if !near(got, want, 1e-6) {
						t.Fatalf("error of a difference: %.9f, by the whole inverse %.9f", got, want)
					}
				}
				if k%97 == 0 {
					mean, all := 0.0, 0.0 // the difference to the mean: e_i - 1/n
					for x := range c.bots {
						mean += cov.At(i, x) / float64(c.bots)
						for y := range c.bots {
							all += cov.At(x, y) / float64(c.bots*c.bots)
						}
					}
					if want := z95 * scale * math.Sqrt(cov.At(i, i)-2*mean+all); !near(*table.Players[k].Error, want, 1e-6) {
						t.Fatalf("%s: ± %.9f, by the whole inverse %.9f", table.Players[k].Name, *table.Players[k].Error, want)
					}
				}
			}
			if got, want := *table.AdvantageError, z95*scale*math.Sqrt(cov.At(p.iA(), p.iA())); !near(got, want, 1e-6) {
				t.Errorf("error of the advantage %.9f, by the whole inverse %.9f", got, want)
			}
		})
	}
}

// BenchmarkRatePlayers rates a million games of ever more players.
func BenchmarkRatePlayers(b *testing.B) {
	for _, bots := range []int{500, 1_000, 2_000, 3_000} {
		b.Run(fmt.Sprint(bots), func(b *testing.B) { benchmarkRate(b, bots, 1_000_000, Options{}) })
	}
}

// BenchmarkRateVersions rates a million games of bots with three versions each.
func BenchmarkRateVersions(b *testing.B) {
	for _, bots := range []int{500, 3_000} {
		l := newLines(rng(1), bots/3, 3, 40)
		r := l.randomGames(rng(2), 1_000_000)
		for name, links := range map[string][]Link{"plain": nil, "linked": l.links()} {
			b.Run(fmt.Sprintf("%d/%s", bots, name), func(b *testing.B) {
				for b.Loop() {
					if _, err := Rate(r, Options{Links: links}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// Sums that are taken in parts are those of the whole.
func TestSumsInParts(t *testing.T) {
	t.Parallel()
	const bots = 400
	g := rng(5)
	p := &problem{bots: bots, advantage: true, draws: true}
	for i := range int32(bots) {
		for j := range int32(bots) {
			if i != j {
				p.tallies = append(p.tallies, tally{i, j, [3]float64{float64(g.IntN(3)), 1, float64(g.IntN(3))}})
			}
		}
	}
	if p.parts() < 2 {
		t.Fatalf("%d tallies are one part", len(p.tallies))
	}
	theta := make([]float64, p.size())
	for k := range theta {
		theta[k] = g.NormFloat64()
	}
	grad, whole := make([]float64, p.size()), make([]float64, p.size())
	ll, widest := p.eval(theta, grad)
	wantLL, wantWidest := p.evalPart(theta, p.tallies, whole)
	c := p.curvature(theta)
	diag := make([]float64, p.size())
	c.measure(theta, 0, len(p.tallies), diag)
	product := make([]float64, p.size())
	c.mul(product, theta)
	info := mat.NewDense(p.size(), p.size(), nil)
	info.Copy(c.dense())
	var want mat.VecDense
	want.MulVec(info, mat.NewVecDense(len(theta), theta))
	for k := range grad {
		if !near(grad[k], whole[k], 1e-9) || !near(product[k], want.AtVec(k), 1e-6) || k >= bots && !near(c.diag[k], diag[k], 1e-6) {
			t.Fatalf("parameter %d: %v, %v, %v; want %v, %v, %v", k, grad[k], product[k], c.diag[k], whole[k], want.AtVec(k), diag[k])
		}
	}
	if !near(ll, wantLL, 1e-6) || widest != wantWidest {
		t.Errorf("log-likelihood %v, widest %v; want %v, %v", ll, widest, wantLL, wantWidest)
	}
}
