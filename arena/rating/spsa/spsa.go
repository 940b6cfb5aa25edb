// Package spsa tunes parameters by the results of games: simultaneous perturbation
// stochastic approximation (Spall 1998, "Implementation of the simultaneous perturbation
// algorithm for stochastic optimization"), with gains named as in fishtest and OpenBench.
//
// Iteration k moves all parameters theta at once, each up or down by lot: one player has
// theta + c_k·flip, the other theta - c_k·flip. They play some pairs of games, and theta
// moves towards the winner:
//
//	c_k = c / k^gamma                      c = c_end · N^gamma
//	R_k = a / (A + k)^alpha / c_k²         a = r_end · c_end² · (A + N)^alpha
//	theta += R_k · c_k · (wins - losses) · flip
//
// N is the number of iterations. What differs from fishtest, and why, is in README.md:
// the lot of an iteration depends on the seed and its number alone, theta is reflected
// at its bounds and both players stay within them, c_end and r_end follow from how many
// Elo a parameter is expected to be worth, and the outcome is the mean of theta over the
// last half of the iterations, with an interval.
package spsa

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// The usual gains, and the usual share of the iterations that A is.
const (
	Alpha     = 0.602
	Gamma     = 0.101
	Stability = 0.1
)

const (
	// UsualElo is the Elo that a parameter is expected to be worth unless somebody says
	// otherwise: see Param.Elo.
	UsualElo = 10
	// perturbation is the Elo that c_end is expected to cost a player whose other values
	// are the best ones.
	perturbation = 2
	// settling is the number of times that, by the end of N iterations at the last gain,
	// the distance from the best value is divided by e.
	settling = 12
	// The least and the largest c_end, as a share of half of the range.
	leastC, mostC = 0.02, 0.4
	// nearest is by what c_k is divided at a bound.
	nearest = 2
	// mostStep is the largest last step for one game, as a share of half of the range:
	// short tunings could not settle with any.
	mostStep = 0.1
	// slope is the difference wins - losses of one game per Elo, of players that are
	// nearly level.
	slope = math.Ln10 / 800
)

// A Param is a parameter to be tuned.
type Param struct {
	Start, Min, Max float64
	Whole           bool // it takes whole numbers only
	// Elo is the strength that is expected to be lost at half of the range from the
	// best value; it selects C and R unless they are given. 0 is UsualElo.
	Elo float64
	// C and R are c_end and r_end; 0 if Elo selects them.
	C, R float64
}

// A Config describes a tuning.
type Config struct {
	Params     []Param
	Iterations int // N
	Pairs      int // of games, in each iteration
	Seed       uint64
	// Alpha, Gamma and Stability replace the usual ones unless they are 0.
	Alpha, Gamma, Stability float64
}

// A Tuner is the state of a tuning: the iterations up to some number, with their
// results.
type Tuner struct {
	config Config
	theta  []float64
	done   int // iterations
	path   path
}

// New returns the state before the first iteration. The config must be valid: bounds in
// order with the start between them, and at least one iteration of one pair.
func New(config Config) *Tuner {
	config.Alpha, config.Gamma = cmp.Or(config.Alpha, Alpha), cmp.Or(config.Gamma, Gamma)
	config.Stability = cmp.Or(config.Stability, Stability)
	config.Params = slices.Clone(config.Params)
	t := &Tuner{config: config, theta: make([]float64, len(config.Params))}
	for i := range t.config.Params {
		p := &t.config.Params[i]
		p.C, p.R = t.gains(p)
		t.theta[i] = p.Start
	}
	t.path.last = slices.Clone(t.theta)
	return t
}

// gains returns c_end and r_end of a parameter. If the strength falls with the square of
// the distance d from the best value, by Elo at half of the range w, then players at c to
// both sides differ by 4·Elo·c·d/w² on average, and an iteration divides d by
// 1 + 4·Elo·c²/w²·R·games·slope.
func (t *Tuner) gains(p *Param) (c, r float64) {
	half, elo := (p.Max-p.Min)/2, cmp.Or(p.Elo, UsualElo)
	if c = p.C; c == 0 {
		c = half * min(max(math.Sqrt(perturbation/elo), leastC), mostC)
	}
	c = p.atLeast(c)
	if r = p.R; r == 0 {
		cost := elo * c * c / (half * half)
		r = settling / (4 * cost * slope * float64(2*t.config.Pairs*t.config.Iterations))
		r = min(r, mostStep*half/c)
	}
	return c, r
}

// atLeast returns a perturbation that alters a whole number, within the range.
func (p *Param) atLeast(c float64) float64 {
	if p.Whole {
		c = max(c, 0.5)
	}
	return min(c, (p.Max-p.Min)/2)
}

// Params returns the parameters, with the gains that were chosen.
func (t *Tuner) Params() []Param { return t.config.Params }

// Done returns the number of iterations whose results have been added.
func (t *Tuner) Done() int { return t.done }

// Theta returns the values after them.
func (t *Tuner) Theta() []float64 { return slices.Clone(t.theta) }

// growth returns c_k / c_end.
func (t *Tuner) growth(k int) float64 {
	return math.Pow(float64(t.config.Iterations)/float64(k), t.config.Gamma)
}

// Flip returns 1 or -1 for parameter i in iteration k.
func (t *Tuner) Flip(k, i int) float64 {
	if t.lot(k, i, 0)&1 == 0 {
		return 1
	}
	return -1
}

// lot returns random bits of an iteration and a parameter for a use. They depend on the
// seed, and on nothing that was drawn before.
func (t *Tuner) lot(k, i, use int) uint64 {
	x := t.config.Seed
	for _, n := range [...]int{k, i, use} {
		// SplitMix64.
		x += 0x9e3779b97f4a7c15 * (uint64(n) + 1) //nolint:gosec // not negative
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
	}
	return x
}

// Points returns the values of both players of iteration k, around the current theta,
// or as near to it as leaves both within the bounds. Whole numbers are rounded up or
// down by lot, both in the same way, so that they are the exact values on average.
func (t *Tuner) Points(k int) (plus, minus []float64) {
	plus, minus = make([]float64, len(t.theta)), make([]float64, len(t.theta))
	growth := t.growth(k)
	for i := range t.theta {
		p := &t.config.Params[i]
		c := p.atLeast(p.C * growth)
		// Off the middle between both players there would be another best value: near a
		// bound they move together instead, as far as they still tell something.
		c = p.atLeast(max(min(c, t.theta[i]-p.Min, p.Max-t.theta[i]), c/nearest))
		middle := min(max(t.theta[i], p.Min+c), p.Max-c)
		values := [2]float64{middle + c*t.Flip(k, i), middle - c*t.Flip(k, i)}
		if p.Whole {
			up := float64(t.lot(k, i, 1)>>11) / (1 << 53) // below 1
			for j := range values {
				values[j] = math.Floor(values[j] + up)
			}
		}
		plus[i], minus[i] = min(max(values[0], p.Min), p.Max), min(max(values[1], p.Min), p.Max)
	}
	return plus, minus
}

// Update adds the result of the next iteration: wins of plus less its losses.
func (t *Tuner) Update(balance int) {
	t.done++
	k, config := t.done, &t.config
	n, a := float64(config.Iterations), config.Stability*float64(config.Iterations)
	growth, decay := t.growth(k), math.Pow((a+n)/(a+float64(k)), config.Alpha)
	for i := range t.theta {
		p := &config.Params[i]
		rate := p.R * p.C * p.C * decay // R_k·c_k²
		t.theta[i] = reflect(t.theta[i]+rate/p.atLeast(p.C*growth)*float64(balance)*t.Flip(k, i), p.Min, p.Max)
	}
	t.path.add(t.theta)
}

// reflect returns the value within bounds at which a path ends that turns round at each
// of them.
func reflect(x, low, high float64) float64 {
	span := high - low
	x = math.Mod(x-low, 2*span)
	if x < 0 {
		x += 2 * span
	}
	if x > span {
		x = 2*span - x
	}
	return low + x
}

// Validate returns what is wrong with a parameter, or nil.
func (p *Param) Validate() error {
	for _, v := range []float64{p.Start, p.Min, p.Max, p.Elo, p.C, p.R} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%v is no number to tune with", v)
		}
	}
	switch {
	case p.Min == p.Max:
		return fmt.Errorf("min and max are both %g: there is nothing to tune", p.Min)
	case p.Min > p.Max:
		return fmt.Errorf("min %g is above max %g", p.Min, p.Max)
	case p.Start < p.Min || p.Start > p.Max:
		return fmt.Errorf("start %g is not between min %g and max %g", p.Start, p.Min, p.Max)
	case p.Whole && (p.Start != math.Trunc(p.Start) || p.Min != math.Trunc(p.Min) || p.Max != math.Trunc(p.Max)):
		return fmt.Errorf("start %g, min %g and max %g: whole numbers only; type: float takes others", p.Start, p.Min, p.Max)
	case p.Elo < 0 || p.C < 0 || p.R < 0:
		return fmt.Errorf("elo, c_end and r_end are positive, or left out")
	case p.C > (p.Max-p.Min)/2:
		return fmt.Errorf("c_end %g is more than half of the range, %g", p.C, (p.Max-p.Min)/2)
	}
	return nil
}
