package rating

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// versionGames are games of two bots with three versions each, and of two others.
func versionGames(seed uint64, games int, v float64) (lines, *Results) {
	g := rng(seed)
	l := newLines(g, 4, 3, 40)
	l.v = v
	r := &Results{}
	for i := range l.elo {
		l.enter(g, r, i, len(l.elo), games, i*1000)
	}
	return l, r
}

// Links of no strength change nothing, but for the last digits.
func TestWideLinksAreNone(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{}, {Pairs: true}, {Prior: 300}} {
		l, r := versionGames(1, 40, 0.6)
		plain := rate(t, r, o)
		o.Links, o.Spread = l.links(), 1e8
		sameDifferences(t, rate(t, r, o), plain, func(name string) string { return name }, 1e-6)
	}
}

// Links of no width pool the games of all versions of a bot, whose ratings are the same.
func TestNarrowLinksPool(t *testing.T) {
	t.Parallel()
	l, r := versionGames(2, 40, 0.6)
	merged := &Results{}
	bots := map[string]string{}
	for i := range l.elo {
		bots[botName(i)] = botName(i / l.versions)
	}
	of := func(name string) string { return bots[name] }
	for _, g := range gamesOf(r) {
		if err := merged.Add(Game{of(g.First), of(g.Second), g.Score, g.Pair}); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range []Options{{}, {Pairs: true}} {
		pooled := rate(t, merged, o)
		o.Links, o.Spread = l.links(), 1e-3
		sameDifferences(t, rate(t, r, o), pooled, of, 1e-3)
	}
}

// sameDifferences compares the differences of a table's bots with those of another table, in which
// they have other names.
func sameDifferences(t *testing.T, got, want *Table, name func(string) string, tolerance float64) {
	t.Helper()
	for i := range got.Players {
		for j := range i {
			a, b := got.Players[i].Name, got.Players[j].Name
			elo, bar, _, _ := got.Compare(a, b)
			wantElo, wantBar, _, ok := want.Compare(name(a), name(b))
			if ok != (name(a) != name(b)) || !near(elo, wantElo, tolerance) || !near(bar, wantBar, 10*tolerance) {
				t.Fatalf("%s - %s: %.6f ± %.6f, want %.6f ± %.6f", a, b, elo, bar, wantElo, wantBar)
			}
		}
	}
}

// linkedDumb is the posterior of games and links written down for a general optimiser.
type linkedDumb struct {
	dumb
	links  []Link
	spread float64 // in units of x
}

func (d linkedDumb) logLikelihood(y []float64) float64 {
	sum := d.dumb.logLikelihood(y)
	rating, _, _ := d.parts(y)
	for _, l := range d.links {
		z := (rating(l.Newer) - rating(l.Older)) / d.spread
		sum -= z * z / 2
	}
	return sum
}

// Ratings, errors and the advantage are those of a posterior that a general optimiser finds.
func TestLinksAgainstAGeneralOptimiser(t *testing.T) {
	t.Parallel()
	for _, v := range []float64{0, 0.8} {
		l, r := versionGames(3, 16, v)
		table := rate(t, r, Options{Links: l.links(), Spread: 35})
		p := newPool(r, Options{Links: l.links()})
		q := p.pieces[0]
		if err := q.solve(35); err != nil {
			t.Fatal(err)
		}
		d := linkedDumb{dumb{games: gamesOf(r), free: mapOf(r.names), advantage: true, draws: v > 0}, l.links(), math.Sqrt(1 / q.problem.weight)}
		if want := 35 / table.main.scale; !near(d.spread, want, 1e-6*want) {
			t.Fatalf("the spread is %g, want %g: links count on the table's scale", d.spread, want)
		}
		elo, errs, a, aErr, ll := fitBy(t, d.dumb, d.logLikelihood)
		for _, p := range table.Players {
			if !near(*p.Elo, elo[p.Name], 1e-3) || !near(*p.Error, errs[p.Name], 1e-2) {
				t.Errorf("%s: %.5f ± %.5f, want %.5f ± %.5f", p.Name, *p.Elo, *p.Error, elo[p.Name], errs[p.Name])
			}
		}
		if !near(*table.Advantage, a, 1e-3) || !near(*table.AdvantageError, aErr, 1e-2) || !near(table.LogLikelihood, ll, 1e-6) {
			t.Errorf("advantage %.5f ± %.5f, want %.5f ± %.5f; %.6f, want %.6f", *table.Advantage, *table.AdvantageError, a, aErr, table.LogLikelihood, ll)
		}
	}
}

// The spread is the most probable one of the posterior, integrated over a grid of ratings:
// of two bots with two versions each, one rating is 0.
func TestSpreadAgainstAGrid(t *testing.T) {
	t.Parallel()
	for _, gap := range []int{0, 8, 20} {
		r := &Results{}
		results := func(i, j, wins, losses int) {
			for k := range wins + losses {
				score := Loss
				if k < wins {
					score = Win
				}
				if k%2 == 0 {
					r.mustAdd(i, j, score, 0)
				} else {
					r.mustAdd(j, i, score.Swap(), 0)
				}
			}
		}
		results(0, 1, 30, 30)
		results(2, 1, 30+gap, 30-gap)
		results(3, 1, 40, 30)
		links := []Link{{botName(0), botName(2)}, {botName(1), botName(3)}}
		table := rate(t, r, Options{NoAdvantage: true, Links: links})
		best, at := math.Inf(-1), 0.0
		d := dumb{games: gamesOf(r), free: map[string]int{botName(0): 0, botName(2): 1, botName(3): 2, botName(1): 3}}
		const half, step = 10, 0.12
		var grid [][3]float64
		var density []float64
		tallies := r.tallies()
		for i := -half; i <= half; i++ {
			for j := -half; j <= 2*half; j++ {
				for k := -half; k <= half; k++ {
					y := [3]float64{float64(i) * step, float64(j) * step, float64(k) * step}
					grid, density = append(grid, y), append(density, sweep(r, tallies, d.free, y))
				}
			}
		}
		for spread := 10.0; spread < 300; spread *= 1.04 {
			s := spread * perElo
			z := math.Log(spread/usualSpread) / math.Log(spreadFactor)
			sum := 0.0
			for k, y := range grid {
				one, two := (y[1]-y[0])/s, y[2]/s
				sum += density[k] * math.Exp(-(one*one+two*two)/2) / (s * s)
			}
			if value := math.Log(sum) - z*z/2; value > best {
				best, at = value, spread
			}
		}
		if got := table.Links.Spread; math.Abs(math.Log(got/at)) > 0.06 {
			t.Errorf("%d more wins: s = %.1f, by the grid %.1f", gap, got, at)
		}
	}
}

// sweep returns the likelihood of decisive games without advantage, times a constant.
func sweep(r *Results, tallies []tally, at map[string]int, y [3]float64) float64 {
	sum := 100.0
	of := func(i int32) float64 {
		if k := at[r.names[i]]; k < len(y) {
			return y[k]
		}
		return 0
	}
	for _, n := range tallies {
		x := of(n.first) - of(n.second)
		sum -= n.n[Win]*math.Log1p(math.Exp(-x)) + n.n[Loss]*math.Log1p(math.Exp(x))
	}
	return math.Exp(sum)
}

// A version that its games say leapt is rated as if it was not linked.
func TestLeaps(t *testing.T) {
	t.Parallel()
	l, r, _ := newVersion(3, 100, 400, 25)
	last := len(l.elo) - 1
	leapt := Link{botName(last - 1), botName(last)}
	links := l.links()
	for _, spread := range []float64{0, 30} {
		table := rate(t, r, Options{Links: links, Spread: spread})
		if got := table.Links; len(got.Leaps) != 1 || got.Leaps[0] != leapt || got.Count != len(links)-1 || got.Spread > 45 {
			t.Fatalf("%+v", got)
		}
		without := rate(t, r, Options{Links: links[:len(links)-1], Spread: spread})
		sameDifferences(t, table, without, func(name string) string { return name }, 0.05)
	}
}

// Links compare bots that no game does, and unknown bots and circles of links are left out.
func TestLinksJoinPools(t *testing.T) {
	t.Parallel()
	r := games(t, "a-b 1", "b-a 1", "c-d 1", "d-c 1", "c-d 0", "e-a 0")
	links := []Link{{"a", "c"}, {"c", "a"}, {"a", "nobody"}, {"e", "a"}}
	table := rate(t, r, Options{Links: links, Spread: 50})
	if table.Pools != 1 || len(table.Components) != 1 || table.Links.Count != 2 || table.Links.Estimated {
		t.Errorf("%d pools, %v, %+v", table.Pools, table.Components, table.Links)
	}
	_, bar, _, ok := table.Compare("a", "c")
	if !ok || !near(bar, z95*50, 1) { // by the link alone
		t.Errorf("± %.1f, %v", bar, ok)
	}
	if table = rate(t, r, Options{}); table.Links != nil || table.Pools != 2 {
		t.Errorf("without links: %+v, %d pools", table.Links, table.Pools)
	}
	if notes := strings.Join(table.Notes, "\n"); !strings.Contains(notes, "nothing links") && !strings.Contains(notes, "no games link") {
		t.Error(notes)
	}
}

// In a large pool the evidence of each bot's versions by themselves estimates the spread
// well, too.
func TestSpreadOfLargePool(t *testing.T) {
	t.Parallel()
	const spread = 35
	g := rng(8)
	l := newLines(g, 110, 3, spread)
	r := &Results{}
	for i := range l.elo {
		l.enter(g, r, i, len(l.elo), 60, i*1000)
	}
	table := rate(t, r, Options{Links: l.links()})
	if s := table.Links.Spread; len(l.elo) < largePool || table.Links.Count != 220 || !near(s, spread, 6) {
		t.Errorf("s = %.1f of %d links", s, table.Links.Count)
	}
	p := newPool(r, Options{Links: l.links()})
	q := p.pieces[0]
	theta, err := q.problem.settle(q.problem.start(), spread)
	if err != nil {
		t.Fatal(err)
	}
	c := q.problem.curvature(theta)
	product, want := make([]float64, len(theta)), mat.NewVecDense(len(theta), nil)
	c.mul(product, theta)
	want.MulVec(c.dense(), mat.NewVecDense(len(theta), theta))
	for k := range product {
		if !near(product[k], want.AtVec(k), 1e-6) {
			t.Fatalf("parameter %d: %g, want %g", k, product[k], want.AtVec(k))
		}
	}
}
