package rating

import (
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// mostSide is the number of rows of a tile, but of one that holds a whole smaller matrix:
// with more, gonum divides a product of two among goroutines of its own, and three tiles
// do not fit into a core's cache.
const mostSide = 64

// tiles is the upper triangle of a matrix in squares, each in one piece of memory, so that
// products of them stay within a core's cache and cores work on different ones.
type tiles struct {
	n, across int
	side      int         // rows of a tile
	at        [][]float64 // by row and column of tiles, across of each
	inverse   [][]float64 // of the factor's tiles on the diagonal
}

// cut returns a symmetric matrix in tiles. Where its rows end within a tile, the rest is
// that of the identity, whose factor and inverse it is itself.
func cut(m blas64.Symmetric) *tiles {
	side := min(m.N, mostSide)
	across := (m.N + side - 1) / side
	t := &tiles{n: m.N, across: across, side: side, at: make([][]float64, across*across), inverse: make([][]float64, across)}
	parallel(across, func(i int) {
		for j := i; j < across; j++ {
			tile := make([]float64, side*side)
			for row := range side {
				from, to := i*side+row, tile[row*side:(row+1)*side]
				if from < m.N {
					copy(to, m.Data[from*m.Stride+j*side:from*m.Stride+min((j+1)*side, m.N)])
				} else if i == j {
					to[row] = 1
				}
			}
			t.at[i*across+j] = tile
		}
	})
	return t
}

// factor replaces the matrix by its upper triangular factor U, with U'U the matrix. ok is
// false if it is not positive definite.
func (t *tiles) factor() (ok bool) {
	side := t.side
	for k := range t.across {
		own := t.at[k*t.across+k]
		if _, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: side, Stride: side, Data: own}); !ok {
			return false
		}
		for row := range side {
			clear(own[row*side : row*side+row])
		}
		t.inverse[k] = append([]float64(nil), own...)
		if !lapack64.Trtri(blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: side, Stride: side, Data: t.inverse[k]}) {
			return false
		}
		row := t.at[k*t.across : (k+1)*t.across]
		rest := t.across - k - 1
		parallel(rest, func(j int) {
			j += k + 1
			solved := make([]float64, side*side)
			t.addProduct(1, t.inverse[k], row[j], solved)
			row[j] = solved
		})
		parallel(rest, func(i int) {
			i += k + 1
			for j := i; j < t.across; j++ {
				t.addProduct(-1, row[i], row[j], t.at[i*t.across+j])
			}
		})
	}
	return true
}

// invert writes the inverse of the factor to rows of n numbers, with zeros below the
// diagonal. It needs the factor no more.
func (t *tiles) invert(rows []float64) {
	side := t.side
	parallel(len(t.at), func(k int) { t.transpose(t.at[k]) })
	parallel(t.across, func(k int) {
		j := t.across - 1 - k // the longest column first
		column := make([][]float64, j+1)
		column[j] = t.inverse[j]
		for i := j - 1; i >= 0; i-- {
			sum := make([]float64, side*side)
			for k := i + 1; k <= j; k++ {
				t.addProduct(1, t.at[i*t.across+k], column[k], sum)
			}
			column[i] = make([]float64, side*side)
			blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, t.square(t.inverse[i]), t.square(sum), 0, t.square(column[i]))
		}
		for row := range t.n {
			to := rows[row*t.n+j*side : row*t.n+min((j+1)*side, t.n)]
			if i := row / side; i <= j {
				copy(to, column[i][row%side*side:])
			} else {
				clear(to)
			}
		}
	})
}

// addProduct adds factor times the product of the transpose of a and b to c.
func (t *tiles) addProduct(factor float64, a, b, c []float64) {
	blas64.Gemm(blas.Trans, blas.NoTrans, factor, t.square(a), t.square(b), 1, t.square(c))
}

func (t *tiles) square(tile []float64) blas64.General {
	return blas64.General{Rows: t.side, Cols: t.side, Stride: t.side, Data: tile}
}

// transpose transposes a tile, which may be nil.
func (t *tiles) transpose(tile []float64) {
	for i := range len(tile) / t.side {
		for j := range i {
			tile[i*t.side+j], tile[j*t.side+i] = tile[j*t.side+i], tile[i*t.side+j]
		}
	}
}

// parallel calls do with the numbers below n, in this order, on all cores, and waits.
func parallel(n int, do func(int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				do(k)
			}
		})
	}
	group.Wait()
}
