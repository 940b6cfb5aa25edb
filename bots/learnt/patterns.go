package learnt

import (
	"math"

	"botarena/bots/eval"
	"botarena/engine/breakthrough"
)

// Patterns are weights of Breakthrough laid out for one board, ready to be looked up by the
// states of its windows (n-tuples). They are immutable.
type Patterns struct {
	layout *layout
	// weights are those of each window's states: for the first side to move, and for
	// the second.
	weights [][2]int16
}

// NewPatterns lays out weights as Decode or RulesOfThumb returns them.
func NewPatterns(g *breakthrough.Game, weights []int16) *Patterns {
	l := newLayout(g.Cols(), g.Rows(), small)
	if len(weights) != l.size {
		l = newLayout(g.Cols(), g.Rows(), lined)
	}
	return l.patterns(weights)
}

func (l *layout) patterns(weights []int16) *Patterns {
	p := &Patterns{layout: l, weights: make([][2]int16, l.states)}
	for side := range 2 {
		l.each(side == 1, func(state, weight int) { p.weights[state][side] = weights[weight] })
	}
	return p
}

// Sums holds the value of a position for the first and for the second side, each as if
// it were to move, in units.
type Sums [2]int32

// A Sum follows a position move by move: a move changes the windows of two squares.
type Sum struct {
	Sums
	patterns *Patterns
	states   []int // of each window, as indexes into the weights
}

// NewSum returns the sum of the empty board.
func NewSum(p *Patterns) *Sum {
	s := &Sum{patterns: p, states: make([]int, len(p.layout.windows))}
	s.Clear()
	return s
}

// Clear empties the board.
func (s *Sum) Clear() {
	s.Sums = Sums{}
	for i, w := range s.patterns.layout.windows {
		s.states[i] = w.first
		s.Sums[0] += int32(s.patterns.weights[w.first][0])
		s.Sums[1] += int32(s.patterns.weights[w.first][1])
	}
}

// Change adds to the digit of a square: a square's digit is 0 if it is empty, 1
// for the first side's piece, 2 for the second's.
func (s *Sum) Change(square, by int) {
	first, second := s.Sums[0], s.Sums[1]
	weights := s.patterns.weights
	for _, r := range s.patterns.layout.at[square] {
		state := &s.states[r.window]
		was := weights[*state]
		*state += by * int(r.power)
		is := weights[*state]
		first += int32(is[0]) - int32(was[0])
		second += int32(is[1]) - int32(was[1])
	}
	s.Sums = Sums{first, second}
}

// Move adds to the digits of a square and of one of the three ahead of it, seen from
// row 0, at less cost than two calls of Change.
func (s *Sum) Move(lower, upper, byLower, byUpper int) {
	first, second := s.Sums[0], s.Sums[1]
	weights, states := s.patterns.weights, s.states
	for _, r := range s.patterns.layout.between(lower, upper) {
		state := &states[r.window]
		was := weights[*state]
		*state += byLower*int(r.lower) + byUpper*int(r.upper)
		is := weights[*state]
		first += int32(is[0]) - int32(was[0])
		second += int32(is[1]) - int32(was[1])
	}
	s.Sums = Sums{first, second}
}

// Restore is Move without summing: the caller sets Sums to what they were.
func (s *Sum) Restore(lower, upper, byLower, byUpper int) {
	for _, r := range s.patterns.layout.between(lower, upper) {
		s.states[r.window] += byLower*int(r.lower) + byUpper*int(r.upper)
	}
}

// patternsOfThumb returns small weights of rules of thumb for a board: pieces, how far they have
// come, and those at home that guard. A square's worth is shared out among its windows.
func patternsOfThumb(cols, rows int) []int16 {
	l := newLayout(cols, rows, small)
	weights := make([]int16, l.size)
	for _, w := range l.windows {
		v := l.view(w, false)
		for state := range w.states() {
			sum, rest := 0.0, state
			for i := range w.squares() {
				sq := w.square(i, cols)
				switch share := float64(len(l.at[sq])); rest % 3 {
				case 1:
					sum += float64(eval.BreakthroughPiece(sq/cols, rows)) / share
				case 2:
					sum -= float64(eval.BreakthroughPiece(rows-1-sq/cols, rows)) / share
				}
				rest /= 3
			}
			weights[v.state(state)] = int16(math.Round(Unit * sum))
		}
	}
	return weights
}
