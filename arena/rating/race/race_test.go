package race

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"botarena/arena/rating/sprt"
)

// rules has hypotheses that lie far enough apart for a quick simulation.
func rules(best bool) Rules {
	return Rules{Test: sprt.Test{Elo1: 60, Alpha: 0.05, Beta: 0.05, Model: sprt.Normalized}, Best: best}
}

// fields are the true strengths of k candidates, in parts of Elo1 above Elo0.
func fields(k int) map[string][]float64 {
	f := map[string][]float64{}
	for i := range k {
		f["none"] = append(f["none"], 0)
		f["one"] = append(f["one"], max(0, float64(1-i)))
		f["graded"] = append(f["graded"], 1-float64(i)/float64(k-1))
		f["all"] = append(f["all"], 1)
		f["ahead"] = append(f["ahead"], max(1, float64(2-i)))
	}
	return f
}

// pairsAt returns the probabilities of the scores of a pair at so much normalized Elo.
func pairsAt(t *testing.T, nelo, draws float64) []float64 {
	t.Helper()
	low, high := -400.0, 400.0
	var p []float64
	for range 60 {
		mid := (low + high) / 2
		q, err := sprt.PairModel(mid, draws)
		mean, square := 0.0, 0.0
		for i, x := range q {
			mean, square = mean+x*float64(i)/4, square+x*float64(i*i)/16
		}
		spread := math.Sqrt(square - mean*mean)
		switch {
		case err != nil && mid < 0, err == nil && (mean-0.5)/spread*800/math.Ln10/math.Sqrt2 < nelo:
			low = mid
		default:
			high = mid
		}
		if err == nil {
			p = q
		}
	}
	return p
}

// A sampler draws the scores of one candidate's pairs.
type sampler struct {
	g      *rand.Rand
	p      []float64
	scores []int
}

// at returns the score of the pair of that index.
func (s *sampler) at(n int) int {
	for len(s.scores) <= n {
		x, score := s.g.Float64(), len(s.p)-1
		for i, q := range s.p {
			if x -= q; x < 0 {
				score = i
				break
			}
		}
		s.scores = append(s.scores, score)
	}
	return s.scores[n]
}

// result is what a race came to.
type result struct {
	wrong          bool // one was accepted that is not stronger
	good, accepted int  // candidates that are Elo1 stronger, and how many of these were accepted
	best           bool // the strongest, or one as strong, was accepted
	pairs          int
	apart          int // pairs of tests of each candidate by itself, at alpha/k
	apartAccepted  int // of those that are Elo1 stronger
}

// simulate runs one race, and the tests of each candidate apart on the same pairs.
func simulate(g *rand.Rand, rules Rules, field []float64, p [][]float64) (out result) {
	k := len(field)
	r, all := New(rules, k), make([]*sampler, k)
	for i := range all {
		all[i] = &sampler{g: rand.New(rand.NewPCG(g.Uint64(), 1)), p: p[i]}
	}
	scores := make([]int, k)
	for n := 0; ; n++ {
		playing := r.Playing()
		if len(playing) == 0 {
			break
		}
		for _, i := range playing {
			scores[i] = all[i].at(n)
		}
		out.pairs += len(playing)
		r.Step(scores)
	}
	apart := rules.Test
	apart.Alpha /= float64(k)
	for i, c := range r.Candidates() {
		if c.State == Accepted {
			out.wrong = out.wrong || field[i] <= 0
			out.best = out.best || field[i] > 0 && field[i] == field[0] // the first is the strongest
		}
		if field[i] >= 1 {
			out.good++
			if c.State == Accepted {
				out.accepted++
			}
		}
		// By itself it goes on from there: a race's bounds are no farther away.
		counts, n := c.Counts, c.Pairs()
		if rules.Best && c.Beats > 0 {
			out.apart += c.Beats
			if field[i] >= 1 {
				out.apartAccepted++
			}
			continue
		}
		out.apart += n
		verdict := apart.Verdict(apart.LLR(counts))
		for ; verdict == sprt.Continue; n++ {
			counts[all[i].at(n)]++
			verdict = apart.Verdict(apart.LLR(counts))
			out.apart++
		}
		if verdict == sprt.AcceptH1 && field[i] >= 1 {
			out.apartAccepted++
		}
	}
	return out
}

// A race errs in alpha of all cases at most, whoever runs, and plays fewer pairs than
// tests of each candidate by itself.
func TestRaces(t *testing.T) {
	for _, best := range []bool{false, true} {
		races(t, best, 20, []int{2, 4}, 0.5)
	}
}

func races(t *testing.T, best bool, runs int, ks []int, drawRates ...float64) {
	rules, question := rules(best), "which beat the base"
	if best {
		question = "which is the best"
	}
	t.Logf("%s: Elo1 %g nElo, alpha %g, beta %g, %d races each", question, rules.Test.Elo1, rules.Test.Alpha, rules.Test.Beta, runs)
	t.Log(" k  field   draws  errs (95 %)               power  apart   best  pairs  apart  saved")
	for _, k := range ks {
		for _, name := range []string{"none", "one", "graded", "all", "ahead"} {
			field := fields(k)[name]
			if k == 2 && name == "graded" {
				continue // as one
			}
			for _, draws := range drawRates {
				p := make([][]float64, k)
				for i, x := range field {
					p[i] = pairsAt(t, x*rules.Test.Elo1, draws)
				}
				t.Log(cell(t, runs, rules, name, field, p, draws))
			}
		}
	}
}

// cell simulates one cell of the grid and returns its line of the table.
func cell(t *testing.T, runs int, rules Rules, name string, field []float64, p [][]float64, draws float64) string {
	t.Helper()
	g := rand.New(rand.NewPCG(uint64(len(field)), uint64(100*draws)))
	wrong, good, accepted, best, pairs, apart, alone := 0, 0, 0, 0, 0, 0, 0
	for range runs {
		x := simulate(g, rules, field, p)
		if x.wrong {
			wrong++
		}
		if x.best {
			best++
		}
		good, accepted, pairs, apart = good+x.good, accepted+x.accepted, pairs+x.pairs, apart+x.apart
		alone += x.apartAccepted
	}
	n := float64(runs)
	low, high := wilson(wrong, runs)
	if low > rules.Test.Alpha {
		t.Errorf("k %d, %s, draws %g: errs in %d of %d races, at least %.4f", len(field), name, draws, wrong, runs, low)
	}
	power, powerApart := "-", "-"
	if good > 0 && !rules.Best {
		power, powerApart = percent(accepted, good), percent(alone, good)
		// The approximations of the test take up to a point of what it promises.
		if _, most := wilson(accepted, good); most < 0.99-rules.Test.Beta || accepted < alone {
			t.Errorf("k %d, %s, draws %g: power %s, apart %s", len(field), name, draws, power, powerApart)
		}
	}
	won := "-"
	if field[0] > 0 {
		won = percent(best, runs)
		if _, most := wilson(best, runs); rules.Best && (name == "one" || name == "ahead") && most < 1-2*rules.Test.Beta {
			t.Errorf("k %d, %s, draws %g: the best is found in %s", len(field), name, draws, won)
		}
	}
	return fmt.Sprintf("%2d  %-7s %4.0f%%  %5.2f%% (%5.2f%% to %5.2f%%)  %6s %6s %6s %6.0f %6.0f %5.0f%%", len(field), name, 100*draws,
		100*float64(wrong)/n, 100*low, 100*high, power, powerApart, won, float64(pairs)/n, float64(apart)/n, 100*(1-float64(pairs)/float64(apart)))
}

func percent(part, of int) string { return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(of)) }

// wilson returns Wilson's 95 % interval of a share.
func wilson(hits, of int) (low, high float64) {
	const z = 1.96
	n, p := float64(of), float64(hits)/float64(of)
	mid, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return (mid - half) / (1 + z*z/n), (mid + half) / (1 + z*z/n)
}

// A candidate that is accepted makes it easier for the others: at alpha/1 after the first
// of two.
func TestStepsDown(t *testing.T) {
	r := New(rules(false), 2)
	for n := 0; r.Candidates()[0].State == Running; n++ {
		r.Step([]int{3 + n%2, 2})
	}
	first, second := r.Candidates()[0], r.Candidates()[1]
	if first.State != Accepted || first.Beats != first.Pairs() || math.Abs(first.Upper-math.Log(0.95/0.025)) > 1e-9 {
		t.Errorf("%+v", first)
	}
	if second.State != Running || math.Abs(second.Upper-math.Log(0.95/0.05)) > 1e-9 {
		t.Errorf("%+v", second)
	}
	r.Step([]int{0, None})
	if c := r.Candidates()[1]; c.State != Withdrawn || r.Candidates()[0] != first || r.Playing() != nil {
		t.Errorf("%+v", r.Candidates())
	}
}

// In a race for the best, a candidate that beats the base is eliminated by a better one,
// and the last one is accepted once it beats the base.
func TestBest(t *testing.T) {
	r := New(rules(true), 3)
	for n := 0; len(r.Playing()) > 0; n++ {
		if n > 10_000 {
			t.Fatalf("it does not end: %+v", r.Candidates())
		}
		r.Step([]int{2 + n%2, 2 + min(2, n%3), 2 - n%2})
	}
	c := r.Candidates()
	if c[1].State != Accepted || c[1].Beats == 0 || c[0].State != Eliminated || c[0].By != 1 || c[0].Against > r.RivalBound() || c[2].State != Eliminated {
		t.Errorf("%+v", c)
	}
	if text := fmt.Sprint(c); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Error(text)
	}
}

// Candidates of equal strength end a race for the best as well, also where they win all
// games: the first one named is left.
func TestEqualBest(t *testing.T) {
	for _, more := range []int{0, 2} {
		r := New(rules(true), 2)
		for n := 0; len(r.Playing()) > 0; n++ {
			if n > 1000 {
				t.Fatalf("it does not end: %+v", r.Candidates())
			}
			score := min(4, 2+more+n%3)
			r.Step([]int{score, score})
		}
		if c := r.Candidates(); c[0].State != Accepted || c[1].State != Eliminated || c[1].By != 0 {
			t.Errorf("%+v", c)
		}
	}
}
