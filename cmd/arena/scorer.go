package main

import (
	"context"
	"fmt"

	"botarena/arena"
	"botarena/arena/openings"
	"botarena/bots/builtin"
	"botarena/bots/kit"
	"botarena/bots/minimax"
	"botarena/engine"
	"botarena/engine/games"
	"botarena/protocol"
)

// newScorer returns the judgement of a built-in bot at a fixed depth. Each
// opening is judged by itself: the scores do not depend on their order. The
// error suggests the nearest name of a bot.
func newScorer(ctx context.Context, game engine.Game, want arena.Balanced) (openings.Scorer, error) {
	b, err := builtin.Find(want.Bot)
	if err != nil {
		return nil, err
	}
	bot := b.New(games.All())
	return func(o arena.Opening) (int, error) {
		if err := context.Cause(ctx); err != nil {
			return 0, err
		}
		pos, err := positionAfter(game, o)
		if err != nil {
			return 0, err
		}
		if bot.NewGame != nil {
			bot.NewGame()
		}
		turn := kit.NewTurn(pos, 0, nil)
		turn.Depth = want.Depth
		var last protocol.Info
		turn.OnInfo(func(info protocol.Info) {
			if info.Has&protocol.HasScore != 0 {
				last = info
			}
		})
		bot.Choose(turn)
		switch {
		case last.Has&protocol.HasScore == 0:
			return 0, fmt.Errorf("%s says no scores; choose a bot that does, such as minimax", want.Bot)
		case last.Score.Mate && last.Score.Value > 0:
			return minimax.Win, nil
		case last.Score.Mate:
			return -minimax.Win, nil
		}
		return int(last.Score.Value), nil
	}, nil
}

// builtinVersion is the version of a built-in bot, "" of an unknown one.
func builtinVersion(name string) string {
	b, err := builtin.Find(name)
	if err != nil {
		return ""
	}
	return b.Version
}
