package bottest

import "testing"

// Solve knows wins and losses of known length.
func TestSolve(t *testing.T) {
	for _, c := range []struct {
		game, position string
		plies, want    int
	}{
		{"breakthrough:4x5", "4/P3/4/4/3p w", 0, 0},
		{"breakthrough:4x5", "4/P3/4/3p/4 w", 1, 1},
		{"breakthrough:4x5", "4/P3/4/3p/4 w", 3, 1},
		{"breakthrough:4x5", "4/P1Pp/4/4/4 b", 1, 0},
		{"breakthrough:4x5", "4/P1Pp/4/4/4 b", 2, -2},
		{"breakthrough:4x5", "4/4/P3/p3/4 b", 1, 1},
		{"breakthrough:4x6", "4/4/P3/3p/4/4 w", 2, 0},
		{"breakthrough:4x6", "4/4/P3/3p/4/4 w", 3, 3},
		{"breakthrough:4x6", "4/4/P3/4/3p/4 w", 2, -2},
		{"chess", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 3, 0}, // stalemate
		{"chess", "7k/8/5KQ1/8/8/8/8/8 w - - 0 1", 1, 1},
		{"chess", "k7/8/1K6/8/8/8/8/6R1 b - - 0 1", 2, -2},
	} {
		if got := Solve(Parse(t, c.game, c.position), c.plies); got != c.want {
			t.Errorf("%s, %s in %d plies: %d, want %d", c.game, c.position, c.plies, got, c.want)
		}
	}
}

// Best fails for what is no problem; each of the list has an answer.
func TestProblems(t *testing.T) {
	kinds := map[string]int{}
	for _, p := range Problems() {
		pos, best := p.Best(t)
		kinds[p.Game]++
		if n := Solve(pos, p.Plies); p.Saves != (n == 0) || !p.Saves && n != p.Plies {
			t.Errorf("%s, %s: solved as %d by %d moves", p.Game, p.Position, n, len(best))
		}
	}
	if len(kinds) < 8 {
		t.Errorf("problems of %v only", kinds)
	}
}
