package breakthrough

import (
	"fmt"
	"strconv"
	"strings"

	"botarena/engine"
	"botarena/engine/placement"
)

func sideLetter(side engine.Side) byte { return "Pp"[side] }

func sideTitle(side engine.Side) string { return [2]string{"White", "Black"}[side] }

// String returns the canonical text of the position.
func (p *Position) String() string { return string(p.AppendText(nil)) }

func (g *Game) form() *placement.Form {
	return &placement.Form{Cols: g.cols, Rows: g.rows, Letters: "Pp", Signs: "P, p and numbers from 1", Long: true}
}

// AppendText appends the canonical text: placement and side to move.
func (p *Position) AppendText(dst []byte) []byte {
	g := p.game
	dst = g.form().Append(dst, func(col, row int) byte {
		if side := p.PieceAt((g.rows-1-row)*g.cols + col); side != engine.NoSide {
			return sideLetter(side)
		}
		return 0
	})
	return append(dst, ' ', "wb"[p.turn])
}

// Board describes the position for drawing.
func (p *Position) Board() engine.Board {
	g := p.game
	b := engine.Board{Cols: g.cols, Rows: g.rows, Cells: make([]engine.Cell, 0, g.cols*g.rows)}
	for rank := g.rows - 1; rank >= 0; rank-- {
		for file := range g.cols {
			cell := engine.Cell{Side: p.PieceAt(rank*g.cols + file)}
			if cell.Side != engine.NoSide {
				cell.Piece = sideLetter(cell.Side)
			}
			if (rank+file)%2 == 0 {
				cell.Shade = engine.Alternate
			}
			b.Cells = append(b.Cells, cell)
		}
	}
	if n := len(p.history); n > 0 {
		for _, sq := range []int{From(p.history[n-1].move), To(p.history[n-1].move)} {
			b.Last = append(b.Last, (g.rows-1-sq/g.cols)*g.cols+sq%g.cols)
		}
	}
	return b
}

// Parse reads a position. The error is an *engine.PositionError.
func (g *Game) Parse(text string) (engine.Position, error) {
	p := &Position{game: g}
	r := positionReader{game: g, text: text}
	if err := r.read(p); err != nil {
		return nil, err
	}
	p.settle()
	return p, nil
}

type positionReader struct {
	game *Game
	text string
	at   int // the byte to read next
}

func (r *positionReader) fail(format string, args ...any) error {
	return &engine.PositionError{Game: r.game.name, Text: r.text, Column: r.at + 1, Why: fmt.Sprintf(format, args...)}
}

// wrong returns an error about the whole position.
func (r *positionReader) wrong(why string) error {
	return &engine.PositionError{Game: r.game.name, Text: r.text, Why: why}
}

// skip skips spaces and reports whether more text follows.
func (r *positionReader) skip() bool {
	for r.at < len(r.text) && (r.text[r.at] == ' ' || r.text[r.at] == '\t') {
		r.at++
	}
	return r.at < len(r.text)
}

func (r *positionReader) read(p *Position) error {
	if !r.skip() {
		return r.fail("it is empty; the start is %q", r.game.Start())
	}
	g := r.game
	board := r.text[r.at:]
	if end := strings.IndexAny(board, " \t"); end >= 0 {
		board = board[:end]
	}
	at, why := g.form().Read(board, func(piece byte, col, row int) string {
		p.bits[strings.IndexByte("Pp", piece)].set((g.rows-1-row)*g.cols + col)
		return ""
	})
	if r.at += at; why != "" {
		return r.fail("%s", why)
	}
	if !r.skip() {
		return r.fail("the side to move is missing; end with w or b")
	}
	switch r.text[r.at] {
	case 'w':
	case 'b':
		p.turn = engine.Second
	default:
		return r.fail("%q is no side to move; write w or b", placement.Letter(r.text[r.at:]))
	}
	r.at++
	if err := r.readRest(); err != nil {
		return err
	}
	if p.bits[0].count()+p.bits[1].count() == 0 {
		return r.wrong("there is no piece on the board")
	}
	if p.bits[0].overlaps(&g.goal[0]) && p.bits[1].overlaps(&g.goal[1]) {
		return r.wrong("both sides stand on the other's home row; the game ends when the first gets there")
	}
	return nil
}

// readRest skips what may follow the side to move: two "-" fields and two numbers at
// most, as chess-variant engines write them.
func (r *positionReader) readRest() error {
	dashes, numbers := 0, 0
	for r.at < len(r.text) {
		if c := r.text[r.at]; c != ' ' && c != '\t' {
			return r.fail("%q follows the side to move; put a space between", placement.Letter(r.text[r.at:]))
		}
		if !r.skip() {
			return nil
		}
		start := r.at
		for r.at < len(r.text) && r.text[r.at] >= '0' && r.text[r.at] <= '9' {
			r.at++
		}
		switch {
		case r.at > start && r.at-start <= 6 && numbers < 2:
			numbers++
		case r.at == start && r.text[r.at] == '-' && dashes < 2 && numbers == 0:
			dashes++
			r.at++
		default:
			r.at = start
			return r.fail("only a move number may follow the side to move")
		}
	}
	return nil
}

func (g *Game) appendSquare(dst []byte, sq int) []byte {
	return strconv.AppendInt(append(dst, byte('a'+sq%g.cols)), int64(sq/g.cols+1), 10)
}

func (g *Game) squareName(sq int) string { return string(g.appendSquare(nil, sq)) }

// AppendMove appends the two squares of m.
func (p *Position) AppendMove(dst []byte, m engine.Move) []byte {
	return p.game.appendSquare(p.game.appendSquare(dst, From(m)), To(m))
}

// ParseMove reads a move and returns it if it is legal here. The error is an
// *engine.MoveError that says why not.
func (p *Position) ParseMove(text string) (engine.Move, error) {
	m, why := p.parseMove(strings.Trim(text, " \t"))
	if why != "" {
		return 0, &engine.MoveError{Move: text, Why: why}
	}
	return m, nil
}

func (p *Position) parseMove(text string) (m engine.Move, why string) {
	const form = "not a move; write the two squares, like a2a3"
	g := p.game
	fromFile, fromRank, rest, ok := cutSquare(text)
	if !ok || rest == "" {
		return 0, form
	}
	// x is a capture's mark where a file follows, else a file itself.
	if rest[0] == '-' || len(rest) > 1 && (rest[0]|0x20) == 'x' && (rest[1] < '0' || rest[1] > '9') {
		rest = rest[1:]
	}
	toFile, toRank, rest, ok := cutSquare(rest)
	if !ok || rest != "" && rest != "*" {
		return 0, form
	}
	for _, sq := range [2][2]int{{fromFile, fromRank}, {toFile, toRank}} {
		if sq[0] >= g.cols || sq[1] >= g.rows {
			return 0, fmt.Sprintf("%c%d is off the board, which ends at %s", 'a'+sq[0], sq[1]+1, g.squareName(g.cols*g.rows-1))
		}
	}
	switch names := g.SideNames(); p.ending {
	case noPieces:
		return 0, fmt.Sprintf("the game is over (%s has %s)", names[p.winner.Other()], NoPiecesLeft)
	case homeRow:
		return 0, fmt.Sprintf("the game is over (%s %s)", names[p.winner], ReachedHomeRow)
	}
	from, to := fromRank*g.cols+fromFile, toRank*g.cols+toFile
	forward := 1
	if p.turn == engine.Second {
		forward = -1
	}
	dx, owner := toFile-fromFile, p.PieceAt(to)
	switch {
	case p.PieceAt(from) != p.turn:
		return 0, fmt.Sprintf("no piece of %s on %s", sideTitle(p.turn), g.squareName(from))
	case toRank-fromRank != forward || dx < -1 || dx > 1:
		return 0, "not one step forward, straight or diagonally"
	case owner == p.turn:
		return 0, fmt.Sprintf("%s is occupied by %s itself", g.squareName(to), sideTitle(owner))
	case dx == 0 && owner == p.turn.Other():
		return 0, fmt.Sprintf("%s is occupied, and a straight move cannot capture", g.squareName(to))
	}
	return NewMove(from, to), ""
}

// cutSquare reads a file letter and a rank without leading zero from the head of
// text, both from 0.
func cutSquare(text string) (file, rank int, rest string, ok bool) {
	if text == "" || text[0]|0x20 < 'a' || text[0]|0x20 > 'z' {
		return 0, 0, "", false
	}
	i := 1
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	if i == 1 || i > 4 || text[1] == '0' {
		return 0, 0, "", false
	}
	rank, err := strconv.Atoi(text[1:i])
	return int(text[0] | 0x20 - 'a'), rank - 1, text[i:], err == nil
}
