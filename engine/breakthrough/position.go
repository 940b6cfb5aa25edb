package breakthrough

import (
	"math/bits"
	"slices"

	"botarena/engine"
)

// A Position is a state of play. Besides engine.Position it gives direct access
// to the board, for evaluation. Squares are numbered
// rank*Cols() + file from a1 = 0.
type Position struct {
	game    *Game
	bits    [2]bitboard
	pieces  [2]int
	turn    engine.Side
	ending  ending
	winner  engine.Side // where ending is not notOver
	hash    uint64
	history []played
}

// An ending is an outcome's reason in a byte: Play and Undo write it often.
type ending uint8

const (
	notOver ending = iota
	homeRow
	noPieces
)

// played holds what Undo needs of a move.
type played struct {
	hash     uint64
	move     engine.Move
	captured bool
}

// A move is the from-square and, ten bits up, the to-square.
const squareBits = 10

// NewMove returns the move from one square to another.
func NewMove(from, to int) engine.Move { return engine.Move(from | to<<squareBits) }

// From returns the square that m leaves.
func From(m engine.Move) int { return int(m & (1<<squareBits - 1)) }

// To returns the square that m reaches.
func To(m engine.Move) int { return int(m >> squareBits) }

// settle computes from the placement and the turn the fields that Play updates.
func (p *Position) settle() {
	p.hash = 0
	if p.turn == engine.Second {
		p.hash = p.game.blackToMove
	}
	for side := range p.bits {
		p.pieces[side] = p.bits[side].count()
		for sq, key := range p.game.key[side] {
			if p.bits[side].has(sq) {
				p.hash ^= key
			}
		}
	}
	p.ending = notOver
	for side := engine.First; side <= engine.Second; side++ {
		if p.pieces[side.Other()] == 0 {
			p.ending, p.winner = noPieces, side
		}
	}
	for side := engine.First; side <= engine.Second; side++ {
		if p.bits[side].overlaps(&p.game.goal[side]) {
			p.ending, p.winner = homeRow, side
		}
	}
}

// Game returns the game at the position's size.
func (p *Position) Game() engine.Game { return p.game }

// Turn returns the side to move.
func (p *Position) Turn() engine.Side { return p.turn }

// Ply counts the moves played since Start or Parse.
func (p *Position) Ply() int { return len(p.history) }

// Outcome reports who has won, and how.
func (p *Position) Outcome() engine.Outcome {
	switch p.ending {
	case homeRow:
		return engine.Outcome{Over: true, Winner: p.winner, Reason: ReachedHomeRow}
	case noPieces:
		return engine.Outcome{Over: true, Winner: p.winner, Reason: NoPiecesLeft}
	}
	return engine.Outcome{Winner: engine.NoSide}
}

// Hash returns the Zobrist key of the placement and the side to move.
func (p *Position) Hash() uint64 { return p.hash }

// Reversible returns 0: every move goes forward.
func (p *Position) Reversible() int { return 0 }

// Cols returns the number of files.
func (p *Position) Cols() int { return p.game.cols }

// Rows returns the number of ranks.
func (p *Position) Rows() int { return p.game.rows }

// Pieces counts the pieces of a side.
func (p *Position) Pieces(side engine.Side) int { return p.pieces[side] }

// Bits returns the squares of a side: bit i%64 of word i/64 is square i. Boards up to
// 64 squares have one word. The slice is the position's own: do not write to it,
// and read it again after Play and Undo.
func (p *Position) Bits(side engine.Side) []uint64 { return p.bits[side][:p.game.words] }

// PieceAt returns the owner of the piece on a square, engine.NoSide if it is empty.
func (p *Position) PieceAt(sq int) engine.Side {
	switch {
	case p.bits[engine.First].has(sq):
		return engine.First
	case p.bits[engine.Second].has(sq):
		return engine.Second
	}
	return engine.NoSide
}

// Captures reports whether the legal move m takes a piece.
func (p *Position) Captures(m engine.Move) bool { return p.bits[p.turn.Other()].has(To(m)) }

// Quiet reports whether the legal move m captures nothing, and no piece of the other
// side is one step from winning.
func (p *Position) Quiet(m engine.Move) bool {
	row := 1
	if p.turn == engine.Second {
		row = p.Rows() - 2
	}
	for col := range p.Cols() {
		if p.PieceAt(row*p.Cols()+col) == p.turn.Other() {
			return false
		}
	}
	return !p.Captures(m)
}

// Legal appends the legal moves: straight ones first, then those towards file a,
// then the others, in each 64 squares of the board.
func (p *Position) Legal(dst []engine.Move) []engine.Move {
	if p.ending != notOver {
		return dst
	}
	g := p.game
	if g.words == 1 {
		straight, left, right := g.targets(p.turn, p.bits[p.turn][0], p.bits[p.turn.Other()][0])
		return appendMoves(dst, straight, left, right, 0, g.deltas(p.turn))
	}
	for i := range g.words {
		straight, left, right := p.wordTargets(i)
		dst = appendMoves(dst, straight, left, right, i<<6, g.deltas(p.turn))
	}
	return dst
}

// deltas returns the distances from from-square to to-square: straight, towards file
// a, away from it.
func (g *Game) deltas(side engine.Side) [3]int {
	if side == engine.First {
		return [3]int{g.cols, g.cols - 1, g.cols + 1}
	}
	return [3]int{-g.cols, -g.cols - 1, -g.cols + 1}
}

// appendMoves appends a move onto each target, whose bit 0 is square base.
func appendMoves(dst []engine.Move, straight, left, right uint64, base int, delta [3]int) []engine.Move {
	for t := straight; t != 0; t &= t - 1 {
		to := base + bits.TrailingZeros64(t)
		dst = append(dst, NewMove(to-delta[0], to))
	}
	for t := left; t != 0; t &= t - 1 {
		to := base + bits.TrailingZeros64(t)
		dst = append(dst, NewMove(to-delta[1], to))
	}
	for t := right; t != 0; t &= t - 1 {
		to := base + bits.TrailingZeros64(t)
		dst = append(dst, NewMove(to-delta[2], to))
	}
	return dst
}

// targets returns the squares that side can move to, by direction, on a board of
// one word. Each direction reaches a square from one other square only, so the
// sets also count the moves.
func (g *Game) targets(side engine.Side, own, opp uint64) (straight, left, right uint64) {
	free := g.full[0] &^ own
	c := uint(g.cols) & 31 // no shift is ever 64 or more: this spares the check
	if side == engine.First {
		return own << c & free &^ opp,
			own & g.notFirst[0] << (c - 1) & free,
			own & g.notLast[0] << (c + 1) & free
	}
	return own >> c & free &^ opp,
		own & g.notFirst[0] >> (c + 1) & free,
		own & g.notLast[0] >> (c - 1) & free
}

// wordTargets is targets for word i of a board of several.
func (p *Position) wordTargets(i int) (straight, left, right uint64) {
	g, own := p.game, &p.bits[p.turn]
	free := g.full[i] &^ own[i]
	empty := free &^ p.bits[p.turn.Other()][i]
	c := uint(g.cols)
	if p.turn == engine.First {
		straight, left, right = own[i]<<c, own[i]&g.notFirst[i]<<(c-1), own[i]&g.notLast[i]<<(c+1)
		if i > 0 {
			straight |= own[i-1] >> (64 - c)
			left |= own[i-1] & g.notFirst[i-1] >> (64 - c + 1)
			right |= own[i-1] & g.notLast[i-1] >> (64 - c - 1)
		}
	} else {
		straight, left, right = own[i]>>c, own[i]&g.notFirst[i]>>(c+1), own[i]&g.notLast[i]>>(c-1)
		if i+1 < g.words {
			straight |= own[i+1] << (64 - c)
			left |= own[i+1] & g.notFirst[i+1] << (64 - c - 1)
			right |= own[i+1] & g.notLast[i+1] << (64 - c + 1)
		}
	}
	return straight & empty, left & free, right & free
}

// Play makes a move, which must be one of Legal's.
func (p *Position) Play(m engine.Move) {
	p.history = append(p.history, played{hash: p.hash, move: m, captured: p.Captures(m)})
	from, to, side, other := From(m), To(m), p.turn, p.turn.Other()
	p.bits[side].clear(from)
	p.bits[side].set(to)
	p.hash ^= p.game.key[side][from] ^ p.game.key[side][to] ^ p.game.blackToMove
	if p.bits[other].has(to) {
		p.bits[other].clear(to)
		p.hash ^= p.game.key[other][to]
		p.pieces[other]--
	}
	p.turn = other
	if p.game.goal[side].has(to) {
		p.ending, p.winner = homeRow, side
	} else if p.pieces[other] == 0 {
		p.ending, p.winner = noPieces, side
	}
}

// Undo takes back the last move. It panics if none was played.
func (p *Position) Undo() {
	last := p.history[len(p.history)-1]
	p.history = p.history[:len(p.history)-1]
	from, to, other := From(last.move), To(last.move), p.turn
	side := other.Other()
	p.bits[side].clear(to)
	p.bits[side].set(from)
	if last.captured {
		p.bits[other].set(to)
		p.pieces[other]++
	}
	p.turn, p.hash = side, last.hash
	// No move is played once a game is over.
	p.ending = notOver
}

// Clone returns an independent copy, history included.
func (p *Position) Clone() engine.Position {
	c := *p
	c.history = slices.Clone(p.history)
	return &c
}

// mobility counts the legal moves of an unfinished game.
func (p *Position) mobility() int {
	n := 0
	for i := range p.game.words {
		straight, left, right := p.wordTargets(i)
		n += bits.OnesCount64(straight) + bits.OnesCount64(left) + bits.OnesCount64(right)
	}
	return n
}

// Perft counts the paths of exactly depth moves; see engine.Perft.
func (p *Position) Perft(depth int) uint64 {
	switch {
	case depth <= 0:
		return 1
	case p.ending != notOver:
		return 0
	case p.game.words == 1:
		return p.game.perft(p.turn, p.bits[p.turn][0], p.bits[p.turn.Other()][0], depth)
	}
	return p.bigPerft(depth, make([][]engine.Move, depth))
}

func (g *Game) perft(side engine.Side, own, opp uint64, depth int) uint64 {
	straight, left, right := g.targets(side, own, opp)
	if depth == 1 {
		return uint64(bits.OnesCount64(straight) + bits.OnesCount64(left) + bits.OnesCount64(right))
	}
	// Moves onto the goal end the game: no path goes on.
	keep := ^g.goal[side][0]
	c := uint(g.cols)
	other := side.Other()
	if side == engine.First {
		return g.extend(other, own, opp, straight&keep, c, 0, depth) +
			g.extend(other, own, opp, left&keep, c-1, 0, depth) +
			g.extend(other, own, opp, right&keep, c+1, 0, depth)
	}
	return g.extend(other, own, opp, straight&keep, 0, c, depth) +
		g.extend(other, own, opp, left&keep, 0, c+1, depth) +
		g.extend(other, own, opp, right&keep, 0, c-1, depth)
}

// extend plays onto each target, from the square that lies right or left bits
// away, and counts on for the other side.
func (g *Game) extend(other engine.Side, own, opp, targets uint64, right, left uint, depth int) uint64 {
	var nodes uint64
	for ; targets != 0; targets &= targets - 1 {
		to := targets & -targets
		from := to >> (right & 63) << (left & 63)
		if rest := opp &^ to; rest != 0 {
			nodes += g.perft(other, rest, own^from^to, depth-1)
		}
	}
	return nodes
}

func (p *Position) bigPerft(depth int, bufs [][]engine.Move) uint64 {
	if p.ending != notOver {
		return 0
	}
	if depth == 1 {
		return uint64(p.mobility())
	}
	moves := p.Legal(bufs[depth-1][:0])
	bufs[depth-1] = moves
	var nodes uint64
	for _, m := range moves {
		p.Play(m)
		nodes += p.bigPerft(depth-1, bufs)
		p.Undo()
	}
	return nodes
}
