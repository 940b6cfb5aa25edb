package event

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"botarena/arena"
	"botarena/arena/process"
	"botarena/arena/schedule"
	"botarena/arena/store"
	"botarena/engine"
)

// A Preview holds the part of an event that is still to be played.
type Preview struct {
	event    arena.Event
	Games    []arena.Game  // the first games without a result, those not recorded yet included
	Left     int           // how many there are of them: more than Games where they are very many
	Played   int           // games that have a result
	Complete bool          // false where more games follow from results
	Rounds   int           // the highest round planned
	Pairs    int           // the highest pair planned
	Total    int           // games in all, as far as the format tells; 0 if nobody knows
	Exact    bool          // Total is no estimate
	Slots    int           // how many games are played at once
	Limit    time.Duration // of play, after which no game begins; 0 for none
	Openings int           // different openings that there are; 0 if no end is known, or no more are needed
}

// PliesAGame is the number of plies that time estimates assume for a game.
const PliesAGame = 60

// TimeLeft returns the longest time that the remaining games can take by their clocks.
// Where why is not empty, there is no such estimate, and why is the reason.
func (p *Preview) TimeLeft() (left time.Duration, why string) {
	e := &p.event
	if p.Total == 0 {
		return 0, "No time estimate: nothing limits the number of games."
	}
	games := p.Left
	if !p.Complete {
		games = max(games, p.Total-p.Played)
	}
	var sum time.Duration // of what each bot may use in a game
	for _, b := range e.Bots {
		c := e.Clock
		if b.Clock != nil {
			c = *b.Clock
		}
		const moves = PliesAGame / 2
		switch {
		case c.Move > 0:
			sum += moves * c.Move
		case c.Base > 0:
			periods := 1
			if c.Moves > 0 {
				periods = 1 + (moves-1)/c.Moves
			}
			sum += time.Duration(periods)*c.Base + moves*c.Increment
		default:
			return 0, "No time estimate: not every bot's clock limits time."
		}
	}
	perGame := 2 * sum / time.Duration(len(e.Bots))
	return time.Duration(games) * perGame / time.Duration(p.Slots), ""
}

// slots returns how many games of an event a run plays at once, and how many threads
// each takes.
func slots(e *arena.Event, cores int) (games, threads int) {
	threads = 1
	for _, b := range e.Bots {
		threads = max(threads, b.Threads)
	}
	if e.Ponder {
		threads *= 2 // both think at once
	}
	if e.Concurrency > 0 {
		return e.Concurrency, threads
	}
	return max(1, cores/threads), threads
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
	defer func() { err = errors.Join(err, closeGame()) }()
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
	p.Total, p.Exact = schedule.TotalAfter(event, p.Played+p.Left, p.Rounds)
	p.event = event
	p.Limit = event.Ladder.Time
	p.Slots, _ = slots(&event, process.Cores(t.CPUs))
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
