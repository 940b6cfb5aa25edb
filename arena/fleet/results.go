package fleet

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"botarena/arena/event"
	"botarena/arena/fleet/wire"
)

// delivery is a message of results. It is acknowledged once all of its outcomes are on
// disk, or redelivered if one of its results must come again; those recorded by then
// are dropped.
type delivery struct {
	jetstream.Msg
	left atomic.Int32 // what it waits for
	late atomic.Int64 // nanoseconds after which it is to come again; 0 for never
}

// done records that an outcome is on disk, or that all results were handled.
func (d *delivery) done() {
	if d.left.Add(-1) > 0 {
		return
	}
	if after := time.Duration(d.late.Load()); after > 0 {
		_ = d.NakWithDelay(after)
		return
	}
	_ = d.Ack()
}

// message handles a message of results. No worker is blamed for an unreadable one: a
// worker can make the server send an answer to any subject, also another worker's.
func (f *fleet) message(msg jetstream.Msg) {
	worker := wire.WorkerOf(msg.Subject())
	f.read(worker, len(msg.Data()))
	d := &delivery{Msg: msg}
	d.left.Store(1)
	defer d.done()
	batch, err := wire.Decode[wire.Batch](msg.Data())
	if err == nil && msg.Subject() != wire.ResultSubject(worker, f.event.Token, batch.Results[0].Unit) {
		err = fmt.Errorf("a result of event %s, unit %s under %s", batch.Results[0].Event, batch.Results[0].Unit, msg.Subject())
	}
	if err != nil {
		if !f.revoked(worker) {
			f.leaveOut(worker, fmt.Sprintf("a message under the name of worker %s is no result, and is left out: %v", worker, err))
		}
		return
	}
	for i := range batch.Results {
		f.result(worker, d, &batch.Results[i])
	}
}

// result handles one result.
func (f *fleet) result(worker string, d *delivery, r *wire.Result) {
	if f.revoked(worker) || f.isBarred(worker) {
		f.again(r.Unit)
		return
	}
	err := r.Check()
	switch {
	case err != nil:
	case r.Event != f.event.Token:
		err = fmt.Errorf("a result of another event, %s", r.Event)
	case !wire.Issued(f.secret, f.event.Token, r.Unit):
		err = fmt.Errorf("a result of a job that was not given to it, %s", r.Unit)
	}
	if err != nil {
		f.refuse(worker, err)
		f.again(r.Unit)
		return
	}
	f.mu.Lock()
	u := f.units[r.Unit]
	f.mu.Unlock()
	if u == nil {
		f.late(d, r)
		return
	}
	f.accept(u, worker, d, r)
}

// again queues a unit once more if it is still wanted.
func (f *fleet) again(name string) {
	f.mu.Lock()
	u := f.units[name]
	f.mu.Unlock()
	if u != nil && !u.held {
		f.publish(u)
	}
}

// accept referees a result of a wanted unit, and passes its games on, or holds them
// back.
func (f *fleet) accept(u *unit, worker string, d *delivery, r *wire.Result) {
	games, err := f.referee(u, worker, d, r)
	if err != nil {
		f.refuse(worker, err)
		f.again(u.name)
		return
	}
	f.losses.Store(0) // a result came
	f.mu.Lock()
	pass, again := f.weigh(worker, doubtful{u, games, r.Slot})
	var list []event.Outcome
	for _, held := range pass {
		list = append(list, f.close(worker, held)...)
	}
	if len(pass) == 0 {
		list = f.unheld()
	}
	signal(f.changed)
	f.mu.Unlock()
	for _, u := range again {
		f.publish(u)
	}
	d.left.Add(int32(len(list))) //nolint:gosec // at most the games in hand
	for i := range list {
		list[i].Recorded = d.done
	}
	f.give(list)
}

// close removes the games of a valid result from the open ones, and returns their
// outcomes; mu is held.
func (f *fleet) close(worker string, d doubtful) (list []event.Outcome) {
	slot := 0
	if m := f.workers[worker]; m != nil {
		slot = m.first
	}
	for i := range d.games {
		g := &d.games[i]
		o := f.open[g.Number]
		if o == nil || o.unit != d.unit {
			continue
		}
		f.correct(o, g)
		delete(f.open, g.Number)
		f.longest = max(f.longest, g.Wall)
		list = append(list, event.Outcome{Game: *g, Slot: slot + d.slot, Begun: true})
		f.punctual(worker, g)
		if d.unit.left--; d.unit.left == 0 {
			delete(f.units, d.unit.name)
		}
	}
	return list
}

// mostAgain is the maximum number of redeliveries of a result whose games are not
// wanted yet.
const mostAgain = 100

// late handles a result that is not wanted now: a repeated one, or, in a resumed run,
// one that comes before its games are given, which is redelivered.
func (f *fleet) late(d *delivery, r *wire.Result) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(f.playing), answer)
	defer cancel()
	known := 0
	for i := range r.Games {
		done, err := f.Recorded(ctx, f.work.Event.Name, r.Games[i].Number)
		if err != nil {
			d.late.Store(int64(answer))
			return
		}
		if done {
			known++
		}
	}
	if meta, err := d.Metadata(); known == 0 && err == nil && meta.NumDelivered < mostAgain {
		d.late.Store(int64(comeAgain))
	}
}

// comeAgain is the delay of the redelivery of a result whose games are not wanted yet.
const comeAgain = 300 * time.Millisecond

// revoked reports whether a worker is not trusted any more.
func (f *fleet) revoked(worker string) bool {
	return f.Trusted != nil && worker != LocalName && !f.Trusted(worker)
}
