package boards_test

import (
	"testing"

	"botarena/bots/bottest"
	"botarena/bots/kit"
	"botarena/bots/minimax"
	"botarena/engine"
)

// The search with each game's own board keeps to what every bot must do.
func TestSuite(t *testing.T) {
	bottest.Run(t, 10_000, func() bottest.Choose {
		var s *minimax.Searcher
		var game engine.Game
		return func(turn *kit.Turn) engine.Move {
			if game != turn.Position.Game() {
				game = turn.Position.Game()
				s = minimax.New(minimax.Config{Megabytes: 1}, func() minimax.Board { return board(t, game) })
			}
			return s.Choose(turn)
		}
	})
}
