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

// The options of the bots that search.
const (
	optionHash    = "Hash"
	optionThreads = "Threads"
	optionLines   = "MultiPV"
	optionTable   = "EvalFile"
	optionMargin  = "Margin"
	optionReduce  = "Reduce"
	optionLate    = "Late"
)

// searchOptions returns what all of them have, with the given default of Hash, and more.
func searchOptions(megabytes string, more ...protocol.Option) []protocol.Option {
	options := []protocol.Option{
		{Name: optionHash, Type: protocol.Spin, Default: megabytes, Min: 1, Max: 65536},
		{Name: optionThreads, Type: protocol.Spin, Default: "1", Min: 1, Max: 256},
	}
	return append(append(options, more...), protocol.Option{Name: optionTable, Type: protocol.String})
}

// A keeper reuses a searcher as long as the game, its configuration and its table are
// the same.
type keeper[S any, C comparable] struct {
	build    func(C, func() minimax.Board) *S
	searcher *S // nil before the first
	made     struct {
		game   engine.Game
		config C
		table  string
	}
}

// searcherFor returns the searcher for a turn; nil if the turn has failed.
func (k *keeper[S, C]) searcherFor(t *kit.Turn, config C) *S {
	want := k.made
	want.game, want.config, want.table = t.Position.Game(), config, t.Option(optionTable)
	if k.searcher == nil || k.made != want {
		made, err := boardsFor(want.game, want.table)
		if err != nil {
			t.Fail(err)
			return nil
		}
		k.made, k.searcher = want, k.build(config, made)
	}
	return k.searcher
}

// boardsFor returns a maker of boards that evaluate by the table in a file, "" being
// the built-in one.
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
