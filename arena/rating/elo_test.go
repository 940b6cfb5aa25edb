package rating

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

var usualElo = Elo{Start: 1500, K0: 40, KMin: 10, N0: 30}

func TestEloWorkedExample(t *testing.T) {
	e := usualElo
	// Level bots: the winner of the first game gains K0/2.
	a, b := e.Update(e.New(), e.New(), Win)
	if a != (Standing{1520, 1}) || b != (Standing{1480, 1}) {
		t.Fatalf("after a win: %v, %v", a, b)
	}
	// 40 Elo apart: E = 1/(1+10^-0.1) = 0.557312, K = 40/(1+1/30) = 38.709677.
	a, b = e.Update(a, b, Loss)
	if math.Abs(a.Rating-1498.426646) > 1e-6 || math.Abs(b.Rating-1501.573354) > 1e-6 {
		t.Fatalf("after a loss: %v, %v", a, b)
	}
}

func TestEloStep(t *testing.T) {
	e := usualElo
	for _, c := range []struct {
		games int
		want  float64
	}{{0, 40}, {30, 20}, {90, 10}, {1000, 10}} {
		if got := e.K(c.games); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("K(%d) = %g, want %g", c.games, got, c.want)
		}
	}
	if got := (Elo{K0: 24}).K(500); got != 24 {
		t.Errorf("constant step: %g, want 24", got)
	}
}

// With a constant step what one gains the other loses, and a shifted start shifts
// all ratings.
func TestUpdateProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Elo{Start: rapid.Float64Range(-3000, 3000).Draw(t, "start"), K0: 20, KMin: 20}
		shift := rapid.Float64Range(-500, 500).Draw(t, "shift")
		moved := e
		moved.Start += shift
		var h, g [4]Standing
		for i := range h {
			h[i], g[i] = e.New(), moved.New()
		}
		for range rapid.IntRange(0, 60).Draw(t, "games") {
			i := rapid.IntRange(0, len(h)-1).Draw(t, "first")
			j := (i + rapid.IntRange(1, len(h)-1).Draw(t, "second")) % len(h)
			s := Score(rapid.IntRange(0, 2).Draw(t, "score"))
			h[i], h[j] = e.Update(h[i], h[j], s)
			g[i], g[j] = moved.Update(g[i], g[j], s)
		}
		sum := 0.0
		for i := range h {
			sum += h[i].Rating - e.Start
			if d := g[i].Rating - h[i].Rating; math.Abs(d-shift) > 1e-6 {
				t.Fatalf("bot %d: shifted by %g, want %g", i, d, shift)
			}
		}
		if math.Abs(sum) > 1e-6 {
			t.Fatalf("with a constant step the ratings sum to %g more than the start", sum)
		}
	})
}
