package pattern

import (
	"errors"
	"fmt"
	"math"

	"botarena/bots/weights"
)

// A Table is the weights of a layout of a board.
type Table struct {
	Kind       Kind
	Cols, Rows int
	Weights    []int16
}

// head begins the file of a table.
func (t *Table) head() string {
	return fmt.Sprintf("arena patterns %d\n%s", t.Kind+1, []byte{byte(t.Cols), byte(t.Rows)})
}

// Encode returns the table as Decode reads it.
func (t *Table) Encode() []byte { return weights.Encode(t.head(), t.Weights) }

// Decode reads a table. The error says what is wrong with the data.
func Decode(data []byte) (*Table, error) {
	for kind := range Lined + 1 {
		t := &Table{Kind: kind}
		at := len(t.head()) - 2
		if len(data) < at+2 || string(data[:at]) != t.head()[:at] {
			continue
		}
		t.Cols, t.Rows = int(data[at]), int(data[at+1])
		if t.Cols < 1 || t.Rows < 2 || kind == Lined && KindFor(t.Cols, t.Rows) != Lined {
			return nil, fmt.Errorf("no table of patterns: there is none for a board of %dx%d", t.Cols, t.Rows)
		}
		var err error
		t.Weights, err = weights.Decode(data, t.head(), NewLayout(t.Cols, t.Rows, kind).Size)
		return t, err
	}
	return nil, errors.New("no table of patterns: it begins otherwise")
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
			t.Weights[v.state(state)] = int16(math.Round(weights.Unit * sum))
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
