package event

import (
	"context"
	"errors"
	"fmt"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/schedule"
	"botarena/arena/store"
	"botarena/engine/nearest"
)

// Withdraw takes bots out of a recorded event that nobody runs: they play no more
// games, and those that they have played stay. Back lets them play again. The error is
// a *store.HeldError if the event is running, a *store.UnknownBotError if one of
// them is not in it, an *arena.InvalidError or another that says why the format does
// not allow it.
func (t *Runner) Withdraw(ctx context.Context, event string, bots []string, back bool) error {
	return t.revise(ctx, event, func(hold *store.Hold, old arena.Event) error {
		for _, name := range bots {
			if !has(old.Bots, name) {
				return unknown(name, old.Bots)
			}
		}
		if err := extend(ctx, hold, old, withdrawn(old, bots, !back)); err != nil || !back {
			return err
		}
		for _, name := range bots {
			if err := t.Store.Unbench(ctx, event, name); err != nil {
				return err
			}
		}
		return nil
	})
}

// Disqualify takes a bot out of a recorded event that nobody runs, as Withdraw does,
// and takes all of its results back. It returns how many there were. The error is as
// of Withdraw and VoidGames; then nothing has changed.
func (t *Runner) Disqualify(ctx context.Context, event, bot, why string) (int, error) {
	var numbers []int
	err := t.revise(ctx, event, func(hold *store.Hold, old arena.Event) (err error) {
		if !has(old.Bots, bot) {
			return unknown(bot, old.Bots)
		}
		if numbers, err = t.resultsOf(ctx, event, bot); err != nil {
			return err
		}
		if err := t.lastRound(ctx, old, numbers); err != nil {
			return fmt.Errorf("%w; `arena bots withdraw` leaves its games", err)
		}
		now := withdrawn(old, []string{bot}, true)
		if err := extend(ctx, hold, old, now); err != nil || len(numbers) == 0 {
			return err
		}
		return hold.VoidResults(ctx, numbers, playsNoMore(now), why)
	})
	return len(numbers), err
}

// extend records the extended configuration of an event.
func extend(ctx context.Context, hold *store.Hold, old, now arena.Event) error {
	if err := schedule.Validate(&now, arena.Known{}); err != nil {
		return err
	}
	if err := schedule.Extends(old, now); err != nil {
		return fmt.Errorf("event %q: %w", old.Name, err)
	}
	text, err := config.Encode(now)
	if err != nil {
		return err
	}
	return hold.Extend(ctx, now, text)
}

// playsNoMore returns a function that reports whether a bot plays no more games.
func playsNoMore(e arena.Event) func(bot string) bool {
	playing := e.Playing()
	return func(name string) bool { return !has(playing, name) }
}

// resultsOf returns the numbers of the games of a bot that have a result.
func (t *Runner) resultsOf(ctx context.Context, event, bot string) (numbers []int, err error) {
	err = t.Store.Scan(ctx, store.Filter{Event: event, Bot: bot, Played: true}, func(g *store.Game) error {
		numbers = append(numbers, g.Number)
		return nil
	})
	return numbers, err
}

// VoidGames takes back results of a recorded event that nobody runs: by number, or,
// without numbers, all of a bot's. The games are played again when the event is
// resumed, except those of a withdrawn bot. It returns how many there were. The error
// is a *store.HeldError if the event is running, or names a game on whose result later
// pairings of a Swiss or knockout event depend.
func (t *Runner) VoidGames(ctx context.Context, event string, numbers []int, bot, why string) (int, error) {
	err := t.revise(ctx, event, func(hold *store.Hold, now arena.Event) (err error) {
		if bot != "" {
			if !has(now.Bots, bot) {
				return unknown(bot, now.Bots)
			}
			if numbers, err = t.resultsOf(ctx, event, bot); err != nil {
				return err
			}
		}
		if err := t.lastRound(ctx, now, numbers); err != nil || len(numbers) == 0 {
			return err
		}
		return hold.VoidResults(ctx, numbers, playsNoMore(now), why)
	})
	if err != nil {
		return 0, err
	}
	return len(numbers), nil
}

// VoidWorker takes back the results that one machine of a fleet played in a recorded
// event that nobody runs, as VoidGames does. Results on which later pairings depend
// stay; the error names them after the others are taken back. It returns how many there
// were.
func (t *Runner) VoidWorker(ctx context.Context, event string, numbers []int, why string) (int, error) {
	var free, stay []int
	err := t.revise(ctx, event, func(hold *store.Hold, now arena.Event) error {
		rounds, last, err := t.pairedRounds(ctx, now)
		if err != nil {
			return err
		}
		for _, number := range numbers {
			if rounds[number] < last {
				stay = append(stay, number)
			} else {
				free = append(free, number)
			}
		}
		if len(free) == 0 {
			return nil
		}
		return hold.VoidResults(ctx, free, playsNoMore(now), why)
	})
	if err == nil && len(stay) > 0 {
		err = fmt.Errorf("event %q: games %v stay, since later rounds were paired by their results", event, stay)
	}
	return len(free), err
}

// pairedRounds returns the round of each game, and the last round, if the event's
// pairings depend on results, else nothing.
func (t *Runner) pairedRounds(ctx context.Context, event arena.Event) (rounds map[int]int, last int, err error) {
	if !schedule.PairsByResults(event) {
		return nil, 0, nil
	}
	rounds = map[int]int{}
	err = t.Store.Scan(ctx, store.Filter{Event: event.Name}, func(g *store.Game) error {
		last = max(last, g.Round)
		rounds[g.Number] = g.Round
		return nil
	})
	return rounds, last, err
}

// lastRound returns an error if later pairings depend on the result of one of the
// games.
func (t *Runner) lastRound(ctx context.Context, event arena.Event, numbers []int) error {
	rounds, last, err := t.pairedRounds(ctx, event)
	for _, number := range numbers {
		if round, ok := rounds[number]; ok && round < last {
			return fmt.Errorf("game %d of event %q is of round %d, and round %d was paired by its results: in a %s event only games of the last round can be voided",
				number, event.Name, round, last, event.Format)
		}
	}
	return err
}

// Remove deletes a recorded event that nobody runs, with all its games. The error
// is a *store.HeldError if the event is running.
func (t *Runner) Remove(ctx context.Context, event string) error {
	hold, err := t.Store.Acquire(ctx, event, t.Self)
	if err != nil {
		return err
	}
	if err := hold.Remove(ctx); err != nil {
		return errors.Join(err, hold.Release(context.WithoutCancel(ctx)))
	}
	return nil
}

// revise holds a recorded event while f changes it, and marks it as finished if no
// games are left to play.
func (t *Runner) revise(ctx context.Context, event string, f func(*store.Hold, arena.Event) error) (err error) {
	hold, err := t.Store.Acquire(ctx, event, t.Self)
	if err != nil {
		return err
	}
	keep := context.WithoutCancel(ctx)
	defer func() { err = errors.Join(err, hold.Release(keep)) }()
	stored, err := t.Store.Event(ctx, event)
	if err != nil {
		return err
	}
	old, err := Recorded(stored)
	if err != nil {
		return err
	}
	if err := f(hold, old); err != nil {
		return err
	}
	if stored, err = t.Store.Event(ctx, event); err != nil {
		return err
	}
	now, err := Recorded(stored)
	if err != nil || stored.Played < stored.Games || stored.Played == 0 {
		return err
	}
	r := &run{Runner: t, event: now, stored: stored}
	if err := r.restore(ctx); err != nil {
		return err
	}
	if more, state := r.plan.Next(); len(more) > 0 || state != schedule.Complete {
		return nil
	}
	return hold.Done(ctx)
}

// unknown reports that a bot is not in an event.
func unknown(bot string, bots []arena.Bot) error {
	return &store.UnknownBotError{Name: bot, Nearest: nearest.Of(bot, arena.Names(bots))}
}
