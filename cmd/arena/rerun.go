package main

import (
	"context"
	"errors"

	"botarena/arena"
	"botarena/arena/event"
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
				s.roster.StopFor(ctx, e.Name, opt.Soft, stopped, done)
			}()
			summary, err := t.Run(ctx, e, event.Options{Extend: opt.Extend, Soft: stopped})
			close(done)
			<-watched
			now, voids = now+summary.Now, voids+summary.Voids
			summary.Now, summary.Voids = now, voids
			if err != nil && !errors.Is(err, event.ErrInterrupted) {
				return summary, err
			}
			taken, voidErr := s.roster.TakeBack(context.WithoutCancel(ctx), t, e.Name, say)
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
