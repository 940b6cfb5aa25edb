package event

import (
	"context"
	"slices"

	"botarena/arena"
	"botarena/arena/schedule"
)

// enough ends the schedule where the event's own limit of time or its test says so.
// By time, games that no worker has are removed, but for the rest of their pairs. A
// test ends with the pair that decides it, whatever else was in progress.
func (r *run) enough(ctx context.Context, stop func(error), endBots func()) {
	if r.trial != nil {
		for r.tried < r.plan.Last() {
			if r.plan.Has(r.tried + 1) {
				g := r.plan.Game(r.tried + 1)
				if !r.trial.Add(&g) {
					break
				}
			}
			r.tried++
		}
		if r.trial.Decided() && !r.decided {
			r.decided = true
			if err := r.onlyFaults(false); err != nil {
				stop(err)
			} else if err := r.decide(context.WithoutCancel(ctx)); err != nil {
				stop(err)
			}
			r.stop()
			endBots() // nobody waits for the games in progress
		}
	}
	if r.stopping || r.state == schedule.Complete && r.given == r.plan.Last() || !r.isEnough() {
		return
	}
	r.state = schedule.Complete
	last := r.plan.Last()
	for last > r.given && r.plan.Result(last) == arena.Unplayed {
		last--
	}
	for last > 0 && last < r.plan.Last() && r.plan.Game(last+1).Pair == r.plan.Game(last).Pair {
		last++
	}
	if last == r.plan.Last() {
		return
	}
	if err := r.cut(context.WithoutCancel(ctx), last); err != nil {
		stop(err)
	}
}

// decide removes the games behind the pair that decided the test, so that the record
// does not depend on what was in progress then. Results among them stay in the list of
// what was taken back.
func (r *run) decide(ctx context.Context) error {
	r.state = schedule.Complete
	last := r.tried
	var beyond []int
	for n := last + 1; n <= r.plan.Last(); n++ {
		if r.plan.Has(n) && r.plan.Result(n) != arena.Unplayed {
			beyond = append(beyond, n)
		}
	}
	if beyond != nil {
		gone := func(string) bool { return true }
		if err := r.hold.VoidResults(ctx, beyond, gone, "the test was decided by games before it"); err != nil {
			return err
		}
		r.played -= len(beyond)
	}
	if last == r.plan.Last() {
		return nil
	}
	return r.cut(ctx, last)
}

// cut removes the games with numbers above last, none of which has a result.
func (r *run) cut(ctx context.Context, last int) error {
	if err := r.hold.Drop(ctx, last); err != nil {
		return err
	}
	r.plan.Cut(last)
	beyond := func(g arena.Game) bool { return g.Number > last }
	r.queue, r.again = slices.DeleteFunc(r.queue, beyond), slices.DeleteFunc(r.again, beyond)
	r.queued = min(r.queued, last)
	r.observe(Update{Kind: GamesPlanned})
	return nil
}

func (r *run) isEnough() bool {
	if limit := r.event.Ladder.Time; r.event.Format == arena.FormatLadder && limit > 0 {
		played := r.Now().Sub(r.began)
		if r.stored != nil {
			played += r.stored.PlayTime
		}
		if played >= limit {
			return true
		}
	}
	return false
}
