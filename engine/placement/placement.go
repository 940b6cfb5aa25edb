// Package placement reads and writes the placement of pieces, as in FEN: rank by rank
// from the top, a letter for each piece and a number for a run of empty squares.
package placement

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Form describes how a game writes its boards.
type Form struct {
	Cols, Rows int
	Letters    string // all that stand for pieces
	Signs      string // what there may be, for who wrote another letter: "P, p and numbers"
	Long       bool   // a number may have several digits
}

// Append appends the placement. piece returns the letter on a square, 0 if it is empty;
// row 0 is the top.
func (f *Form) Append(dst []byte, piece func(col, row int) byte) []byte {
	for row := range f.Rows {
		if row > 0 {
			dst = append(dst, '/')
		}
		empty := 0
		for col := range f.Cols {
			letter := piece(col, row)
			if letter == 0 {
				empty++
				continue
			}
			dst = append(appendRun(dst, empty), letter)
			empty = 0
		}
		dst = appendRun(dst, empty)
	}
	return dst
}

func appendRun(dst []byte, empty int) []byte {
	if empty == 0 {
		return dst
	}
	return strconv.AppendInt(dst, int64(empty), 10)
}

// Read reads a placement and calls put for each piece, which may return why it is not
// allowed there. It returns "", or the error and the offset at which it stopped, which
// is the length of the text if it ends too early.
func (f *Form) Read(text string, put func(piece byte, col, row int) (why string)) (at int, why string) {
	col, row := 0, 0
	for at = 0; at < len(text); at++ {
		switch c := text[at]; {
		case c == '/':
			if col < f.Cols {
				return at, f.short(col, row)
			}
			if col, row = 0, row+1; row == f.Rows {
				return at, fmt.Sprintf("more than %d ranks", f.Rows)
			}
			continue
		case c >= '1' && c <= '9':
			n := int(c - '0')
			for f.Long && n <= f.Cols && at+1 < len(text) && text[at+1] >= '0' && text[at+1] <= '9' {
				at++
				n = n*10 + int(text[at]-'0')
			}
			col += n
		case strings.IndexByte(f.Letters, c) < 0:
			return at, fmt.Sprintf("%q is no piece and no number of empty squares; use %s", Letter(text[at:]), f.Signs)
		default:
			if col < f.Cols {
				if why := put(c, col, row); why != "" {
					return at, why
				}
			}
			col++
		}
		if col > f.Cols {
			return at, fmt.Sprintf("rank %d has more than %d squares", f.Rows-row, f.Cols)
		}
	}
	switch {
	case col < f.Cols:
		return at, f.short(col, row)
	case row+1 < f.Rows:
		return at, fmt.Sprintf("%d ranks instead of %d", row+1, f.Rows)
	}
	return at, ""
}

// Letter returns the first letter of a text, whatever bytes it has.
func Letter(text string) rune {
	letter, _ := utf8.DecodeRuneInString(text)
	return letter
}

func (f *Form) short(col, row int) string {
	return fmt.Sprintf("rank %d has %d squares instead of %d", f.Rows-row, col, f.Cols)
}
