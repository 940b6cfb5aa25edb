package roster

import (
	"context"
	"errors"
	"fmt"

	"botarena/arena/event"
	"botarena/arena/store"
	"botarena/arena/text"
)

// Taken counts the games of an event that were taken back from a revoked worker.
type Taken struct {
	Event string
	Games int
	Held  bool // a run is on, and takes them back itself
}

// Revoke shuts a worker out and takes its games back, unless keep is set. The list is
// nil if the worker was not revoked; the error is a *store.UnknownWorkerError, or
// says whose games stay.
func Revoke(ctx context.Context, t *event.Runner, name, reason string, keep bool) ([]Taken, error) {
	w, err := t.Store.Revoke(ctx, name, reason, !keep)
	if err != nil {
		return nil, err
	}
	taken := []Taken{}
	if keep {
		return taken, nil
	}
	events, err := workerGames(ctx, t.Store, w.ID, "")
	if err != nil {
		return taken, err
	}
	var failed []error
	for _, e := range events {
		n, err := t.VoidWorker(ctx, e.name, e.numbers, voidedFor(name, reason))
		var held *store.HeldError
		if errors.As(err, &held) {
			taken = append(taken, Taken{e.name, len(e.numbers), true})
			continue
		}
		taken = append(taken, Taken{Event: e.name, Games: n})
		failed = append(failed, err)
	}
	return taken, errors.Join(failed...)
}

// eventNumbers holds the numbers of games of an event.
type eventNumbers struct {
	name    string
	numbers []int
}

// workerGames lists the finished games of a worker, of one event or of all.
func workerGames(ctx context.Context, s *store.Store, worker int64, event string) ([]eventNumbers, error) {
	var list []eventNumbers
	err := s.Scan(ctx, store.Filter{Worker: worker, Event: event, Played: true}, func(g *store.Game) error {
		if len(list) == 0 || list[len(list)-1].name != g.Event {
			list = append(list, eventNumbers{name: g.Event})
		}
		last := &list[len(list)-1]
		last.numbers = append(last.numbers, g.Number)
		return nil
	})
	return list, err
}

// Revoked returns a channel that is closed when another worker is revoked.
func (r *Roster) Revoked() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.revoked
}

// Due reports whether games of the event are to be taken back.
func (r *Roster) Due(ctx context.Context, event string) bool {
	list, err := r.toVoid(ctx, event)
	return err == nil && len(list) > 0
}

// A withdrawnWorker is a revoked worker with its games of an event.
type withdrawnWorker struct {
	store.Worker
	numbers []int
}

// toVoid lists the revoked workers whose games of an event are to be taken back.
func (r *Roster) toVoid(ctx context.Context, event string) ([]withdrawnWorker, error) {
	workers, err := r.store.Workers(ctx)
	if err != nil {
		return nil, err
	}
	var list []withdrawnWorker
	for _, w := range workers {
		if !w.Void || w.Games == 0 {
			continue
		}
		events, err := workerGames(ctx, r.store, w.ID, event)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			list = append(list, withdrawnWorker{w, e.numbers})
		}
	}
	return list, nil
}

// TakeBack takes back the games of workers that were revoked, and returns how many
// there were.
func (r *Roster) TakeBack(ctx context.Context, t *event.Runner, event string, say func(string)) (taken int, err error) {
	list, err := r.toVoid(ctx, event)
	if err != nil {
		return 0, err
	}
	for _, w := range list {
		n, err := t.VoidWorker(ctx, event, w.numbers, voidedFor(w.Name, w.Why))
		taken += n
		if n > 0 {
			say(fmt.Sprintf("worker %s was revoked: %s voided, to be played again", w.Name, text.Plural(n, "game")))
		}
		if err != nil {
			say(err.Error())
		}
	}
	return taken, nil
}

// voidedFor returns the reason that is recorded with the voided games of a revoked
// worker.
func voidedFor(worker, why string) string { return "worker " + worker + " was revoked: " + why }
