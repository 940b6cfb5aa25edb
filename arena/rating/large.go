package rating

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A pool with so many parameters is large: Newton's steps are then found by
// conjugate gradients, which take time in proportion to the pairings, and the
// information is factored once, at the maximum. With fewer a factor is cheap and
// needs no patience.
const largePool = 300

// Sums over so many tallies are taken in so many parts, on as many cores as there are:
// always the same, so that the number of cores changes no digit.
const (
	manyTallies = 100_000
	mostParts   = 4
)

func (p *problem) parts() int {
	if len(p.tallies) < manyTallies {
		return 1
	}
	return mostParts
}

// each calls add for each part of the tallies, to add to a sum what these give.
func (p *problem) each(sum []float64, add func(part, from, to int, sum []float64)) {
	parts := p.parts()
	if parts == 1 {
		add(0, 0, len(p.tallies), sum)
		return
	}
	sums := make([][]float64, parts)
	parallel(parts, func(k int) {
		sums[k] = make([]float64, len(sum))
		add(k, k*len(p.tallies)/parts, (k+1)*len(p.tallies)/parts, sums[k])
	})
	for _, part := range sums {
		floats.Add(sum, part)
	}
}

// curvature is the information at one place, pairing by pairing.
type curvature struct {
	*problem
	xx, xv []float64 // by tally: of x with itself, and with ln v
	vv     float64   // of ln v with itself
	diag   []float64
	hold   []float64 // what priors add to the diagonal
}

// curvature returns the information at theta.
func (p *problem) curvature(theta []float64) *curvature {
	n := p.size()
	c := &curvature{problem: p, xx: make([]float64, len(p.tallies)), xv: make([]float64, len(p.tallies)), diag: make([]float64, n)}
	p.each(c.diag, func(_, from, to int, diag []float64) { c.measure(theta, from, to, diag) })
	if p.draws {
		c.vv = c.diag[p.iV()]
	}
	c.hold = p.holds()
	floats.Add(c.diag, c.hold)
	for _, l := range p.links {
		c.diag[l.older] += p.weight
		c.diag[l.newer] += p.weight
	}
	if p.prior == 0 { // the gauge
		for i := range p.bots {
			c.diag[i]++
		}
	}
	return c
}

// measure sets the information of some tallies, and adds it to the diagonal.
func (c *curvature) measure(theta []float64, from, to int, diag []float64) {
	a, lnv := c.shape(theta)
	v := math.Exp(lnv)
	for k := from; k < to; k++ {
		t := &c.tallies[k]
		i, j, games := t.first, t.second, t.games()
		prob, _ := davidson(theta[i]-theta[j]+a, v)
		tilt := prob[Win] - prob[Loss]
		c.xx[k] = games * (prob[Win] + prob[Loss] - tilt*tilt) / 4
		diag[i] += c.xx[k]
		diag[j] += c.xx[k]
		if c.advantage {
			diag[c.iA()] += c.xx[k]
		}
		if c.draws {
			c.xv[k] = -games * prob[Draw] * tilt / 2
			diag[c.iV()] += games * prob[Draw] * (1 - prob[Draw])
		}
	}
}

// dense returns the information as a matrix.
func (c *curvature) dense() *mat.SymDense {
	n := len(c.diag)
	info := mat.NewSymDense(n, nil)
	h := info.RawSymmetric().Data
	iA, iV := c.iA(), c.iV()
	for i, x := range c.diag {
		h[i*n+i] = x
		for j := i + 1; c.prior == 0 && j < c.bots && i < c.bots; j++ { // the gauge
			h[i*n+j] = 1
		}
	}
	for k := range c.tallies {
		i, j := int(c.tallies[k].first), int(c.tallies[k].second)
		h[min(i, j)*n+max(i, j)] -= c.xx[k]
		if c.advantage {
			h[i*n+iA] += c.xx[k]
			h[j*n+iA] -= c.xx[k]
		}
		if c.draws {
			h[i*n+iV] += c.xv[k]
			h[j*n+iV] -= c.xv[k]
		}
		if c.advantage && c.draws {
			h[iA*n+iV] += c.xv[k]
		}
	}
	for _, l := range c.links {
		i, j := int(l.older), int(l.newer)
		h[min(i, j)*n+max(i, j)] -= c.weight
	}
	return info
}

// mul sets dst to the information times x.
func (c *curvature) mul(dst, x []float64) {
	floats.MulTo(dst, c.hold, x)
	xa, xl := 0.0, 0.0
	if c.advantage {
		xa = x[c.iA()]
	}
	if c.draws {
		xl = x[c.iV()]
	}
	c.each(dst, func(_, from, to int, dst []float64) {
		sumA, sumV := 0.0, 0.0
		for k := from; k < to; k++ {
			t := &c.tallies[k]
			d := x[t.first] - x[t.second] + xa
			g := c.xx[k]*d + c.xv[k]*xl
			dst[t.first] += g
			dst[t.second] -= g
			sumA += g
			sumV += c.xv[k] * d
		}
		if c.advantage {
			dst[c.iA()] += sumA
		}
		if c.draws {
			dst[c.iV()] += sumV
		}
	})
	if c.draws {
		dst[c.iV()] += c.vv * xl
	}
	for _, l := range c.links {
		g := c.weight * (x[l.newer] - x[l.older])
		dst[l.newer] += g
		dst[l.older] -= g
	}
	if c.prior == 0 {
		floats.AddConst(floats.Sum(x[:c.bots]), dst[:c.bots])
	}
}

// solve sets dst to the solution of information times dst = b, by conjugate
// gradients with the diagonal as preconditioner. ok is false if they take too
// long: pools that hang together by a few games.
func (c *curvature) solve(dst, b []float64) (ok bool) {
	const most, enough = 300, 1e-9
	n := len(b)
	r, z, d, q := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	clear(dst)
	copy(r, b)
	floats.DivTo(z, r, c.diag)
	copy(d, z)
	rz := floats.Dot(r, z)
	goal := enough * enough * rz
	for range most {
		if rz <= goal {
			return true
		}
		c.mul(q, d)
		alpha := rz / floats.Dot(d, q)
		floats.AddScaled(dst, alpha, d)
		floats.AddScaled(r, -alpha, q)
		floats.DivTo(z, r, c.diag)
		next := floats.Dot(r, z)
		floats.AddScaledTo(d, z, next/rz, d)
		rz = next
	}
	return false
}

// root is the inverse of an upper triangular factor U of the information, which
// is U'U: the inverse of the information is root times its transpose. It takes
// two thirds of the work that the inverse takes, and gives each of its elements
// for one product of rows.
type root struct {
	n int
	u []float64 // n rows of n, with zeros below the diagonal
}

// newRoot factors the information, whose place it takes.
func newRoot(info *mat.SymDense) (root, error) {
	raw := info.RawSymmetric()
	r := root{n: raw.N, u: raw.Data}
	t := cut(raw)
	if !t.factor() {
		return root{}, fmt.Errorf("%w (singular information)", ErrNoConvergence)
	}
	t.invert(r.u)
	return r, nil
}

func (r root) part(row, rowEnd, col, colEnd int) blas64.General {
	return blas64.General{Rows: rowEnd - row, Cols: colEnd - col, Stride: r.n, Data: r.u[row*r.n+col:]}
}

// at returns an element of the inverse of the information.
func (r root) at(i, j int) float64 {
	k := max(i, j)
	return floats.Dot(r.u[i*r.n+k:(i+1)*r.n], r.u[j*r.n+k:(j+1)*r.n])
}

// dense returns the inverse of the information.
func (r root) dense() *mat.SymDense {
	const block = 128
	inv := mat.NewSymDense(r.n, nil)
	data := inv.RawSymmetric().Data
	for i := 0; i < r.n; i += block {
		for j := i; j < r.n; j += block {
			blas64.Gemm(blas.NoTrans, blas.Trans, 1,
				r.part(i, min(i+block, r.n), j, r.n), r.part(j, min(j+block, r.n), j, r.n), 0,
				blas64.General{Rows: min(i+block, r.n) - i, Cols: min(j+block, r.n) - j, Stride: r.n, Data: data[i*r.n+j:]})
		}
	}
	return inv
}

// A covariance is that of the parameters of a fit.
type covariance interface {
	At(i, j int) float64
}

// centred is the covariance of the parameters with ratings as differences to
// their mean, by elements of the inverse as they are asked for.
type centred struct {
	root  root
	bots  int
	rows  []float64 // means over the bots
	all   float64
	scale float64 // Elo for one unit of x, squared
}

// centredBy returns the covariance of ratings around their mean.
func (p *problem) centredBy(r root, scale float64) *centred {
	c := &centred{root: r, bots: p.bots, rows: make([]float64, r.n), scale: scale}
	columns := make([]float64, r.n) // means over the bots
	for i := range p.bots {
		floats.Add(columns[i:], r.u[i*r.n+i:(i+1)*r.n])
	}
	floats.Scale(1/float64(p.bots), columns)
	for i := range c.rows {
		c.rows[i] = floats.Dot(columns[i:], r.u[i*r.n+i:(i+1)*r.n])
	}
	c.all = stat.Mean(c.rows[:p.bots], nil)
	return c
}

// At returns an element; its indices may come in either order.
func (c *centred) At(i, j int) float64 {
	i, j = min(i, j), max(i, j)
	v := c.root.at(i, j)
	switch {
	case j < c.bots:
		v += c.all - c.rows[j] - c.rows[i]
	case i < c.bots:
		v -= c.rows[j]
	}
	return v * c.scale
}
