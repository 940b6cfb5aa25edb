package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"botarena/arena/event"
	"botarena/arena/fleet/wire"
)

// part is one result of a message that has several. The message is acknowledged with
// the last of them, and redelivered if one of them must come again.
type part struct {
	jetstream.Msg
	of *parts
}

// parts are those of one message.
type parts struct {
	left atomic.Int32
	late atomic.Int64 // nanoseconds after which it is to come again; 0 for never
}

// Ack records that the outcome of the result is on disk.
func (p part) Ack() error {
	if p.of.left.Add(-1) > 0 {
		return nil
	}
	if after := p.of.late.Load(); after > 0 {
		return p.Msg.NakWithDelay(time.Duration(after))
	}
	return p.Msg.Ack()
}

// NakWithDelay has the whole message redelivered; results of it that are recorded by
// then are dropped.
func (p part) NakWithDelay(after time.Duration) error {
	p.of.late.Store(int64(after))
	return p.Ack()
}

// message takes a message of the results. One that cannot be read is held against nobody:
// the server sends what is asked of it to whatever subject a worker names for the answer,
// another worker's among them.
func (f *fleet) message(msg jetstream.Msg) {
	worker := wire.WorkerOf(msg.Subject())
	f.read(worker, len(msg.Data()))
	batch, err := wire.Decode[wire.Batch](msg.Data())
	if err == nil && msg.Subject() != wire.ResultSubject(worker, f.event.Token, batch.Results[0].Unit) {
		err = fmt.Errorf("a result of event %s, unit %s under %s", batch.Results[0].Event, batch.Results[0].Unit, msg.Subject())
	}
	if err != nil {
		if !f.revoked(worker) {
			f.work.Warn(fmt.Sprintf("a message under the name of worker %s is no result, and is left out: %v", worker, err))
		}
		_ = msg.Ack()
		return
	}
	of := &parts{}
	of.left.Store(int32(len(batch.Results))) //nolint:gosec // at most wire.MaxResults
	for i := range batch.Results {
		f.result(worker, part{msg, of}, &batch.Results[i])
	}
}

// result takes one result.
func (f *fleet) result(worker string, msg part, r *wire.Result) {
	if f.revoked(worker) || f.isBarred(worker) {
		f.again(r.Unit)
		_ = msg.Ack()
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
		_ = msg.Ack()
		return
	}
	f.mu.Lock()
	u := f.units[r.Unit]
	f.mu.Unlock()
	if u == nil {
		f.late(msg, r)
		return
	}
	f.accept(u, worker, msg, r)
}

// refuse says that a worker sent what does not hold.
func (f *fleet) refuse(worker string, err error) {
	if f.Faulty != nil {
		f.Faulty(worker)
	}
	f.work.Warn(fmt.Sprintf("worker %s sent a result that does not hold, and it is left out: %v", worker, err))
}

// again queues a unit once more where it is still wanted.
func (f *fleet) again(name string) {
	f.mu.Lock()
	u := f.units[name]
	f.mu.Unlock()
	if u != nil && !u.held {
		f.publish(u)
	}
}

// accept referees a result of a unit that is wanted, and hands its games on, or holds
// them back.
func (f *fleet) accept(u *unit, worker string, msg part, r *wire.Result) {
	games, err := f.referee(u, worker, msg, r)
	if err != nil {
		f.refuse(worker, err)
		f.again(u.name)
		_ = msg.Ack()
		return
	}
	f.mu.Lock()
	pass, again := f.weigh(worker, doubtful{u, games, r.Slot})
	var list []event.Outcome
	for _, d := range pass {
		list = append(list, f.close(worker, d)...)
	}
	if len(pass) == 0 {
		list = f.unheld()
	}
	f.room()
	f.mu.Unlock()
	for _, u := range again {
		f.publish(u)
	}
	if len(list) == 0 {
		_ = msg.Ack()
		return
	}
	var left atomic.Int32
	left.Store(int32(len(list))) //nolint:gosec // at most the games in hand
	for i := range list {
		list[i].Recorded = func() {
			if left.Add(-1) == 0 {
				_ = msg.Ack()
			}
		}
	}
	f.give(list)
}

// close takes the games of a result that holds out of those that are wanted, and returns
// their outcomes; mu is held.
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

// mostAgain is how often a result of games that are not wanted yet comes again.
const mostAgain = 100

// late takes a result that is not wanted now: it came a second time, or, to a run that goes
// on, before its games are given; then it is to come again.
func (f *fleet) late(msg part, r *wire.Result) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(f.playing), answer)
	defer cancel()
	known := 0
	for i := range r.Games {
		done, err := f.recorded(ctx, r.Games[i].Number)
		if err != nil {
			_ = msg.NakWithDelay(answer)
			return
		}
		if done {
			known++
		}
	}
	if meta, err := msg.Metadata(); known == 0 && err == nil && meta.NumDelivered < mostAgain {
		_ = msg.NakWithDelay(comeAgain)
		return
	}
	_ = msg.Ack()
}

// comeAgain is after what time a result comes again whose games are not wanted yet.
const comeAgain = 300 * time.Millisecond

// recorded reports whether a game of the event has a result on record.
func (f *fleet) recorded(ctx context.Context, number int) (bool, error) {
	if f.Recorded == nil {
		return false, errors.New("no record to look at")
	}
	return f.Recorded(ctx, f.work.Event.Name, number)
}

// revoked reports whether a worker is believed no more.
func (f *fleet) revoked(worker string) bool {
	return f.Trusted != nil && worker != LocalName && !f.Trusted(worker)
}
