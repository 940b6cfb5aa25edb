package sprt

import "math"

// shortTest is the number of observations up to which a test is walked by the sums and
// the spread of its scores. The ratio of few observations depends on their spread; that
// of many hardly does, and walks use only the sums.
const shortTest = 150

// layer is the probability of having come to sums and squares without a stop:
// sums from first on, squares (of the differences to a level score, in units) from
// least on.
type layer struct {
	first, least  int
	sums, squares int
	p             []float64 // by sum, then square
}

// grown returns the layer after one more step.
func (l *layer) grown(step []float64) *layer {
	const negligible = 1e-25
	half := (len(step) - 1) / 2
	out := &layer{first: l.first, least: l.least, sums: l.sums + 2*half, squares: l.squares + half*half}
	out.p = make([]float64, out.sums*out.squares)
	for s := range l.sums {
		for q, p := range l.p[s*l.squares : (s+1)*l.squares] {
			if p < negligible {
				continue
			}
			for j, chance := range step {
				out.p[(s+j)*out.squares+q+(j-half)*(j-half)] += p * chance
			}
		}
	}
	return out
}

// trimmed returns the layer without the sums and squares at its ends that nothing
// comes to.
func (l *layer) trimmed() *layer {
	s0, s1, q0, q1 := l.sums, 0, l.squares, 0
	for s := range l.sums {
		for q, p := range l.p[s*l.squares : (s+1)*l.squares] {
			if p > 0 {
				s0, s1, q0, q1 = min(s0, s), max(s1, s+1), min(q0, q), max(q1, q+1)
			}
		}
	}
	if s0 >= s1 {
		return &layer{}
	}
	out := &layer{first: l.first + s0, least: l.least + q0, sums: s1 - s0, squares: q1 - q0}
	for s := s0; s < s1; s++ {
		out.p = append(out.p, l.p[s*l.squares+q0:s*l.squares+q1]...)
	}
	return out
}

// bySum sums over the squares.
func (l *layer) bySum() (now []float64, first int) {
	now = make([]float64, l.sums)
	for s := range now {
		for _, p := range l.p[s*l.squares : (s+1)*l.squares] {
			now[s] += p
		}
	}
	return now, l.first
}

// lookAround takes out what stops after k steps, as look does.
func (w *process) lookAround(k int, l *layer, verdict Verdict, out *stopping) *layer {
	top := float64(len(w.step) - 1)
	for s := range l.sums {
		row := l.p[s*l.squares : (s+1)*l.squares]
		sum := float64(l.first + s)
		mean := sum / (top * float64(k))
		ratio, variance := w.interpolated(mean)
		ratio -= w.approximate(mean, variance)
		stopped := 0.0
		for q, p := range row {
			if p == 0 {
				continue
			}
			square := float64(l.least+q) / (top * top * float64(k))
			seen := square - (mean-0.5)*(mean-0.5)
			switch w.test.Verdict(float64(k) * (ratio + w.approximate(mean, seen))) {
			case Continue:
			case verdict:
				stopped += p
				row[q] = 0
			default:
				row[q] = 0
			}
		}
		if stopped > 0 {
			out.list = append(out.list, stop{float64(k), sum, stopped})
		}
	}
	return l.trimmed()
}

// approximate returns the ratio of an observation by mean and variance alone, as of
// normal scores whose variance is unknown. It is not the test's, but it changes
// with the variance as the test's does.
func (w *process) approximate(mean, variance float64) float64 {
	const least = 1e-4
	variance = max(variance, least)
	if w.test.Model == Logistic {
		a, b := mean-Expected(w.test.Elo0), mean-Expected(w.test.Elo1)
		return math.Log((variance+a*a)/(variance+b*b)) / 2
	}
	per, t := neloPer(w.shape), (mean-0.5)/math.Sqrt(variance)
	a, b := t-w.test.Elo0/per, t-w.test.Elo1/per
	return math.Log((1+a*a)/(1+b*b)) / 2
}
