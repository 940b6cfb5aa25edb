package spsa

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// mostBlocks is the maximum number of blocks of a path, and batches the number of
// batches of which an interval is made.
const (
	mostBlocks = 256
	batches    = 6
)

// path holds the values after each iteration as means of blocks of equal length, at
// most mostBlocks: when there are too many, two become one. So a path of any length
// takes the same room.
type path struct {
	size   int         // iterations in a block
	blocks [][]float64 // means of whole blocks
	sum    []float64   // of the block that is not whole
	count  int         // iterations in it
	last   []float64
}

func (p *path) add(theta []float64) {
	copy(p.last, theta)
	if p.sum == nil {
		p.size, p.sum = 1, make([]float64, len(theta))
	}
	for i, x := range theta {
		p.sum[i] += x
	}
	if p.count++; p.count < p.size {
		return
	}
	mean := make([]float64, len(theta))
	for i, x := range p.sum {
		mean[i], p.sum[i] = x/float64(p.count), 0
	}
	p.blocks, p.count = append(p.blocks, mean), 0
	if len(p.blocks) < mostBlocks {
		return
	}
	for b := range mostBlocks / 2 {
		for i := range theta {
			p.blocks[b][i] = (p.blocks[2*b][i] + p.blocks[2*b+1][i]) / 2
		}
	}
	p.blocks, p.size = p.blocks[:mostBlocks/2], 2*p.size
}

// An Estimate is the tuned value of a parameter.
type Estimate struct {
	Value float64 // mean over the last half of the iterations
	// Error is the half-width of a 95 % interval, by means of batches of that half; NaN
	// if there are too few iterations.
	Error float64
}

// Estimates returns the tuned values, the start's without an iteration.
func (t *Tuner) Estimates() []Estimate {
	list := make([]Estimate, len(t.theta))
	blocks := t.path.blocks
	last := blocks[len(blocks)/2:]
	each := len(last) / batches
	for i := range list {
		list[i] = Estimate{Value: t.theta[i], Error: math.NaN()}
		if len(last) == 0 {
			continue
		}
		values := make([]float64, len(last))
		for b := range last {
			values[b] = last[b][i]
		}
		list[i].Value = stat.Mean(values, nil)
		if each == 0 {
			continue
		}
		means := make([]float64, batches)
		for b := range means {
			end := len(values) - (batches-1-b)*each
			means[b] = stat.Mean(values[end-each:end], nil)
		}
		quantile := distuv.StudentsT{Sigma: 1, Nu: batches - 1}.Quantile(0.975)
		list[i].Error = quantile * stat.StdDev(means, nil) / math.Sqrt(batches)
	}
	return list
}

// A Snapshot is a point of the path of a tuning: the mean of theta over some iterations
// up to one.
type Snapshot struct {
	Iteration int
	Theta     []float64
}

// Snapshots returns the path in equal steps, the current theta last.
func (t *Tuner) Snapshots() []Snapshot {
	var list []Snapshot
	for b, mean := range t.path.blocks {
		list = append(list, Snapshot{(b + 1) * t.path.size, mean})
	}
	if t.path.count > 0 {
		list = append(list, Snapshot{t.done, t.path.last})
	}
	return list
}
