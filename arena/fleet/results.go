package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"botarena/arena"
	"botarena/arena/event"
	"botarena/arena/fleet/wire"
	"botarena/arena/referee"
)

const (
	mostEarly = 10_000 // results of units that were not given yet
	// A worker's clock that is off by more is corrected, and told of.
	wrongClock = 10 * time.Second
)

// A part is one result of a message that has several. The message is acknowledged with
// the last of them, and comes again where one of them is to come again.
type part struct {
	*nats.Msg
	of *parts
}

// parts are those of one message.
type parts struct {
	left atomic.Int32
	late atomic.Int64 // nanoseconds after which it is to come again; 0 for never
}

// Ack notes that what became of the result is on the disk.
func (p part) Ack() error {
	if p.of.left.Add(-1) > 0 {
		return nil
	}
	if after := p.of.late.Load(); after > 0 {
		return p.Msg.NakWithDelay(time.Duration(after))
	}
	return p.Msg.Ack()
}

// NakWithDelay has the whole message come again: what is recorded of it is dropped then.
func (p part) NakWithDelay(after time.Duration) error {
	p.of.late.Store(int64(after))
	return p.Ack()
}

// message takes a message of the results.
func (f *fleet) message(msg *nats.Msg) {
	worker := wire.WorkerOf(msg.Subject)
	unit := wire.Last(msg.Subject)
	batch, err := wire.DecodeBatch(msg.Data)
	if err == nil && msg.Subject != wire.ResultSubject(worker, f.event.Token, batch.Results[0].Unit) {
		err = fmt.Errorf("a result of event %s, unit %s under %s", batch.Results[0].Event, batch.Results[0].Unit, msg.Subject)
	}
	if err != nil {
		if !f.revoked(worker) {
			f.refuse(worker, err)
		}
		f.again(unit)
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
	if err == nil && r.Event != f.event.Token {
		err = fmt.Errorf("a result of another event, %s", r.Event)
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
		f.late(worker, msg, r)
		return
	}
	f.accept(u, worker, msg, r)
}

// refuse says that a worker sent what does not hold.
func (f *fleet) refuse(worker string, err error) {
	f.mu.Lock()
	f.counts.Refused++
	f.mu.Unlock()
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
	if u != nil {
		f.publish(u)
	}
}

// accept referees a result of a unit that is wanted, and hands its games on. It
// reports whether the result holds.
func (f *fleet) accept(u *unit, worker string, msg part, r *wire.Result) bool {
	games, err := f.referee(u, worker, msg, r)
	if err != nil {
		f.refuse(worker, err)
		f.again(u.name)
		_ = msg.Ack()
		return false
	}
	f.mu.Lock()
	slot := 0
	if m := f.workers[worker]; m != nil {
		slot = m.first
	}
	var list []event.Outcome
	for i := range games {
		g := &games[i]
		if o := f.open[g.Number]; o == nil || o.unit != u {
			f.counts.Stale++
			continue
		}
		f.land(f.open[g.Number], g)
		delete(f.open, g.Number)
		f.counts.Taken++
		list = append(list, event.Outcome{Game: *g, Slot: slot + r.Slot, Begun: true})
		f.punctual(worker, g)
		if u.left--; u.left == 0 {
			delete(f.units, u.name)
		}
	}
	f.room()
	f.mu.Unlock()
	if len(list) == 0 {
		_ = msg.Ack()
		return true
	}
	var left atomic.Int32
	left.Store(int32(len(list))) //nolint:gosec // at most the games of a unit
	for i := range list {
		list[i].Recorded = func() {
			if left.Add(-1) == 0 {
				_ = msg.Ack()
			}
		}
	}
	f.give(list)
	return true
}

// referee returns the games of a result as they are to be recorded.
func (f *fleet) referee(u *unit, worker string, msg part, r *wire.Result) ([]arena.Game, error) {
	shift := f.shift(worker, msg, r)
	var games []arena.Game
	for i := range r.Games {
		e := &r.Games[i]
		if !slices.Contains(u.numbers, e.Number) || slices.ContainsFunc(r.Games[:i], func(o wire.Ended) bool { return o.Number == e.Number }) {
			return nil, fmt.Errorf("game %d is not of the job", e.Number)
		}
		f.mu.Lock()
		o := f.open[e.Number]
		f.mu.Unlock()
		if o == nil || o.unit != u {
			continue
		}
		g := o.game
		if err := f.judge(&g, worker, r, e); err != nil {
			return nil, err
		}
		g.Start = g.Start.Add(shift)
		if g.Reason == arena.Void {
			g.Moves, g.Plies = nil, 0
			g.Detail = fmt.Sprintf("worker %s: %s", worker, g.Detail)
		}
		games = append(games, g)
	}
	return games, nil
}

// judge fills in what a worker tells of a game. The error says why it cannot be so.
func (f *fleet) judge(g *arena.Game, worker string, r *wire.Result, e *wire.Ended) (err error) {
	if err := e.Fill(g); err != nil {
		return fmt.Errorf("game %d: %w", e.Number, err)
	}
	if worker != LocalName {
		g.Worker = worker
	}
	if g.Factor, err = f.factor(worker, r); err != nil {
		return err
	}
	if err := referee.Review(f.specOf(g), g); err != nil {
		return fmt.Errorf("game %d: %w", e.Number, err)
	}
	return nil
}

// specOf is how a game had to be played.
func (f *fleet) specOf(g *arena.Game) referee.Spec {
	e := &f.work.Event
	return referee.Spec{
		Game: f.work.Game, Opening: g.Opening, MaxPlies: e.MaxPlies, Adjudicate: e.Adjudicate, Exact: f.work.Exact.Judge(), Clocks: e.Clocks(g),
	}
}

// shift is what is to be added to a worker's times.
func (f *fleet) shift(worker string, msg part, r *wire.Result) time.Duration {
	meta, err := msg.Metadata()
	if err != nil {
		return 0
	}
	off := meta.Timestamp.Sub(time.UnixMicro(r.Sent))
	if off.Abs() < wrongClock {
		return 0
	}
	f.work.Warn(fmt.Sprintf("the clock of worker %s is wrong by %v: the times of its games are corrected", worker, off.Abs().Round(time.Minute)))
	return off
}

// late takes a result that is not wanted now: it came a second time, or before its
// games were given.
func (f *fleet) late(worker string, msg part, r *wire.Result) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(f.air), answer)
	defer cancel()
	known := 0
	for i := range r.Games {
		e := &r.Games[i]
		g, err := f.recorded(ctx, e.Number)
		if err != nil {
			_ = msg.NakWithDelay(answer)
			return
		}
		if g == nil {
			continue
		}
		known++
		other := *g
		same := e.Fill(&other) == nil && alike(g, &other)
		f.mu.Lock()
		if same {
			f.counts.Same++
		} else {
			f.counts.Different++
		}
		f.mu.Unlock()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, wanted := f.units[r.Unit]; known == 0 && !wanted && len(f.early) < mostEarly {
		f.early[r.Unit] = early{worker, msg, *r}
		return
	}
	if known < len(r.Games) {
		f.counts.Stale += len(r.Games) - known
	}
	_ = msg.Ack()
}

// recorded returns a game's result on record, nil where there is none.
func (f *fleet) recorded(ctx context.Context, number int) (*arena.Game, error) {
	if f.Recorded == nil {
		return nil, errors.New("no record to look at")
	}
	return f.Recorded(ctx, f.work.Event.Name, number)
}

// alike reports whether two results of a game are the same, move for move.
func alike(a, b *arena.Game) bool {
	return a.Result == b.Result && a.Reason == b.Reason && a.Blame == b.Blame && len(a.Moves) == len(b.Moves) &&
		(strings.HasPrefix(a.Detail, b.Detail) || strings.HasPrefix(b.Detail, a.Detail) || a.Reason.Forfeit()) &&
		slices.EqualFunc(a.Moves, b.Moves, func(m, n arena.MoveRecord) bool { return m.Move == n.Move })
}

// revoked reports whether a worker is believed no more.
func (f *fleet) revoked(worker string) bool {
	return f.Trusted != nil && worker != LocalName && !f.Trusted(worker)
}
