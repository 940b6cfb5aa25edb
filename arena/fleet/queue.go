package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"botarena/arena"
	"botarena/arena/event"
	"botarena/arena/fleet/wire"
)

const (
	pairWait   = 20 * time.Millisecond  // for the other game of a pair
	lookEvery  = 5 * time.Second        // at what is in the queue
	lastBegun  = 300 * time.Millisecond // for word of jobs that were begun when the event stops
	perSlot    = 4                      // games in hand: two pairs a slot, one played and one waiting
	leastAhead = 4
	// mostFailing is the number of failures in a row after which the server is
	// restarted, mostLosses that of losses of jobs without a result in between.
	mostFailing = 4
	mostLosses  = 2
	mostTaken   = 64 // messages of up to wire.MaxResults results, asked for at once
	fullQueue   = "maximum messages per subject exceeded"
)

// hasRoom reports whether more games are wanted.
func (f *fleet) hasRoom() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.open) < f.most()
}

// most returns how many games are in hand at most; mu is held.
func (f *fleet) most() int { return perSlot*f.slots + leastAhead }

// intake receives games and groups them into units: pairs, if both games come one after
// the other.
func (f *fleet) intake() {
	var pair []arena.Game
	alone := time.NewTimer(time.Hour)
	defer alone.Stop()
	queue := func() {
		if len(pair) > 0 {
			f.queue(pair)
		}
		pair = nil
	}
	for {
		in := f.games
		if len(pair) == 0 && !f.hasRoom() {
			in = nil
		}
		select {
		case g := <-in:
			if len(pair) > 0 && pair[0].Pair != g.Pair {
				queue()
			}
			if pair = append(pair, g); len(pair) == 2 || !f.work.Event.Swap {
				queue()
			}
			alone.Reset(pairWait)
		case <-alone.C:
			queue()
		case <-f.changed:
		case <-f.closed:
			return
		}
	}
}

// queue makes a job of games.
func (f *fleet) queue(games []arena.Game) {
	job := wire.Job{Event: f.event.Token}
	u := &unit{left: len(games)}
	for i := range games {
		job.Games = append(job.Games, wire.GameOf(&games[i]))
		u.numbers = append(u.numbers, games[i].Number)
	}
	u.name = wire.Unit(f.secret, f.event.Token, job.Games)
	job.Unit = u.name
	var err error
	if u.data, err = wire.Encode(&job); err != nil {
		for i := range games {
			f.outcomes <- event.Outcome{Game: games[i], Err: fmt.Errorf("for the fleet: %w", err)}
		}
		return
	}
	f.mu.Lock()
	if isClosed(f.stopped) {
		f.mu.Unlock()
		for i := range games {
			f.outcomes <- event.Outcome{Game: games[i]}
		}
		return
	}
	for i := range games {
		f.open[games[i].Number] = &openGame{game: games[i], unit: u}
	}
	f.units[u.name], f.given = u, true
	f.mu.Unlock()
	f.publish(u)
}

// publish queues a unit. If that fails, reconcile tries it again.
func (f *fleet) publish(u *unit) {
	f.mu.Lock()
	u.tried, u.queued, u.gone = f.Now(), false, time.Time{}
	f.mu.Unlock()
	ack, err := f.js.PublishAsync(wire.JobSubject(f.event.Class, f.event.Token, u.name), u.data)
	if err != nil {
		return
	}
	f.running.Go(func() {
		select {
		case <-ack.Ok():
		case err := <-ack.Err():
			// It is there already: a run before this one queued it, or it was not
			// lost after all.
			if !strings.Contains(err.Error(), fullQueue) {
				f.mu.Lock()
				f.refused = err
				f.mu.Unlock()
				return
			}
		case <-f.closed:
			return
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		u.queued, f.refused = true, nil
	})
}

// reconcile queues wanted units again that the server has lost.
func (f *fleet) reconcile() {
	tick := time.NewTicker(min(lookEvery, f.lease/2))
	defer tick.Stop()
	failing := 0
	for {
		select {
		case <-tick.C:
		case <-f.closed:
			return
		}
		f.mu.Lock()
		last := f.unheld()
		f.mu.Unlock()
		f.give(last)
		if isClosed(f.stopped) {
			continue
		}
		if f.losses.Load() >= mostLosses || failing > 0 && failing%mostFailing == 0 {
			f.repair(true)
			f.losses.Store(0)
		}
		ctx, cancel := context.WithTimeout(f.playing, answer)
		err := f.look(ctx)
		if err != nil {
			// Streams or consumers may be gone: make them anew.
			err = f.provision(ctx)
		}
		cancel()
		f.mu.Lock()
		if err == nil && f.refused != nil {
			err = fmt.Errorf("it stores no jobs; is there room on its disk? (%w)", f.refused)
		}
		f.mu.Unlock()
		switch {
		case err == nil:
			if failing > 1 {
				f.tell("the fleet's server is ready again")
			}
			failing = 0
		case f.playing.Err() == nil:
			if failing++; failing == 2 {
				f.tell(fmt.Sprintf("the fleet's server does not answer as it should: %v", err))
			}
		}
	}
}

// watchServer restarts the server when its folder is lost.
func (f *fleet) watchServer() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			f.repair(false)
		case <-f.closed:
			return
		}
	}
}

// repair restarts the server if that is needed, or if force is set.
func (f *fleet) repair(force bool) {
	if f.Mend == nil {
		return
	}
	mended, err := f.Mend(force)
	line := ""
	switch {
	case err != nil:
		line = fmt.Sprintf("the fleet's server cannot be started again, which is tried until it can: %v", err)
	case mended:
		line = "the fleet's server had lost its folder or stored nothing, and is started again; what was lost is played again"
	}
	f.mu.Lock()
	isNews := mended || line != "" && line != f.mending
	f.mending = line
	f.mu.Unlock()
	if isNews {
		f.tell(line)
	}
}

// look compares the queue with the wanted units.
func (f *fleet) look(ctx context.Context) error {
	asked := f.Now()
	jobs, err := f.js.Stream(ctx, wire.Jobs)
	if err != nil {
		return err
	}
	info, err := jobs.Info(ctx, jetstream.WithSubjectFilter(wire.JobSubject(wire.Any, f.event.Token, wire.Any)))
	if err != nil {
		return err
	}
	giving, err := jobs.Consumer(ctx, f.event.Token)
	if err != nil {
		return err
	}
	results, err := f.js.Stream(ctx, wire.Results)
	if err != nil {
		return err
	}
	if f.relinked.Swap(false) {
		// What was on its way here is lost, and came again only when the server thinks that
		// its time is up.
		f.startOver(ctx)
		if err := f.consumers(ctx); err != nil {
			f.relinked.Store(true)
			return err
		}
	}
	c, err := results.Consumer(ctx, f.event.Token)
	if err != nil {
		return err
	}
	state := c.CachedInfo()
	again, deaf := f.compare(asked, info.State.Subjects, giving.CachedInfo(), results.CachedInfo().State.LastSeq, state)
	if deaf {
		f.tell("the fleet's server has jobs that it gives to nobody: its list of what was given is made anew")
		if err := jobs.DeleteConsumer(ctx, f.event.Token); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
			return err
		}
		if err := f.consumers(ctx); err != nil {
			return err
		}
	}
	f.mu.Lock()
	refused := f.refused != nil
	f.mu.Unlock()
	if len(again) > 0 && !refused {
		f.losses.Add(1)
		f.tell(fmt.Sprintf("%d jobs were lost on the server and are queued again", len(again)))
	}
	for _, u := range again {
		f.publish(u)
	}
	f.dropUnread(ctx, results)
	f.overdue(asked, giving.CachedInfo().NumAckPending)
	if floor := state.AckFloor.Stream; floor > 0 {
		// What is recorded is not needed any more.
		_ = results.Purge(ctx, jetstream.WithPurgeSubject(wire.ResultSubject(wire.Any, f.event.Token, wire.Any)), jetstream.WithPurgeSequence(floor+1))
	}
	return nil
}

// compare returns the wanted units whose jobs are gone, and whether the server has jobs
// that it does not deliver. there holds the jobs that it has, giving is their consumer;
// last is the newest result and taking their consumer.
func (f *fleet) compare(asked time.Time, there map[string]uint64, giving *jetstream.ConsumerInfo, last uint64, taking *jetstream.ConsumerInfo) (again []*unit, deaf bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	idle := taking.NumPending == 0 && taking.NumAckPending == 0 // nothing is on its way to this run
	// Nobody has a job, though some ask for one.
	silent := giving.NumAckPending == 0 && (giving.NumPending == 0 || giving.NumWaiting > 0)
	for _, u := range f.units {
		_, has := there[wire.JobSubject(f.event.Class, f.event.Token, u.name)]
		switch {
		case has:
			u.gone, u.queued = time.Time{}, true
			deaf = deaf || u.silent && silent
			u.silent = silent
			continue
		case u.held:
		case !u.queued && (f.refused != nil || asked.Sub(u.tried) > answer):
			again = append(again, u)
		case !u.queued || !u.tried.Before(asked):
		case u.gone.IsZero():
			// A result may be on its way: a job is gone only after its result came.
			u.gone, u.before = asked, last+1
		case taking.AckFloor.Stream+1 >= u.before || idle || asked.Sub(u.gone) > f.redelivery():
			again = append(again, u)
		}
		u.silent = false
	}
	return again, deaf
}

// redelivery returns the time after which a result comes again that an earlier run
// received and did not record.
func (f *fleet) redelivery() time.Duration { return max(wire.Lease, f.lease) }

// endings ends games when the event stops: units that nobody has begun are taken back,
// the others may finish within the grace.
func (f *fleet) endings() {
	select {
	case <-f.stopped:
	case <-f.playing.Done():
		f.Stop()
	case <-f.closed:
		return
	}
	f.mu.Lock()
	waiting := len(f.open) > 0
	f.mu.Unlock()
	if waiting {
		f.cancel(false)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(f.playing), answer)
		if s, err := f.js.Stream(ctx, wire.Jobs); err == nil {
			_ = s.Purge(ctx, jetstream.WithPurgeSubject(wire.JobSubject(wire.Any, f.event.Token, wire.Any)))
		}
		cancel()
		select {
		case <-time.After(lastBegun):
		case <-f.playing.Done():
		case <-f.closed:
			return
		}
		f.mu.Lock()
		var back []event.Outcome
		for _, u := range f.units {
			if u.begun == "" {
				back = append(back, f.takeBack(u)...)
			}
		}
		f.mu.Unlock()
		f.give(back)
	}
	select {
	case <-f.playing.Done():
	case <-f.closed:
		return
	}
	f.cancel(true)
	_ = f.Conn.Flush()
	f.mu.Lock()
	var broken []event.Outcome
	for _, u := range f.units {
		begun := u.begun != ""
		for _, o := range f.takeBack(u) {
			if o.Begun = begun; begun {
				o.Interrupted = true
				o.Game.Reason, o.Game.Detail = arena.Void, "interrupted"
			}
			broken = append(broken, o)
		}
	}
	f.mu.Unlock()
	f.give(broken)
}

// takeBack closes the open games of a unit without an outcome of their own; mu is
// held.
func (f *fleet) takeBack(u *unit) []event.Outcome {
	var list []event.Outcome
	for _, n := range u.numbers {
		if o := f.open[n]; o != nil && o.unit == u {
			list = append(list, event.Outcome{Game: o.game})
			delete(f.open, n)
		}
	}
	delete(f.units, u.name)
	return list
}

// give passes outcomes on to the run.
func (f *fleet) give(list []event.Outcome) {
	for i := range list {
		f.outcomes <- list[i]
	}
}

// results handles workers' results, until the event is closed.
func (f *fleet) results() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	connected := f.Conn.StatusChanged(nats.CONNECTED)
	f.running.Go(func() {
		defer cancel()
		for {
			select {
			case <-connected:
				f.relinked.Store(true)
			case <-f.closed:
				return
			}
		}
	})
	defer f.Conn.RemoveStatusListener(connected)
	pull(ctx, f.js, wire.Results, f.event.Token, mostTaken, f.message)
}
