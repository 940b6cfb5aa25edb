package sprt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// anytimeGrid is what matches are simulated at.
var anytimeGrid = struct{ elos, draws []float64 }{[]float64{0, 5, 20, 100}, []float64{0, 0.3, 0.6, 0.9}}

// wrongOnce plays pairs and reports whether the interval ever left out the truth: the
// capital that was bet against the true mean, on either side, came to 40.
func wrongOnce(g *rand.Rand, p []float64, mean float64, pairs int, order func(*rand.Rand, []int) []int) bool {
	scores := make([]int, pairs)
	for i := range scores {
		scores[i] = draw(g, p)
	}
	if order != nil {
		scores = order(g, scores)
	}
	var up, down bets
	var more, less [5]bets // what a score multiplies the capital by
	for i, f := range fractions() {
		up[i], down[i] = 1, 1
		for s := range more {
			more[s][i], less[s][i] = 1+f*(score(s, 5)/mean-1), 1+f*((1-score(s, 5))/(1-mean)-1)
		}
	}
	for _, s := range scores {
		var sums [2]float64
		for i := range up {
			up[i] *= more[s][i]
			down[i] *= less[s][i]
			sums[0] += up[i]
			sums[1] += down[i]
		}
		if max(sums[0], sums[1])/float64(len(up)) >= 40 {
			return true
		}
	}
	return false
}

// draw returns a score, of probabilities p.
func draw(g *rand.Rand, p []float64) int {
	x := g.Float64()
	for i, q := range p {
		if x -= q; x < 0 {
			return i
		}
	}
	return len(p) - 1
}

func TestAnytimeCoverage(t *testing.T) { anytimeCoverage(t, 100, 500) }

// Looked at after each pair, the interval leaves out the truth in 5 % of all matches at
// most: also where many games are played at once and level pairs take three times as
// long, so that pairs do not end in the order in which they began.
func anytimeCoverage(t *testing.T, runs, pairs int) {
	t.Logf("looked at after each of %d pairs, %d matches:", pairs, runs)
	for _, elo := range anytimeGrid.elos {
		for _, draws := range anytimeGrid.draws {
			p, err := PairModel(elo, draws)
			if err != nil { // so many draws do not go with that Elo
				continue
			}
			_, mean, _ := moments(p)
			wrong, late := 0, 0
			g := rng(uint64(1000*elo + 10*draws))
			for range runs {
				if wrongOnce(g, p, mean, pairs, nil) {
					wrong++
				}
				if wrongOnce(g, p, mean, pairs, asTheyEnd) {
					late++
				}
			}
			t.Logf("Elo %3.0f, %2.0f %% draws: wrong at some time in %4.2f %%, 16 games at once in %4.2f %%", elo, 100*draws,
				100*float64(wrong)/float64(runs), 100*float64(late)/float64(runs))
			for _, n := range []int{wrong, late} {
				if share := float64(n) / float64(runs); share > 0.05+3*math.Sqrt(0.05*0.95/float64(runs)) {
					t.Errorf("Elo %g, draws %g: wrong in %.3f", elo, draws, share)
				}
			}
		}
	}
}

// asTheyEnd returns scores in the order in which 16 slots end their pairs.
func asTheyEnd(g *rand.Rand, scores []int) []int {
	var until [16]float64
	var in [16]int
	next := 0
	begin := func(slot int, now float64) {
		in[slot], until[slot] = -1, math.Inf(1)
		if next < len(scores) {
			in[slot] = scores[next]
			until[slot] = now + 0.5 + g.Float64()
			if in[slot] == 2 {
				until[slot] = now + 3*(0.5+g.Float64())
			}
			next++
		}
	}
	for slot := range in {
		begin(slot, 0)
	}
	var ended []int
	for {
		first := 0
		for slot := range until {
			if until[slot] < until[first] {
				first = slot
			}
		}
		if in[first] < 0 {
			return ended
		}
		ended = append(ended, in[first])
		begin(first, until[first])
	}
}

// The interval lies around the score, is the mirror image of the other bot's, and is not
// much wider than the ordinary one.
func TestAnytime(t *testing.T) {
	for _, c := range []struct {
		counts        Counts
		low, high     string
		narrow, wider float64 // than the ordinary one
	}{
		{Pentanomial{}, "none", "none", 0, 0},
		{Pentanomial{0, 0, 0, 0, 20}, "+158", "none", 0, 0},
		{Pentanomial{2, 20, 56, 20, 2}, "-47", "+47", 1.5, 2.2},
		{Pentanomial{39, 8843, 26675, 9240, 44}, "-0", "+3", 1.5, 2.2},
		{Trinomial{30, 40, 30}, "-92", "+92", 1.5, 2.2},
	} {
		x := Anytime(c.counts)
		if low, high := shown(x.Low), shown(x.High); low != c.low || high != c.high {
			t.Errorf("%v: %s to %s, want %s to %s", c.counts, low, high, c.low, c.high)
		}
		if c.wider > 0 {
			ratio := (*x.High - *x.Low) / (2 * *Compare(c.counts).EloError)
			if ratio < c.narrow || ratio > c.wider {
				t.Errorf("%v: %.2f times as wide as the ordinary interval", c.counts, ratio)
			}
		}
	}
	a, b := Anytime(Pentanomial{3, 9, 40, 21, 7}), Anytime(Pentanomial{7, 21, 40, 9, 3})
	if !near(*a.Low, -*b.High, 1e-6) || !near(*a.High, -*b.Low, 1e-6) {
		t.Errorf("mirrored: %s to %s, %s to %s", shown(a.Low), shown(a.High), shown(b.Low), shown(b.High))
	}
}

func shown(elo *float64) string {
	if elo == nil {
		return "none"
	}
	return fmt.Sprintf("%+.0f", *elo)
}

func BenchmarkAnytime(b *testing.B) {
	for b.Loop() {
		Anytime(Pentanomial{39, 8843, 26675, 9240, 44})
	}
}
