package builtin

import (
	"fmt"

	"botarena/bots/kit"
	"botarena/bots/minimax"
	"botarena/engine"
	"botarena/protocol"
)

// Scorer returns a function that lets the bot search a position to a depth,
// independently of earlier ones, and returns its score in centipawns for the side to
// move, minimax.Win and -minimax.Win for a found win and loss. The error reports that
// the bot gives no scores.
func (b Builtin) Scorer(games engine.Catalog) func(pos engine.Position, depth int) (int, error) {
	bot := b.New(games)
	return func(pos engine.Position, depth int) (int, error) {
		if bot.NewGame != nil {
			bot.NewGame()
		}
		turn := kit.NewTurn(pos, 0, nil)
		turn.Depth = depth
		var last protocol.Info
		turn.OnInfo(func(info protocol.Info) {
			if info.Has&protocol.HasScore != 0 {
				last = info
			}
		})
		bot.Choose(turn)
		switch {
		case last.Has&protocol.HasScore == 0:
			return 0, fmt.Errorf("%s says no scores; choose a bot that does, such as minimax", b.Name)
		case last.Score.Mate && last.Score.Value > 0:
			return minimax.Win, nil
		case last.Score.Mate:
			return -minimax.Win, nil
		}
		return int(last.Score.Value), nil
	}
}
