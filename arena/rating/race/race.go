// Package race decides a race: several candidates play pairs of games against one base,
// and drop out as soon as the results so far say enough about them.
//
// Each candidate has a sequential test ([sprt.Test]) of whether it is Elo1 stronger than
// the base (H1) or Elo0 (H0), that looks after each of its pairs. What the race holds is
// the familywise error: Alpha is the chance that any candidate is accepted which is not
// stronger than Elo0, however many there are and however strong the others are.
//
// Which candidates beat the base is the usual question. The tests step down (Holm, with
// sequential tests: Bartroff and Song 2014): while r of k candidates are accepted, the
// others are accepted at alpha/(k-r) instead of alpha/k. For the first candidate that is
// accepted by mistake is one of at most k-r that are not stronger, so that one of these
// had to pass a bound that each passes with probability alpha/(k-r) at most.
//
// With Best the question is which candidate is the best of those that beat the base. One
// at most is accepted, at alpha/k. A candidate is also eliminated by another one: when a
// test of the pairs that both played in the same steps says that it is not Elo1-Elo0
// stronger than the other. The best one, if it is so much ahead of all others, is
// eliminated by any of them with probability Beta at most (Paulson 1964: each of the
// other k-1 has beta/(k-1)), and by its test against the base with Beta at most.
package race

import (
	"math"
	"slices"

	"botarena/arena/rating/sprt"
)

// Rules are the rules of a race.
type Rules struct {
	Test sprt.Test // of each candidate; Alpha is the familywise error
	Best bool      // accept the best candidate only
}

// A State says where a candidate stands.
type State string

// The states.
const (
	Running    State = "running"
	Accepted   State = "accepted"
	Eliminated State = "eliminated"
	Withdrawn  State = "withdrawn"
)

// Base is the index of the base, to which a candidate may have lost.
const Base = -1

// A Candidate is the state of one candidate. Its numbers stay as they were when it was
// decided.
type Candidate struct {
	State  State
	Counts sprt.Pentanomial // pairs against the base that count
	LLR    float64          // of its test, between Lower and Upper until it is decided
	Lower  float64
	Upper  float64
	// Beats is the number of the pair with which its test accepted H1; 0: it has not. In a
	// race for the best a candidate plays on after that.
	Beats int
	// By is the candidate that eliminated it, by index; Base if its test did.
	By int
	// Against is the ratio of the test against By, at or below RivalBound, where that is a
	// candidate.
	Against float64
}

// Pairs returns the number of pairs that count.
func (c *Candidate) Pairs() int {
	n := 0
	for _, x := range c.Counts {
		n += x
	}
	return n
}

// A Race follows the results of a race. It depends on them alone.
type Race struct {
	rules      Rules
	candidates []Candidate
	ahead      [][]difference // with Best: [i][j], i < j
}

// difference sums up the pairs of two candidates, pair against pair in the same steps.
type difference struct {
	n, sum, squares int // of the first one's points minus the other's, in half points
}

// New returns a race of so many candidates before its first pair.
func New(rules Rules, candidates int) *Race {
	r := &Race{rules: rules, candidates: make([]Candidate, candidates)}
	lower, upper := r.bounds(candidates)
	for i := range r.candidates {
		r.candidates[i] = Candidate{State: Running, Lower: lower, Upper: upper, By: Base}
		if rules.Best {
			r.ahead = append(r.ahead, make([]difference, candidates))
		}
	}
	return r
}

// Clone returns a copy.
func (r *Race) Clone() *Race {
	c := &Race{rules: r.rules, candidates: slices.Clone(r.candidates)}
	for _, row := range r.ahead {
		c.ahead = append(c.ahead, slices.Clone(row))
	}
	return c
}

// bounds returns the bounds of a candidate's test while so many are not accepted.
func (r *Race) bounds(left int) (lower, upper float64) {
	t := r.rules.Test
	t.Alpha /= float64(max(1, left))
	return t.Bounds()
}

// RivalBound returns the bound at or below which a candidate is eliminated by another.
func (r *Race) RivalBound() float64 {
	return math.Log(r.rules.Test.Beta / float64(max(1, len(r.candidates)-1)))
}

// Candidates returns the state of each candidate.
func (r *Race) Candidates() []Candidate { return r.candidates }

// Playing lists the candidates that play on, by index.
func (r *Race) Playing() []int {
	var list []int
	for i := range r.candidates {
		if r.candidates[i].State == Running {
			list = append(list, i)
		}
	}
	return list
}

// None is the score of a candidate that plays no pair in a step.
const None = -1

// Step adds one pair of each candidate that is running, and decides. scores has the
// points of the candidates in half points, from 0 to 4: those of others do not count, and
// one that is running and has None is withdrawn.
func (r *Race) Step(scores []int) {
	playing := r.Playing()
	for _, i := range playing {
		c := &r.candidates[i]
		if scores[i] == None {
			c.State = Withdrawn
			continue
		}
		c.Counts[scores[i]]++
		c.LLR = r.rules.Test.LLR(c.Counts)
		if !r.rules.Best {
			continue
		}
		for _, j := range playing {
			if j > i && scores[j] != None {
				r.ahead[i][j].add(scores[i] - scores[j])
			}
		}
	}
	if r.rules.Best {
		r.judgeBest()
	} else {
		r.judgeEach()
	}
}

// judgeEach accepts and eliminates candidates by their tests, step by step down.
func (r *Race) judgeEach() {
	for again := true; again; {
		again = false
		left := len(r.candidates)
		for i := range r.candidates {
			if r.candidates[i].State == Accepted {
				left--
			}
		}
		_, upper := r.bounds(left) // lower stays: what is accepted apart is accepted here
		for _, i := range r.Playing() {
			c := &r.candidates[i]
			c.Upper = upper
			if c.LLR >= upper {
				c.State, c.Beats, again = Accepted, c.Pairs(), true
			}
		}
	}
	r.eliminate()
}

// eliminate takes out candidates whose test has accepted H0.
func (r *Race) eliminate() {
	for _, i := range r.Playing() {
		if c := &r.candidates[i]; c.LLR <= c.Lower && c.Beats == 0 {
			c.State = Eliminated
		}
	}
}

// judgeBest eliminates candidates by their tests and by each other, the one that is
// farthest behind first, and accepts the last one if it beats the base.
func (r *Race) judgeBest() {
	for _, i := range r.Playing() {
		if c := &r.candidates[i]; c.LLR >= c.Upper && c.Beats == 0 {
			c.Beats = c.Pairs()
		}
	}
	r.eliminate()
	for {
		least, out, by := r.RivalBound(), Base, Base
		playing := r.Playing()
		for _, j := range playing {
			for _, i := range playing {
				if ratio := r.against(j, i); i != j && (ratio < least || ratio == least && j > out) {
					least, out, by = ratio, j, i
				}
			}
		}
		if out == Base {
			break
		}
		c := &r.candidates[out]
		c.State, c.By, c.Against = Eliminated, by, least
	}
	if left := r.Playing(); len(left) == 1 && r.candidates[left[0]].Beats > 0 {
		r.candidates[left[0]].State = Accepted
	}
}

func (d *difference) add(points int) {
	d.n++
	d.sum += points
	d.squares += points * points
}

// against returns the log-likelihood ratio of candidate j being Elo1-Elo0 stronger than
// candidate i against being as strong. Their differences are taken as normal, with the
// variance seen and one more pair that differs by a point: a few pairs that end alike
// prove nothing.
func (r *Race) against(j, i int) float64 {
	d := &r.ahead[min(i, j)][max(i, j)]
	if d.n == 0 {
		return 0
	}
	sum := float64(d.sum) / 4
	if j > i {
		sum = -sum
	}
	n := float64(d.n)
	variance := (float64(d.squares)/16 - sum*sum/n + 0.25) / (n + 1)
	delta := r.margin(i, j)
	return (delta*sum - n*delta*delta/2) / variance
}

// margin returns Elo1-Elo0 as a difference of the scores of pairs, from 0 to 1.
func (r *Race) margin(i, j int) float64 {
	t := r.rules.Test
	if t.Model == sprt.Logistic {
		return sprt.Expected(t.Elo1) - sprt.Expected(t.Elo0)
	}
	// Normalized Elo is in units of the spread of scores: the mean of both. Where both win
	// nearly all games no margin could be seen: there it is that of games of which 98 % are
	// drawn.
	const least = 0.05
	spread := max(least, math.Sqrt((r.candidates[i].Counts.Variance()+r.candidates[j].Counts.Variance())/2))
	return (t.Elo1 - t.Elo0) * math.Sqrt2 * math.Ln10 / 800 * spread
}
