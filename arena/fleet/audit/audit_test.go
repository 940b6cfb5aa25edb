package audit_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"botarena/arena/fleet/audit"
)

// A table worked out by hand: rows 30 20 50 and 20 30 50, chi-square 4 with two
// degrees of freedom, P exp(-2).
func TestByHand(t *testing.T) {
	got := audit.Residuals([]audit.Score{{"a", "x-y", 200, [3]int{30, 20, 50}}, {"b", "x-y", 200, [3]int{20, 30, 50}}})
	if len(got) != 2 || math.Abs(got[0].Chi2-4) > 1e-9 || got[0].Freedom != 2 || math.Abs(got[0].P-math.Exp(-2)) > 1e-9 || got[0].Games != 200 {
		t.Errorf("%+v", got)
	}
	if got[1].Chi2 != got[0].Chi2 {
		t.Errorf("two workers are as far from each other: %+v", got)
	}
}

// With nothing to compare nobody is suspicious.
func TestTooLittle(t *testing.T) {
	for name, scores := range map[string][]audit.Score{
		"nothing":    nil,
		"one worker": {{"a", "x-y", 2, [3]int{100, 100, 100}}},
		"few games":  {{"a", "x-y", 2, [3]int{1, 0, 0}}, {"b", "x-y", 2, [3]int{0, 0, 1}}},
		"one result": {{"a", "x-y", 2, [3]int{0, 0, 100}}, {"b", "x-y", 2, [3]int{0, 0, 50}}},
	} {
		for _, f := range audit.Residuals(scores) {
			if f.P != 1 || f.Freedom != 0 {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
}

// play is what workers of which one turns a share of its games report.
func play(r *rand.Rand, games int, liar float64) []audit.Score {
	var list []audit.Score
	for w := range 6 {
		for pairing := range 12 {
			var c [3]int
			for range games {
				win := r.Float64() < 0.3+0.03*float64(pairing)
				if w == 0 && r.Float64() < liar {
					win = true
				}
				if win {
					c[2]++
				} else {
					c[r.IntN(2)]++
				}
			}
			list = append(list, audit.Score{Worker: fmt.Sprint(w), Pairing: fmt.Sprint(pairing), Games: 2 * games, Counts: c})
		}
	}
	return list
}

// Honest workers have a P that is even over 0 to 1, whether pairings have many
// games or few; one that turns a fifth of its games stands first.
func TestPower(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, games := range []int{3, 60} {
		low, all, found := 0, 0, 0
		const rounds = 300
		for range rounds {
			for _, f := range audit.Residuals(play(r, games, 0)) {
				if all++; f.P < 0.05 {
					low++
				}
			}
			if f := audit.Residuals(play(r, games, 0.3))[0]; f.Worker == "0" && f.P < 0.05 {
				found++
			}
		}
		if share := float64(low) / float64(all); share < 0.03 || share > 0.07 {
			t.Errorf("%d games: %.3f of honest workers below 0.05", games, share)
		}
		if games == 60 && found < rounds*99/100 {
			t.Errorf("%d games: found in %d of %d", games, found, rounds)
		}
	}
}

// openings is what honest workers report of pairs whose games depend on each other: an
// opening favours one bot in both games, or the side that moves first. With games
// counted one by one, as units of their own, it is what not to do.
func openings(r *rand.Rand, oneByOne bool) []audit.Score {
	const workers, pairings, pairs = 4, 6, 60
	var list []audit.Score
	for w := range workers {
		for pairing := range pairings {
			var c [3]int
			for range pairs {
				bot, side := r.NormFloat64(), r.NormFloat64()/2
				a := r.Float64() < 1/(1+math.Exp(-4*(bot+side)))
				b := r.Float64() < 1/(1+math.Exp(-4*(bot-side)))
				switch {
				case oneByOne:
					for _, won := range []bool{a, b} {
						if won {
							c[2]++
						} else {
							c[0]++
						}
					}
				case a && b:
					c[2]++
				case a || b:
					c[1]++
				default:
					c[0]++
				}
			}
			list = append(list, audit.Score{Worker: fmt.Sprint(w), Pairing: fmt.Sprint(pairing), Games: 2 * pairs, Counts: c})
		}
	}
	return list
}

// P is what it says for honest workers also where openings decide: one in a thousand is
// below 0.001, of pairs; of games one by one it would be many times as many.
func TestFalseAlarms(t *testing.T) {
	const rounds = 1000
	for _, oneByOne := range []bool{false, true} {
		r := rand.New(rand.NewPCG(5, 6))
		below := map[float64]int{}
		all := 0
		for range rounds {
			for _, f := range audit.Residuals(openings(r, oneByOne)) {
				all++
				for _, level := range []float64{0.05, 0.01, 0.001} {
					if f.P < level {
						below[level]++
					}
				}
			}
		}
		for level, n := range below {
			due := level * float64(all)
			// Workers of a round are compared with each other: a little more spread
			// than independent ones have.
			spread := 6 * math.Sqrt(due)
			if honest := math.Abs(float64(n)-due) <= spread; honest == oneByOne {
				t.Errorf("one by one %v: %d of %d below %g, %.0f is due", oneByOne, n, all, level, due)
			}
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
