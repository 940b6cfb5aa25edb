package learnt

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"botarena/engine"
	"botarena/engine/enginetest"
)

// The sum that is kept up to date is the sum of the weights that the coder finds, from
// both sides; a position is worth the same mirrored left to right, and with sides
// exchanged and turned upside down to the other side.
func TestSumIsTheSumOfItsWeights(t *testing.T) {
	enginetest.Check(t, 30, func(t *rapid.T) {
		kind := rapid.IntRange(small, lined).Draw(t, "kind")
		most := 10
		if kind == lined {
			most = 8
		}
		cols, rows := rapid.IntRange(2, most).Draw(t, "columns"), rapid.IntRange(4, most).Draw(t, "rows")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		layout := newLayout(cols, rows, kind)
		weights := random(layout.size, 1000)
		sum := NewSum(layout.patterns(weights))
		digits := make([]uint8, cols*rows)
		for range 30 {
			sq, digit := rng.IntN(len(digits)), uint8(rng.IntN(3))
			sum.Change(sq, int(digit)-int(digits[sq]))
			digits[sq] = digit
		}
		coder := layout.coder()
		worth := func(digits []uint8, side engine.Side) (n int32) {
			for _, i := range coder.indexes(nil, side, func(sq int) int { return int(digits[sq]) }) {
				n += int32(weights[i])
			}
			return n
		}
		check := func() {
			t.Helper()
			if want := (Sums{worth(digits, engine.First), worth(digits, engine.Second)}); sum.Sums != want {
				t.Fatalf("%v, want %v", sum.Sums, want)
			}
		}
		check()
		for range 10 {
			was := sum.Sums
			lower := rng.IntN(cols * (rows - 1))
			upper := lower + cols + min(max(rng.IntN(3)-1, -(lower%cols)), cols-1-lower%cols)
			byLower, byUpper := rng.IntN(3)-int(digits[lower]), rng.IntN(3)-int(digits[upper])
			sum.Move(lower, upper, byLower, byUpper)
			if rng.IntN(2) == 0 {
				sum.Restore(lower, upper, -byLower, -byUpper)
				sum.Sums = was
			} else {
				digits[lower] = uint8(int(digits[lower]) + byLower)
				digits[upper] = uint8(int(digits[upper]) + byUpper)
			}
			check()
		}
		mirrored, turned := make([]uint8, len(digits)), make([]uint8, len(digits))
		for sq, d := range digits {
			row, col := sq/cols, sq%cols
			mirrored[row*cols+cols-1-col] = d
			if d > 0 {
				d = 3 - d
			}
			turned[(rows-1-row)*cols+col] = d
		}
		if got := worth(mirrored, engine.First); got != sum.Sums[0] {
			t.Errorf("mirrored it is worth %d, not %d", got, sum.Sums[0])
		}
		if got := worth(turned, engine.Second); got != sum.Sums[0] {
			t.Errorf("turned it is worth %d, not %d", got, sum.Sums[0])
		}
	})
}

// What weights have in common is the same wherever a pattern lies, mirrored, and for the
// other side turned upside down; another pattern has something else.
func TestCommonWherever(t *testing.T) {
	const size = 10
	layout := newLayout(size, size, small)
	coder, common := layout.coder(), layout.common()
	numbers := func(digits []uint8, side engine.Side) []int32 {
		at := coder.indexes(nil, side, func(sq int) int { return int(digits[sq]) })
		for i := range at {
			at[i] = common[at[i]]
		}
		slices.Sort(at)
		return at
	}
	rapid.Check(t, func(t *rapid.T) {
		here, there, mirrored, turned, other := make([]uint8, size*size), make([]uint8, size*size), make([]uint8, size*size), make([]uint8, size*size), make([]uint8, size*size)
		right, up := rapid.IntRange(-1, 1).Draw(t, "right"), rapid.IntRange(-1, 1).Draw(t, "up")
		for row := 3; row < 7; row++ { // every window that sees a piece is inside of the board
			for col := 3; col < 7; col++ {
				d := uint8(rapid.IntRange(0, 2).Draw(t, "digit"))
				here[row*size+col] = d
				there[(row+up)*size+col+right] = d
				mirrored[row*size+size-1-col] = d
				other[row*size+col] = (d + 1) % 3
				if d > 0 {
					d = 3 - d
				}
				turned[(size-1-row)*size+col] = d
			}
		}
		want := numbers(here, engine.First)
		for i, got := range [][]int32{numbers(there, engine.First), numbers(mirrored, engine.First), numbers(turned, engine.Second)} {
			if !slices.Equal(got, want) {
				t.Errorf("%d: %v, want %v", i, got, want)
			}
		}
		if slices.Equal(numbers(other, engine.First), want) {
			t.Error("another pattern has the same in common")
		}
	})
}
