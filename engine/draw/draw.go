// Package draw shows an engine.Board to people: as text for a terminal or a log,
// and as SVG pictures for files and pages.
package draw

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"botarena/engine"
)

// Options configures Text.
type Options struct {
	// Color uses ANSI colours (the 256-colour set). Without it brackets mark the last
	// move and signs the kinds of squares; the pieces' letters distinguish the sides
	// either way.
	Color bool
	// Flip turns the board round, so that the second side sits at the bottom.
	Flip bool
}

// Text draws b with its files and ranks, three columns a square:
//
//	   a  b  c
//	4  p  p  p  4
//	3  p [P] p  3
//	2 [.] P  P  2
//	1  P  P  P  1
//	   a  b  c
//
// An empty square is a dot, on the first side's goal +, on the second's =; a square
// that no piece can use is left blank. Indented rows stay indented, and a board without
// squares is its text. The error is w's, or reports that b does not have Cols*Rows
// cells.
func Text(w io.Writer, b engine.Board, opts Options) error {
	if len(b.Text) > 0 {
		_, err := io.WriteString(w, strings.Join(b.Text, "\n")+"\n")
		return err
	}
	last, err := lastOf(b)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	width := len(strconv.Itoa(b.Rows))
	indent := func(row int) int { // a square is three columns wide
		if b.Indent == nil {
			return 0
		}
		return (3*b.Indent[row] + 1) / 2
	}
	files := func(row int) {
		fmt.Fprintf(&out, "%*s", width+indent(row), "")
		for file := range b.Cols {
			if opts.Flip {
				file = b.Cols - 1 - file
			}
			out.WriteString("  " + fileName(file))
		}
		out.WriteByte('\n')
	}
	files(0)
	for row := range b.Rows {
		if opts.Flip {
			row = b.Rows - 1 - row
		}
		rank := b.Rows - row
		fmt.Fprintf(&out, "%*d ", width+indent(row), rank)
		for file := range b.Cols {
			i := row*b.Cols + file
			if opts.Flip {
				i = row*b.Cols + b.Cols - 1 - file
			}
			if opts.Color {
				colored(&out, b.Cells[i], last[i])
			} else {
				plain(&out, b.Cells[i], last[i])
			}
		}
		fmt.Fprintf(&out, " %d\n", rank)
	}
	files(b.Rows - 1)
	_, err = w.Write(out.Bytes())
	return err
}

func fileName(file int) string { return string(rune('a' + file)) }

// lastOf returns which cells the last move touched.
func lastOf(b engine.Board) ([]bool, error) {
	if b.Cols < 1 || b.Rows < 1 || b.Cols > 26 || len(b.Cells) != b.Cols*b.Rows || b.Indent != nil && len(b.Indent) != b.Rows {
		return nil, fmt.Errorf("cannot draw a board of %d columns, %d rows and %d cells; columns are 1 to 26, cells columns times rows",
			b.Cols, b.Rows, len(b.Cells))
	}
	last := make([]bool, len(b.Cells))
	for _, i := range b.Last {
		if i < 0 || i >= len(last) {
			return nil, fmt.Errorf("cannot draw a last move on cell %d of %d", i, len(last))
		}
		last[i] = true
	}
	return last, nil
}

// sign returns the character of a square: a piece's letter or the sign of its kind.
func sign(c engine.Cell) byte {
	switch {
	case c.Piece != 0:
		return c.Piece
	case c.Shade == engine.FirstGoal:
		return '+'
	case c.Shade == engine.SecondGoal:
		return '='
	case c.Shade == engine.Off:
		return ' '
	}
	return '.'
}

func plain(out *bytes.Buffer, c engine.Cell, last bool) {
	if last {
		out.Write([]byte{'[', sign(c), ']'})
		return
	}
	out.Write([]byte{' ', sign(c), ' '})
}

func colored(out *bytes.Buffer, c engine.Cell, last bool) {
	// Of the 256 colours: the grounds are dark enough for both sides' letters.
	ground := [...]int{engine.Plain: 240, engine.Alternate: 237, engine.FirstGoal: 58, engine.SecondGoal: 24, engine.Off: 233}[min(c.Shade, engine.Off)]
	if last {
		ground = 96
	}
	letter := 245
	switch c.Side {
	case engine.First:
		letter = 231
	case engine.Second:
		letter = 215
	}
	s := sign(c)
	if c.Piece == 0 && s == '.' {
		s = ' '
	}
	weight := ""
	if c.Piece != 0 {
		weight = "1;"
	}
	fmt.Fprintf(out, "\x1b[%s38;5;%d;48;5;%dm %c \x1b[0m", weight, letter, ground, s)
}
