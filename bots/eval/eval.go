// Package eval judges positions of every game for the built-in bots. The numbers
// are hand-made and modest: they order moves sensibly, they do not compete.
package eval

import (
	"math/bits"

	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/chess"
	"botarena/engine/outwit"
)

// For returns the evaluation of a game: centipawns for the side to move of a
// position that is not over. A game that it does not know is judged by mobility.
func For(game engine.Game) func(engine.Position) int {
	switch game.Start().(type) {
	case *breakthrough.Position:
		return evalBreakthrough
	case *outwit.Position:
		return evalOutwit
	case owlman:
		level := owlmanLevel(game.Name())
		return func(pos engine.Position) int { return evalOwlman(pos, level) }
	case *chess.Position:
		return evalChess()
	}
	return mobility()
}

// forSide turns a score for the first side into one for the side to move.
func forSide(pos engine.Position, score int) int {
	if pos.Turn() == engine.Second {
		return -score
	}
	return score
}

// mobility counts the moves of the side to move, slightly in its favour.
func mobility() func(engine.Position) int {
	var moves []engine.Move
	return func(pos engine.Position) int {
		moves = pos.Legal(moves[:0])
		return len(moves)
	}
}

// evalBreakthrough counts pieces, and how far they have come: the last ranks
// count most, since a piece two steps from home often cannot be stopped. A piece
// that never left its home row guards it.
func evalBreakthrough(p engine.Position) int {
	pos := p.(*breakthrough.Position)
	rows, cols := pos.Rows(), pos.Cols()
	score := 0
	for side := range engine.Side(2) {
		sum := 0
		for word, set := range pos.Bits(side) {
			for ; set != 0; set &= set - 1 {
				row := (word*64 + bits.TrailingZeros64(set)) / cols
				if side == engine.Second {
					row = rows - 1 - row
				}
				sum += BreakthroughPiece(row, rows)
			}
		}
		if side == engine.Second {
			sum = -sum
		}
		score += sum
	}
	return forSide(p, score)
}

// BreakthroughPiece returns what a piece in a row from its home is worth.
func BreakthroughPiece(row, rows int) int {
	if row == 0 {
		return 112
	}
	left := rows - 1 - row // steps to go
	return 100 + 3*row + 160/(left*left+1)
}

// evalOutwit counts chips at home and, for the others, whether they stand in
// line with the corner, one slide away from it. The power chip is of more use in
// the middle, as a stop for its own soldiers, until these are at home.
func evalOutwit(p engine.Position) int {
	pos := p.(*outwit.Position)
	score := 0
	for side := range engine.Side(2) {
		sum := 0
		for set := pos.Soldiers(side); set.Len() > 0; {
			sum += OutwitSoldier(set.Pop(), side)
		}
		if home := pos.Home(side); outwit.CornerOf(pos.King(side)) == side {
			sum += OutwitGuarded * home
		} else {
			sum += OutwitKingOut
		}
		if side == engine.Second {
			sum = -sum
		}
		score += sum
	}
	return forSide(p, score)
}

// What a power chip in the middle is worth, and one in its corner for each chip there.
const (
	OutwitKingOut = 40
	OutwitGuarded = 15
)

// OutwitSoldier returns what a soldier on a square is worth to its side.
func OutwitSoldier(at outwit.Square, side engine.Side) int {
	if outwit.CornerOf(at) == side {
		return 100
	}
	file, rank := at.File(), at.Rank()
	if side == engine.Second { // the board turned round: Dark's corner is Light's
		file, rank = outwit.Files-1-file, outwit.Ranks-1-rank
	}
	switch {
	case file >= outwit.Files-3: // below the corner
		return 30 + rank
	case rank >= outwit.Ranks-3: // beside it
		return 30 + file
	}
	return file + rank
}

// owlman is the part of an Owlman position that the evaluation needs. Squares are file
// and rank from 0.
type owlman interface {
	engine.Position
	Doc() (file, rank int, ok bool)
	Owl() (file, rank int)
	PieceAt(file, rank int) byte
}

// evalOwlman weighs the helpers left and those that Owlman can frighten away
// next, how near Doc has come to the lair a8, whether his way is free, and the
// nearest helper to b7; while Doc is on the tower, an Owlman near it is a threat.
func evalOwlman(p engine.Position, level int) int {
	pos := p.(owlman)
	const lair, guard = 7, 6 // the ranks of a8 and b7, the files being 0 and 1
	file, rank, ok := pos.Doc()
	if !ok {
		return forSide(p, -10_000)
	}
	score, nearest := level, 8
	for f := range 8 {
		for r := range 8 {
			if pos.PieceAt(f, r) == 'H' {
				score += 60
				nearest = min(nearest, max(abs(f-1), abs(r-guard)))
			}
		}
	}
	score += 50*(7-max(file, lair-rank)) - 15*nearest
	if file > 0 && rank < lair && pos.PieceAt(file-1, rank+1) != 0 && rank < guard {
		score -= 30 // his way is blocked
	}
	owlFile, owlRank := pos.Owl()
	if file == 7 && rank == 0 {
		score -= 30 + 20*(7-max(7-owlFile, owlRank))
	}
	threats := 0
	for _, d := range [4][2]int{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
		if owlmanThreat(pos, owlFile, owlRank, d[0], d[1]) {
			threats++
		}
	}
	if pos.Turn() == engine.Second {
		score -= 40 * min(threats, 1)
	} else if threats > 1 { // one of them can be met
		score -= 20
	}
	return forSide(p, score)
}

// owlmanLevel returns where the score begins, so that it is 0 if both roles win as
// often: by logistic regression of minimax's games against itself (20,000 nodes a
// move) on its score at depth 8, from random openings of 6 plies, 498 games of
// Owlman and 298 of Daybreak.
func owlmanLevel(game string) int {
	if game == "owlman:daybreak" {
		return -551
	}
	return -507
}

// owlmanThreat reports whether a step of Owlman in that direction captures.
func owlmanThreat(pos owlman, file, rank, df, dr int) bool {
	for steps := 1; ; steps++ {
		file, rank = file+df, rank+dr
		if file < 0 || file > 7 || rank < 0 || rank > 7 {
			return false
		}
		switch piece := pos.PieceAt(file, rank); {
		case piece == 0:
		case steps == 1:
			return false
		default:
			return piece == 'H'
		}
	}
}

func abs(n int) int { return max(n, -n) }
