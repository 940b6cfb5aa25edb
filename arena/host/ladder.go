package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"botarena/arena"
	"botarena/arena/event"
	"botarena/arena/store"
)

// ladder plays the league's event until soft is closed or ctx is done. Whenever versions
// enter or leave, the run ends between two games and another one goes on with them.
func (h *Host) ladder(ctx context.Context, soft <-chan struct{}) error {
	defer h.endKept()
	for {
		changed := h.renewals()
		wait, err := h.play(ctx, soft, changed)
		select {
		case <-soft:
			return nil
		default:
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case fatal(err):
			return err
		case err != nil:
			h.config.Log(fmt.Sprintf("warning: %v; the ladder goes on in %v", err, retryAfter))
			wait = retryAfter
		}
		if wait == 0 {
			continue
		}
		h.endKept()
		select {
		case <-changed:
		case <-time.After(wait):
		case <-soft:
		case <-ctx.Done():
		}
	}
}

// endKept ends the bots that no run plays with.
func (h *Host) endKept() {
	if err := h.kept.Close(h.league.Grace); err != nil {
		h.config.Log(fmt.Sprintf("warning: %v", err))
	}
}

// fatal reports whether an error stays until a person mends it.
func fatal(err error) bool {
	var changed *event.ChangedError
	var held *store.HeldError
	var bots *event.BotsError
	var invalid *arena.InvalidError
	return errors.As(err, &changed) || errors.As(err, &held) || errors.As(err, &bots) || errors.As(err, &invalid)
}

// play plays the ladder with the bots that there are until changed is closed. It returns
// how long to wait for others where there is nothing to play.
func (h *Host) play(ctx context.Context, soft, changed <-chan struct{}) (wait time.Duration, err error) {
	if err := h.benchWithdrawn(ctx); err != nil {
		return 0, err
	}
	if err := h.tidy(ctx); err != nil {
		return 0, err
	}
	e := h.league.Event
	if e.Bots, err = h.bots(ctx); err != nil {
		return 0, err
	}
	if len(e.Playing()) < 2 || h.over() {
		return lookEvery, nil
	}
	e.MaxFaults = 0 // fault does what it does, and tells the team
	begun, playing := h.config.Runner.Now(), false
	r := *h.config.Runner
	workers := h.workers(&h.slots.ladder)
	r.Workers = func(work event.Work) (event.Workers, error) {
		work.Kept = &h.kept
		return workers(work)
	}
	observe := r.Observe
	r.Observe = func(u event.Update) {
		if observe != nil {
			observe(u)
		}
		if u.Kind == event.GamesPlanned && !playing {
			playing, h.took = true, h.config.Runner.Now().Sub(begun)
		}
		if u.Kind == event.GameFinished && u.Game.Blame != "" {
			h.fault(ctx, u.Game.Blame)
		}
	}
	least := time.After(cmp.Or(h.config.Pause, min(max(usualPause, costShare*h.took), longPause)))
	pause := make(chan struct{})
	done := make(chan struct{})
	defer close(done)
	go func() {
		defer close(pause)
		for {
			select {
			case <-changed:
				select {
				case <-least: // several enter at once
				case <-done:
				}
				return
			case <-time.After(lookEvery):
				if h.over() {
					return
				}
			case <-done:
				return
			}
		}
	}()
	defer h.slots.open(&h.slots.ladder)()
	// A version is what was handed in: where its interpreter is another one now, it goes on.
	handedIn := func(bot string) bool {
		return arena.BotIndex(e.Bots, bot) >= 0 && arena.BotIndex(h.league.Bots, bot) < 0
	}
	_, err = r.Run(ctx, e, event.Options{Extend: true, Same: handedIn, Soft: soft, Break: pause})
	var bots *event.BotsError
	switch {
	case errors.Is(err, event.ErrFinished), err == nil:
		return time.Hour, nil // all bots have games enough, until another one enters
	case errors.Is(err, event.ErrInterrupted):
		return 0, nil
	case errors.As(err, &bots):
		return 0, h.benchBroken(ctx, bots)
	}
	return 0, err
}

// over reports whether the ladder has ended by the clock.
func (h *Host) over() bool {
	ends := h.league.ends()
	return !ends.IsZero() && !h.config.Now().Before(ends)
}

// fault benches a bot of a team once it was at fault in as many of its last games as the
// event's max_faults says, of twice as many: losses on time count.
func (h *Host) fault(ctx context.Context, bot string) {
	limit := h.league.MaxFaults
	if limit == 0 || arena.BotIndex(h.league.Bots, bot) >= 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	games, err := h.store.Games(ctx, store.Filter{Event: h.league.Name, Bot: bot, Played: true, Last: 2 * limit})
	if err != nil {
		h.config.Log(fmt.Sprintf("warning: the faults of %q cannot be counted: %v", bot, err))
		return
	}
	n, last := 0, ""
	for i := range games {
		if g := &games[i]; g.Blame == bot {
			n++
			last = fmt.Sprintf("game %d (%s - %s): %s", g.Number, g.First, g.Second, g.Reason)
		}
	}
	if n >= limit {
		h.bench(ctx, bot, fmt.Sprintf("It was at fault in %d of its last %d games, and plays no more; %s. Mend it, and hand in a new version.", n, len(games), last))
	}
}

func (h *Host) bench(ctx context.Context, bot, why string) {
	switch plays, err := h.store.Bench(ctx, h.league.Name, bot, why); {
	case err != nil:
		h.config.Log(fmt.Sprintf("warning: %v", err))
		return
	case !plays: // games that were in progress end
		return
	}
	h.config.Log(fmt.Sprintf("%q is benched: %s", bot, why))
	h.renew()
}

// benchBroken benches bots of teams that cannot be started, so that the others play on. The
// error is the rest.
func (h *Host) benchBroken(ctx context.Context, broken *event.BotsError) error {
	rest := slices.DeleteFunc(slices.Clone(broken.Problems), func(p event.BotProblem) bool {
		if p.Bot == "" || arena.BotIndex(h.league.Bots, p.Bot) >= 0 {
			return false
		}
		h.bench(ctx, p.Bot, fmt.Sprintf("It cannot be started any more: %v. Hand in a new version.", p.Err))
		return true
	})
	if len(rest) > 0 {
		return &event.BotsError{Problems: rest}
	}
	return nil
}

// benchWithdrawn notes which versions the organiser took out of the event while no host
// ran.
func (h *Host) benchWithdrawn(ctx context.Context) error {
	recorded, err := h.recorded(ctx)
	if err != nil {
		return err
	}
	subs, err := h.store.Submissions(ctx, h.league.Name, "")
	if err != nil {
		return err
	}
	for i := range subs {
		if at := arena.BotIndex(recorded.Bots, subs[i].Bot); at >= 0 && subs[i].State == string(store.Entered) && recorded.Bots[at].Withdrawn {
			if _, err := h.store.Bench(ctx, h.league.Name, subs[i].Bot, "The organiser took it out of the league; ask why."); err != nil {
				return err
			}
		}
	}
	return nil
}
