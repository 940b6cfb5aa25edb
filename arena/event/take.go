package event

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"botarena/arena"
	"botarena/arena/schedule"
	"botarena/arena/store"
)

// mostAtOnce is the maximum number of outcomes in a transaction.
const mostAtOnce = 512

// atHand returns an outcome and those that are ready as well: a commit of many costs
// the disk as much as one.
func atHand(outcomes <-chan Outcome, first Outcome) []Outcome {
	list := []Outcome{first}
	for len(list) < mostAtOnce {
		select {
		case o := <-outcomes:
			list = append(list, o)
		default:
			return list
		}
	}
	return list
}

// take records outcomes and plans the games that follow from them.
func (r *run) take(ctx context.Context, came []Outcome) error {
	var failed error
	var finished []*arena.Game
	for i := range came {
		o := &came[i]
		switch g := &o.Game; {
		case o.Err != nil && g.Reason == arena.Void: // by rules that failed
			failed = cmp.Or(failed, fmt.Errorf("game %d is void, and no bot is to blame: %w", g.Number, o.Err))
		case o.Err != nil:
			failed = cmp.Or(failed, fmt.Errorf("game %d: %w", g.Number, o.Err))
		case !o.Begun || g.Number > r.plan.Last():
		default:
			r.wait(g)
			r.noteIdle(g)
			if g.Reason != arena.Void {
				finished = append(finished, g)
			}
		}
	}
	for len(finished) > 0 {
		err := r.hold.Finish(ctx, finished...)
		var revoked *store.RevokedError
		if err == nil {
			break
		} else if !errors.As(err, &revoked) {
			return err
		}
		finished = r.leaveOut(came, revoked.Name)
	}
	for i := range came {
		if err := r.took(ctx, &came[i]); err != nil {
			failed = cmp.Or(failed, err)
		}
	}
	if failed != nil || len(finished) == 0 {
		return failed
	}
	for r.state != schedule.Complete && r.state != schedule.Ready && !r.stopping && (r.state != schedule.More || r.plansAll()) {
		if err := r.planOn(ctx); err != nil || r.state != schedule.More {
			return err
		}
	}
	return nil
}

// leaveOut queues the games of workers that were revoked meanwhile again, and returns
// the outcomes of the others.
func (r *run) leaveOut(came []Outcome, worker string) (finished []*arena.Game) {
	for i := range came {
		o := &came[i]
		switch name, _, _ := strings.Cut(o.Game.Worker, "_"); {
		case o.Err != nil || !o.Begun || o.Game.Number > r.plan.Last() || o.Game.Reason == arena.Void:
		case name == worker:
			o.Begun = false
			r.again = append(r.again, unplayed(o.Game))
		default:
			finished = append(finished, &o.Game)
		}
	}
	return finished
}

// took counts an outcome whose result is recorded, or records a void one.
func (r *run) took(ctx context.Context, o *Outcome) (err error) {
	g := &o.Game
	switch {
	case o.Err != nil && g.Reason != arena.Void:
		return nil
	case !o.Begun:
	case g.Number > r.plan.Last(): // removed while it was in progress
	case g.Reason == arena.Void:
		err = r.void(ctx, o)
	default:
		r.played++
		r.now++
		r.observe(Update{Kind: GameFinished, Game: g, Slot: o.Slot})
		r.plan.Finish(g)
		r.count(g)
		err = r.judgeFault(o)
	}
	if o.Recorded != nil {
		o.Recorded()
	}
	return err
}

// void records an attempt that did not count.
func (r *run) void(ctx context.Context, o *Outcome) error {
	g := &o.Game
	attempts, err := r.hold.Void(ctx, g.Number, g.Detail)
	if err != nil {
		return err
	}
	r.voids++
	g.Attempts = attempts
	if o.Err == nil && !o.Interrupted {
		r.tries[g.Number]++
	}
	r.observe(Update{Kind: GameVoid, Game: g, Slot: o.Slot})
	if r.tries[g.Number] >= mostVoids {
		r.gaveUp = append(r.gaveUp, fmt.Sprintf("game %d: %s", g.Number, g.Detail))
		return nil
	}
	if o.Err == nil {
		r.again = append(r.again, unplayed(*g))
	}
	return nil
}

// unplayed returns a game as it was planned.
func unplayed(g arena.Game) arena.Game {
	return arena.Game{
		Event: g.Event, Game: g.Game, Number: g.Number, Round: g.Round, Pair: g.Pair, Stage: g.Stage,
		First: g.First, Second: g.Second, Opening: g.Opening, Options: g.Options,
	}
}
