package builtin

import (
	"fmt"
	"os"

	"botarena/bots/boards"
	"botarena/bots/kit"
	"botarena/bots/minimax"
	"botarena/engine"
	"botarena/protocol"
)

// The options of minimax.
const (
	optionHash    = "Hash"
	optionThreads = "Threads"
	optionLines   = "MultiPV"
	optionTable   = "EvalFile"
)

func minimaxBot(games engine.Catalog) kit.Bot {
	p := &minimaxPlayer{}
	return kit.Bot{
		Name: "minimax", Author: author, Games: games,
		Options: []protocol.Option{
			{Name: optionHash, Type: protocol.Spin, Default: "16", Min: 1, Max: 65536},
			{Name: optionThreads, Type: protocol.Spin, Default: "1", Min: 1, Max: 256},
			{Name: optionLines, Type: protocol.Spin, Default: "1", Min: 1, Max: 500},
			{Name: OptionLevel, Type: protocol.Spin, Default: "0", Min: 0, Max: Levels},
			{Name: optionTable, Type: protocol.String},
		},
		NewGame: p.newGame,
		Choose:  p.choose,
	}
}

// A minimaxPlayer keeps its searcher as long as the game and the options are the same.
type minimaxPlayer struct {
	searcher *minimax.Searcher
	made     struct {
		game   engine.Game
		config minimax.Config
		table  string
	}
}

func (p *minimaxPlayer) newGame() {
	if p.searcher != nil {
		p.searcher.NewGame()
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
	want := p.made
	want.game, want.table = t.Position.Game(), t.Option(optionTable)
	want.config = minimax.Config{
		Megabytes: t.Number(optionHash, 16), Threads: t.Number(optionThreads, 1), Lines: t.Number(optionLines, 1),
	}
	if p.searcher == nil || p.made != want {
		boards, err := boardsFor(want.game, want.table)
		if err != nil {
			t.Fail(err)
			return 0
		}
		p.made, p.searcher = want, minimax.New(want.config, boards)
	}
	return p.searcher.ChooseAmong(t, moves)
}

// boardsFor makes boards that judge by the table in a file, "" being the built-in one.
func boardsFor(game engine.Game, file string) (func() minimax.Board, error) {
	if file == "" {
		return boards.For(game, nil)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("option %s: %w", optionTable, err)
	}
	made, err := boards.For(game, data)
	if err != nil {
		return nil, fmt.Errorf("option %s: %s: %w", optionTable, file, err)
	}
	return made, nil
}
