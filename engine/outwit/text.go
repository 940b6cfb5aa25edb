package outwit

import (
	"fmt"
	"strings"

	"botarena/engine"
	"botarena/engine/placement"
)

func form() *placement.Form {
	return &placement.Form{Cols: Files, Rows: Ranks, Letters: "SKsk", Signs: "S K s k, and 1 to 9"}
}

// Parse reads a position in the form of the package comment. A composed position
// may lack chips: a side has up to eight soldiers and one king, and at least one
// chip. It refuses a chip in the opponent's corner, which no move brings about.
// The error is a *engine.PositionError.
func (g *Game) Parse(text string) (engine.Position, error) {
	fail := func(i int, why string) (engine.Position, error) {
		return nil, &engine.PositionError{Game: g.name, Text: text, Column: i + 1, Why: why}
	}
	p := &Position{game: g}
	p.now.kings = [2]Square{NoSquare, NoSquare}
	p.now.seen = 1
	board, _, _ := strings.Cut(text, " ")
	i, why := form().Read(board, func(piece byte, col, row int) string { return p.put(SquareAt(col, Ranks-1-row), piece) })
	if why != "" {
		return fail(i, why)
	}
	switch strings.TrimSpace(text[i:]) {
	case "l":
		p.turn = engine.First
	case "d":
		p.turn = engine.Second
	default:
		return fail(i, "after the board comes a space and the side to move, l or d")
	}
	for side, n := range p.total {
		if n == 0 {
			return nil, &engine.PositionError{Game: g.name, Text: text, Why: colour(engine.Side(side)) + " has no chip"}
		}
	}
	return p, nil
}

// put sets up a chip, or returns why it cannot stand there.
func (p *Position) put(at Square, piece byte) (why string) {
	side := engine.First
	if piece == 's' || piece == 'k' {
		side = engine.Second
	}
	king := piece == 'K' || piece == 'k'
	switch {
	case CornerOf(at) == side.Other():
		return fmt.Sprintf("%s cannot stand on %s, in %s's corner", colour(side), at, colour(side.Other()))
	case king && p.now.kings[side] != NoSquare:
		return fmt.Sprintf("a second king of %s", colour(side))
	case !king && p.now.soldiers(side).Len() == 8:
		return fmt.Sprintf("a ninth soldier of %s", colour(side))
	}
	p.now.flip(&p.game.board, side, at, king)
	p.total[side]++
	if king {
		p.now.kings[side] = at
	}
	if CornerOf(at) == side {
		p.now.home[side]++
	}
	return ""
}

func colour(side engine.Side) string {
	if side == engine.First {
		return "Light"
	}
	return "Dark"
}

// AppendText appends the position in the form that Parse reads.
func (p *Position) AppendText(dst []byte) []byte {
	dst = form().Append(dst, func(col, row int) byte { return p.PieceAt(SquareAt(col, Ranks-1-row)) })
	if p.turn == engine.First {
		return append(dst, " l"...)
	}
	return append(dst, " d"...)
}

// String returns the text of the position.
func (p *Position) String() string { return string(p.AppendText(nil)) }

// AppendMove appends a move such as "f4f1", or "d9e9=a5" where it lifts a chip.
func (p *Position) AppendMove(dst []byte, m engine.Move) []byte {
	dst = To(m).append(From(m).append(dst))
	if lift := Lifted(m); lift != NoSquare {
		dst = lift.append(append(dst, '='))
	}
	return dst
}

// ParseMove reads a legal move: "f4f1", "f4-f1" or "d9e9=a5". The error is a
// *engine.MoveError.
func (p *Position) ParseMove(text string) (engine.Move, error) {
	m, why := readMove(text)
	if why == "" {
		p.scratch = p.Legal(p.scratch[:0])
		for _, legal := range p.scratch {
			if From(legal) == m.from && To(legal) == m.to && Lifted(legal) == m.lift {
				return legal, nil
			}
		}
		why = p.whyNot(m)
	}
	return 0, &engine.MoveError{Move: text, Why: why}
}

// A written move is the parsed text of a move.
type written struct{ from, to, lift Square }

func readMove(text string) (m written, why string) {
	const form = `not a move; write it like "f4f1", or "d9e9=a5" where a push lifts a chip`
	m.lift = NoSquare
	rest := text
	next := func() Square {
		// A square is a letter and one digit, or a letter and "10".
		n := 2
		if len(rest) >= 3 && rest[1] == '1' && rest[2] == '0' {
			n = 3
		}
		if len(rest) < n || rest[0] < 'a' || rest[0] > 'z' || rest[1] < '0' || rest[1] > '9' {
			why = form
			return NoSquare
		}
		name := rest[:n]
		file, rank := int(name[0])-'a', int(name[1])-'1'
		if n == 3 {
			rank = Ranks - 1
		}
		rest = rest[n:]
		if file >= Files || rank < 0 {
			why = fmt.Sprintf("%s is not on the board; files are a to i, ranks 1 to 10", name)
			return NoSquare
		}
		return SquareAt(file, rank)
	}
	if m.from = next(); why != "" {
		return m, why
	}
	rest = strings.TrimPrefix(rest, "-")
	if m.to = next(); why != "" {
		return m, why
	}
	if after, lifts := strings.CutPrefix(rest, "="); lifts {
		rest = after
		if m.lift = next(); why != "" {
			return m, why
		}
	}
	if rest != "" {
		return m, form
	}
	return m, ""
}
