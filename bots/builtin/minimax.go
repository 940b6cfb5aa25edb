package builtin

import (
	"botarena/bots/kit"
	"botarena/bots/minimax"
	"botarena/engine"
	"botarena/protocol"
)

func minimaxBot(games engine.Catalog) kit.Bot {
	p := newMinimaxPlayer()
	return kit.Bot{
		Name: "minimax", Author: author, Games: games,
		Options: searchOptions("16",
			protocol.Option{Name: optionLines, Type: protocol.Spin, Default: "1", Min: 1, Max: 500},
			protocol.Option{Name: OptionLevel, Type: protocol.Spin, Default: "0", Min: 0, Max: Levels},
			// What arena tune can tune: see minimax.Config.
			protocol.Option{Name: optionMargin, Type: protocol.Spin, Default: "100", Min: 1, Max: 1000},
			protocol.Option{Name: optionReduce, Type: protocol.Spin, Default: "100", Min: 10, Max: 1000},
			protocol.Option{Name: optionLate, Type: protocol.Spin, Default: "8", Min: 1, Max: 100},
		),
		NewGame: p.newGame,
		Choose:  p.choose,
	}
}

type minimaxPlayer struct {
	kept keeper[minimax.Searcher, minimax.Config]
}

func newMinimaxPlayer() *minimaxPlayer {
	return &minimaxPlayer{kept: keeper[minimax.Searcher, minimax.Config]{build: minimax.New}}
}

func (p *minimaxPlayer) newGame() {
	if p.kept.searcher != nil {
		p.kept.searcher.NewGame()
	}
}

func (p *minimaxPlayer) choose(t *kit.Turn) engine.Move {
	return p.chooseAmong(t, t.Position.Legal(nil))
}

func (p *minimaxPlayer) chooseAmong(t *kit.Turn, moves []engine.Move) engine.Move {
	if n := t.Number(OptionLevel, 0); n > 0 {
		level := LevelsOf(t.Position.Game().Name())[n-1]
		if level.Random > 0 && t.Rand.IntN(100) < level.Random {
			return moves[t.Rand.IntN(len(moves))]
		}
		if t.Nodes == 0 || t.Nodes > level.Nodes {
			defer func(nodes int64) { t.Nodes = nodes }(t.Nodes)
			t.Nodes = level.Nodes
		}
	}
	s := p.kept.searcherFor(t, minimax.Config{
		Megabytes: t.Number(optionHash, 16), Threads: t.Number(optionThreads, 1), Lines: t.Number(optionLines, 1),
		Margin: t.Number(optionMargin, 100), Reduce: t.Number(optionReduce, 100), Late: t.Number(optionLate, 8),
	})
	if s == nil {
		return 0
	}
	return s.ChooseAmong(t, moves)
}
