// Package exact computes who wins Breakthrough on small boards: in every position by a
// table ([Table]), if the board has few squares, else in single positions by a proof
// search ([Prover]).
//
// A position is seen by the side to move: its own pieces from its own home row on,
// and the other side's. The two sides have the same moves, so who is to move is no
// part of it, and a position and its reflection left to right have one value.
//
// No position comes again and no game is drawn, so each is won by the side to move
// or by the other, whatever was played before. These are settled by the rules and a
// short argument alone:
//
//   - a piece on the last row but one goes home, since one of its moves is free;
//   - else, of two of the other side's pieces one step from home, or of one that
//     cannot be captured, one goes home.
package exact

import (
	"fmt"
	"iter"
	"math/bits"

	"botarena/engine"
	"botarena/engine/breakthrough"
)

// A state is a placement as the side to move sees it: bit row*cols+file, row 0 being
// its own home row.
type state struct{ own, opp uint64 }

// A board is the moves and the settled states at one size, of 64 squares at most.
type board struct {
	cols, rows        int
	notFirst, notLast uint64 // squares without the first, the last file
	reflect           []uint16
	files             uint64 // of one row
}

func newBoard(cols, rows int) board {
	b := board{cols: cols, rows: rows, files: 1<<cols - 1, reflect: make([]uint16, 1<<cols)}
	for row := range rows {
		b.notFirst |= b.row(b.files&^1, row)
		b.notLast |= b.row(b.files>>1, row)
	}
	for set := range b.reflect {
		b.reflect[set] = bits.Reverse16(uint16(set)) >> (16 - cols)
	}
	return b
}

// row moves a set of files to a row.
func (b *board) row(files uint64, row int) uint64 { return files << (row * b.cols) }

// stateOf returns a position that is not over, and whose board is b's.
func (b *board) stateOf(pos *breakthrough.Position) state {
	white, black := pos.Bits(engine.First)[0], pos.Bits(engine.Second)[0]
	if pos.Turn() == engine.First {
		return state{white, black}
	}
	return state{b.turned(black), b.turned(white)}
}

// turned returns the set as the other side sees it, from across the board.
func (b *board) turned(set uint64) uint64 {
	return bits.Reverse64(set) >> (64 - b.cols*b.rows)
}

// reflected returns the set's image left to right.
func (b *board) reflected(set uint64) (image uint64) {
	for row := range b.rows {
		image |= b.row(uint64(b.reflect[set>>(row*b.cols)&b.files]), row)
	}
	return image
}

// settled reports whether a state's winner is known at sight: the side to move, or
// the other.
func (b *board) settled(s state) (wins, ok bool) {
	switch {
	case s.opp&b.files != 0 || s.own == 0:
		return false, true
	case s.opp == 0, s.own>>((b.rows-2)*b.cols) != 0:
		return true, true
	}
	threats := s.opp >> b.cols & b.files
	switch {
	case threats == 0:
		return false, false
	case threats&(threats-1) != 0, s.own&(threats<<1|threats>>1)&b.files == 0:
		return false, true
	case s.opp == b.row(threats, 1):
		return true, true
	}
	return false, false
}

// targets returns the squares that the side to move gets to: straight on, towards the
// first file and towards the last.
func (b *board) targets(s state) [3]uint64 {
	c := b.cols
	return [3]uint64{s.own << c &^ (s.own | s.opp), s.own & b.notFirst << (c - 1) &^ s.own, s.own & b.notLast << (c + 1) &^ s.own}
}

// next returns the state after a move onto a square from the one so many bits below.
func (b *board) next(s state, to uint64, step int) state {
	return state{b.turned(s.opp &^ to), b.turned(s.own&^(to>>step) | to)}
}

// after yields the states after the moves onto targets.
func (b *board) after(s state, targets [3]uint64) iter.Seq[state] {
	return func(yield func(state) bool) {
		for i, set := range targets {
			step := b.cols + [3]int{0, -1, 1}[i]
			for ; set != 0; set &= set - 1 {
				if !yield(b.next(s, set&-set, step)) {
					return
				}
			}
		}
	}
}

// Solvable returns an error, which names the board, if a game cannot be solved by a
// table.
func Solvable(game engine.Game) error {
	g, ok := game.(*breakthrough.Game)
	if !ok {
		return fmt.Errorf("%s is another game", game.Name())
	}
	if size(g.Cols(), g.Rows()) > largest {
		return fmt.Errorf("%s has too many positions for a table: the board is too large", game.Name())
	}
	return nil
}

// largest is the maximum size of a table in bits, which is 128 MiB: boards up to 5x5,
// 7x4, 4x6, 3x7 and 2x10.
const largest = 1 << 30

// size returns the approximate number of states of a table.
func size(cols, rows int) float64 {
	power := func(base float64, n int) (p float64) {
		p = 1
		for range n {
			p *= base
		}
		return p
	}
	two := power(2, cols)
	return two * (two + float64(cols)*two/2) * power(3, cols*(rows-4)) * two * two / 2
}
