package chess

import (
	"slices"

	"botarena/engine"
)

// A Position is the engine.Position of chess. Its methods beyond that interface
// are for evaluation and reports.
type Position struct {
	state
	game  *game
	moves []played

	// The legal moves and the outcome, found once a position.
	known   bool
	legal   []engine.Move
	outcome engine.Outcome
}

type played struct {
	before state
	move   engine.Move
}

// Game returns chess or Chess960.
func (p *Position) Game() engine.Game {
	if p.game.shuffled {
		return shuffledGame{p.game}
	}
	return p.game
}

// Turn returns the side to move.
func (p *Position) Turn() engine.Side { return p.turn }

// Ply counts the moves played since Start or Parse.
func (p *Position) Ply() int { return len(p.moves) }

// String returns the FEN.
func (p *Position) String() string { return string(p.AppendText(nil)) }

// Hash covers what the repetition rule compares: not the counters of the FEN.
func (p *Position) Hash() uint64 { return p.key }

// Reversible counts the plies since the last capture or pawn move.
func (p *Position) Reversible() int { return min(int(p.half), len(p.moves)) }

// HalfmoveClock counts the plies since the last capture or pawn move, those before the
// position was read among them.
func (p *Position) HalfmoveClock() int { return int(p.half) }

// Pieces returns the squares of a side's pieces of a kind, a1 being the lowest bit,
// b1 the next, h8 the highest.
func (p *Position) Pieces(side engine.Side, kind Kind) uint64 {
	return p.kinds[kind] & p.sides[side]
}

// PieceOn reports what stands on a square (0 to 63, a1, b1, ... h8); side is
// engine.NoSide if it is empty.
func (p *Position) PieceOn(square int) (kind Kind, side engine.Side) {
	switch code := p.board[square]; {
	case code == 0:
		return 0, engine.NoSide
	case code&blackPiece != 0:
		return p.kindOn(uint8(square)), engine.Second
	default:
		return p.kindOn(uint8(square)), engine.First
	}
}

// Squares returns the squares that a move leaves and reaches (a castling king takes his
// rook), and the kind of a promotion, 0 for none.
func Squares(m engine.Move) (from, to int, promotion Kind) {
	a, b, promotion := split(m)
	return int(a), int(b), promotion
}

// InCheck reports whether the side to move is in check.
func (p *Position) InCheck() bool { return p.game.inCheck(&p.state, p.turn) }

// Quiet reports whether the side to move is not in check, and the legal move m neither
// takes nor promotes.
func (p *Position) Quiet(m engine.Move) bool {
	from, to, promotion := split(m)
	pawn := p.kindOn(from) == Pawn
	takes := p.board[to] != 0 && p.castlingOf(m) < 0 || pawn && from&7 != to&7 // or in passing
	return promotion == 0 && !takes && !p.InCheck()
}

// find fills in the legal moves and the outcome.
func (p *Position) find() {
	if p.known {
		return
	}
	p.known = true
	p.legal = p.game.generate(&p.state, p.legal[:0])
	p.outcome = engine.Outcome{Winner: engine.NoSide}
	switch {
	case len(p.legal) == 0 && p.InCheck():
		p.outcome = engine.Outcome{Over: true, Winner: p.turn.Other(), Reason: checkmate}
	case len(p.legal) == 0:
		p.draw(stalemate)
	case p.deadDraw():
		p.draw(insufficient)
	case p.half >= 8 && p.occurrences() >= 3:
		p.draw(threefold)
	case p.half >= 100:
		p.draw(fiftyMoves)
	}
}

func (p *Position) draw(reason string) {
	p.outcome = engine.Outcome{Over: true, Winner: engine.NoSide, Reason: reason}
	p.legal = p.legal[:0]
}

// occurrences counts this position in the game so far, up to three.
func (p *Position) occurrences() int {
	n := 1
	for i := len(p.moves) - 4; i >= len(p.moves)-int(p.half) && i >= 0 && n < 3; i -= 2 {
		if p.same(&p.moves[i].before) {
			n++
		}
	}
	return n
}

// Legal appends the legal moves.
func (p *Position) Legal(dst []engine.Move) []engine.Move {
	p.find()
	return append(dst, p.legal...)
}

// Outcome reports whether and how the game has ended.
func (p *Position) Outcome() engine.Outcome {
	p.find()
	return p.outcome
}

// Play makes a legal move.
func (p *Position) Play(m engine.Move) {
	p.moves = append(p.moves, played{p.state, m})
	p.game.play(&p.state, m)
	p.known = false
}

// Undo takes back the last move.
func (p *Position) Undo() {
	if len(p.moves) == 0 {
		panic("chess: Undo at ply 0")
	}
	last := len(p.moves) - 1
	p.state = p.moves[last].before
	p.moves = p.moves[:last]
	p.known = false
}

// Perft counts paths of legal moves as published counts do: draws end no path.
func (p *Position) Perft(depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	return p.game.perft(&p.state, make([]level, depth))
}

// Clone returns an independent copy.
func (p *Position) Clone() engine.Position {
	c := *p
	c.moves = slices.Clone(p.moves)
	c.legal = slices.Clone(p.legal)
	return &c
}

// Board describes the position for drawing.
func (p *Position) Board() engine.Board {
	b := engine.Board{Cols: 8, Rows: 8, Cells: make([]engine.Cell, squares)}
	for i := range squares {
		sq := (7-i/8)*8 + i%8
		_, side := p.PieceOn(sq)
		b.Cells[i] = engine.Cell{Piece: letter(p.board[sq]), Side: side}
		if lightSquares&bit(uint8(sq)) == 0 {
			b.Cells[i].Shade = engine.Alternate
		}
		if n := len(p.moves); n > 0 && p.moves[n-1].before.board[sq] != p.board[sq] {
			b.Last = append(b.Last, i)
		}
	}
	return b
}
