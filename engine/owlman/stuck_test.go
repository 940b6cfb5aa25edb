package owlman

import (
	"math/bits"
	"testing"

	"botarena/engine"
	"botarena/engine/owlman/board"
)

// TestWhiteCanMove: the rule for White without a move is never needed with at
// most twelve helpers, and is tested with more.
func TestWhiteCanMove(t *testing.T) {
	opened, err := Family{}.Open("")
	if err != nil {
		t.Fatal(err)
	}
	g := opened.(*game)
	// White pieces are stuck only where they fill a whole region of the board less
	// Owlman's square and the tower, or stand on the tower with Owlman on g2. If
	// the only small region is a8, with Owlman on b7, then one piece at most can be
	// stuck, and a single White piece means that the game is over.
	for owl := range uint8(board.Squares) {
		rest := ^(board.Bit(owl) | board.Bit(board.H1))
		for rest != 0 {
			region := rest & -rest
			for grown := uint32(0); grown != region; {
				grown = region
				for set := grown; set != 0; set &= set - 1 {
					region |= g.geo.Step[bits.TrailingZeros32(set)] & rest
				}
			}
			if n := bits.OnesCount32(region); n > 1 && n < 29 || n == 1 && (region != board.Bit(board.A8) || owl != board.B7) {
				t.Errorf("Owlman on %s: a region of %d squares", squareName(owl), n)
			}
			rest &^= region
		}
	}
	pos, err := g.Parse("D7/1O6/8/8/8/8/8/7H w")
	if err != nil {
		t.Fatal(err)
	}
	p := pos.(*position)
	p.helpers = ^(board.Bit(board.A8) | board.Bit(board.B7) | board.Bit(board.H1)) // more helpers than there are
	if out := p.Outcome(); !out.Over || out.Winner != engine.Second || out.Reason != noLegalMove || len(p.Legal(nil)) > 0 {
		t.Errorf("White without a move: %+v", out)
	}
}
