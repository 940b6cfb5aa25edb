package audit_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"botarena/arena/fleet/audit"
)

// all returns the finding of a worker over all its bots.
func all(t *testing.T, list []audit.Finding, worker string) audit.Finding {
	t.Helper()
	return of(t, list, worker, "")
}

func of(t *testing.T, list []audit.Finding, worker, bot string) audit.Finding {
	t.Helper()
	for _, f := range list {
		if f.Worker == worker && f.Bot == bot {
			return f
		}
	}
	t.Fatalf("no finding of bot %q at worker %s: %+v", bot, worker, list)
	return audit.Finding{}
}

// A stratum worked out by hand: 10 pairs here with 8 wins, 10 elsewhere with 2. The mean
// is 1/2, the variance 10*10/20/19 * 20/4.
func TestByHand(t *testing.T) {
	got := audit.Residuals([]audit.Score{
		{Worker: "a", A: "x", B: "y", Of: 2, Games: 20, Counts: [3]int{2, 0, 8}},
		{Worker: "b", A: "x", B: "y", Of: 2, Games: 20, Counts: [3]int{8, 0, 2}},
	})
	x, y := of(t, got, "a", "x"), of(t, got, "a", "y")
	want := 2 * math.Erfc(3/math.Sqrt(2*10*10/20.0/19*5)) // two bots
	if x.Points != 8 || x.Expected != 5 || y.Points != 2 || y.Expected != 5 || x.Pairs != 10 || x.Games != 20 || math.Abs(x.P-want) > 1e-12 || math.Abs(y.P-want) > 1e-12 {
		t.Errorf("%+v\n%+v\nP %g", x, y, want)
	}
	if a := all(t, got, "a"); a.P != x.P || a.Games != 20 {
		t.Errorf("%+v", a)
	}
}

// A bot lost all of its 69 games at one worker and none of 51 elsewhere, against eight
// opponents, now named before it and now after it, a few pairs and halves of pairs each.
func TestOneBotHarmed(t *testing.T) {
	var list []audit.Score
	add := func(worker string, games int, lost bool) {
		for i := range games {
			s := audit.Score{Worker: worker, A: "m", B: fmt.Sprint("z", i%8), Of: 1, Games: 1}
			win := !lost
			if i%2 == 0 {
				s.A, s.B, win = fmt.Sprint("a", i%8), "m", lost
			}
			if win {
				s.Counts[2]++
			} else {
				s.Counts[0]++
			}
			list = append(list, s)
		}
	}
	add("bad", 69, true)
	add("good", 51, false)
	got := audit.Residuals(list)
	if f := of(t, got, "bad", "m"); f.P > 1e-9 || f.Points != 0 || f.Games != 69 {
		t.Errorf("%+v", f)
	}
	if f := all(t, got, "bad"); f.P > 1e-9 {
		t.Errorf("%+v", f)
	}
}

// With nothing to compare nobody is suspicious.
func TestTooLittle(t *testing.T) {
	score := func(worker, a, b string, counts ...int) audit.Score {
		return audit.Score{Worker: worker, A: a, B: b, Of: 2, Games: 2, Counts: [3]int(counts)}
	}
	for name, scores := range map[string][]audit.Score{
		"nothing":        nil,
		"one worker":     {score("a", "x", "y", 100, 100, 100)},
		"few games":      {score("a", "x", "y", 4, 0, 0), score("b", "x", "y", 0, 0, 4)},
		"one result":     {score("a", "x", "y", 0, 0, 100), score("b", "x", "y", 0, 0, 50)},
		"other pairings": {score("a", "x", "y", 0, 0, 100), score("b", "x", "z", 50, 0, 0)},
	} {
		for _, f := range audit.Residuals(scores) {
			if f.P != 1 {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
}

// play returns what six workers report of all pairings of five bots; the first one has
// the strongest bot lose that share of its pairs.
func play(r *rand.Rand, pairs int, share float64) []audit.Score {
	const bots = 5
	var list []audit.Score
	for w := range 6 {
		for a := range bots {
			for b := range a {
				s := audit.Score{Worker: fmt.Sprint(w), A: fmt.Sprint(a), B: fmt.Sprint(b), Of: 2, Games: 2 * pairs}
				for range pairs {
					// An opening favours one bot in both games, or the side that moves first.
					bot, side := r.NormFloat64()+float64(a-b)/4, r.NormFloat64()/2
					points := 0
					for _, x := range []float64{bot + side, bot - side} {
						if r.Float64() < 1/(1+math.Exp(-4*x)) {
							points++
						}
					}
					if w == 0 && a == bots-1 && r.Float64() < share {
						points = 0
					}
					s.Counts[points]++
				}
				list = append(list, s)
			}
		}
	}
	return list
}

// Honest workers are below a level no more often than it says, whether pairings have many
// pairs or few; one that turns a third of a bot's pairs is found.
func TestPower(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, pairs := range []int{3, 40} {
		const rounds, levels = 600, 3
		below := [levels]int{}
		workers, found := 0, 0
		for round := range rounds {
			for _, f := range audit.Residuals(play(r, pairs, 0)) {
				if f.Bot != "" {
					continue
				}
				workers++
				for i, level := range [levels]float64{0.05, 0.01, 0.001} {
					if f.P < level {
						below[i]++
					}
				}
			}
			if round%10 == 0 {
				if f := audit.Residuals(play(r, pairs, 0.33))[0]; f.Worker == "0" && f.P < 0.001 {
					found++
				}
			}
		}
		for i, level := range [levels]float64{0.05, 0.01, 0.001} {
			if due := level * float64(workers); float64(below[i]) > due+5*math.Sqrt(due) {
				t.Errorf("%d pairs: %d of %d honest workers below %g, %.0f at most is due", pairs, below[i], workers, level, due)
			}
		}
		if pairs == 40 && found < rounds/10*9/10 {
			t.Errorf("%d pairs: found in %d of %d", pairs, found, rounds/10)
		}
	}
}

// The exact chance that an honest worker is taken for a late one is no more than the
// level says, however many games it and the others have played.
func TestLateFalseAlarms(t *testing.T) {
	levels := []float64{0.01, 0.001, 1e-4}
	for _, games := range [][2]int{{60, 20}, {20, 60}, {40, 40}} {
		for _, p := range []float64{0.05, 0.3} {
			own, others := distuv.Binomial{N: float64(games[0]), P: p}, distuv.Binomial{N: float64(games[1]), P: p}
			chance := make([]float64, len(levels))
			for lost := range games[0] + 1 {
				for othersLost := range games[1] + 1 {
					found := audit.Late(lost, games[0], othersLost, games[1])
					for i, level := range levels {
						if found < level {
							chance[i] += own.Prob(float64(lost)) * others.Prob(float64(othersLost))
						}
					}
				}
			}
			for i, level := range levels {
				if chance[i] > level {
					t.Errorf("%d games and %d of others, %g lost: %.2g below %g", games[0], games[1], p, chance[i], level)
				}
			}
		}
	}
}

func TestLate(t *testing.T) {
	// Fisher's tea: 4 of 4 and 0 of 4, one way of 70.
	if p := audit.Late(4, 4, 0, 4); math.Abs(p-1.0/70) > 1e-12 {
		t.Errorf("%g", p)
	}
	for _, c := range []struct {
		lost, games, othersLost, othersGames int
		suspicious                           bool
	}{
		{0, 100, 0, 1000, false}, {1, 100, 10, 1000, false}, {10, 100, 10, 1000, true}, {1, 100, 0, 1000, false}, {5, 100, 0, 10_000, true}, {0, 0, 0, 0, false},
	} {
		if p := audit.Late(c.lost, c.games, c.othersLost, c.othersGames); (p < 0.001) != c.suspicious {
			t.Errorf("%+v: %g", c, p)
		}
	}
}
