package event

import (
	"context"
	"errors"
	"time"

	"botarena/arena"
	"botarena/arena/schedule"
)

// loop gives games to workers and records the outcomes, until nothing is left to do or
// the run has to end.
func (r *run) loop(ctx context.Context, endBots func()) {
	l := playing{run: r, ctx: ctx, keep: context.WithoutCancel(ctx), endBots: endBots, soft: r.opt.Soft, pause: r.opt.Break, hard: ctx.Done()}
	r.began = r.Now()
	l.recall()
	l.enough()
	for l.step() {
	}
	r.hush()
	if l.failed == nil && len(r.event.Playing()) == 2 {
		l.failed = r.onlyFaults(true)
	}
	if l.found != nil {
		<-l.found //nolint:errcheck // the program is asked no more, whatever it said
	}
}

// playing is the state of a run's loop.
type playing struct {
	*run
	ctx     context.Context //nolint:containedctx // of one call of loop
	keep    context.Context //nolint:containedctx // for what is recorded even where ctx has ended
	endBots func()          // ends the bots at once

	inPlay  int              // games given that have no outcome yet
	found   <-chan error     // openings, nil if none are looked for
	grace   <-chan time.Time // after which nobody waits for games in progress
	revoked <-chan struct{}
	soft    <-chan struct{}
	pause   <-chan struct{}
	hard    <-chan struct{}
}

// stop prevents further games from beginning; the run ends with the first reason given.
func (l *playing) stop(why error) {
	if l.failed == nil {
		l.failed = why
	}
	l.run.stop()
}

// fail ends the run at once unless err is nil.
func (l *playing) fail(err error) {
	if err != nil {
		l.stop(err)
		l.endBots()
	}
}

// recall ends the run if results are to be taken back.
func (l *playing) recall() {
	if l.Recall == nil {
		return
	}
	l.revoked = l.Recall.Revoked()
	if l.Recall.Due(l.ctx, l.event.Name) && !l.recalled {
		l.recalled = true
		l.grace = time.After(l.event.Grace)
		l.run.stop()
	}
}

// interrupt begins an orderly end.
func (l *playing) interrupt() {
	l.soft, l.grace = nil, time.After(l.event.Grace)
	l.stop(l.interrupted())
}

// step waits for the next thing to happen and deals with it. It returns false when
// nothing is left to wait for.
func (l *playing) step() bool {
	if l.found == nil && l.meanwhile && l.state == schedule.More && !l.stopping {
		l.found = l.findOpenings()
	}
	var give chan<- arena.Game
	var next arena.Game
	if !l.stopping {
		g, err := l.next(l.keep)
		if g == nil && err == nil && (l.state == schedule.Ready || l.state == schedule.More && !l.meanwhile) {
			if err = l.planOn(l.keep); err == nil {
				g, err = l.next(l.keep)
			}
		}
		l.fail(err)
		if g != nil {
			give, next = l.workers.Games(), *g
		}
	}
	if give == nil && l.inPlay == 0 && (l.found == nil || l.stopping) {
		return false
	}
	select { // an end asked for comes before more games
	case <-l.soft:
		l.interrupt()
		return true
	default:
	}
	select {
	case give <- next:
		l.gave(&next)
		l.inPlay++
		l.observe(Update{Kind: GameStarted, Game: &next})
	case o := <-l.workers.Outcomes():
		l.receive(o)
	case err := <-l.found:
		l.found = nil
		if err == nil && l.state == schedule.More && !l.stopping {
			err = l.planOn(l.keep)
		}
		l.fail(err)
	case <-l.soft:
		l.interrupt()
	case <-l.pause:
		l.pause = nil
		l.stop(l.interrupted())
	case <-l.grace:
		l.endBots()
	case <-l.hard:
		l.hard = nil
		l.fail(l.interrupted())
	case <-l.revoked:
		l.recall()
	case text := <-l.notes.list: // why no game ends, perhaps
		l.observe(Update{Kind: Warning, Text: text})
	}
	return true
}

// receive records an outcome and those that are ready as well.
func (l *playing) receive(o Outcome) {
	came := atHand(l.workers.Outcomes(), o)
	l.inPlay -= len(came)
	l.tell()
	if err := l.take(l.keep, came); err != nil {
		l.stop(err)
		if !errors.Is(err, errFailing) { // nothing is wrong with the games in progress
			l.endBots()
		}
	}
	l.enough()
}
