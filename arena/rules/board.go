package rules

import (
	"slices"
	"strings"
	"unicode"

	"botarena/arena/text"
	"botarena/engine"
	"botarena/protocol"
)

// Board returns the program's board: as squares if its rows are words of one character,
// else as lines; the text of the position if it has none.
//
// The last move is marked on the squares that it changed.
func (p *position) Board() engine.Board {
	if !p.game.offered[protocol.QueryBoard] {
		return engine.Board{Rows: 1, Text: []string{p.String()}}
	}
	rows := p.picture(len(p.moves))
	b, ok := squares(rows)
	if !ok {
		for i := range rows { // it goes to terminals as it is
			rows[i] = text.Escape(rows[i])
		}
		return engine.Board{Rows: len(rows), Text: rows}
	}
	if len(p.moves) == 0 {
		return b
	}
	if before, ok := squares(p.picture(len(p.moves) - 1)); ok && len(before.Cells) == len(b.Cells) {
		for i, c := range b.Cells {
			if c != before.Cells[i] {
				b.Last = append(b.Last, i)
			}
		}
	}
	return b
}

// picture returns the rows of the board after ply moves.
func (p *position) picture(ply int) []string {
	n := p.nodes[ply]
	if !n.drawn {
		at := *p
		if ply < len(p.moves) {
			at.line = p.line.Copy()
			at.line.Undo()
		}
		n.rows, n.drawn = p.game.ask(&at, protocol.QueryBoard, ""), true
	}
	return slices.Clone(n.rows)
}

// squares parses rows of words of one character.
func squares(rows []string) (engine.Board, bool) {
	if len(rows) == 0 {
		return engine.Board{}, false
	}
	const mostColumns = 26 // files are letters
	b := engine.Board{Rows: len(rows)}
	indent := make([]int, len(rows))
	for i, row := range rows {
		words := strings.Fields(row)
		if i == 0 {
			b.Cols = len(words)
		}
		if len(words) == 0 || len(words) != b.Cols || b.Cols > mostColumns {
			return b, false
		}
		indent[i] = len(row) - len(strings.TrimLeft(row, " "))
		for _, w := range words {
			if len(w) != 1 {
				return b, false
			}
			b.Cells = append(b.Cells, cell(w[0]))
		}
	}
	if least, most := slices.Min(indent), slices.Max(indent); least < most {
		for i := range indent {
			indent[i] -= least
		}
		b.Indent = indent
	}
	return b, true
}

func cell(sign byte) engine.Cell {
	c := engine.Cell{Side: engine.NoSide}
	switch {
	case sign == '.':
	case sign == '+':
		c.Shade = engine.FirstGoal
	case sign == '=':
		c.Shade = engine.SecondGoal
	case sign == '#':
		c.Shade = engine.Off
	case unicode.IsLower(rune(sign)):
		c.Piece, c.Side = sign, engine.Second
	case unicode.IsUpper(rune(sign)):
		c.Piece, c.Side = sign, engine.First
	default:
		c.Piece = sign
	}
	return c
}
