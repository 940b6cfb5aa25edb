package builtin

import (
	"botarena/bots/kit"
	"botarena/bots/mcts"
	"botarena/engine"
)

func mctsBot(games engine.Catalog) kit.Bot {
	kept := keeper[mcts.Searcher, mcts.Config]{build: mcts.New}
	return kit.Bot{
		Name: "mcts", Author: author, Games: games,
		Options: searchOptions("128"),
		Choose: func(t *kit.Turn) engine.Move {
			s := kept.searcherFor(t, mcts.Config{Megabytes: t.Number(optionHash, 128), Threads: t.Number(optionThreads, 1)})
			if s == nil {
				return 0
			}
			return s.Choose(t)
		},
	}
}
