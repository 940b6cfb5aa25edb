// Package pattern judges positions of Breakthrough by tables of patterns (n-tuples):
// the board is covered by all windows of 3x2 and 2x3 squares, each of whose 3^6
// states has a weight by where the window lies, and the judgement is the sum of the
// weights. A move changes the windows of two squares, so the sum is kept up to date
// at little cost.
//
// Weights are for the side to move, with its home at the bottom: the right to move
// is part of what they know. A window and its mirror image left to right share them.
package pattern

import (
	"fmt"
	"slices"
)

const (
	squaresOf = 6
	// States is the number of states of a window.
	States = 729
)

// A Layout says which windows a board has, and which of them share weights.
type Layout struct {
	Cols, Rows int
	// Classes is the number of kinds of windows: a table has Classes*States weights.
	Classes int
	windows []window
	at      [][]ref     // the windows of a square
	steps   [][3][]step // by the lower square, and whether the upper one is to its left, ahead or to its right
}

type window struct {
	cols, rows, col, row int
}

// A ref is a square's part in a window: its number there is a digit of the state.
type ref struct {
	window uint16
	power  uint16
}

// A step is the part in a window of two squares that a move leads between, 0 for one
// that lies outside.
type step struct {
	window       uint16
	lower, upper int16 // powers of the square nearer to row 0, and of the other
}

// NewLayout returns the layout of a board, rank*cols + file being the number of a
// square. With shared, windows share weights unless they lie near an edge, in a
// way that is the same for boards of every size.
func NewLayout(cols, rows int, shared bool) *Layout {
	l := &Layout{Cols: cols, Rows: rows, at: make([][]ref, cols*rows)}
	for _, shape := range [2][2]int{{3, 2}, {2, 3}} {
		for row := range rows - shape[1] + 1 {
			for col := range max(0, cols-shape[0]+1) {
				w := window{cols: shape[0], rows: shape[1], col: col, row: row}
				power := 1
				for i := range squaresOf {
					sq := w.square(i, cols)
					l.at[sq] = append(l.at[sq], ref{window: uint16(len(l.windows)), power: uint16(power)})
					power *= 3
				}
				l.windows = append(l.windows, w)
			}
		}
	}
	l.pair()
	for _, w := range l.windows {
		class, _ := l.class(w, shared)
		l.Classes = max(l.Classes, class+1)
	}
	if shared {
		l.Classes = 2 * sharedRows * sharedCols
	}
	return l
}

// pair lists, for each square and the up to three ahead of it, the windows of either.
func (l *Layout) pair() {
	l.steps = make([][3][]step, l.Cols*(l.Rows-1))
	for lower := range l.steps {
		for way := range 3 {
			col := lower%l.Cols + way - 1
			if col < 0 || col >= l.Cols {
				continue
			}
			upper := lower + l.Cols + way - 1
			var steps []step
			for _, r := range l.at[lower] {
				steps = append(steps, step{window: r.window, lower: int16(r.power)})
			}
			for _, r := range l.at[upper] {
				i := slices.IndexFunc(steps, func(s step) bool { return s.window == r.window })
				if i < 0 {
					i = len(steps)
					steps = append(steps, step{window: r.window})
				}
				steps[i].upper = int16(r.power)
			}
			l.steps[lower][way] = steps
		}
	}
}

// between are the windows of a square and of one ahead of it.
func (l *Layout) between(lower, upper int) []step {
	return l.steps[lower][upper-lower-l.Cols+1]
}

// square is the i-th square of the window, row by row from the bottom.
func (w window) square(i, cols int) int { return (w.row+i/w.cols)*cols + w.col + i%w.cols }

const sharedRows, sharedCols = 7, 3

// class is the kind of a window as the first side sees it, and whether it is the
// mirror image of its kind.
func (l *Layout) class(w window, shared bool) (class int, mirrored bool) {
	across, up := l.Cols-w.cols+1, l.Rows-w.rows+1
	col := w.col
	if other := across - 1 - col; other < col {
		col, mirrored = other, true
	}
	if shared {
		row := sharedRows / 2
		if w.row < row {
			row = w.row
		} else if from := up - 1 - w.row; from < row {
			row = sharedRows - 1 - from
		}
		class = row*sharedCols + min(col, sharedCols-1)
		if w.cols == 2 {
			class += sharedRows * sharedCols
		}
		return class, mirrored
	}
	class = w.row*((across+1)/2) + col
	if w.cols == 2 { // after all classes of the other shape
		class += (l.Rows - 1) * ((l.Cols - 2 + 1) / 2)
	}
	return class, mirrored
}

// A view is where a window's states are found in a table, for one side to move.
type view struct {
	class int
	// places are the powers of the digits in the class's own order.
	places [squaresOf]int
	swap   bool // the sides' digits are exchanged
	self   bool // the window is its own mirror image
	mirror [squaresOf]int
}

// view returns the window as the given side sees it.
func (l *Layout) view(w window, second, shared bool) view {
	seen := w
	if second {
		seen.row = l.Rows - w.rows - w.row
	}
	class, mirrored := l.class(seen, shared)
	v := view{class: class, swap: second, self: 2*w.col+w.cols == l.Cols}
	for i := range squaresOf {
		row, col := i/w.cols, i%w.cols
		if second {
			row = w.rows - 1 - row
		}
		other := w.cols - 1 - col
		if mirrored {
			col, other = other, col
		}
		v.places[i] = power(row*w.cols + col)
		v.mirror[i] = power(row*w.cols + other)
	}
	return v
}

func power(n int) int {
	p := 1
	for range n {
		p *= 3
	}
	return p
}

// state translates a state, by the board's own digits, to the index of its weight.
func (v view) state(state int) int {
	here, mirror := 0, 0
	for i := range squaresOf {
		digit := state % 3
		state /= 3
		if v.swap && digit > 0 {
			digit = 3 - digit
		}
		here += digit * v.places[i]
		mirror += digit * v.mirror[i]
	}
	if v.self {
		here = min(here, mirror)
	}
	return v.class*States + here
}

// Common numbers, for each weight of a table, the pattern that it is for, wherever the
// window lies, mirror images being the same.
func (l *Layout) Common(shared bool) []int32 {
	common := make([]int32, l.Classes*States)
	for _, w := range l.windows {
		class, _ := l.class(w, shared)
		for state := range States {
			mirrored := 0
			for i := squaresOf - 1; i >= 0; i-- {
				at := i/w.cols*w.cols + w.cols - 1 - i%w.cols
				mirrored = mirrored*3 + state/power(at)%3
			}
			number := min(state, mirrored)
			if w.cols == 2 {
				number += States
			}
			common[class*States+state] = int32(number)
		}
	}
	return common
}

// Windows is the number of windows of the board.
func (l *Layout) Windows() int { return len(l.windows) }

// A Coder finds the weights of positions in a table.
type Coder struct {
	layout *Layout
	index  [2][]int32 // by side to move, window and state
}

// Coder returns a coder for tables of this layout.
func (l *Layout) Coder(shared bool) *Coder {
	c := &Coder{layout: l}
	for side := range c.index {
		for _, w := range l.windows {
			v := l.view(w, side == 1, shared)
			for state := range States {
				c.index[side] = append(c.index[side], int32(v.state(state)))
			}
		}
	}
	return c
}

// Indexes appends where the weights of a position are, for the side to move: one for
// each window. digits are the squares of the board: 0 empty, 1 the first side's, 2
// the second's.
func (c *Coder) Indexes(dst []int32, digits []uint8, second bool) []int32 {
	side := 0
	if second {
		side = 1
	}
	for n, w := range c.layout.windows {
		state := 0
		for i := squaresOf - 1; i >= 0; i-- {
			state = state*3 + int(digits[w.square(i, c.layout.Cols)])
		}
		dst = append(dst, c.index[side][n*States+state])
	}
	return dst
}

func (l *Layout) String() string {
	return fmt.Sprintf("%dx%d: %d windows of %d kinds", l.Cols, l.Rows, len(l.windows), l.Classes)
}
