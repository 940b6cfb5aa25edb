package pattern

// A Judge is a table laid out for one board, ready to be looked up by the states of
// its windows. It is immutable.
type Judge struct {
	layout *Layout
	// weights are those of each window's states: for the first side to move, and for
	// the second.
	weights [][2]int16
}

// NewJudge lays out a table.
func NewJudge(t *Table) *Judge {
	l := NewLayout(t.Cols, t.Rows, t.Kind)
	j := &Judge{layout: l, weights: make([][2]int16, l.states)}
	for _, w := range l.windows {
		for side := range 2 {
			v := l.view(w, side == 1)
			for state := range w.states() {
				j.weights[w.first+state][side] = t.Weights[v.state(state)]
			}
		}
	}
	return j
}

// Sums holds the value of a position for the first and for the second side, each as if
// it were to move, in units.
type Sums [2]int32

// A Sum follows a position move by move.
type Sum struct {
	Sums
	judge  *Judge
	states []int // of each window, as indexes into the judge's weights
}

// NewSum returns the sum of the empty board.
func NewSum(j *Judge) *Sum {
	s := &Sum{judge: j, states: make([]int, len(j.layout.windows))}
	s.Clear()
	return s
}

// Clear empties the board.
func (s *Sum) Clear() {
	s.Sums = Sums{}
	for i, w := range s.judge.layout.windows {
		s.states[i] = w.first
		s.Sums[0] += int32(s.judge.weights[w.first][0])
		s.Sums[1] += int32(s.judge.weights[w.first][1])
	}
}

// Change adds to the digit of a square: a square's digit is 0 if it is empty, 1
// for the first side's piece, 2 for the second's.
func (s *Sum) Change(square, by int) {
	first, second := s.Sums[0], s.Sums[1]
	weights := s.judge.weights
	for _, r := range s.judge.layout.at[square] {
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
	weights, states := s.judge.weights, s.states
	for _, r := range s.judge.layout.between(lower, upper) {
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
	for _, r := range s.judge.layout.between(lower, upper) {
		s.states[r.window] += byLower*int(r.lower) + byUpper*int(r.upper)
	}
}
