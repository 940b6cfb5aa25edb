package chess

import (
	"fmt"
	"slices"
	"strings"

	"botarena/engine"
)

// AppendMove appends the move as UCI writes it: castling as the king's two
// squares, in Chess960 as the king taking his rook.
func (p *Position) AppendMove(dst []byte, m engine.Move) []byte {
	from, to, promotion := split(m)
	if !p.game.shuffled && bit(to)&p.sides[p.turn] != 0 {
		if i := p.castlingOf(m); i >= 0 {
			to = p.castling(i).kingTo
		}
	}
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
		if i := p.castlingMeant(m); i >= 0 {
			if why = p.whyNotCastle(i); why == "" {
				return p.castling(i).move(), nil
			}
		} else {
			why = p.whyNot(m)
		}
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

// castlingMeant returns the number of the castling that a move of two squares
// stands for where it is no legal move as it is, or -1: the king takes a rook of
// his own, or goes to where castling takes him from further off than a step.
func (p *Position) castlingMeant(m engine.Move) int {
	from, to, promotion := split(m)
	king := p.kingOf(p.turn)
	if promotion != 0 || from != king || from/8 != to/8 || from/8 != homeRank(p.turn) {
		return -1
	}
	takesRook := p.Pieces(p.turn, Rook)&bit(to) != 0
	if !takesRook && (p.game.king[king]&bit(to) != 0 || !p.game.shuffled && king%8 != 4) {
		return -1
	}
	for i := 2 * int(p.turn); i < 2*int(p.turn)+2; i++ {
		if c := p.castling(i); takesRook && (p.held(i) && c.rook == to || !p.held(i) && (to > king) == (i%2 == 0)) || !takesRook && c.kingTo == to {
			return i
		}
	}
	return -1
}

// whyNot reports why a move of two squares is not legal.
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

// whyNotCastle reports why castling i is not legal, "" if it is.
func (p *Position) whyNotCastle(i int) string {
	switch {
	case p.outcome.Over:
		return "the game is over: " + p.outcome.Reason
	case !p.held(i):
		return "the right to castle there is lost"
	case p.occupied()&p.castling(i).barred() != 0:
		return "a piece stands between king and rook"
	case p.InCheck(), !p.game.canCastle(&p.state, i):
		return "castling out of check, through check or into check"
	}
	return ""
}

// String names the kind in lower case.
func (k Kind) String() string {
	if k > King {
		return "piece"
	}
	return [...]string{"pawn", "knight", "bishop", "rook", "queen", "king"}[k]
}
