package rating

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"
)

// dumb is the likelihood written down game by game, with the ratings of all bots
// but the last free, for a general optimiser: it shares no code with the fit.
type dumb struct {
	games     []Game
	free      map[string]int
	advantage bool
	draws     bool
}

func (d dumb) size() int {
	n := len(d.free) - 1
	if d.advantage {
		n++
	}
	if d.draws {
		n++
	}
	return n
}

func (d dumb) parts(y []float64) (rating func(string) float64, a, v float64) {
	n := len(d.free) - 1
	k := n
	if d.advantage {
		a = y[k]
		k++
	}
	if d.draws {
		v = math.Exp(y[k])
	}
	return func(name string) float64 {
		if i := d.free[name]; i < n {
			return y[i]
		}
		return 0
	}, a, v
}

func (d dumb) logLikelihood(y []float64) float64 {
	rating, a, v := d.parts(y)
	sum := 0.0
	for _, g := range d.games {
		x := rating(g.First) - rating(g.Second) + a
		w, l := math.Exp(x/2), math.Exp(-x/2)
		p := [...]float64{Win: w, Draw: v, Loss: l}[g.Score]
		sum += math.Log(p / (w + v + l))
	}
	return sum
}

// fit returns ratings, advantage and errors (95 %) on the score scale.
func (d dumb) fit(t *testing.T) (elo, errs map[string]float64, a, aErr, ll float64) {
	t.Helper()
	return fitBy(t, d, d.logLikelihood)
}

// fitBy is fit with this logarithm of the likelihood, or of the posterior.
func fitBy(t *testing.T, d dumb, value func([]float64) float64) (elo, errs map[string]float64, a, aErr, ll float64) {
	t.Helper()
	n := d.size()
	minus := func(y []float64) float64 { return -value(y) }
	// Newton's method on numerical derivatives, halving steps that go down.
	at, least := make([]float64, n), minus(make([]float64, n))
	step := mat.NewVecDense(n, nil)
	for range 50 {
		g := fd.Gradient(nil, minus, at, &fd.Settings{Formula: fd.Central, Step: 1e-4})
		h := mat.NewSymDense(n, nil)
		fd.Hessian(h, minus, at, &fd.Settings{Formula: fd.Central, Step: 1e-3})
		if err := step.SolveVec(h, mat.NewVecDense(n, g)); err != nil {
			t.Fatal(err)
		}
		for scale := 1.0; scale > 1e-9; scale /= 2 {
			trial := make([]float64, n)
			for k := range trial {
				trial[k] = at[k] - scale*step.AtVec(k)
			}
			if v := minus(trial); v < least {
				at, least = trial, v
				break
			}
		}
		if mat.Norm(step, 2) < 1e-7 {
			break
		}
	}
	hess := mat.NewSymDense(n, nil)
	fd.Hessian(hess, minus, at, &fd.Settings{Formula: fd.Central, Step: 1e-3})
	var inv mat.Dense
	if err := inv.Inverse(hess); err != nil {
		t.Fatal(err)
	}
	rating, a, v := d.parts(at)
	scale := 2 / (2 + v) * 400 / math.Ln10
	bots := len(d.free)
	mean := 0.0
	for name := range d.free {
		mean += rating(name) / float64(bots)
	}
	elo, errs = map[string]float64{}, map[string]float64{}
	for name, i := range d.free {
		elo[name] = (rating(name) - mean) * scale
		weight := make([]float64, n)
		for k := range bots - 1 {
			weight[k] = -1 / float64(bots)
			if k == i {
				weight[k]++
			}
		}
		w := mat.NewVecDense(n, weight)
		errs[name] = 1.96 * scale * math.Sqrt(mat.Inner(w, &inv, w))
	}
	if d.advantage {
		aErr = 1.96 * scale * math.Sqrt(inv.At(bots-1, bots-1))
	}
	return elo, errs, a * scale, aErr, -least
}

func gamesOf(r *Results) []Game {
	var out []Game
	for _, g := range r.games {
		out = append(out, Game{r.names[g.first], r.names[g.second], g.score, g.pair})
	}
	return out
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

func TestRateAgainstAGeneralOptimiser(t *testing.T) {
	for _, c := range []struct {
		name         string
		bots, games  int
		spread, a, v float64
		none         bool
	}{
		{"two bots", 2, 100, 50, 30, 1, false},
		{"draws and advantage", 6, 600, 150, 60, 1.5, false},
		{"negative advantage", 5, 400, 100, -200, 0.5, false},
		{"no draws", 8, 800, 200, 20, 0, false},
		{"no advantage", 4, 300, 100, 0, 1, true},
		{"drawish", 5, 500, 50, 20, 12, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := rng(uint64(c.games))
			r := newWorld(g, c.bots, c.spread, c.a, c.v).randomGames(g, c.games)
			table, err := Rate(r, Options{NoAdvantage: c.none})
			if err != nil {
				t.Fatal(err)
			}
			if len(table.Components) != 1 {
				t.Fatalf("components: %v", table.Components)
			}
			elo, errs, a, aErr, ll := dumb{gamesOf(r), mapOf(r.names), !c.none, c.v > 0}.fit(t)
			for _, p := range table.Players {
				if !near(*p.Elo, elo[p.Name], 1e-3) || !near(*p.Error, errs[p.Name], 1e-2) {
					t.Errorf("%s: %.5f +- %.5f, want %.5f +- %.5f", p.Name, *p.Elo, *p.Error, elo[p.Name], errs[p.Name])
				}
			}
			if !near(table.LogLikelihood, ll, 1e-6) {
				t.Errorf("log-likelihood %.8f, want %.8f", table.LogLikelihood, ll)
			}
			if c.none != (table.Advantage == nil) {
				t.Fatalf("advantage %v", table.Advantage)
			}
			if !c.none && (!near(*table.Advantage, a, 1e-3) || !near(*table.AdvantageError, aErr, 1e-2)) {
				t.Errorf("advantage %.5f +- %.5f, want %.5f +- %.5f", *table.Advantage, *table.AdvantageError, a, aErr)
			}
		})
	}
}

func mapOf(names []string) map[string]int {
	m := map[string]int{}
	for i, name := range names {
		m[name] = i
	}
	return m
}

// The maximum of an exponential family matches the sufficient statistics: every
// bot's points, the points of the first side, the number of draws.
func TestRateMatchesPointsSidesAndDraws(t *testing.T) {
	g := rng(7)
	r := newWorld(g, 30, 200, 70, 1).randomGames(g, 5000)
	table, err := Rate(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	points, want := map[string]float64{}, map[string]float64{}
	firsts, draws := 0.0, 0.0
	for _, x := range gamesOf(r) {
		p, _ := table.predict(x.First, x.Second)
		points[x.First] += p[Win] + p[Draw]/2
		points[x.Second] += p[Loss] + p[Draw]/2
		firsts += p[Win] + p[Draw]/2 - x.Score.Points()
		draws += p[Draw]
		if x.Score == Draw {
			draws--
		}
	}
	for _, p := range table.Players {
		want[p.Name] = p.Points
		if !near(points[p.Name], p.Points, 1e-7) {
			t.Errorf("%s: %.9f points expected, %.1f made", p.Name, points[p.Name], p.Points)
		}
	}
	if !near(firsts, 0, 1e-7) || !near(draws, 0, 1e-7) {
		t.Errorf("first side's points are off by %g, draws by %g", firsts, draws)
	}
}

// Closed form: two bots that have met equally often with each side and never
// drew: the advantage and the difference are the half sum and half difference of
// the two logits.
func TestRateTwoBotsClosedForm(t *testing.T) {
	r := &Results{}
	add := func(i, j, wins, losses int) {
		for range wins {
			r.mustAdd(i, j, Win, 0)
		}
		for range losses {
			r.mustAdd(i, j, Loss, 0)
		}
	}
	add(0, 1, 40, 10)
	add(1, 0, 25, 25)
	table, err := Rate(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	logit := func(p float64) float64 { return math.Log(p/(1-p)) / perElo }
	diff, _, _, _ := table.Compare("bot0", "bot1")
	if want := (logit(0.8) - logit(0.5)) / 2; !near(diff, want, 1e-9) {
		t.Errorf("difference %g, want %g", diff, want)
	}
	if want := (logit(0.8) + logit(0.5)) / 2; !near(*table.Advantage, want, 1e-9) {
		t.Errorf("advantage %g, want %g", *table.Advantage, want)
	}
	// Var of a logit is 1/(n p q); both halves add.
	want := 1.96 / perElo / 2 * math.Sqrt(1/(50*0.8*0.2)+1/(50*0.25))
	if !near(*table.AdvantageError, want, 1e-9) {
		t.Errorf("advantage error %g, want %g", *table.AdvantageError, want)
	}
	if !near(*table.Players[0].Error, want/2, 1e-9) { // half of the difference, which is as uncertain as the advantage
		t.Errorf("error %g, want %g", *table.Players[0].Error, want/2)
	}
}
