package boards

import (
	"botarena/bots/minimax"
	"botarena/engine"
	"botarena/engine/chess"
)

// owlman lists the method of an Owlman position that boards use.
type owlman interface {
	engine.Position
	Captures(engine.Move) bool
	Pieces() (helpers uint32, doc, owl uint8)
}

// hints returns what is known of a game that is played by its own rules package.
func hints(game engine.Game) (mark func(engine.Position, engine.Move) minimax.Candidate, traits minimax.Traits) {
	switch game.Start().(type) {
	case *chess.Position:
		return markChess, minimax.Traits{Reduce: 220, Margin: 120, Late: true, Repeats: true}
	case owlman:
		return markOwlman, minimax.Traits{Reduce: 200, Margin: 80, Late: true}
	}
	return nil, minimax.Traits{Reduce: 300, Vague: true}
}

// markChess puts captures first, of the best piece by the least, and promotions.
func markChess(p engine.Position, m engine.Move) minimax.Candidate {
	pos := p.(*chess.Position)
	from, to, promotion := chess.Squares(m)
	c := minimax.Candidate{Move: m}
	if taken, side := pos.PieceOn(to); side == pos.Turn().Other() {
		by, _ := pos.PieceOn(from)
		c.Noisy, c.Rank = true, int32(taken)*100-int32(by)*10+1000
	}
	if promotion == chess.Queen {
		c.Noisy, c.Rank = true, c.Rank+2000
	}
	return c
}

// markOwlman marks Owlman's captures, of which the game is made.
func markOwlman(p engine.Position, m engine.Move) minimax.Candidate {
	c := minimax.Candidate{Move: m}
	if p.Turn() == engine.Second && p.(owlman).Captures(m) {
		c.Noisy = true
	}
	return c
}
