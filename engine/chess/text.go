package chess

import (
	"fmt"
	"slices"
	"strings"

	"botarena/engine"
)

// AppendMove appends the move as UCI writes it.
func (p *Position) AppendMove(dst []byte, m engine.Move) []byte {
	from, to, promotion := split(m)
	dst = appendSquare(appendSquare(dst, from), to)
	if promotion != 0 {
		dst = append(dst, letters[promotion]+'a'-'A')
	}
	return dst
}

// ParseMove reads a move in UCI's form or in algebraic notation.
func (p *Position) ParseMove(text string) (engine.Move, error) {
	m, squaresOnly := readUCI(text)
	p.find()
	if squaresOnly && slices.Contains(p.legal, m) {
		return m, nil
	}
	var why string
	switch trimmed := strings.TrimSpace(text); {
	case p.outcome.Over:
		why = "the game is over: " + p.outcome.Reason
	case squaresOnly:
		if castle := p.kingTakesRook(m); castle != 0 {
			return castle, nil
		}
		why = p.whyNot(m)
	case len(trimmed) != len(text):
		return p.ParseMove(trimmed)
	default:
		m, why = p.readSAN(text)
	}
	if why != "" {
		return 0, &engine.MoveError{Move: text, Why: why}
	}
	return m, nil
}

// readUCI reads two squares and perhaps a promotion, "e7e8q", "e7e8=Q" or "e7-e8".
func readUCI(text string) (m engine.Move, ok bool) {
	if len(text) < 4 {
		return 0, false
	}
	from, ok1 := readSquare(text[:2])
	rest := text[2:]
	if rest[0] == '-' || rest[0] == 'x' {
		rest = rest[1:]
	}
	if !ok1 || len(rest) < 2 {
		return 0, false
	}
	to, ok2 := readSquare(rest[:2])
	if rest = rest[2:]; !ok2 || rest == "" {
		return newMove(from, to, 0), ok2
	}
	rest = strings.TrimPrefix(rest, "=")
	if len(rest) != 1 {
		return 0, false
	}
	kind := strings.IndexByte(letters, rest[0]&^('a'-'A'))
	if kind < int(Knight) || kind > int(Queen) {
		return 0, false
	}
	return newMove(from, to, Kind(kind)), true
}

// kingTakesRook returns the legal castling that some programs write as the king
// taking his own rook, or 0.
func (p *Position) kingTakesRook(m engine.Move) engine.Move {
	from, to, promotion := split(m)
	for _, c := range castlings() {
		castle := newMove(c.king, c.kingTo, 0)
		if c.side == p.turn && c.king == from && c.rook == to && promotion == 0 &&
			p.rights&c.right != 0 && slices.Contains(p.legal, castle) {
			return castle
		}
	}
	return 0
}

// whyNot says why a move of two squares is not legal.
func (p *Position) whyNot(m engine.Move) string {
	from, to, promotion := split(m)
	sides := p.game.SideNames()
	kind, side := p.PieceOn(int(from))
	pawnHome := kind == Pawn && bit(to)&lastRanks != 0
	switch {
	case side == engine.NoSide:
		return fmt.Sprintf("no piece of %s on %s", sides[p.turn], squareName(from))
	case side != p.turn:
		return fmt.Sprintf("the %s on %s is %s's; %s is to move", kind, squareName(from), sides[side], sides[p.turn])
	case kind == King && p.castles(from, to):
		return p.whyNotCastle(to)
	case p.sides[p.turn]&bit(to) != 0:
		return squareName(to) + " is taken by a piece of the same side"
	case p.game.reach(&p.state, from)&bit(to) == 0 && (kind != Pawn || to != p.target || p.game.pawn[p.turn][from]&bit(to) == 0):
		return fmt.Sprintf("the %s on %s does not reach %s", kind, squareName(from), squareName(to))
	case pawnHome && promotion == 0:
		return "the piece to promote to is missing; end with q, r, b or n"
	case !pawnHome && promotion != 0:
		return "only a pawn that reaches the last rank promotes"
	case kind == King:
		return "the king would be in check on " + squareName(to)
	case p.InCheck():
		return "the king stays in check"
	}
	return fmt.Sprintf("the %s on %s is pinned to the king", kind, squareName(from))
}

func (p *Position) castles(from, to uint8) bool {
	for _, c := range castlings() {
		if c.side == p.turn && c.king == from && (c.kingTo == to || c.rook == to && p.Pieces(p.turn, Rook)&bit(to) != 0) {
			return true
		}
	}
	return false
}

func (p *Position) whyNotCastle(to uint8) string {
	for _, c := range castlings() {
		if c.side != p.turn || c.kingTo != to && c.rook != to {
			continue
		}
		switch {
		case p.rights&c.right == 0:
			return "the right to castle there is lost"
		case p.occupied()&c.empty != 0:
			return "a piece stands between king and rook"
		}
	}
	return "castling out of check, through check or into check"
}

// String names the kind in lower case.
func (k Kind) String() string {
	if k > King {
		return "piece"
	}
	return [...]string{"pawn", "knight", "bishop", "rook", "queen", "king"}[k]
}
