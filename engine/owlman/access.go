package owlman

import (
	"botarena/engine"
	"botarena/engine/owlman/board"
)

// Doc returns Doc's file and rank, from 0; ok is false if he is captured.
func (p *position) Doc() (file, rank int, ok bool) {
	if p.doc == board.Nowhere {
		return 0, 0, false
	}
	file, rank = fileAndRank(p.doc)
	return file, rank, true
}

// Owl returns Owlman's file and rank, from 0.
func (p *position) Owl() (file, rank int) { return fileAndRank(p.owl) }

// PieceAt returns the letter of the piece on a square, given by file and rank from 0,
// or 0 if it is empty, dark or off the board.
func (p *position) PieceAt(file, rank int) byte {
	sq, ok := board.SquareAt(file, 7-rank)
	if !ok {
		return 0
	}
	return p.pieceOn(sq)
}

func fileAndRank(sq uint8) (file, rank int) {
	col, row := board.Place(sq)
	return col, 7 - row
}

// Captures reports whether a legal move captures a helper or Doc.
func (p *position) Captures(m engine.Move) bool {
	if p.turn == engine.First {
		return false
	}
	next := p.state
	p.game.play(&next, m)
	return next.helpers != p.helpers || next.doc == board.Nowhere
}

// Quiet reports whether the legal move m captures nobody.
func (p *position) Quiet(m engine.Move) bool { return !p.Captures(m) }

// Pieces returns the squares of the helpers, a set, and of Doc and Owlman: numbers as
// package board has them, board.Nowhere for a Doc who is captured.
func (p *position) Pieces() (helpers uint32, doc, owl uint8) { return p.helpers, p.doc, p.owl }
