package learnt

import (
	"slices"

	"botarena/engine"
	"botarena/engine/breakthrough"
)

// The kinds of tables of patterns.
const (
	small = iota // windows of six squares
	lined        // these, and files and rows
)

// longest is the number of squares of the largest window.
const longest = 8

// kindFor returns the kind that is learnt for a board of this size.
func kindFor(cols, rows int) int {
	if max(cols, rows) > longest {
		return small
	}
	return lined
}

// A layout says which windows a board has, and which of them share weights: the board is
// covered by all windows of 3x2 and 2x3 squares, and on boards of up to 8x8 by its whole
// files and rows, each of whose states has a weight by where the window lies. A window and
// its mirror image left to right share them.
//
// Weights are for the side to move, with its home at the bottom: the right to move is part of
// what they know.
type layout struct {
	cols, rows int
	size       int // number of weights of a table
	windows    []window
	states     int         // of all windows together
	at         [][]ref     // the windows of a square
	steps      [][3][]step // by the lower square, and whether the upper one is to its left, ahead or to its right
}

// A shape is a size of windows.
type shape struct {
	cols, rows int
	begin      int // of the weights of its windows
}

func (s shape) squares() int { return s.cols * s.rows }

func (s shape) states() int { return power(s.squares()) }

type window struct {
	shape
	col, row int
	first    int // the number of its first state among those of all windows
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

// newLayout returns the layout of a board, rank*cols + file being the number of a
// square. One that is lined has to be of up to 8x8 squares.
func newLayout(cols, rows, kind int) *layout {
	l := &layout{cols: cols, rows: rows, at: make([][]ref, cols*rows)}
	sizes := [][2]int{{3, 2}, {2, 3}}
	if kind == lined { // last, so that a table of six squares is the beginning of theirs
		sizes = append(sizes, [2]int{1, rows}, [2]int{cols, 1})
	}
	for _, size := range sizes {
		s := shape{cols: size[0], rows: size[1], begin: l.size}
		across, up := max(0, cols-s.cols+1), max(0, rows-s.rows+1)
		for row := range up {
			for col := range across {
				w := window{shape: s, col: col, row: row, first: l.states}
				l.states += s.states()
				for i := range s.squares() {
					sq := w.square(i, cols)
					l.at[sq] = append(l.at[sq], ref{window: uint16(len(l.windows)), power: uint16(power(i))})
				}
				l.windows = append(l.windows, w)
			}
		}
		l.size += up * ((across + 1) / 2) * s.states()
	}
	l.pair()
	return l
}

// pair lists, for each square and the up to three ahead of it, the windows of either.
func (l *layout) pair() {
	l.steps = make([][3][]step, l.cols*(l.rows-1))
	for lower := range l.steps {
		for way := range 3 {
			col := lower%l.cols + way - 1
			if col < 0 || col >= l.cols {
				continue
			}
			upper := lower + l.cols + way - 1
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

// between returns the windows of a square and of one ahead of it.
func (l *layout) between(lower, upper int) []step {
	return l.steps[lower][upper-lower-l.cols+1]
}

// square returns the i-th square of the window, row by row from the bottom.
func (w window) square(i, cols int) int { return (w.row+i/w.cols)*cols + w.col + i%w.cols }

// weightsOf returns where those of a window begin, as the first side sees it, and whether
// it is the mirror image of the one that they are for.
func (l *layout) weightsOf(w window) (at int, mirrored bool) {
	across, col := l.cols-w.cols+1, w.col
	if other := across - 1 - col; other < col {
		col, mirrored = other, true
	}
	return w.begin + (w.row*((across+1)/2)+col)*w.states(), mirrored
}

// A view locates a window's states in a table, for one side to move.
type view struct {
	weights int
	// places are the powers of the digits in the table's own order.
	places, mirror []int
	swap           bool // the sides' digits are exchanged
	self           bool // the window is its own mirror image
}

// view returns the window as the given side sees it.
func (l *layout) view(w window, second bool) view {
	seen := w
	if second {
		seen.row = l.rows - w.rows - w.row
	}
	weights, mirrored := l.weightsOf(seen)
	v := view{weights: weights, swap: second, self: 2*w.col+w.cols == l.cols}
	for i := range w.squares() {
		row, col := i/w.cols, i%w.cols
		if second {
			row = w.rows - 1 - row
		}
		other := w.cols - 1 - col
		if mirrored {
			col, other = other, col
		}
		v.places = append(v.places, power(row*w.cols+col))
		v.mirror = append(v.mirror, power(row*w.cols+other))
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
	for i, place := range v.places {
		digit := state % 3
		state /= 3
		if v.swap && digit > 0 {
			digit = 3 - digit
		}
		here += digit * place
		mirror += digit * v.mirror[i]
	}
	if v.self {
		here = min(here, mirror)
	}
	return v.weights + here
}

// each calls f for each state of each window, numbered among all, and the weight that it has
// if the given side is to move.
func (l *layout) each(second bool, f func(state, weight int)) {
	for _, w := range l.windows {
		v := l.view(w, second)
		for state := range w.states() {
			f(w.first+state, v.state(state))
		}
	}
}

// common returns, for each weight of a table, the number from size on of the pattern that it
// is for, wherever the window lies, mirror images being the same; not every number is used.
func (l *layout) common() []int32 {
	common := make([]int32, l.size)
	for _, w := range l.windows {
		at, _ := l.weightsOf(w)
		for state := range w.states() {
			mirrored := 0
			for i := w.squares() - 1; i >= 0; i-- {
				from := i/w.cols*w.cols + w.cols - 1 - i%w.cols
				mirrored = mirrored*3 + state/power(from)%3
			}
			common[at+state] = int32(l.size + w.begin + min(state, mirrored))
		}
	}
	return common
}

// A coder finds the weights of positions in a table.
type coder struct {
	*layout
	index [2][]int32 // by side to move and state
}

func (l *layout) coder() *coder {
	c := &coder{layout: l}
	for side := range c.index {
		c.index[side] = make([]int32, l.states)
		l.each(side == 1, func(state, weight int) { c.index[side][state] = int32(weight) })
	}
	return c
}

// indexes appends where the weights of a position are for a side to move: one for each
// window. digit returns what is on a square: 0 for nothing, 1 for the first side's piece, 2
// for the second's.
func (c *coder) indexes(dst []int32, side engine.Side, digit func(sq int) int) []int32 {
	for _, w := range c.windows {
		state := 0
		for i := w.squares() - 1; i >= 0; i-- {
			state = state*3 + digit(w.square(i, c.cols))
		}
		dst = append(dst, c.index[side&1][w.first+state])
	}
	return dst
}

func (c *coder) positions(dst []int32, p engine.Position) []int32 {
	pos := p.(*breakthrough.Position)
	return c.indexes(dst, pos.Turn(), func(sq int) int { return int(pos.PieceAt(sq)) + 1 })
}
