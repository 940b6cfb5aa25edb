package builtin

import (
	"botarena/bots/kit"
	"botarena/bots/mcts"
	"botarena/engine"
	"botarena/protocol"
)

func mctsBot(games engine.Catalog) kit.Bot {
	p := &mctsPlayer{}
	return kit.Bot{
		Name: "mcts", Author: author, Games: games,
		Options: []protocol.Option{
			{Name: optionHash, Type: protocol.Spin, Default: "128", Min: 1, Max: 65536},
			{Name: optionThreads, Type: protocol.Spin, Default: "1", Min: 1, Max: 256},
			{Name: optionTable, Type: protocol.String},
		},
		Choose: p.choose,
	}
}

// An mctsPlayer keeps its searcher as long as the game and the options are the same.
type mctsPlayer struct {
	searcher *mcts.Searcher
	made     struct {
		game   engine.Game
		config mcts.Config
		table  string
	}
}

func (p *mctsPlayer) choose(t *kit.Turn) engine.Move {
	want := p.made
	want.game, want.table = t.Position.Game(), t.Option(optionTable)
	want.config = mcts.Config{Megabytes: t.Number(optionHash, 128), Threads: t.Number(optionThreads, 1)}
	if p.searcher == nil || p.made != want {
		boards, err := boardsFor(want.game, want.table)
		if err != nil {
			t.Fail(err)
			return 0
		}
		p.made, p.searcher = want, mcts.New(want.config, boards)
	}
	return p.searcher.Choose(t)
}
