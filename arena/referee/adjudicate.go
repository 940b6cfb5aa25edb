package referee

import (
	"fmt"

	"botarena/arena"
	"botarena/engine"
)

// An adjudicator counts for how many moves in a row the bots' own scores agree
// that the game is decided.
type adjudicator struct {
	arena.Adjudication
	lost, won [2]int
	level     int // plies in a row
}

// clocked is a position with a clock that a capture or a pawn's move sets back to 0:
// chess. Level scores are counted from there on, as fastchess counts them.
type clocked interface{ HalfmoveClock() int }

// add takes the move of a side, the position after it and the number of plies played
// with it. It returns the winner and why, where the game is to be ended.
func (a *adjudicator) add(side engine.Side, m *arena.MoveRecord, pos engine.Position, plies int) (winner engine.Side, why string) {
	if a.ResignScore > 0 {
		count(&a.lost[side], m.HasScore && (m.Mate && m.Score <= 0 || !m.Mate && m.Score <= -a.ResignScore))
		count(&a.won[side], m.HasScore && (m.Mate && m.Score > 0 || !m.Mate && m.Score >= a.ResignScore))
		need := max(a.ResignMoves, 1)
		for s := engine.First; s <= engine.Second; s++ {
			if a.lost[s] >= need && (!a.ResignBoth || a.won[s.Other()] >= need) {
				return s.Other(), fmt.Sprintf("the loser's score was %d or less for %d moves", -a.ResignScore, need)
			}
		}
	}
	if a.DrawMoves > 0 {
		if c, ok := pos.(clocked); ok && c.HalfmoveClock() == 0 {
			a.level = 0
		}
		count(&a.level, m.HasScore && !m.Mate && -a.DrawScore <= m.Score && m.Score <= a.DrawScore)
		if a.level >= 2*a.DrawMoves && plies >= a.DrawFrom {
			return engine.NoSide, fmt.Sprintf("both scores were within %d for %d moves", a.DrawScore, a.DrawMoves)
		}
	}
	return engine.NoSide, ""
}

func count(n *int, goesOn bool) {
	if goesOn {
		*n++
	} else {
		*n = 0
	}
}
