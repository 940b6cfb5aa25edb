package main

import (
	"context"
	"runtime"
	"sync"
	"time"

	"botarena/arena/fleet/speed"
	"botarena/arena/process"
	"botarena/bots/boards"
	"botarena/bots/kit"
	"botarena/bots/minimax"
	"botarena/engine"
	"botarena/engine/games"
)

// speedGame and speedNodes define the measurement of machines: the built-in search in
// the middle of an ordinary game, a few milliseconds at a time.
const (
	speedGame  = "breakthrough"
	speedNodes = 2000
	speedPlies = 16
)

// measure returns the speed of this machine with slots busy slots; 0 is one a core.
func (st *machine) measure(ctx context.Context, slots int) (speed.Measured, error) {
	if slots <= 0 {
		if slots = process.Cores(st.cpus); slots <= 0 {
			slots = runtime.NumCPU()
		}
	}
	game, err := games.All().Lookup(speedGame)
	if err != nil {
		return speed.Measured{}, err
	}
	var first sync.Mutex // the table of a board is made once
	return speed.Measure(ctx, slots, time.Now, func() func() int64 {
		first.Lock()
		defer first.Unlock()
		return searching(game)
	})
}

// searching returns a function that searches the same position each time, and returns
// the number of positions visited.
func searching(game engine.Game) func() int64 {
	s := minimax.New(minimax.Config{Megabytes: 1, Threads: 1}, boards.RulesOfThumb(game))
	pos := game.Start()
	for ply := range speedPlies {
		legal := pos.Legal(nil)
		pos.Play(legal[ply*7%len(legal)])
	}
	return func() int64 {
		turn := kit.NewTurn(pos.Clone(), 1, nil)
		turn.Nodes = speedNodes
		s.NewGame()
		s.Choose(turn)
		return speedNodes
	}
}
