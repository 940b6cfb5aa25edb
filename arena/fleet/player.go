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
	fetchWait   = 2 * time.Second        // one request for jobs stays so long
	mostAsking  = 8                      // requests for jobs at once
	askAgain    = time.Millisecond       // for slots that become free together
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
	speed   string // the factor by which its clocks are multiplied; "" is 1
	sign    time.Duration
	tell    func(string)
	stats   *stats
	release func() // lets the bots go when they have ended

	trouble atomic.Int32 // in a row
	free    chan int     // numbers of slots that want a job
	ended   chan ended   // what is to be sent
	sent    sync.WaitGroup

	mu       sync.Mutex
	waiting  map[int]chan tournament.Outcome // by the number of the game
	without  map[int]bool                    // slots whose last request brought nothing
	consumer jetstream.Consumer              // nil where it is to be looked for
	failing  atomic.Int64                    // requests for jobs in a row
}

// stats are what a worker says of itself.
type stats struct {
	busy, games, faults atomic.Int64
	last                atomic.Int64 // when a game was last in hand, in nanoseconds of the clock given
}

// run plays until soft is closed, and returns when no game is in hand and all
// results are with the server. When hard ends, games are given back.
func (p *player) run(hard context.Context, soft <-chan struct{}) {
	p.waiting, p.without = map[int]chan tournament.Outcome{}, map[int]bool{}
	p.ended = make(chan ended, mostSending*p.slots)
	p.free = make(chan int, p.slots)
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
	var sending sync.WaitGroup
	for range mostPublishing {
		sending.Go(func() { p.send(keep) })
	}
	collected := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.collect(collected)
	}()
	p.ask(keep, fetching)
	close(collected)
	<-done
	close(p.ended)
	sending.Wait()
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

// ask fetches jobs for the slots that are free and has them played, until fetching
// ends; it returns when no slot plays any more.
func (p *player) ask(keep, fetching context.Context) {
	var playing sync.WaitGroup
	defer playing.Wait()
	fetching, stop := context.WithCancel(fetching)
	defer stop()
	for i := range p.slots {
		p.free <- i
	}
	asking := make(chan struct{}, mostAsking)
	for {
		select {
		case asking <- struct{}{}:
		case <-fetching.Done():
			return
		}
		slots := p.idle(fetching)
		if slots == nil || p.trouble.Load() >= mostTrouble {
			return
		}
		playing.Go(func() {
			defer func() { <-asking }()
			p.fill(keep, fetching, slots, &playing)
		})
	}
}

// idle returns the slots that are free, once there is one; nil where ctx ends.
func (p *player) idle(ctx context.Context) []int {
	var slots []int
	select {
	case i := <-p.free:
		slots = append(slots, i)
	case <-ctx.Done():
		return nil
	}
	if p.slots > 1 {
		time.Sleep(askAgain)
	}
	for {
		select {
		case i := <-p.free:
			slots = append(slots, i)
		default:
			return slots
		}
	}
}

// fill asks for a job for each of some slots: never for more than can be played now,
// since the lease of what waits runs as well. What gets none is free again.
func (p *player) fill(keep, fetching context.Context, slots []int, playing *sync.WaitGroup) {
	err := p.fetch(fetching, len(slots), func(msg jetstream.Msg) {
		slot := slots[0]
		slots = slots[1:]
		p.dry(false, slot)
		playing.Go(func() {
			p.work(keep, fetching, slot, msg)
			p.free <- slot
		})
	})
	p.dry(true, slots...)
	if err == nil || errors.Is(err, nats.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, jetstream.ErrNoMessages) {
		p.failing.Store(0)
	} else {
		p.mu.Lock()
		p.consumer = nil // it may be made anew
		p.mu.Unlock()
		n := p.failing.Add(1)
		select {
		case <-time.After(min(retryFirst<<min(n, 10), retryMost)):
		case <-fetching.Done():
		}
	}
	for _, slot := range slots {
		p.free <- slot
	}
}

// fetch asks for so many jobs and hands on what comes.
func (p *player) fetch(ctx context.Context, n int, take func(jetstream.Msg)) error {
	one, cancel := context.WithTimeout(ctx, fetchWait)
	defer cancel()
	p.mu.Lock()
	consumer := p.consumer
	p.mu.Unlock()
	if consumer == nil {
		asked, cancel := context.WithTimeout(ctx, answer)
		defer cancel()
		var err error
		if consumer, err = p.js.Consumer(asked, wire.Jobs, p.event.Token); err != nil {
			return err
		}
		p.mu.Lock()
		p.consumer = consumer
		p.mu.Unlock()
	}
	batch, err := consumer.Fetch(n, jetstream.FetchContext(one), jetstream.FetchHeartbeat(fetchWait/4))
	if err != nil {
		return err
	}
	for msg := range batch.Messages() {
		take(msg)
	}
	return batch.Error()
}

// dry notes whether the last request for some slots brought nothing.
func (p *player) dry(nothing bool, slots ...int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, i := range slots {
		if nothing {
			p.without[i] = true
		} else {
			delete(p.without, i)
		}
	}
}

// allDry reports whether no slot has got a job lately.
func (p *player) allDry() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.without) == p.slots
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
	p.ended <- ended{msg: msg, result: result, dead: dead}
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
