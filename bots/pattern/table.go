package pattern

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Unit is how many units of a weight are a centipawn.
const Unit = 16

// A Table is the weights of a layout.
type Table struct {
	Kind Kind
	// Cols and Rows are the board's that it is made for, both 0 if it is shared by
	// boards of every size.
	Cols, Rows int
	Weights    []int16
}

// A table begins with one of these, of the same length: the second where it is lined.
const magic, magicLined = "arena patterns 1\n", "arena patterns 2\n"

// Encode returns the table as Decode reads it.
func (t *Table) Encode() []byte {
	begin := magic
	if t.Kind == Lined {
		begin = magicLined
	}
	data := append([]byte(begin), byte(t.Cols), byte(t.Rows))
	for _, w := range t.Weights {
		data = binary.LittleEndian.AppendUint16(data, uint16(w))
	}
	return data
}

// Decode reads a table. The error says what is wrong with the data.
func Decode(data []byte) (*Table, error) {
	lined := bytes.HasPrefix(data, []byte(magicLined))
	if len(data) < len(magic)+2 || !lined && !bytes.HasPrefix(data, []byte(magic)) {
		return nil, errors.New("no table of patterns: it begins otherwise")
	}
	t := &Table{Kind: Small, Cols: int(data[len(magic)]), Rows: int(data[len(magic)+1])}
	switch {
	case t.Cols == 0 && !lined:
		t.Kind = Shared
	case t.Cols < 1 || t.Rows < 2 || lined && KindFor(t.Cols, t.Rows) != Lined:
		return nil, fmt.Errorf("no table of patterns: there is none for a board of %dx%d", t.Cols, t.Rows)
	case lined:
		t.Kind = Lined
	}
	data = data[len(magic)+2:]
	l := t.Layout(t.Cols, t.Rows)
	if len(data) != 2*l.Size {
		return nil, fmt.Errorf("a table of patterns for %v has %d bytes", l, len(data))
	}
	for i := 0; i < len(data); i += 2 {
		t.Weights = append(t.Weights, int16(binary.LittleEndian.Uint16(data[i:])))
	}
	return t, nil
}

// Layout returns the layout of a board with this table.
func (t *Table) Layout(cols, rows int) *Layout {
	if t.Kind == Shared && cols == 0 { // of no board: all that matters is how many weights there are
		return &Layout{Size: sharedSize}
	}
	return NewLayout(cols, rows, t.Kind)
}

// RulesOfThumb returns a table of rules of thumb for a board: pieces, how far they have
// come, and those at home that guard. A square's worth is shared out among its windows.
func RulesOfThumb(cols, rows int) *Table {
	t := &Table{Kind: Small, Cols: cols, Rows: rows}
	l := NewLayout(cols, rows, Small)
	t.Weights = make([]int16, l.Size)
	for _, w := range l.windows {
		v := l.view(w, false)
		for state := range w.states() {
			sum, rest := 0.0, state
			for i := range w.squares() {
				sq := w.square(i, cols)
				switch share := float64(len(l.at[sq])); rest % 3 {
				case 1:
					sum += float64(handPiece(sq/cols, rows)) / share
				case 2:
					sum -= float64(handPiece(rows-1-sq/cols, rows)) / share
				}
				rest /= 3
			}
			t.Weights[v.state(state)] = int16(math.Round(Unit * sum))
		}
	}
	return t
}

// handPiece returns the worth of a piece in a row from its home, as package eval has it.
func handPiece(row, rows int) int {
	if row == 0 {
		return 112
	}
	left := rows - 1 - row // steps to go
	return 100 + 3*row + 160/(left*left+1)
}
