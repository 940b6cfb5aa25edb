package chess

import (
	"fmt"
	"strings"

	"botarena/engine"
)

// SAN writes a legal move of a position of this package in standard algebraic
// notation, as PGN wants it: "Nbxd7+". It panics where pos is another game's.
func SAN(pos engine.Position, m engine.Move) string {
	return string(pos.(*Position).AppendSAN(nil, m))
}

// AppendSAN appends a legal move in standard algebraic notation.
func (p *Position) AppendSAN(dst []byte, m engine.Move) []byte {
	from, to, promotion := split(m)
	kind := p.kindOn(from)
	capture := p.board[to] != 0 || kind == Pawn && to == p.target
	switch p.castlingOf(m) {
	case 0, 2:
		dst = append(dst, "O-O"...)
	case 1, 3:
		dst = append(dst, "O-O-O"...)
	default:
		if kind == Pawn {
			if capture {
				dst = append(dst, 'a'+from%8)
			}
		} else {
			dst = p.appendOrigin(append(dst, letters[kind]), kind, from, to)
		}
		if capture {
			dst = append(dst, 'x')
		}
		dst = appendSquare(dst, to)
		if promotion != 0 {
			dst = append(dst, '=', letters[promotion])
		}
	}
	next := p.state
	p.game.play(&next, m)
	if p.game.inCheck(&next, next.turn) {
		mark := byte('#')
		var buf [256]engine.Move
		if len(p.game.generate(&next, buf[:0])) > 0 {
			mark = '+'
		}
		dst = append(dst, mark)
	}
	return dst
}

// appendOrigin appends as much of the origin as tells the piece from others of
// its kind that may go to the same square: its file, else its rank, else both.
func (p *Position) appendOrigin(dst []byte, kind Kind, from, to uint8) []byte {
	p.find()
	others, sameFile, sameRank := false, false, false
	for _, m := range p.legal {
		f, t, _ := split(m)
		if t != to || f == from || p.kindOn(f) != kind {
			continue
		}
		others = true
		sameFile = sameFile || f%8 == from%8
		sameRank = sameRank || f/8 == from/8
	}
	switch {
	case !others:
		return dst
	case !sameFile:
		return append(dst, 'a'+from%8)
	case !sameRank:
		return append(dst, '1'+from/8)
	}
	return appendSquare(dst, from)
}

// readSAN reads a move in algebraic notation, or says why it is none. Marks
// (+ # ! ? e.p.) and capture signs are not checked against the position.
func (p *Position) readSAN(text string) (m engine.Move, why string) {
	const form = "not a move; write it as e2e4, e7e8q, Nf3 or O-O"
	s := strings.TrimRight(strings.TrimSuffix(strings.TrimRight(text, "+#!? "), "e.p."), "+#!? ")
	if c := strings.ReplaceAll(s, "0", "O"); c == "O-O" || c == "O-O-O" {
		return p.readCastling(c)
	}
	kind := Pawn
	if s != "" {
		if k := strings.IndexByte(letters, s[0]); k > int(Pawn) {
			kind, s = Kind(k), s[1:]
		}
	}
	promotion := Kind(0)
	if n := len(s); n > 0 && kind == Pawn {
		if k := strings.IndexByte(letters, s[n-1]); k > int(Pawn) && k < int(King) {
			promotion, s = Kind(k), strings.TrimSuffix(s[:n-1], "=")
		}
	}
	if len(s) < 2 {
		return 0, form
	}
	to, ok := readSquare(s[len(s)-2:])
	if !ok {
		return 0, form
	}
	s = s[:len(s)-2]
	if s != "" && (s[len(s)-1] == 'x' || s[len(s)-1] == '-') {
		s = s[:len(s)-1]
	}
	origin := ^uint64(0) // squares that the text allows
	if s != "" && s[0] >= 'a' && s[0] <= 'h' {
		origin &= 0x0101010101010101 << (s[0] - 'a')
		s = s[1:]
	}
	if s != "" && s[0] >= '1' && s[0] <= '8' {
		origin &= 0xff << ((s[0] - '1') * 8)
		s = s[1:]
	}
	if s != "" {
		return 0, form
	}
	return p.choose(kind, origin, to, promotion)
}

func (p *Position) readCastling(text string) (m engine.Move, why string) {
	i := 2 * int(p.turn)
	if text == "O-O-O" {
		i++
	}
	if why := p.whyNotCastle(i); why != "" {
		return 0, why
	}
	return p.castling(i).move(), ""
}

// choose returns the one legal move of a kind of piece that fits.
func (p *Position) choose(kind Kind, origin uint64, to uint8, promotion Kind) (m engine.Move, why string) {
	unpromoted := false
	for _, legal := range p.legal {
		f, t, pr := split(legal)
		if t != to || p.kindOn(f) != kind || bit(f)&origin == 0 || p.castlingOf(legal) >= 0 {
			continue
		}
		switch {
		case pr != promotion:
			unpromoted = true
		case m != 0:
			return 0, fmt.Sprintf("more than one %s can go to %s: write %s or %s", kind, squareName(to), SAN(p, m), SAN(p, legal))
		default:
			m = legal
		}
	}
	switch {
	case m != 0:
		return m, ""
	case unpromoted && promotion == 0:
		return 0, "the piece to promote to is missing; end with =Q, =R, =B or =N"
	case unpromoted:
		return 0, "only a pawn that reaches the last rank promotes"
	}
	return 0, fmt.Sprintf("no %s of %s can go to %s", kind, p.game.SideNames()[p.turn], squareName(to))
}
