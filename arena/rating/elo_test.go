package rating

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestEloWorkedExample(t *testing.T) {
	e := DefaultElo()
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
	e := DefaultElo()
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

func TestHistoryProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Elo{Start: rapid.Float64Range(-3000, 3000).Draw(t, "start"), K0: 20, KMin: 20}
		shift := rapid.Float64Range(-500, 500).Draw(t, "shift")
		moved := e
		moved.Start += shift
		h, g := NewHistory[int](e), NewHistory[int](moved)
		const bots = 4
		for range rapid.IntRange(0, 60).Draw(t, "games") {
			i := rapid.IntRange(0, bots-1).Draw(t, "first")
			j := (i + rapid.IntRange(1, bots-1).Draw(t, "second")) % bots
			s := Score(rapid.IntRange(0, 2).Draw(t, "score"))
			h.Update(i, j, s)
			g.Update(i, j, s)
		}
		sum := 0.0
		for i := range bots {
			sum += h.Standing(i).Rating - e.Start
			if d := g.Standing(i).Rating - h.Standing(i).Rating; math.Abs(d-shift) > 1e-6 {
				t.Fatalf("bot %d: shifted by %g, want %g", i, d, shift)
			}
		}
		if math.Abs(sum) > 1e-6 {
			t.Fatalf("with a constant step the ratings sum to %g more than the start", sum)
		}
	})
}

func TestHistoryGoesOnFromARecord(t *testing.T) {
	whole, first := NewHistory[string](DefaultElo()), NewHistory[string](DefaultElo())
	games := []Score{Win, Loss, Draw, Win, Win, Draw}
	for i, s := range games {
		whole.Update("a", "b", s)
		if i < 3 {
			first.Update("a", "b", s)
		}
	}
	second := NewHistory[string](DefaultElo())
	for _, bot := range []string{"a", "b"} {
		second.Set(bot, first.Standing(bot))
	}
	for _, s := range games[3:] {
		second.Update("a", "b", s)
	}
	if whole.Standing("a") != second.Standing("a") || whole.Standing("b") != second.Standing("b") {
		t.Fatal("a history that goes on from a record differs from one in a single go")
	}
}
