package event

import (
	"context"
	"time"

	"botarena/engine"
)

// An event's games are all planned before the first one is played, where that takes no
// time. Random openings of a game whose rules are a program take thousands of answers
// of it: then as many games are planned as can be waited for, and the rest while they
// are played. What is planned does not depend on when.

// chunkMeanwhile is how many games are planned at once then.
const chunkMeanwhile = 40

// defaultPlan is how long the first game waits for planning unless Patience says
// otherwise.
const defaultPlan = time.Second

// slowOpenings reports whether openings of a game take long.
func slowOpenings(game engine.Game) bool {
	_, asks := game.Start().(engine.Foresight)
	return asks
}

// findOpenings makes the source find the openings of the next games, for planOn, and
// tells when it has. Nobody else uses the source meanwhile.
func (r *run) findOpenings() <-chan error {
	found := make(chan error, 1)
	from := r.plan.Pairs()
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
