package pattern

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Unit is how many units of a weight are a centipawn.
const Unit = 16

// A Table is the weights of a layout.
type Table struct {
	// Cols and Rows are the board's that it is made for, both 0 where it is shared by
	// boards of every size.
	Cols, Rows int
	Weights    []int16
}

// Shared reports whether the table is for boards of every size.
func (t *Table) Shared() bool { return t.Cols == 0 }

const magic = "arena patterns 1\n"

// Encode returns the table as Decode reads it.
func (t *Table) Encode() []byte {
	data := append([]byte(magic), byte(t.Cols), byte(t.Rows))
	for _, w := range t.Weights {
		data = binary.LittleEndian.AppendUint16(data, uint16(w))
	}
	return data
}

// Decode reads a table. The error says what is wrong with the data.
func Decode(data []byte) (*Table, error) {
	if len(data) < len(magic)+2 || string(data[:len(magic)]) != magic {
		return nil, errors.New("no table of patterns: it begins otherwise")
	}
	t := &Table{Cols: int(data[len(magic)]), Rows: int(data[len(magic)+1])}
	data = data[len(magic)+2:]
	l := t.Layout(t.Cols, t.Rows)
	if len(data) != 2*l.Classes*States {
		return nil, fmt.Errorf("a table of patterns for %v has %d weights, this has %d bytes", l, l.Classes*States, len(data))
	}
	for i := 0; i < len(data); i += 2 {
		t.Weights = append(t.Weights, int16(binary.LittleEndian.Uint16(data[i:])))
	}
	return t, nil
}

// Layout returns the layout of a board with this table.
func (t *Table) Layout(cols, rows int) *Layout {
	if t.Shared() {
		if cols == 0 { // of no board: all that matters is how many classes there are
			return &Layout{Classes: 2 * sharedRows * sharedCols}
		}
		return NewLayout(cols, rows, true)
	}
	return NewLayout(cols, rows, false)
}

// ByHand returns a table of rules of thumb for a board: pieces, how far they have
// come, those at home that guard, and pairs that cover or flank each other.
func ByHand(cols, rows int) *Table {
	t := &Table{Cols: cols, Rows: rows}
	l := NewLayout(cols, rows, false)
	t.Weights = make([]int16, l.Classes*States)
	for _, w := range l.windows {
		v := l.view(w, false, false)
		for state := range States {
			sum := 0.0
			digits, rest := [squaresOf]int{}, state
			for i := range squaresOf {
				digits[i] = rest % 3
				rest /= 3
			}
			for i, digit := range digits {
				sq := w.square(i, cols)
				switch share := float64(len(l.at[sq])); digit {
				case 1:
					sum += handPiece(sq/cols, rows) / share
				case 2:
					sum -= handPiece(rows-1-sq/cols, rows) / share
				}
				for j := range i {
					if digits[j] != digit || digit == 0 {
						continue
					}
					across, up := i%w.cols-j%w.cols, i/w.cols-j/w.cols
					bonus := 0.0
					switch {
					case up == 1 && across*across == 1:
						bonus = 1.5
					case up == 0 && across == 1:
						bonus = 1
					}
					if digit == 2 {
						bonus = -bonus
					}
					sum += bonus
				}
			}
			t.Weights[v.state(state)] = int16(Unit * sum)
		}
	}
	return t
}

// handPiece is the worth of a piece in a row from its home.
func handPiece(row, rows int) float64 {
	if row == 0 {
		return 112
	}
	left := rows - 1 - row // steps to go
	return 100 + float64(3*row) + 160/float64(left*left+1)
}
