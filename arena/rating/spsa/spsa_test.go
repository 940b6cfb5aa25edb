package spsa_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"botarena/arena/rating/spsa"
)

// A short tuning of the made-up bot of three parameters comes near to the best values:
// TestExternalSimulation has the numbers.
func TestTunes(t *testing.T) {
	t.Parallel()
	m := three()
	for seed := range uint64(3) {
		tuning := m.tune(6000, 16, seed)
		if values := tuned(tuning); m.distance(values) > 0.35 || m.elo(values) < -5 {
			t.Errorf("seed %d: %.3v, distance %.2f, %.1f Elo", seed, values, m.distance(values), m.elo(values))
		}
	}
}

// Both players of an iteration stay within the bounds, differ in each parameter, and do
// not depend on what was asked before.
func TestPoints(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var params []spsa.Param
		for range rapid.IntRange(1, 4).Draw(t, "params") {
			p := spsa.Param{Min: float64(rapid.IntRange(-1000, 1000).Draw(t, "min")), Whole: rapid.Bool().Draw(t, "whole"), Elo: rapid.Float64Range(0.1, 1000).Draw(t, "elo")}
			p.Max = p.Min + float64(rapid.IntRange(1, 1000).Draw(t, "range"))
			p.Start = p.Min + float64(rapid.IntRange(0, int(p.Max-p.Min)).Draw(t, "start"))
			if err := p.Validate(); err != nil {
				t.Fatal(err)
			}
			params = append(params, p)
		}
		config := spsa.Config{Params: params, Iterations: rapid.IntRange(1, 1000).Draw(t, "iterations"), Pairs: 1, Seed: rapid.Uint64().Draw(t, "seed")}
		one, other := spsa.New(config), spsa.New(config)
		for k := 1; k <= min(config.Iterations, 20); k++ {
			plus, minus := one.Points(k)
			other.Points(k + 1) // asks more
			if again, _ := other.Points(k); fmt.Sprint(again) != fmt.Sprint(plus) {
				t.Fatalf("iteration %d: %v, then %v", k, plus, again)
			}
			for i, p := range params {
				for _, v := range []float64{plus[i], minus[i], one.Theta()[i]} {
					if !(v >= p.Min && v <= p.Max) {
						t.Fatalf("iteration %d: %v is out of %v to %v", k, v, p.Min, p.Max)
					}
				}
				if up := plus[i] > minus[i]; plus[i] == minus[i] || up != (one.Flip(k, i) > 0) {
					t.Fatalf("iteration %d: %v and %v, flip %v", k, plus[i], minus[i], one.Flip(k, i))
				}
				if p.Whole && (plus[i] != math.Trunc(plus[i]) || minus[i] != math.Trunc(minus[i])) {
					t.Fatalf("iteration %d: %v and %v are not whole", k, plus[i], minus[i])
				}
			}
			balance := rapid.IntRange(-2, 2).Draw(t, "balance")
			one.Update(balance)
			other.Update(balance)
		}
	})
}

// Whole numbers are the exact value on average.
func TestRoundingKeepsTheMean(t *testing.T) {
	t.Parallel()
	const n = 40_000
	tuning := spsa.New(spsa.Config{Params: []spsa.Param{{Start: 3, Max: 10, Whole: true, C: 0.7, R: 0.1}, {Start: 3, Max: 10, C: 0.7, R: 0.1}}, Iterations: n, Pairs: 1})
	sum := [2]float64{}
	for k := 1; k <= n; k++ {
		plus, minus := tuning.Points(k)
		for i := range sum {
			sum[i] += (plus[i] - minus[i]) * tuning.Flip(k, i) / n
		}
	}
	if math.Abs(sum[0]-sum[1]) > 0.02 {
		t.Errorf("players are apart by %.3f, exactly by %.3f", sum[0], sum[1])
	}
}

// The gains are those of fishtest: after the last iteration a result moves theta by
// r_end times c_end.
func TestGains(t *testing.T) {
	t.Parallel()
	tuning := spsa.New(spsa.Config{Params: []spsa.Param{{Start: 50, Max: 100, C: 5, R: 0.02}}, Iterations: 100, Pairs: 1})
	for range 99 {
		tuning.Update(0)
	}
	plus, minus := tuning.Points(100)
	if got := math.Abs(plus[0] - minus[0]); math.Abs(got-10) > 1e-9 {
		t.Errorf("players are apart by %v, want twice c_end", got)
	}
	tuning.Update(2)
	if got := (tuning.Theta()[0] - 50) * tuning.Flip(100, 0); math.Abs(got-2*0.02*5) > 1e-9 {
		t.Errorf("theta moved by %v", got)
	}
}

// A path of any length takes the same room, and its mean is that of its last half.
func TestPath(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 100, 10_000} {
		tuning := spsa.New(spsa.Config{Params: []spsa.Param{{Start: 0, Max: 1e6, C: 1, R: 1}}, Iterations: n, Pairs: 1})
		var path []float64
		for k := 1; k <= n; k++ {
			tuning.Update(int(tuning.Flip(k, 0)))
			path = append(path, tuning.Theta()[0])
		}
		want := 0.0
		for _, x := range path[n/2:] {
			want += x / float64(n-n/2)
		}
		got := tuning.Estimates()[0]
		if math.Abs(got.Value-want) > want/50 || n >= 100 && !(got.Error > 0) || n == 1 && !math.IsNaN(got.Error) {
			t.Errorf("%d iterations: mean %v ± %v, want %v", n, got.Value, got.Error, want)
		}
		s := tuning.Snapshots()
		if len(s) > 257 || s[len(s)-1].Iteration != n {
			t.Errorf("%d snapshots up to %d of %d", len(s), s[len(s)-1].Iteration, n)
		}
	}
}

func TestInvalidParams(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for _, p := range []spsa.Param{
		{Start: 1, Min: 1, Max: 1},
		{Start: 1, Min: 2, Max: 1},
		{Start: 3, Min: 0, Max: 2},
		{Start: nan, Max: 1},
		{Max: math.Inf(1)},
		{Start: 0.5, Max: 1, Whole: true},
		{Max: 1, Elo: -1},
		{Max: 1, C: 0.6},
	} {
		if p.Validate() == nil {
			t.Errorf("%+v is accepted", p)
		}
	}
}
