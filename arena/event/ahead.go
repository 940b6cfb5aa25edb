package event

import (
	"context"
	"time"

	"botarena/engine"
)

// All games of an event are planned before the first one is played, if that is quick.
// A sequential test, which seldom plays a hundredth of them, plans the next ones when those
// before are given out. Random openings of a game whose rules are a program take thousands
// of its answers: then as many games are planned as can be waited for, and the rest while
// games are played. The plan is the same either way.

// chunkMeanwhile is the number of games planned at once while games are played.
const chunkMeanwhile = 40

// defaultPlan limits how long the first game waits for planning unless Patience.Plan is
// set.
const defaultPlan = time.Second

// slowOpenings reports whether openings of a game take long.
func slowOpenings(game engine.Game) bool {
	_, asks := game.Start().(engine.Foresight)
	return asks
}

// plansAll reports whether all games whose bots are known are planned at once.
func (r *run) plansAll() bool { return !r.meanwhile && r.event.SPRT == nil }

// findOpenings makes the source find the openings of the next games, for planOn. The
// channel receives the result; nobody else may use the source before.
func (r *run) findOpenings() <-chan error {
	found := make(chan error, 1)
	from := r.numbers.Needed()
	go func() {
		var err error
		defer func() { found <- err }()
		defer engine.Catch(&err)
		for i := from; i < from+chunkMeanwhile && err == nil; i++ {
			_, err = r.source.Opening(i)
		}
	}()
	return found
}

// planOn plans and records the next games.
func (r *run) planOn(ctx context.Context) error {
	if err := r.follow(ctx); err != nil {
		return err
	}
	return r.record(ctx)
}
