package event

import (
	"slices"

	"botarena/arena"
	"botarena/arena/schedule"
)

// enough ends the schedule at the event's time limit or when its test or its race is
// decided. At the time limit it removes games that no worker has, except those that
// complete a pair. A test ends with the pair that decides it, a race with its last step,
// whatever else was in progress, once the games before that are played: those of
// candidates that were decided earlier may take longer.
func (l *playing) enough() {
	if l.trial != nil {
		for l.tried < l.plan.Last() {
			if l.plan.Has(l.tried + 1) {
				g := l.plan.Game(l.tried + 1)
				if !l.trial.Add(&g) {
					break
				}
			}
			l.tried++
		}
		if l.trial.Decided() {
			l.end(l.tried)
		}
	} else if last, ok := l.plan.Decided(); ok && l.settled(last) {
		l.end(last)
	}
	if t := l.plan.Tuning(); t != nil && !l.stopping && l.event.MaxFaults > 0 && t.FaultyNow >= l.event.MaxFaults {
		l.stop(l.untunable(t))
	}
	limit := l.event.TimeLimit()
	if l.stopping || limit == 0 || l.state == schedule.Complete && l.given == l.plan.Last() {
		return
	}
	played := l.Now().Sub(l.began)
	if l.stored != nil {
		played += l.stored.PlayTime
	}
	if played < limit {
		return
	}
	last := l.plan.Last()
	for last > l.given && l.plan.Result(last) == arena.Unplayed {
		last--
	}
	for last > 0 && last < l.plan.Last() && l.plan.Game(last+1).Pair == l.plan.Game(last).Pair {
		last++
	}
	if err := l.cut(last); err != nil {
		l.stop(err)
	}
}

// settled reports whether no game up to one is still to be played.
func (l *playing) settled(last int) bool {
	for n := 1; n <= last; n++ {
		if l.plan.Has(n) && l.plan.Result(n) == arena.Unplayed && l.tries[n] < mostVoids {
			return false
		}
	}
	return true
}

// end ends the schedule with the last game that decided a test or a race.
func (l *playing) end(last int) {
	if l.decided {
		return
	}
	l.decided = true
	err := l.onlyFaults(false)
	if err == nil {
		err = l.decide(last)
	}
	l.stop(err)
	l.endBots() // nobody waits for the games in progress
}

// decide removes the games after the last one that counts, so that the record does not
// depend on what was in progress then. Results among them stay in the list of voided
// games.
func (l *playing) decide(last int) error {
	var beyond []int
	for n := last + 1; n <= l.plan.Last(); n++ {
		if l.plan.Has(n) && l.plan.Result(n) != arena.Unplayed {
			beyond = append(beyond, n)
		}
	}
	if beyond != nil {
		gone := func(string) bool { return true }
		if err := l.hold.VoidResults(l.keep, beyond, gone, "the test was decided by games before it"); err != nil {
			return err
		}
		l.played -= len(beyond)
	}
	return l.cut(last)
}

// cut ends the schedule after a game: those with higher numbers, none of which has a
// result, are removed.
func (l *playing) cut(last int) error {
	l.state = schedule.Complete
	if last == l.plan.Last() {
		return nil
	}
	if err := l.hold.Drop(l.keep, last); err != nil {
		return err
	}
	l.plan.Cut(last)
	beyond := func(g arena.Game) bool { return g.Number > last }
	l.queue, l.again = slices.DeleteFunc(l.queue, beyond), slices.DeleteFunc(l.again, beyond)
	l.queued = min(l.queued, last)
	l.observe(Update{Kind: GamesPlanned})
	return nil
}
