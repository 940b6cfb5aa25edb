package owlman

import (
	"fmt"
	"math/bits"
	"strings"

	"botarena/engine"
	"botarena/engine/owlman/board"
	"botarena/engine/placement"
)

func form() *placement.Form {
	return &placement.Form{Cols: 8, Rows: 8, Letters: "DHO", Signs: "D, H, O and digits"}
}

func (p *position) AppendText(dst []byte) []byte {
	dst = form().Append(dst, func(col, row int) byte {
		if sq, light := board.SquareAt(col, row); light {
			return p.pieceOn(sq)
		}
		return 0
	})
	return append(dst, ' ', "wb"[p.turn])
}

// Parse reads a position. Beyond the canonical text it takes any white space
// around and between the two fields, and digits split up ("44" for "8").
func (g *game) Parse(text string) (engine.Position, error) {
	p := &position{game: g, state: state{doc: board.Nowhere, owl: board.Nowhere}}
	column, why := p.read(text)
	if why != "" {
		return nil, &engine.PositionError{Game: g.name, Text: text, Column: column, Why: why}
	}
	return p, nil
}

// read fills in p, or says which column (0 for none) is wrong and why.
func (p *position) read(text string) (column int, why string) {
	fields := strings.Fields(text)
	switch {
	case len(fields) == 0:
		return 0, "empty; write one such as " + startText
	case len(fields) == 1:
		return 0, "the side to move is missing; end with w or b"
	case len(fields) > 2:
		return 0, "only two fields are wanted, the board and the side to move"
	}
	ranks, side := fields[0], fields[1]
	switch at, why := form().Read(ranks, p.put); {
	case why != "" && at < len(ranks):
		return strings.Index(text, ranks) + 1 + at, why
	case why != "":
		return 0, why
	case p.owl == board.Nowhere:
		return 0, "Owlman is missing; put O on a light square"
	}
	switch side {
	case "w":
		p.turn = engine.First
	case "b":
		p.turn = engine.Second
	default:
		return strings.LastIndex(text, side) + 1, "the side to move is w or b"
	}
	return 0, ""
}

// put sets a piece down, or says why it cannot stand there.
func (p *position) put(piece byte, col, row int) (why string) {
	sq, light := board.SquareAt(col, row)
	switch {
	case !light:
		return fmt.Sprintf("%c%d is a dark square; pieces stand on light ones", 'a'+col, 8-row)
	case piece == 'D' && p.doc != board.Nowhere:
		return "a second Doc"
	case piece == 'O' && p.owl != board.Nowhere:
		return "a second Owlman"
	}
	switch piece {
	case 'D':
		p.doc = sq
	case 'O':
		p.owl = sq
	default:
		if p.helpers |= board.Bit(sq); bits.OnesCount32(p.helpers) > maxHelpers {
			return fmt.Sprintf("more than %d helpers", maxHelpers)
		}
	}
	return ""
}

func (p *position) AppendMove(dst []byte, m engine.Move) []byte {
	from, to := split(m)
	return appendSquare(appendSquare(dst, from), to)
}

func appendSquare(dst []byte, sq uint8) []byte {
	col, row := board.Place(sq)
	return append(dst, 'a'+byte(col), '8'-byte(row))
}

func squareName(sq uint8) string { return string(appendSquare(nil, sq)) }

func (p *position) ParseMove(text string) (engine.Move, error) {
	from, to, why := readMove(text)
	if why == "" {
		why = p.whyNot(from, to)
	}
	if why != "" {
		return 0, &engine.MoveError{Move: text, Why: why}
	}
	return newMove(from, to), nil
}

// readMove reads two light squares, or says what is wrong with the text.
func readMove(text string) (from, to uint8, why string) {
	const form = "not a move; write its two squares, such as d3c4"
	text = strings.TrimSpace(text)
	if before, bracket, ok := strings.Cut(text, "("); ok {
		inner, closed := strings.CutSuffix(bracket, ")")
		captured, cross := strings.CutPrefix(inner, "x")
		if !closed || !cross || len(captured) != 2 || !isSquare(captured) {
			return 0, 0, "the bracket after a move names the square of a capture, such as (xd5)"
		}
		text = strings.TrimSpace(before)
	}
	if len(text) == 5 && (text[2] == '-' || text[2] == 'x') {
		text = text[:2] + text[3:]
	}
	if len(text) != 4 || !isSquare(text[:2]) || !isSquare(text[2:]) {
		return 0, 0, form
	}
	from, light := board.SquareAt(int(text[0]-'a'), int('8'-text[1]))
	if !light {
		return 0, 0, text[:2] + " is a dark square; pieces stand on light ones"
	}
	if to, light = board.SquareAt(int(text[2]-'a'), int('8'-text[3])); !light {
		return 0, 0, text[2:] + " is a dark square; pieces move on light ones"
	}
	return from, to, ""
}

func isSquare(s string) bool {
	return s[0] >= 'a' && s[0] <= 'h' && s[1] >= '1' && s[1] <= '8'
}

// whyNot returns "" for a legal move.
func (p *position) whyNot(from, to uint8) string {
	if out := p.Outcome(); out.Over {
		return "the game is over: " + out.Reason
	}
	if p.turn == engine.Second {
		return p.whyNotOwl(from, to)
	}
	return p.whyNotWhite(from, to)
}

func (p *position) whyNotWhite(from, to uint8) string {
	switch {
	case from == p.owl:
		return "Owlman is not to move, Doc's side is"
	case p.white()&board.Bit(from) == 0:
		return "no helper or Doc on " + squareName(from)
	case p.game.geo.Step[from]&board.Bit(to) == 0:
		return "a helper or Doc moves one square diagonally"
	case to == board.H1:
		return "the tower h1 is closed to White"
	case p.free()&board.Bit(to) == 0:
		return squareName(to) + " is occupied"
	}
	return ""
}

func (p *position) whyNotOwl(from, to uint8) string {
	geo := &p.game.geo
	switch {
	case p.white()&board.Bit(from) != 0:
		return "Doc's side is not to move, Owlman is"
	case from != p.owl:
		return "Owlman is on " + squareName(p.owl) + ", not on " + squareName(from)
	case p.game.owlTargets(&p.state)&board.Bit(to) != 0:
		return ""
	case from == board.H1:
		return "Owlman on the tower must super-swoop onto a helper"
	case (geo.Step[from]|geo.Swoop[from])&board.Bit(to) == 0:
		return "Owlman steps one square diagonally or swoops three squares one way and one the other"
	case p.barred&board.Bit(to) != 0:
		return "Owlman made this move here before: White demands that he vary"
	}
	return squareName(to) + " is occupied"
}
