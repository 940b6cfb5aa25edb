package event

import (
	"context"
	"errors"
	"io/fs"

	"botarena/arena"
	"botarena/arena/schedule"
	"botarena/arena/store"
	"botarena/engine"
)

// A Preview is what is still to be played of an event.
type Preview struct {
	Games    []arena.Game // the first games without a result, those not recorded yet included
	Left     int          // how many there are of them: more than Games where they are very many
	Played   int          // games that have a result
	Complete bool         // false where more games follow from results
	Rounds   int          // the highest round planned
	Pairs    int          // the highest pair planned
	Openings int          // different openings that there are; 0 where no end is known, or no more are needed
}

// mostPreviewed is how many games a preview lists.
const mostPreviewed = 10_000

// Preview returns the schedule of an event, with openings: of one that has not
// begun, or, where Store is set and knows the event, what is left of it. Of opt
// only Extend counts. It starts no bot, but the program of the rules, and records
// nothing. The error is a
// *ChangedError where Run would refuse the event for it.
func (t *Runner) Preview(ctx context.Context, event arena.Event, opt Options) (_ Preview, err error) {
	defer engine.Catch(&err)
	game, closeGame, err := t.openGame(ctx, &event, nil)
	if err != nil {
		return Preview{}, err
	}
	if closeGame != nil {
		defer func() { err = errors.Join(err, closeGame()) }()
	}
	exact, err := t.openExact(&event, game, "")
	if err != nil {
		return Preview{}, err
	}
	exact.Close()
	r := &run{Runner: t, event: event, game: game}
	if t.Store != nil {
		if r.stored, err = t.recorded(ctx, &r.event, opt.Extend); err != nil {
			return Preview{}, err
		}
	}
	if err := r.restore(ctx); err != nil {
		return Preview{}, err
	}
	p := Preview{Played: r.played, Left: r.plan.Len() - r.played}
	if r.stored != nil {
		list, err := t.Store.Games(ctx, store.Filter{Event: event.Name, Unplayed: true, First: mostPreviewed})
		if err != nil {
			return p, err
		}
		for i := range list {
			if !r.dropped(&list[i].Game) {
				p.Games = append(p.Games, list[i].Game)
			}
		}
	}
	for r.state = schedule.More; r.state == schedule.More; {
		if err := r.follow(ctx); err != nil {
			return p, err
		}
		p.Left += len(r.fresh)
		if len(p.Games) == mostPreviewed {
			continue
		}
		p.Games = append(p.Games, r.fresh[:min(len(r.fresh), mostPreviewed-len(p.Games))]...)
	}
	p.Complete, p.Rounds, p.Pairs = r.state == schedule.Complete, r.plan.Rounds(), r.plan.Pairs()
	if r.source == nil && p.Left > 0 {
		// All openings are recorded: a book that is gone is not needed any more.
		if r.source, err = r.openings(ctx); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return p, err
		}
	}
	if r.source != nil {
		p.Openings = r.source.Len()
	}
	return p, nil
}
