package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"botarena/arena"
	"botarena/arena/fleet/wire"
	"botarena/arena/tournament"
)

const (
	fetchWait   = 2 * time.Second        // one request for a job stays so long
	mostSending = 2                      // results a slot that wait for the server, while it plays on
	mostTrouble = 3                      // faults of the worker's own in a row
	lastWord    = 5 * time.Second        // for results that are not with the server when all ends
	giveBack    = time.Second            // until a job that could not be played comes again
	passOn      = 200 * time.Millisecond // until a job that others are to play comes to one of them
)

// A player takes the jobs of one event and plays them on the slots of this process.
type player struct {
	conn    *nats.Conn
	js      jetstream.JetStream
	name    string // the worker's
	event   wire.Event
	game    string // canonical name
	workers tournament.Workers
	slots   int
	speed   string
	sign    time.Duration
	tell    func(string)
	stats   *stats
	release func() // lets the bots go when they have ended

	mu      sync.Mutex
	waiting map[int]chan tournament.Outcome // by the number of the game
	trouble atomic.Int32                    // in a row
	sending chan struct{}
	sent    sync.WaitGroup
	dry     atomic.Int32 // slots whose last request brought nothing
}

// stats are what a worker says of itself.
type stats struct {
	busy, games, faults atomic.Int64
	last                atomic.Int64 // when a game was last in hand, in nanoseconds of the clock given
}

// run plays until soft is closed, and returns when no game is in hand and all
// results are with the server. When hard ends, games are given back.
func (p *player) run(hard context.Context, soft <-chan struct{}) {
	p.waiting = map[int]chan tournament.Outcome{}
	p.sending = make(chan struct{}, mostSending*p.slots)
	if p.sign == 0 {
		p.sign = min(wire.Sign, time.Duration(p.event.Lease)*time.Millisecond/3)
	}
	fetching, stop := context.WithCancel(hard)
	defer stop()
	keep, drop := context.WithCancel(context.WithoutCancel(hard))
	defer drop()
	context.AfterFunc(hard, func() { time.AfterFunc(lastWord, drop) })
	go func() {
		select {
		case <-soft:
			stop()
		case <-fetching.Done():
		}
	}()
	var slots sync.WaitGroup
	for i := range p.slots {
		slots.Go(func() { p.slot(keep, fetching, i) })
	}
	collected := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.collect(collected)
	}()
	slots.Wait()
	close(collected)
	<-done
	p.sent.Wait()
}

// collect hands outcomes to the slots that wait for them.
func (p *player) collect(done <-chan struct{}) {
	for {
		select {
		case o := <-p.workers.Outcomes():
			p.mu.Lock()
			to := p.waiting[o.Game.Number]
			delete(p.waiting, o.Game.Number)
			p.mu.Unlock()
			if to != nil {
				to <- o
			}
		case <-done:
			return
		}
	}
}

// slot fetches one job after the other.
func (p *player) slot(keep, fetching context.Context, slot int) {
	var consumer jetstream.Consumer
	pause := retryFirst
	dry := false
	note := func(now bool) {
		if now != dry {
			dry = now
			if now {
				p.dry.Add(1)
			} else {
				p.dry.Add(-1)
			}
		}
	}
	for fetching.Err() == nil && p.trouble.Load() < mostTrouble {
		msg, err := p.fetch(fetching, &consumer)
		switch {
		case err == nil:
			pause = retryFirst
			note(false)
			p.work(keep, fetching, slot, msg)
			continue
		case errors.Is(err, nats.ErrTimeout) || errors.Is(err, jetstream.ErrNoMessages):
			note(true)
			continue
		}
		note(true)
		consumer = nil // it may be made anew
		select {
		case <-time.After(pause):
		case <-fetching.Done():
		}
		pause = min(2*pause, retryMost)
	}
}

// fetch asks for one job: never more than can be played now, since the lease of
// what waits runs as well.
func (p *player) fetch(ctx context.Context, consumer *jetstream.Consumer) (jetstream.Msg, error) {
	if *consumer == nil {
		one, cancel := context.WithTimeout(ctx, answer)
		defer cancel()
		c, err := p.js.Consumer(one, wire.Jobs, p.event.Token)
		if err != nil {
			return nil, err
		}
		*consumer = c
	}
	one, cancel := context.WithTimeout(ctx, fetchWait)
	defer cancel()
	batch, err := (*consumer).Fetch(1, jetstream.FetchContext(one), jetstream.FetchHeartbeat(fetchWait/4))
	if err != nil {
		return nil, err
	}
	if msg, ok := <-batch.Messages(); ok {
		return msg, nil
	}
	if err := batch.Error(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	return nil, jetstream.ErrNoMessages
}

// work plays one job, and sends what became of it.
func (p *player) work(keep, fetching context.Context, slot int, msg jetstream.Msg) {
	if fetching.Err() != nil {
		_ = msg.Nak()
		return
	}
	job, err := wire.DecodeJob(msg.Data())
	if err != nil || job.Event != p.event.Token {
		p.tell(fmt.Sprintf("a job that cannot be read is left out: %v", err))
		_ = msg.Term()
		return
	}
	if !job.For(p.name) {
		_ = msg.NakWithDelay(passOn)
		return
	}
	p.stats.busy.Add(1)
	p.stats.last.Store(time.Now().UnixNano())
	alive, dead := context.WithCancel(context.WithoutCancel(keep))
	p.sent.Go(func() { p.signs(alive, msg) })
	_ = p.conn.Publish(wire.BegunSubject(p.name, job.Event, job.Unit), nil)
	result, err := p.play(slot, &job)
	p.stats.busy.Add(-1)
	p.stats.last.Store(time.Now().UnixNano())
	if err != nil {
		dead()
		_ = p.conn.Publish(wire.BegunSubject(p.name, job.Event, job.Unit), []byte(wire.GivenBack))
		p.failed(msg, err)
		return
	}
	p.trouble.Store(0)
	p.stats.games.Add(int64(len(result.Games)))
	p.sending <- struct{}{}
	p.sent.Go(func() {
		defer func() { <-p.sending }()
		defer dead()
		p.send(keep, msg, &result)
	})
}

// signs keeps the job while it is played and until its result is with the server.
func (p *player) signs(ctx context.Context, msg jetstream.Msg) {
	tick := time.NewTicker(p.sign)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = msg.InProgress()
		case <-ctx.Done():
			return
		}
	}
}

// givenBack says that a job was not played to its end.
type givenBack struct{}

func (givenBack) Error() string { return "given back" }

// play plays the games of a job one after the other.
func (p *player) play(slot int, job *wire.Job) (wire.Result, error) {
	result := wire.Result{Event: job.Event, Unit: job.Unit, Slot: slot, Speed: p.speed, Audit: job.Audit}
	for i := range job.Games {
		g := &job.Games[i]
		came := make(chan tournament.Outcome, 1)
		p.mu.Lock()
		if p.waiting[g.Number] != nil {
			p.mu.Unlock()
			return result, givenBack{} // it came a second time while it is played
		}
		p.waiting[g.Number] = came
		p.mu.Unlock()
		p.workers.Games() <- arena.Game{
			Event: p.event.Name, Number: g.Number, Pair: g.Pair, Round: 1, Game: p.game, First: g.First, Second: g.Second,
			Opening: arena.Opening{Name: g.Opening, Position: g.Position, Moves: g.Moves},
		}
		switch o := <-came; {
		case o.Err != nil:
			return result, fmt.Errorf("game %d: %w", g.Number, o.Err)
		case !o.Begun || o.Interrupted:
			return result, givenBack{}
		default:
			result.Games = append(result.Games, wire.EndedOf(&o.Game))
		}
	}
	return result, nil
}

// failed gives a job back that was not played.
func (p *player) failed(msg jetstream.Msg, err error) {
	var back givenBack
	if errors.As(err, &back) {
		_ = msg.Nak()
		return
	}
	p.stats.faults.Add(1)
	p.trouble.Add(1)
	p.tell(err.Error())
	p.report(err)
	_ = msg.NakWithDelay(giveBack)
}

// report tells the coordinator why this worker cannot play.
func (p *player) report(err error) {
	t := wire.Trouble{Why: err.Error()}
	if data, err := t.Encode(); err == nil {
		_ = p.conn.Publish(wire.TroubleSubject(p.name, p.event.Token), data)
	}
}

// send publishes a result until the stream has it, and only then lets go of the job.
func (p *player) send(keep context.Context, msg jetstream.Msg, result *wire.Result) {
	id := result.Event + "." + result.Unit + "." + p.name
	if meta, err := msg.Metadata(); err == nil {
		id += fmt.Sprintf(".%d", meta.Sequence.Stream)
	}
	told := func(err error) { p.tell(fmt.Sprintf("a result waits for the server: %v", err)) }
	err := retry(keep, told, func(ctx context.Context) error {
		result.Sent = time.Now().UnixMicro()
		data, err := result.Encode()
		if err != nil {
			return &finalError{err}
		}
		_, err = p.js.Publish(ctx, wire.ResultSubject(p.name, result.Event, result.Unit), data, jetstream.WithMsgID(id))
		return err
	})
	var large *wire.TooLargeError
	switch {
	case err == nil:
		_ = msg.Ack()
	case errors.As(err, &large) && len(result.Games) > 1:
		for i := range result.Games {
			one := *result
			one.Games = result.Games[i : i+1]
			p.sendPart(keep, &one, fmt.Sprintf("%s.part%d", id, i))
		}
		_ = msg.Ack()
	case errors.As(err, &large):
		p.sendPart(keep, result, id)
		_ = msg.Ack()
	default:
		_ = msg.Nak()
	}
}

// sendPart publishes one game of a unit whose result is too large; a game that is so
// by itself is void.
func (p *player) sendPart(keep context.Context, result *wire.Result, id string) {
	_ = retry(keep, nil, func(ctx context.Context) error {
		result.Sent = time.Now().UnixMicro()
		data, err := result.Encode()
		if err != nil {
			e := &result.Games[0]
			*e = wire.Ended{Number: e.Number, Reason: string(arena.Void), Start: e.Start, Detail: "its record is too large for the fleet: " + err.Error()}
			return err
		}
		_, err = p.js.Publish(ctx, wire.ResultSubject(p.name, result.Event, result.Unit), data, jetstream.WithMsgID(id))
		return err
	})
}
