package audit_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"botarena/arena/fleet/audit"
)

// A table worked out by hand: rows 30 20 50 and 20 30 50, chi-square 4 with two
// degrees of freedom, P exp(-2).
func TestByHand(t *testing.T) {
	got := audit.Residuals([]audit.Score{{"a", "x-y", [3]int{30, 20, 50}}, {"b", "x-y", [3]int{20, 30, 50}}})
	if len(got) != 2 || math.Abs(got[0].Chi2-4) > 1e-9 || got[0].Freedom != 2 || math.Abs(got[0].P-math.Exp(-2)) > 1e-9 || got[0].Games != 100 {
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
		"one worker": {{"a", "x-y", [3]int{100, 100, 100}}},
		"few games":  {{"a", "x-y", [3]int{1, 0, 0}}, {"b", "x-y", [3]int{0, 0, 1}}},
		"one result": {{"a", "x-y", [3]int{0, 0, 100}}, {"b", "x-y", [3]int{0, 0, 50}}},
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
			list = append(list, audit.Score{Worker: fmt.Sprint(w), Pairing: fmt.Sprint(pairing), Counts: c})
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

func TestLate(t *testing.T) {
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
