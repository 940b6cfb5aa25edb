package chess

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"botarena/engine"
	"botarena/engine/placement"
)

const letters = "PNBRQK"

// letter returns the FEN letter of what stands on a square, 0 for nothing.
func letter(code uint8) byte {
	if code == 0 {
		return 0
	}
	l := letters[code&7-1]
	if code&blackPiece != 0 {
		l += 'a' - 'A'
	}
	return l
}

func appendSquare(dst []byte, sq uint8) []byte { return append(dst, 'a'+sq%8, '1'+sq/8) }

func squareName(sq uint8) string { return string(appendSquare(nil, sq)) }

// readSquare reads the name of a square.
func readSquare(s string) (sq uint8, ok bool) {
	if len(s) != 2 || s[0] < 'a' || s[0] > 'h' || s[1] < '1' || s[1] > '8' {
		return 0, false
	}
	return (s[1]-'1')*8 + s[0] - 'a', true
}

// AppendText appends the FEN.
func (p *Position) AppendText(dst []byte) []byte {
	dst = form().Append(dst, func(col, row int) byte { return letter(p.board[(7-row)*8+col]) })
	dst = append(dst, ' ', "wb"[p.turn], ' ')
	if p.rights == 0 {
		dst = append(dst, '-')
	}
	for i := range castlings {
		if p.held(i) {
			dst = append(dst, p.rightLetter(i))
		}
	}
	dst = append(dst, ' ')
	if p.target == noSquare {
		dst = append(dst, '-')
	} else {
		dst = appendSquare(dst, p.target)
	}
	dst = strconv.AppendInt(append(dst, ' '), int64(p.half), 10)
	return strconv.AppendInt(append(dst, ' '), int64(p.full), 10)
}

const rightLetters = "KQkq" // in the order of the castlings

// rightLetter returns how the right to castling i is written: in Chess960 by the file
// of its rook (Shredder-FEN), which needs no other look at the board.
func (p *Position) rightLetter(i int) byte {
	switch {
	case !p.game.shuffled:
		return rightLetters[i]
	case i < 2:
		return 'A' + p.rooks[i]%8
	}
	return 'a' + p.rooks[i]%8
}

// Parse reads a FEN, with or without the two counters.
func (g *game) Parse(text string) (engine.Position, error) {
	p := &Position{game: g, state: state{full: 1, target: noSquare}}
	if column, why := p.read(text); why != "" {
		return nil, &engine.PositionError{Game: g.name, Text: text, Column: column, Why: why}
	}
	return p, nil
}

// A fenField is a word of the text and the column where it begins.
type fenField struct {
	text   string
	column int
}

func fields(text string) []fenField {
	var list []fenField
	column := 0
	for _, word := range strings.Fields(text) {
		column += strings.Index(text[column:], word)
		list = append(list, fenField{word, column + 1})
		if column += len(word); len(list) > 6 {
			break
		}
	}
	return list
}

// read fills in p, or says which column (0 for none) is wrong and why.
func (p *Position) read(text string) (column int, why string) {
	f := fields(text)
	if len(f) != 4 && len(f) != 6 {
		return 0, "a FEN has six fields (or four, without the counters), such as " + p.game.start
	}
	switch at, why := form().Read(f[0].text, p.put); {
	case why != "" && at < len(f[0].text):
		return f[0].column + at, why
	case why != "":
		return 0, why
	}
	switch f[1].text {
	case "w":
		p.turn = engine.First
	case "b":
		p.turn = engine.Second
		p.key ^= p.game.blackKey
	default:
		return f[1].column, "the side to move is w or b"
	}
	if why := p.sound(); why != "" {
		return 0, why
	}
	if why := p.readRights(f[2].text); why != "" {
		return f[2].column, why
	}
	if why := p.readTarget(f[3].text); why != "" {
		return f[3].column, why
	}
	if len(f) == 6 {
		var ok bool
		if p.half, ok = readCounter(f[4].text); !ok {
			return f[4].column, "the number of plies since a capture or pawn move is 0 to 9999"
		}
		if p.full, ok = readCounter(f[5].text); !ok {
			return f[5].column, "the number of the move is 1 to 9999"
		}
		p.full = max(p.full, 1) // some programs count from 0
	}
	return 0, ""
}

func readCounter(s string) (int32, bool) {
	n, err := strconv.ParseUint(s, 10, 16)
	return int32(n), err == nil && n <= 9999
}

func form() *placement.Form {
	return &placement.Form{Cols: 8, Rows: 8, Letters: letters + "pnbrqk", Signs: "PNBRQK, pnbrqk and digits"}
}

func (p *Position) put(piece byte, col, row int) (why string) {
	side := engine.First
	if piece >= 'a' {
		side = engine.Second
	}
	p.game.put(&p.state, side, Kind(strings.IndexByte(letters, piece&^('a'-'A'))), uint8((7-row)*8+col))
	return ""
}

// sound reports why a placement cannot be played.
func (p *Position) sound() (why string) {
	for side, sideName := range p.game.SideNames() {
		if n := count(p.Pieces(engine.Side(side), King)); n != 1 {
			return fmt.Sprintf("%s has %d kings instead of 1", sideName, n)
		}
	}
	switch {
	case p.kinds[Pawn]&lastRanks != 0:
		return "a pawn cannot stand on " + squareName(lowest(p.kinds[Pawn]&lastRanks))
	case p.game.inCheck(&p.state, p.turn.Other()):
		return p.game.SideNames()[p.turn.Other()] + " is in check but not to move"
	}
	return ""
}

// homeRank returns the rank, from 0, on which a side's pieces start.
func homeRank(side engine.Side) uint8 { return 7 * uint8(side) }

// readRights reads the castling rights: KQkq, and in Chess960 also the files of
// the rooks, HAha. There K means the outermost rook on that side (X-FEN).
func (p *Position) readRights(s string) (why string) {
	if s != "-" {
		for i := range len(s) {
			at, rook, why := p.readRight(s[i])
			if why == "" && p.held(at) {
				why = fmt.Sprintf("the castling right %c comes twice: each once", s[i])
			}
			if why != "" {
				return why
			}
			p.rights |= 1 << at
			p.rooks[at] = rook
		}
	}
	p.key ^= p.game.rightsKey[p.rights]
	return ""
}

// readRight returns the number of the castling that a letter allows, and where
// its rook stands.
func (p *Position) readRight(letter byte) (at int, rook uint8, why string) {
	side := engine.First
	if letter >= 'a' {
		side = engine.Second
	}
	king, home := p.kingOf(side), homeRank(side)
	rooks := p.Pieces(side, Rook) & (0xff << (8 * home))
	if king/8 != home || !p.game.shuffled && king%8 != 4 {
		rooks = 0
	}
	east, west := rooks&^(bit(king)<<1-1), rooks&(bit(king)-1)
	at = strings.IndexByte(rightLetters, letter)
	switch file := letter | ('a' - 'A'); {
	case at >= 0 && !p.game.shuffled:
		rook = 8*home + 7*uint8(1-at%2)
		if rooks&bit(rook) == 0 {
			return 0, 0, fmt.Sprintf("the castling right %c needs a king on %s and a rook on %s", letter, squareName(8*home+4), squareName(rook))
		}
		return at, rook, ""
	case !p.game.shuffled:
		return 0, 0, "the castling rights are - or some of KQkq, each once"
	case at >= 0:
		if at%2 == 0 && east != 0 {
			return at, 63 - uint8(bits.LeadingZeros64(east)), ""
		}
		if at%2 == 1 && west != 0 {
			return at, lowest(west), ""
		}
		return 0, 0, fmt.Sprintf("the castling right %c needs a king on rank %d and a rook on that side of him", letter, home+1)
	case file >= 'a' && file <= 'h':
		rook = 8*home + file - 'a'
		switch at = 2 * int(side); {
		case east&bit(rook) != 0:
			return at, rook, ""
		case west&bit(rook) != 0:
			return at + 1, rook, ""
		}
		return 0, 0, fmt.Sprintf("the castling right %c needs a king on rank %d and a rook on %s", letter, home+1, squareName(rook))
	}
	return 0, 0, "the castling rights are -, some of KQkq, or the files of the rooks (HAha)"
}

func (p *Position) readTarget(s string) (why string) {
	if s == "-" {
		return ""
	}
	sq, ok := readSquare(s)
	rank := uint8(5)
	if p.turn == engine.Second {
		rank = 2
	}
	if !ok || sq/8 != rank {
		return fmt.Sprintf("the en-passant square is - or a square of rank %d", rank+1)
	}
	// The pawn went from behind the square to before it.
	behind := sq + 8
	if p.turn == engine.Second {
		behind = sq - 8
	}
	if p.Pieces(p.turn.Other(), Pawn)&bit(sq^8) == 0 || p.occupied()&(bit(sq)|bit(behind)) != 0 {
		return "no pawn can just have passed over " + s
	}
	p.game.setTarget(&p.state, sq)
	return ""
}
