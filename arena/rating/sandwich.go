package rating

import (
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// sandwich is the clustered covariance T H⁻¹ J H⁻¹ T' of a large pool by elements as they
// are asked for: of the whole only the diagonal and neighbours are, and J has entries only
// for bots that met.
type sandwich struct {
	rows  *mat.Dense // T H⁻¹
	diag  []float64  // of J
	from  []int32    // where the entries of a row of J right of its diagonal begin
	at    []int32    // their columns
	value []float64
	scale float64

	mu    sync.Mutex
	known map[[2]int]float64
}

// newSandwich returns the covariance with these rows of T H⁻¹ and this J.
func newSandwich(rows *mat.Dense, scores *mat.SymDense, scale float64) *sandwich {
	n := scores.SymmetricDim()
	c := &sandwich{rows: rows, from: make([]int32, n+1), scale: scale * scale, known: map[[2]int]float64{}}
	c.gather(scores)
	var own [][2]int
	for i := range n {
		own = append(own, [2]int{i, i})
	}
	c.work(own)
	return c
}

// gather takes the entries of J that are not 0.
func (c *sandwich) gather(j *mat.SymDense) {
	n := j.SymmetricDim()
	c.diag = make([]float64, n)
	for i := range n {
		c.diag[i] = j.At(i, i)
		for k := i + 1; k < n; k++ {
			if v := j.At(i, k); v != 0 {
				c.at, c.value = append(c.at, int32(k)), append(c.value, v)
			}
		}
		c.from[i+1] = int32(len(c.at)) //nolint:gosec // fewer than clusters
	}
}

// work computes elements on all cores.
func (c *sandwich) work(list [][2]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list = slices.DeleteFunc(list, func(key [2]int) bool {
		_, ok := c.known[key]
		return ok
	})
	values := make([]float64, len(list))
	workers := runtime.GOMAXPROCS(0)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			product := make([]float64, len(c.diag))
			for k := w; k < len(list); k += workers {
				values[k] = c.element(list[k][0], list[k][1], product)
			}
		})
	}
	group.Wait()
	for k, key := range list {
		c.known[key] = values[k]
	}
}

func (c *sandwich) element(i, j int, product []float64) float64 {
	x := c.rows.RawRowView(i)
	floats.MulTo(product, c.diag, x)
	for r := range c.diag {
		sum, own := 0.0, x[r]
		for k := c.from[r]; k < c.from[r+1]; k++ {
			column, v := c.at[k], c.value[k]
			sum += v * x[column]
			product[column] += v * own
		}
		product[r] += sum
	}
	return floats.Dot(product, c.rows.RawRowView(j)) * c.scale
}

// At returns an element; its indices may come in either order.
func (c *sandwich) At(i, j int) float64 {
	key := [2]int{min(i, j), max(i, j)}
	c.work([][2]int{key})
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known[key]
}

// ahead has a covariance compute, at once, the elements of neighbours in a list.
func ahead(c covariance, slots []int) {
	s, ok := c.(*sandwich)
	if !ok {
		return
	}
	var list [][2]int
	for k := 1; k < len(slots); k++ {
		list = append(list, [2]int{min(slots[k-1], slots[k]), max(slots[k-1], slots[k])})
	}
	s.work(list)
}
