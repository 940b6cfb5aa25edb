package referee

import (
	"strings"
	"testing"

	"botarena/arena"
	"botarena/engine"
	"botarena/engine/games"
)

// In chess, a capture or a pawn's move begins the count of level scores anew, and
// counts itself, as in fastchess; in other games every move counts.
func TestLevelScoresAfterProgress(t *testing.T) {
	for _, tt := range []struct {
		game, moves string
		ends        int // after so many plies; 0: not at all
	}{
		{"chess", "g1f3 g8f6 f3g1 f6g8", 4},
		{"chess", "g1f3 g8f6 e2e4 b8c6 b1c3 a8b8", 6},
		{"chess", "g1f3 b8c6 f3e5 c6e5 b1c3 g8f6 c3b1", 7},
		{"chess", "g1f3 g8f6 f3g1 e7e5 g1f3 f8d6", 0},
		{"breakthrough", "a2a3 a7a6 b2b3 b7b6", 4},
	} {
		game, err := games.All().Lookup(tt.game)
		if err != nil {
			t.Fatal(err)
		}
		a := adjudicator{Adjudication: arena.Adjudication{Draw: arena.Drawing{Score: 10, Moves: 2}}}
		pos, ended := game.Start(), 0
		for i, text := range strings.Fields(tt.moves) {
			m, err := pos.ParseMove(text)
			if err != nil {
				t.Fatal(err)
			}
			side := pos.Turn()
			pos.Play(m)
			if winner, why := a.add(side, &arena.MoveRecord{HasScore: true, Score: 5}, pos, i+1); why != "" && ended == 0 {
				if ended = i + 1; winner != engine.NoSide {
					t.Errorf("%s: %d wins", tt.moves, winner)
				}
			}
		}
		if ended != tt.ends {
			t.Errorf("%s %s: level after %d plies, want %d", tt.game, tt.moves, ended, tt.ends)
		}
	}
}
