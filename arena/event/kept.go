package event

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"botarena/arena"
)

// Kept holds the bots' processes between two runs of an event on this machine, such as those
// of a league between which a bot enters: the second run starts only the others. The zero
// value holds none. Close ends them.
type Kept struct {
	mu   sync.Mutex
	bots []keptBot
}

// A keptBot is a bot of one slot.
type keptBot struct {
	*entrant
	slot int
	cpus []int
}

// keep takes a bot over from a worker that ends, and reports whether it did; k may be nil.
func (k *Kept) keep(w *worker, e *entrant) bool {
	if k == nil || !e.proc.Follow(context.Background()) {
		return false
	}
	e.proc.SetStderr(nil)
	e.session.Log, e.session.Suspended = nil, nil
	k.mu.Lock()
	defer k.mu.Unlock()
	k.bots = append(k.bots, keptBot{e, w.slot, w.cpus})
	return true
}

// give gives a worker that begins the bots of its slot which are as they were, and ends the
// others of that slot.
func (k *Kept) give(botsCtx context.Context, w *worker) {
	if k == nil {
		return
	}
	k.mu.Lock()
	var own []keptBot
	k.bots = slices.DeleteFunc(k.bots, func(b keptBot) bool {
		if b.slot == w.slot {
			own = append(own, b)
		}
		return b.slot == w.slot
	})
	k.mu.Unlock()
	for _, b := range own {
		i := arena.BotIndex(w.Event.Bots, b.bot.Name)
		if i < 0 || !slices.Equal(b.cpus, w.cpus) || !sameProcess(*b.bot, w.Event.Bots[i]) || !b.proc.Follow(botsCtx) {
			w.retire(b.entrant)
			continue
		}
		b.bot, b.used, b.session.Suspended = &w.Event.Bots[i], 0, w.watch.suspended
		w.bots[b.bot.Name] = b.entrant
	}
}

// sameProcess reports whether a process of the one bot serves for the other, of the same name.
func sameProcess(a, b arena.Bot) bool {
	a.Replaces, b.Replaces = nil, nil
	return reflect.DeepEqual(a, b)
}

// Close ends the processes, each within the grace.
func (k *Kept) Close(grace time.Duration) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	errs := make([]error, len(k.bots))
	var all errgroup.Group
	all.SetLimit(mostEnding)
	for i, b := range k.bots {
		all.Go(func() error {
			if err := b.session.End(grace); err != nil {
				errs[i] = fmt.Errorf("bot %q: %w", b.bot.Name, err)
			}
			return nil
		})
	}
	_ = all.Wait()
	k.bots = nil
	return errors.Join(errs...)
}
