package event

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/process"
	"botarena/arena/schedule"
	"botarena/arena/store"
	"botarena/arena/text"
	"botarena/engine"
)

// A Preview holds the part of an event that is still to be played.
type Preview struct {
	event    arena.Event
	Games    []arena.Game  // the first games without a result, those not recorded yet included
	Left     int           // how many there are of them: more than Games where they are very many
	Played   int           // games that have a result
	Complete bool          // false if more games follow from results
	Rounds   int           // the highest round planned
	Total    int           // games in all, as far as the format tells; 0 if nobody knows
	Exact    bool          // Total is no estimate
	Slots    int           // how many games are played at once
	Limit    time.Duration // of play, after which no game begins; 0 for none
	Openings int           // different openings that there are; 0 if no end is known, or no more are needed

	numbers *schedule.Openings
}

// Notes returns sentences for a person: how many games there are, whether openings come
// again, and how long it may take.
func (p *Preview) Notes() []string {
	var notes []string
	if p.Played > 0 {
		notes = append(notes, fmt.Sprintf("%d games are played already and stay.", p.Played))
	}
	notes = append(notes, p.ahead())
	if (p.Left > 0 || !p.Complete) && p.Openings != 1 {
		notes = append(notes, p.policy())
	}
	if n := p.Openings; n > 0 && p.numbers.Needed() > n {
		again := comeAgain(&p.event, n)
		notes = append(notes, strings.ToUpper(again[:1])+again[1:]+".")
	}
	if p.Left > 0 || !p.Complete {
		notes = append(notes, p.timeLeft())
	}
	return notes
}

// policy describes which openings are needed, and how often each is played.
func (p *Preview) policy() string {
	needed := p.numbers.Needed()
	played := func(n int) string {
		switch {
		case p.event.Swap && n == 1:
			return "one pair of games"
		case p.event.Swap:
			return fmt.Sprintf("%d pairs of games", n)
		case n == 1:
			return "one game"
		}
		return fmt.Sprintf("%d games", n)
	}
	count := "1 opening is needed"
	if needed != 1 {
		count = fmt.Sprintf("%d openings are needed", needed)
	}
	if !p.Complete {
		count += " so far"
	}
	least, most := p.numbers.Uses()
	each := ", for " + played(most)
	if needed != 1 {
		each = ", each for " + played(most)
	}
	if least != most {
		each = fmt.Sprintf(", each for %d to %s", least, played(most))
	}
	switch p.event.Openings.Policy {
	case arena.PolicyRound:
		return "All pairings of a round play the same openings: " + count + each + "."
	case arena.PolicyPairing:
		return "Every pairing plays the same openings: " + count + each + "."
	}
	return "Every " + strings.TrimPrefix(played(1), "one ") + " takes the next opening: " + count + each + "."
}

// comeAgain describes that an event needs more openings than the n that there are.
func comeAgain(e *arena.Event, n int) string {
	switch {
	case n == 1:
		return "there is one opening: from pair 2 on it comes again"
	case e.Openings.Policy == "":
		return fmt.Sprintf("there are %d openings: from pair %d on they come again", n, n+1)
	}
	return fmt.Sprintf("there are %d openings and more are needed: they come again", n)
}

// ahead describes the number of games.
func (p *Preview) ahead() string {
	planned := p.Played + p.Left
	switch {
	case p.Complete && p.Played > 0:
		return fmt.Sprintf("%d games left.", p.Left)
	case p.Complete:
		return fmt.Sprintf("%d games.", planned)
	case p.Total == 0:
		return fmt.Sprintf("%d games first; the results decide what follows, without a limit.", planned)
	case p.Exact:
		return fmt.Sprintf("%d games first, %d in all; the results decide who plays.", planned, p.Total)
	}
	return fmt.Sprintf("%d games first, about %d in all; the results decide.", planned, p.Total)
}

// pliesAGame is the number of plies that time estimates assume for a game.
const pliesAGame = 60

// timeLeft describes how long the remaining games can take by their clocks.
func (p *Preview) timeLeft() string {
	e := &p.event
	switch {
	case p.Limit > 0:
		return fmt.Sprintf("No more games after %s of play.", text.Duration(p.Limit))
	case p.Total == 0:
		return "No time estimate: nothing limits the number of games."
	}
	games := p.Left
	if !p.Complete {
		games = max(games, p.Total-p.Played)
	}
	var sum time.Duration // of what each bot may use in a game
	for i := range e.Bots {
		const moves = pliesAGame / 2
		switch c := e.ClockOf(&e.Bots[i]); {
		case c.Move > 0:
			sum += moves * c.Move
		case c.Base > 0:
			periods := 1
			if c.Moves > 0 {
				periods = 1 + (moves-1)/c.Moves
			}
			sum += time.Duration(periods)*c.Base + moves*c.Increment
		default:
			return "No time estimate: not every bot's clock limits time."
		}
	}
	atOnce := "one game"
	if p.Slots > 1 {
		atOnce = fmt.Sprintf("%d games", p.Slots)
	}
	left := time.Duration(games) * 2 * sum / time.Duration(len(e.Bots)*p.Slots)
	return fmt.Sprintf("Up to about %s, %s at a time, if a game lasts %d plies.", text.Duration(left), atOnce, pliesAGame)
}

// slots returns the number of concurrent games of an event, and the threads that each
// uses.
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

// mostPreviewed is the maximum number of games in a preview.
const mostPreviewed = 10_000

// Preview returns the schedule of an event, with openings: all of it, or, if Store is
// set and has the event, what is left of it. Of opt only Extend counts. It starts no
// bot, only the rules program, and records nothing. The error is a *ChangedError if Run
// would return one.
func (t *Runner) Preview(ctx context.Context, event arena.Event, opt Options) (_ Preview, err error) {
	defer engine.Catch(&err)
	game, closeGame, err := t.openGame(ctx, &event)
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
	p.Complete, p.Rounds = r.state == schedule.Complete, r.plan.Rounds()
	p.Total, p.Exact = schedule.TotalAfter(event, p.Played+p.Left, p.Rounds)
	p.event, p.numbers = event, r.numbers
	p.Limit = event.TimeLimit()
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
