package sprt

import (
	"fmt"
	"math"
	"testing"
)

// afterStop is how the estimate did in simulated tests.
type afterStop struct {
	runs                  int
	h1, pairs             float64
	above, covered, naive float64 // shares; naive is the coverage of Compare's interval
}

// simulateStops plays tests of pairs whose games are independent, between bots
// elo apart (not on the score scale) with Davidson's v.
func simulateStops(s Test, elo, v float64, runs int, seed uint64) (out afterStop) {
	win := math.Exp(elo * perElo / 2)
	game := []float64{1 / win / (win + v + 1/win), v / (win + v + 1/win), win / (win + v + 1/win)}
	p := make([]float64, 5)
	for i := range game {
		for j := range game {
			p[i+j] += game[i] * game[j]
		}
	}
	_, mean, _ := moments(p)
	truth := *eloOf(mean)
	g := rng(seed)
	verdicts, estimates := map[Pentanomial]Verdict{}, map[Pentanomial]Estimate{}
	verdict := func(c Pentanomial) Verdict {
		v, ok := verdicts[c]
		if !ok {
			v = s.Verdict(s.LLR(c))
			verdicts[c] = v
		}
		return v
	}
	for range runs {
		counts, v := play(g, p, verdict)
		if v == AcceptH1 {
			out.h1++
		}
		n, m, _ := moments(counts.bins())
		out.pairs += n
		naive := Compare(counts)
		inside := (naive.Low == nil || *naive.Low <= truth) && (naive.High == nil || truth <= *naive.High)
		if inside {
			out.naive++
		}
		e, ok := estimates[counts]
		if !ok {
			e, ok = s.AfterStop(counts)
			estimates[counts] = e
		}
		if !ok || e.Every == 0 {
			if inside {
				out.covered++
			}
			if m > mean {
				out.above++
			}
			continue
		}
		if e.Elo > truth {
			out.above++
		}
		if e.Low <= truth && truth <= e.High {
			out.covered++
		}
	}
	out.runs = runs
	for _, x := range []*float64{&out.h1, &out.pairs, &out.above, &out.covered, &out.naive} {
		*x /= float64(runs)
	}
	return out
}

// At effects from far below the hypotheses to far above them; the benchmark has
// more of them, and more runs.
func TestAfterStopCoverage(t *testing.T) { afterStopCoverage(t, 40, -150, 30, 800) }

func afterStopCoverage(t *testing.T, runs int, elos ...float64) {
	s := test(0, 100, Normalized)
	for _, elo := range elos {
		t.Run(fmt.Sprint(elo), func(t *testing.T) {
			t.Parallel()
			r := simulateStops(s, elo, 1, runs, 7)
			t.Logf("%+v", r)
			if r.covered < 0.89 {
				t.Errorf("the interval covers the truth with %.3f, want 0.95", r.covered)
			}
			if !near(r.above, 0.5, 0.2) {
				t.Errorf("the estimate is above the truth with %.3f, want 0.5", r.above)
			}
		})
	}
}

// Effects outside the hypotheses: near what as many pairs of a fixed match say.
func TestAfterStopOutsideTheHypotheses(t *testing.T) {
	for _, c := range []struct {
		sprt                 Test
		counts               Counts
		elo, tol, low, above float64 // the interval's lower end lies between the last two
		every                int     // at least
	}{
		{test(0, 50, Normalized), Pentanomial{0, 0, 1, 0, 16}, 580, 60, 250, 412, 1},
		{test(0, 50, Normalized), Pentanomial{10, 20, 40, 50, 50}, 105, 10, 30, 80, 100},
		{test(0, 2, Logistic), Pentanomial{871, 26175, 55983, 26678, 821}, 0.9, 0.2, -0.3, 0, 1000},
	} {
		e, ok := c.sprt.AfterStop(c.counts)
		if !ok || !near(e.Elo, c.elo, c.tol) || e.Low < c.low || e.Low > c.above || !(e.High > e.Elo) || e.Every < c.every {
			t.Errorf("%v: %+v", c.counts, e)
		}
		back, _ := Test{Elo0: -c.sprt.Elo1, Elo1: -c.sprt.Elo0, Alpha: c.sprt.Alpha, Beta: c.sprt.Beta, Model: c.sprt.Model}.AfterStop(mirrored(c.counts))
		if !near(e.Elo, -back.Elo, 1e-3*e.Elo) || !near(e.Low, -back.High, 1e-3*e.High) {
			t.Errorf("%v: %+v, seen from the other bot %+v", c.counts, e, back)
		}
	}
	for _, perfect := range []Pentanomial{{17, 0, 0, 0, 0}, {0, 0, 0, 0, 17}} {
		if e, ok := test(0, 50, Normalized).AfterStop(perfect); ok {
			t.Errorf("%v has a bound only, not %+v", perfect, e)
		}
	}
}

func mirrored(c Counts) Counts {
	p := c.(Pentanomial)
	return Pentanomial{p[4], p[3], p[2], p[1], p[0]}
}

// BenchmarkAfterStopCoverage prints how the estimate did at each effect: run it
// with -benchtime 1x.
func BenchmarkAfterStopCoverage(b *testing.B) {
	const runs = 400
	for _, s := range []Test{test(0, 50, Normalized), test(0, 200, Normalized), test(0, 30, Logistic)} {
		for _, elo := range []float64{-800, -400, -200, -100, -50, 0, 25, 50, 100, 200, 400, 800} {
			b.Run(fmt.Sprintf("%s%g/elo=%+g", s.Model, s.Elo1, elo), func(b *testing.B) {
				var r afterStop
				for b.Loop() {
					r = simulateStops(s, elo, 1, runs, 7)
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(r.pairs, "pairs")
				b.ReportMetric(100*r.h1, "%H1")
				b.ReportMetric(100*r.above, "%above")
				b.ReportMetric(100*r.covered, "%covered")
				b.ReportMetric(100*r.naive, "%naive")
			})
		}
	}
}
