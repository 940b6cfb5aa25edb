package referee

import (
	"fmt"

	"botarena/arena"
	"botarena/engine"
)

// adjudicator counts the moves in a row at which the bots' own scores agree that the
// game is decided.
type adjudicator struct {
	arena.Adjudication
	lost, won [2]int
	level     int // plies in a row
}

// clocked is a position with a halfmove clock, which a capture or a pawn move resets:
// chess. Level scores are counted from there on, as in fastchess.
type clocked interface{ HalfmoveClock() int }

// add takes the move of a side, the position after it and the number of plies played
// with it. It returns the winner and the reason if the game is to be ended.
func (a *adjudicator) add(side engine.Side, m *arena.MoveRecord, pos engine.Position, plies int) (winner engine.Side, why string) {
	if a.Resign.Score > 0 {
		count(&a.lost[side], m.HasScore && (m.Mate && m.Score <= 0 || !m.Mate && m.Score <= -a.Resign.Score))
		count(&a.won[side], m.HasScore && (m.Mate && m.Score > 0 || !m.Mate && m.Score >= a.Resign.Score))
		need := max(a.Resign.Moves, 1)
		for s := engine.First; s <= engine.Second; s++ {
			if a.lost[s] >= need && (!a.Resign.Both || a.won[s.Other()] >= need) {
				return s.Other(), fmt.Sprintf("the loser's score was %d or less for %d moves", -a.Resign.Score, need)
			}
		}
	}
	if a.Draw.Moves > 0 {
		if c, ok := pos.(clocked); ok && c.HalfmoveClock() == 0 {
			a.level = 0
		}
		count(&a.level, m.HasScore && !m.Mate && -a.Draw.Score <= m.Score && m.Score <= a.Draw.Score)
		if a.level >= 2*a.Draw.Moves && plies >= a.Draw.From {
			return engine.NoSide, fmt.Sprintf("both scores were within %d for %d moves", a.Draw.Score, a.Draw.Moves)
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
