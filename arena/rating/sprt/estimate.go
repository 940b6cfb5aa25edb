package sprt

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// An Estimate is the estimate of a bot's strength after a test has stopped, without the
// bias of stopping: Elo is median-unbiased, and the interval holds the truth with
// probability 95 %.
type Estimate struct {
	Elo  float64 `json:"elo"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// The same in normalized Elo.
	NElo     float64 `json:"nelo"`
	NEloLow  float64 `json:"nelo_low"`
	NEloHigh float64 `json:"nelo_high"`
	// Every is the assumed number of observations between two looks at the test's
	// ratio: 1, unless the counts lie farther beyond the bound than one observation can
	// lead.
	Every int `json:"every"`
}

// AfterStop returns the estimate for the counts at which the test stopped; ok is
// false if it has not stopped, or where all was won or all lost: of that
// [Compare] gives a bound, which the stopping does not bias.
//
// Results are ordered by stages (Siegmund, Sequential Analysis, 1985): those that
// stop at the upper bound before those at the lower, earlier ones there first; at
// the lower bound later ones first; of one stage the higher score first. The
// estimate is the strength at which a result at least this good has probability
// 1/2; the ends of the interval those at which it has 2.5 % and 97.5 % (a little
// farther out where observations are few), the result itself counting half.
// Strengths differ as the distributions do that are most
// like the one seen (p e^(t score), normalised), and the probability is that of
// the test itself, played with such a distribution observation by observation.
func (s Test) AfterStop(c Counts) (e Estimate, ok bool) {
	verdict := s.Verdict(s.LLR(c))
	bins := c.bins()
	n, mean, _ := moments(bins)
	if verdict == Continue || mean == 0 || mean == 1 {
		return e, false
	}
	every := s.every(bins, verdict)
	w := newProcess(s, bins, every)
	stops := w.stops(n, bins, verdict)
	at := func(p float64) (elo, nelo float64) { return w.strength(stops.tilt(p)) }
	e.Elo, e.NElo = at(0.5)
	tail := tail95(n)
	e.Low, e.NEloLow = at(tail)
	e.High, e.NEloHigh = at(1 - tail)
	e.Every = every
	return e, true
}

// tail95 is 2.5 %, less what few observations leave open about their spread: the
// share of a normal distribution beyond the 97.5 % quantile of Student's.
func tail95(n float64) float64 {
	return phi(-distuv.StudentsT{Sigma: 1, Nu: max(1, n-1)}.Quantile(0.975))
}

// every returns how many observations lie between looks at the ratio, as far as
// the counts at the stop can tell: 1 where the test went on before the last of
// them; else as many as it takes from the bound to the ratio seen, which a test
// that looks seldom passes unseen.
func (s Test) every(bins []float64, stopped Verdict) int {
	for i := range bins {
		if bins[i] == 0 {
			continue
		}
		before := slices.Clone(bins)
		before[i]--
		if s.Verdict(s.ratio(before)) != stopped {
			return 1
		}
	}
	n, _, _ := moments(bins)
	lower, upper := s.Bounds()
	bound := upper
	if stopped == AcceptH0 {
		bound = lower
	}
	return max(2, int(n*(1-bound/s.ratio(bins))))
}

// process is a test as a walk on the sums of scores. The distribution of an
// observation is shape, tilted.
type process struct {
	test  Test
	shape []float64
	// A step of the walk is so many observations. It goes up by 0 to 4 units with
	// the probabilities of step; where it is one observation, these are shape, else
	// the distribution on five points that has the mean and the variance of the
	// observations' sum. The mean score of n steps that went up by s is
	// base + unit*s/n.
	per        int
	step       []float64
	base, unit float64
	every      int     // steps between looks
	inward     float64 // what the bounds are nearer, for fewer looks than the test had
	grid       []knot
}

// knot is the ratio of an observation and its variance at one mean score.
type knot struct {
	ratio, variance float64
	known           bool
}

// mostSteps is the maximum number of steps of a walk: beyond it observations are taken
// together, of which there are then so many that their sums are normal.
const mostSteps = 4000

// smoothing is the total added to the counts: an unseen score is still possible, and a
// test that stopped early saw scores of little spread.
const smoothing = 2

func newProcess(s Test, bins []float64, every int) *process {
	n, _, _ := moments(bins)
	w := &process{test: s, shape: make([]float64, len(bins)), per: 1 + int(n)/mostSteps, every: every}
	for i, c := range bins {
		w.shape[i] = (c + smoothing/float64(len(bins))) / (n + smoothing)
	}
	w.step, w.unit = w.shape, 1/float64(len(bins)-1)
	if w.per == 1 {
		return w
	}
	_, mean, variance := moments(w.shape)
	k := float64(w.per)
	w.step = []float64{1.0 / 16, 4.0 / 16, 6.0 / 16, 4.0 / 16, 1.0 / 16} // of variance 1
	w.unit = math.Sqrt(variance / k)
	w.base = mean - 2*w.unit
	w.every = max(1, every/w.per)
	if every < w.per {
		const h = 1e-4
		slope := (w.llr(n, mean+h) - w.llr(n, mean-h)) / (2 * h) / n
		w.inward = overshoot * math.Abs(slope) * math.Sqrt(variance) * (math.Sqrt(k) - math.Sqrt(float64(every)))
	}
	return w
}

// tilted returns p e^(t i), normalised, and the logarithm of what it was divided by.
func tilted(p []float64, t float64) (q []float64, logSum float64) {
	q = make([]float64, len(p))
	top := math.Inf(-1)
	for i := range p {
		top = max(top, math.Log(p[i])+t*float64(i))
	}
	sum := 0.0
	for i := range p {
		q[i] = math.Exp(math.Log(p[i]) + t*float64(i) - top)
		sum += q[i]
	}
	for i := range q {
		q[i] /= sum
	}
	return q, top + math.Log(sum)
}

// at returns the distribution of an observation whose mean score is mean.
func (w *process) at(mean float64) []float64 {
	const edge = 1e-9
	mean = min(1-edge, max(edge, mean))
	t := root(-60, 60, 0, 1e-12, func(t float64) (rest, fall float64) {
		q, _ := tilted(w.shape, t)
		_, m, variance := moments(q)
		return mean - m, variance * float64(len(q)-1)
	})
	q, _ := tilted(w.shape, t)
	return q
}

// llr returns the ratio of n observations with that mean score.
func (w *process) llr(n, mean float64) float64 {
	q := w.at(mean)
	for i := range q {
		q[i] *= n
	}
	return w.test.ratio(q)
}

// strength returns the strength of an observation whose steps are tilted by t.
func (w *process) strength(t float64) (elo, nelo float64) {
	q, _ := tilted(w.step, t)
	_, mean, variance := moments(q)
	mean = w.base + w.unit*float64(len(q)-1)*mean
	sd := math.Sqrt(variance) * w.unit * float64(len(q)-1) * math.Sqrt(float64(w.per))
	const edge = 1e-6
	mean = min(1-edge, max(edge, mean))
	return *eloOf(mean), (mean - 0.5) / sd * neloPer(w.shape)
}

// interpolated returns the ratio of an observation and its variance where the
// scores have this mean: they are the same whatever the number of observations,
// but for empty bins, which count for next to nothing.
func (w *process) interpolated(mean float64) (ratio, variance float64) {
	const points, many = 200, 100_000
	if w.grid == nil {
		w.grid = make([]knot, points+1)
	}
	at := func(i int) knot {
		if !w.grid[i].known {
			q := w.at(float64(i) / points)
			_, _, variance := moments(q)
			for k := range q {
				q[k] *= many
			}
			w.grid[i] = knot{w.test.ratio(q) / many, variance, true}
		}
		return w.grid[i]
	}
	mean = points * min(1, max(0, mean))
	i := min(points-1, int(mean))
	low, high, rest := at(i), at(i+1), mean-float64(i)
	return low.ratio*(1-rest) + high.ratio*rest, low.variance*(1-rest) + high.variance*rest
}

// verdict returns where the test stands after n steps that went up by sum units.
func (w *process) verdict(n, sum int) Verdict {
	ratio, _ := w.interpolated(w.base + w.unit*float64(sum)/float64(n))
	llr := float64(n*w.per) * ratio
	return w.test.Verdict(llr + math.Copysign(w.inward, llr))
}

// a stop is a result at which the test stops, with its probability where steps
// are not tilted.
type stop struct {
	steps, sum, prob float64
}

// stopping holds the results that are better than the one seen, or else those
// that are worse.
type stopping struct {
	list   []stop
	worse  bool
	step   []float64
	length float64 // steps to the result seen
}

// better returns the probability of a result better than the one seen, where steps are
// tilted by t. The probability of a way to a stop depends on its length and its
// sum alone.
func (s *stopping) better(t float64) float64 {
	_, logSum := tilted(s.step, t)
	p := 0.0
	for _, x := range s.list {
		p += x.prob * math.Exp(t*x.sum-logSum*x.steps)
	}
	if s.worse {
		return 1 - p
	}
	return p
}

// look takes out of the sums from first on those at which the test stops after k
// steps: the ratio rises with the sum, so these are at the ends.
func (w *process) look(k int, now []float64, first int, verdict Verdict, out *stopping) (rest []float64, from int) {
	stops := func(i int) bool {
		v := w.verdict(k, first+i)
		if v == verdict {
			out.list = append(out.list, stop{float64(k), float64(first + i), now[i]})
		}
		return v != Continue
	}
	low, high := 0, len(now)
	for low < high && stops(low) {
		low++
	}
	for low < high && stops(high-1) {
		high--
	}
	return now[low:high], first + low
}

// tilt returns the tilt at which a result better than the one seen has
// probability p; where none is within reason, one at which nearly all scores are
// the same.
func (s *stopping) tilt(p float64) float64 {
	const farthest = 40
	_, _, variance := moments(s.step)
	width := 1 / (math.Sqrt(variance*s.length) * float64(len(s.step)-1)) // as a standard error
	low, high := -width, width
	for s.better(low) > p && low > -farthest {
		low *= 2
	}
	for s.better(high) < p && high < farthest {
		high *= 2
	}
	for range 30 {
		if mid := (low + high) / 2; s.better(mid) < p {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}

// stops walks the test up to the observations seen, for all ways at once, and
// returns the results that are better than theirs (worse ones, where it stopped at
// the lower bound).
func (w *process) stops(n float64, bins []float64, verdict Verdict) stopping {
	out := stopping{worse: verdict == AcceptH0, step: w.step}
	last := max(1, int(math.Round(n/float64(w.per))))
	out.length = float64(last)
	_, mean, _ := moments(bins)
	seen := (mean - w.base) / w.unit * float64(last)
	now, first := w.ways(last, verdict, &out)
	for i, p := range now {
		sum := float64(first + i)
		ahead := sum - seen
		if out.worse {
			ahead = -ahead
		}
		// The result itself counts half.
		if share := min(1, max(0, ahead+0.5)); share > 0 {
			out.list = append(out.list, stop{float64(last), sum, p * share})
		}
	}
	return out
}

// ways returns the probability of having come to first, first+1, ... after so many
// steps without a stop, and adds the stops before to out.
func (w *process) ways(last int, verdict Verdict, out *stopping) (now []float64, first int) {
	const negligible = 1e-80
	if w.per == 1 && last <= shortTest {
		l := &layer{sums: 1, squares: 1, p: []float64{1}}
		for k := 1; k <= last; k++ {
			if l = l.grown(w.step); k < last && (last-k)%w.every == 0 {
				l = w.lookAround(k, l, verdict, out)
			}
		}
		return l.bySum()
	}
	now = []float64{1}
	for k := 1; k <= last; k++ {
		next := make([]float64, len(now)+len(w.step)-1)
		for i, p := range now {
			for j, q := range w.step {
				next[i+j] += p * q
			}
		}
		now = next
		if k == last {
			break
		}
		if (last-k)%w.every == 0 {
			now, first = w.look(k, now, first, verdict, out)
		}
		for len(now) > 0 && now[0] < negligible {
			now, first = now[1:], first+1
		}
		for len(now) > 0 && now[len(now)-1] < negligible {
			now = now[:len(now)-1]
		}
	}
	return now, first
}
