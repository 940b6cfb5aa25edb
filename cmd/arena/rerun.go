package main

import (
	"context"
	"errors"
	"fmt"

	"botarena/arena"
	"botarena/arena/event"
	"botarena/arena/store"
	"botarena/arena/text"
)

// run returns t.Run for a fleet some of whose workers may be revoked meanwhile: the
// event stops then, their games are taken back, and it goes on.
func (s *fleetSite) run(t *event.Runner, say func(string)) func(context.Context, arena.Event, event.Options) (event.Summary, error) {
	return func(ctx context.Context, e arena.Event, opt event.Options) (event.Summary, error) {
		var now, voids int
		for {
			stopped, done := make(chan struct{}), make(chan struct{})
			watched := make(chan struct{})
			go func() {
				defer close(watched)
				s.roster.stopFor(ctx, e.Name, opt.Soft, stopped, done)
			}()
			summary, err := t.Run(ctx, e, event.Options{Extend: opt.Extend, Soft: stopped})
			close(done)
			<-watched
			now, voids = now+summary.Now, voids+summary.Voids
			summary.Now, summary.Voids = now, voids
			if err != nil && !errors.Is(err, event.ErrInterrupted) {
				return summary, err
			}
			taken, voidErr := s.roster.takeBack(context.WithoutCancel(ctx), t, e.Name, say)
			switch {
			case voidErr != nil:
				return summary, errors.Join(err, voidErr)
			case ctx.Err() != nil || isClosed(opt.Soft) || err == nil && taken == 0:
				return summary, err
			}
			opt.Extend = false
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// stopFor closes stopped when soft is closed, or when a worker was revoked that has
// games of the event.
func (r *roster) stopFor(ctx context.Context, e string, soft <-chan struct{}, stopped chan<- struct{}, done <-chan struct{}) {
	for {
		select {
		case <-soft:
			close(stopped)
			return
		case <-r.revoked:
			if list, err := r.toVoid(ctx, e); err == nil && len(list) > 0 {
				close(stopped)
				return
			}
		case <-done:
			return
		}
	}
}

// A withdrawnWorker is one that was revoked, with its games of an event.
type withdrawnWorker struct {
	store.Worker
	numbers []int
}

// toVoid lists the revoked workers whose games of an event are to be taken back.
func (r *roster) toVoid(ctx context.Context, e string) ([]withdrawnWorker, error) {
	workers, err := r.store.Workers(ctx)
	if err != nil {
		return nil, err
	}
	var list []withdrawnWorker
	for _, w := range workers {
		if !w.Void || w.Games == 0 {
			continue
		}
		events, err := workerGames(ctx, r.store, w.ID, e)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			list = append(list, withdrawnWorker{w, e.numbers})
		}
	}
	return list, nil
}

// takeBack takes back the games of workers that were revoked, and returns how many
// there were.
func (r *roster) takeBack(ctx context.Context, t *event.Runner, e string, say func(string)) (taken int, err error) {
	list, err := r.toVoid(ctx, e)
	if err != nil {
		return 0, err
	}
	for _, w := range list {
		n, err := t.VoidWorker(ctx, e, w.numbers, voidedFor(w.Name, w.Why))
		taken += n
		if n > 0 {
			say(fmt.Sprintf("worker %s was revoked: %s voided, to be played again", w.Name, text.Plural(n, "game")))
		}
		if err != nil {
			say("warning: " + err.Error())
		}
	}
	return taken, nil
}

// voidedFor is the reason that is kept beside the games of a revoked worker.
func voidedFor(worker, why string) string { return "worker " + worker + " was revoked: " + why }
