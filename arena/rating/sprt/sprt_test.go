package sprt

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func test(elo0, elo1 float64, m Model) Test {
	return Test{Elo0: elo0, Elo1: elo1, Alpha: 0.05, Beta: 0.05, Model: m}
}

func TestLLRReferenceValues(t *testing.T) {
	// The first is exact; the others are published with two decimals.
	for _, c := range []struct {
		counts    Counts
		sprt      Test
		want, tol float64
	}{
		{Pentanomial{39, 8843, 26675, 9240, 44}, test(0.5, 2.5, Normalized), 2.9416752, 5e-8},
		{Trinomial{36027, 68692, 36433}, test(0, 2, Normalized), 0.92, 0.005},
		{Trinomial{10650, 20431, 10871}, test(-1.75, 0.25, Normalized), 2.30, 0.005},
		{Trinomial{0, 0, 4250}, test(0, 10, Normalized), 120.56, 0.02},
		{Trinomial{21184, 40708, 21404}, test(0.5, 2.5, Logistic), -1.57, 0.005},
		{Trinomial{57030, 106593, 57433}, test(0, 2, Logistic), -2.59, 0.005},
		{Pentanomial{365, 16618, 36229, 16974, 390}, test(0, 2, Normalized), 2.25, 0.005},
		{Pentanomial{127, 4883, 10712, 5150, 104}, test(-1.75, 0.25, Normalized), 3.01, 0.005},
		{Pentanomial{0, 0, 0, 0, 5550}, test(0, 5, Normalized), 111.82, 0.03},
		{Pentanomial{223, 9863, 21279, 10037, 246}, test(0.5, 2.5, Logistic), -3.07, 0.005},
		{Pentanomial{871, 26175, 55983, 26678, 821}, test(0, 2, Logistic), -4.98, 0.005},
		{Pentanomial{}, test(0, 2, Normalized), 0, 0},
	} {
		if got := c.sprt.LLR(c.counts); !near(got, c.want, c.tol) {
			t.Errorf("%v %+v: LLR %.8f, want %g", c.counts, c.sprt, got, c.want)
		}
	}
}

// Any counts, however wide the hypotheses: the distribution meets the hypothesis,
// and p/q is 1 + t times the constraint's gradient there, which makes it a
// stationary point of the likelihood.
func TestLLRDistributionIsStationary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var c Pentanomial
		total := 0
		for i := range c {
			c[i] = rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 3000)).Draw(t, "count")
			total += c[i]
		}
		if total == 0 {
			c[0] = 1
		}
		s := test(rapid.Float64Range(-300, 300).Draw(t, "elo0"), 0, Normalized)
		s.Elo1 = s.Elo0 + rapid.Float64Range(0.1, 300).Draw(t, "width")
		p := regularised(c.bins())
		n, _, _ := moments(p)
		for i := range p {
			p[i] /= n
		}
		for _, elo := range []float64{s.Elo0, s.Elo1} {
			ratio := elo / neloPer(p)
			a := withRatio(p, ratio)
			sum, mean, variance := moments(a)
			phi := make([]float64, len(p))
			slope(phi, ratio, mean, math.Sqrt(variance))
			tilt := (p[0]/a[0] - 1) / phi[0]
			for i := range p {
				if want := 1 + tilt*phi[i]; !near(p[i]/a[i], want, 1e-5*(1+math.Abs(want))) {
					t.Fatalf("%v at %g: bin %d of %v: p/q %g, want %g", c, elo, i, a, p[i]/a[i], want)
				}
			}
			if !near(sum, 1, 1e-7) || !near((mean-0.5)/math.Sqrt(variance), ratio, 1e-6) {
				t.Fatalf("%v at %g: %v does not meet the hypothesis", c, elo, a)
			}
		}
		for _, m := range []Model{Normalized, Logistic} {
			s.Model = m
			llr := s.LLR(c)
			mirror := Test{Elo0: -s.Elo1, Elo1: -s.Elo0, Alpha: s.Alpha, Beta: s.Beta, Model: m}
			back := mirror.LLR(Pentanomial{c[4], c[3], c[2], c[1], c[0]})
			if math.IsNaN(llr) || math.IsInf(llr, 0) || !near(llr, -back, 1e-6*(1+math.Abs(llr))) {
				t.Fatalf("%v %+v: LLR %g, seen from the other bot %g", c, s, llr, back)
			}
		}
	})
}

// Nearly nothing in the bin of the lowest score leaves its probability to rounding; the
// distribution is found all the same, in a few steps.
func TestSpreadOfOneSidedResults(t *testing.T) {
	p := regularised(Pentanomial{0, 0, 9, 23, 96}.bins())
	n, _, _ := moments(p)
	for i := range p {
		p[i] /= n
	}
	if !withSpread(make([]float64, len(p)), p, make([]float64, len(p)), 0, 0.4582, 0, 0.01) {
		t.Error("no spread is found")
	}
}

func TestSPRTValidate(t *testing.T) {
	if err := test(0, 5, Normalized).Validate(); err != nil {
		t.Fatal(err)
	}
	err := Test{Elo0: 5, Elo1: 5, Beta: 0.7, Model: "bayes"}.Validate()
	for _, want := range []string{"elo0", "alpha", "beta", "bayes"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name %s", err, want)
		}
	}
	if err := test(math.NaN(), 5, Normalized).Validate(); err == nil {
		t.Error("NaN was accepted")
	}
	if err := (Pentanomial{1, 2, -3, 4, 5}).Validate(); err == nil {
		t.Error("a negative count was accepted")
	}
}

// run plays a test to its end, pairs drawn from p.
func run(g *rand.Rand, s Test, p []float64) (Pentanomial, Verdict) {
	return play(g, p, func(c Pentanomial) Verdict { return s.Verdict(s.LLR(c)) })
}

// play is run by a verdict that may remember.
func play(g *rand.Rand, p []float64, verdict func(Pentanomial) Verdict) (Pentanomial, Verdict) {
	var c Pentanomial
	for {
		u := g.Float64()
		i := 0
		for u >= p[i] && i < len(p)-1 {
			u -= p[i]
			i++
		}
		c[i]++
		if v := verdict(c); v != Continue {
			return c, v
		}
	}
}

func TestSPRTBySimulation(t *testing.T) { sprtBySimulation(t, 800, 0) }

// sprtBySimulation holds the rates of error, the expected length and the estimate
// after the stop of every so many (0: of none) to a simulation.
func sprtBySimulation(t *testing.T, runs, estimated int) {
	const elo1 = 45.0
	for _, c := range []struct {
		name  string
		sprt  Test
		truth float64 // share of the way from Elo0 to Elo1
	}{
		{"H0 true", test(0, elo1, Normalized), 0},
		{"H1 true", test(0, elo1, Normalized), 1},
		{"logistic H1 true", test(0, 25, Logistic), 1},
		{"between", test(0, elo1, Normalized), 0.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := rng(uint64(runs) + uint64(100*c.truth))
			p := pairsAt(t, c.sprt, c.truth)
			plan := c.sprt.Plan(p)
			truth := plan.NElo
			var h1, length, above, covered, stops float64
			for k := range runs {
				counts, v := run(g, c.sprt, p)
				if v == AcceptH1 {
					h1++
				}
				n, _, _ := moments(counts.bins())
				length += n
				if estimated == 0 || k%estimated != 0 {
					continue
				}
				stops++
				e, ok := c.sprt.AfterStop(counts)
				if !ok {
					t.Fatalf("no estimate after %v", counts)
				}
				if e.NElo > truth {
					above++
				}
				if e.NEloLow <= truth && truth <= e.NEloHigh {
					covered++
				}
			}
			all := float64(runs)
			h1, length, above, covered = h1/all, length/all, above/stops, covered/stops
			luck := 2 * math.Sqrt(0.05*0.95/all)
			t.Logf("accepts H1 %.4f (plan %.4f), pairs %.1f (plan %.1f), estimate above the truth %.4f, interval covers %.4f",
				h1, plan.AcceptH1, length, plan.Observations, above, covered)
			wrong := map[float64]float64{0: h1, 1: 1 - h1}
			if e, ok := wrong[c.truth]; ok && !near(e, 0.05, luck) {
				t.Errorf("rate of error %.4f, want 0.05 +- %.4f", e, luck)
			}
			if !near(length, plan.Observations, 0.06*plan.Observations) {
				t.Errorf("%.1f pairs on average, planned %.1f", length, plan.Observations)
			}
			if !near(h1, plan.AcceptH1, 0.04) {
				t.Errorf("H1 accepted with %.4f, planned %.4f", h1, plan.AcceptH1)
			}
			if stops > 0 && !near(above, 0.5, 0.1) {
				t.Errorf("the estimate is above the truth with %.4f, want 0.5", above)
			}
			if stops > 0 && !near(covered, 0.95, 0.04) {
				t.Errorf("the interval covers the truth with %.4f, want 0.95", covered)
			}
		})
	}
}

// pairsAt returns probabilities of pairs so strong as the share of the way from
// Elo0 to Elo1 says, in the test's own unit, with many draws.
func pairsAt(t *testing.T, s Test, share float64) []float64 {
	t.Helper()
	want := s.Elo0 + share*(s.Elo1-s.Elo0)
	low, high := -200.0, 200.0
	var p []float64
	for range 60 {
		mid := (low + high) / 2
		var err error
		if p, err = PairModel(mid, 0.4); err != nil {
			t.Fatal(err)
		}
		_, mean, variance := moments(p)
		got := *eloOf(mean)
		if s.Model == Normalized {
			got = (mean - 0.5) / math.Sqrt(variance) * neloPer(p)
		}
		if got < want {
			low = mid
		} else {
			high = mid
		}
	}
	return p
}

func TestPairModel(t *testing.T) {
	p, err := PairModel(100, 0.3)
	if err != nil {
		t.Fatal(err)
	}
	n, mean, _ := moments(p)
	if !near(n, 1, 1e-12) || !near(*eloOf(mean), 100, 1e-9) {
		t.Fatalf("%v: sum %g, Elo %g", p, n, *eloOf(mean))
	}
	if _, err := PairModel(400, 0.5); err == nil || !strings.Contains(err.Error(), "0.182") {
		t.Fatalf("draw rate that cannot be: %v", err)
	}
}

// A plan is finite however far the truth is from the hypotheses.
func TestPlanOfExtremes(t *testing.T) {
	for _, model := range []Model{Normalized, Logistic} {
		s := Test{Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.05, Model: model}
		for _, elo := range []float64{-1000, -300, 0, 300, 1000} {
			p, err := GameModel(elo, 0)
			if err != nil {
				t.Fatal(err)
			}
			plan := s.Plan(p)
			right := plan.AcceptH1 <= 0.05
			if elo > 0 {
				right = plan.AcceptH1 >= 0.95
			}
			if !right || !(plan.Observations > 0) || math.IsInf(plan.Observations, 0) {
				t.Errorf("%s, Elo %g: %+v", model, elo, plan)
			}
		}
	}
}

// What is left of a test is what is planned for it at its start, and less the
// nearer it is to a bound.
func TestLeft(t *testing.T) {
	s := test(0, 10, Normalized)
	if _, ok := s.Left(Pentanomial{}); ok {
		t.Error("nothing tells how long a test without pairs takes")
	}
	if _, ok := s.Left(Pentanomial{0, 0, 9, 0, 0}); ok {
		t.Error("nothing tells how long a test of level pairs takes")
	}
	if _, ok := s.Left(Pentanomial{0, 0, 10, 3000, 3000}); ok {
		t.Error("a test that has stopped has pairs left")
	}
	last := math.Inf(1)
	for _, n := range []int{10, 50, 100, 200} { // in the middle between the hypotheses and above
		c := Pentanomial{2 * n / 10, 2 * n, 4 * n, 22 * n / 10, 3 * n / 10}
		left, ok := s.Left(c)
		if !ok {
			t.Fatalf("%d: stopped at %g", n, s.LLR(c))
		}
		if !(left.Observations > 0 && left.Observations < last) {
			t.Errorf("%d: %g pairs left, before %g", n, left.Observations, last)
		}
		last = left.Observations
		if n == 10 {
			plan := s.Plan([]float64{2, 20, 40, 22, 3})
			if math.Abs(plan.Observations-left.Observations) > plan.Observations/5 {
				t.Errorf("%g pairs left at the start of a test of %g", left.Observations, plan.Observations)
			}
		}
	}
}

func BenchmarkLLR(b *testing.B) {
	s := Test{Elo0: 0.5, Elo1: 2.5, Alpha: 0.05, Beta: 0.05, Model: Normalized}
	for b.Loop() {
		s.LLR(Pentanomial{39, 8843, 26675, 9240, 44})
	}
}

func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }
