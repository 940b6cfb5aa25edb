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
	"botarena/arena/event"
	"botarena/arena/fleet/wire"
	"botarena/arena/live"
)

const (
	mostSending = 2               // results a slot that wait for the server, while it plays on
	mostTrouble = 3               // faults of the worker's own in a row
	lastWord    = 5 * time.Second // for results that are not with the server when all ends
	giveBack    = time.Second     // until a job that could not be played comes again
)

// A player takes the jobs of one event and plays them on the slots of this process.
type player struct {
	conn    *nats.Conn
	js      jetstream.JetStream
	name    string // the worker's
	event   wire.Event
	game    string // canonical name
	workers event.Workers
	slots   int
	feed    *live.Run // is told how the games end; nil for the machine that runs the event, which tells by itself
	speed   string    // the factor by which its clocks are multiplied; "" is 1
	sign    time.Duration
	tell    func(string)
	now     func() time.Time // this machine's clock
	stats   *stats
	release func() // lets the bots go when they have ended

	began   int64              // when the event was taken up, as in stats.last
	pause   context.CancelFunc // keeps more jobs from being asked for
	trouble atomic.Int32       // in a row
	ended   chan ended         // what is to be sent
	sent    sync.WaitGroup

	mu      sync.Mutex
	waiting map[int]chan event.Outcome // by the number of the game
}

// stats holds what a worker reports about itself.
type stats struct {
	busy, games, faults atomic.Int64
	last                atomic.Int64 // when a game was last in hand, in nanoseconds of the clock given
}

// run plays until soft is closed, and returns when no game is in progress and the
// server has all results. When hard ends, games are given back.
func (p *player) run(hard context.Context, soft <-chan struct{}) {
	p.waiting = map[int]chan event.Outcome{}
	p.ended = make(chan ended, mostSending*p.slots)
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

// collect passes outcomes to the slots that wait for them.
func (p *player) collect(done <-chan struct{}) {
	for {
		select {
		case o := <-p.workers.Outcomes():
			p.feed.End(&o.Game)
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

// ask plays jobs on each slot, until fetching ends or the machine fails too often; it
// returns when no slot plays any more.
func (p *player) ask(keep, fetching context.Context) {
	fetching, p.pause = context.WithCancel(fetching)
	defer p.pause()
	var playing sync.WaitGroup
	defer playing.Wait()
	for slot := range p.slots {
		playing.Go(func() {
			pull(fetching, p.js, wire.Jobs, p.event.Token, 1, func(msg jetstream.Msg) { p.work(keep, fetching, slot, msg) })
		})
	}
}

// dry reports whether there was no game for a while.
func (p *player) dry() bool {
	return p.stats.busy.Load() == 0 && time.Now().UnixNano()-max(p.began, p.stats.last.Load()) > dryFor.Nanoseconds()
}

// work plays one job, and sends its result.
func (p *player) work(keep, fetching context.Context, slot int, msg jetstream.Msg) {
	if fetching.Err() != nil {
		_ = msg.Nak()
		return
	}
	job, err := wire.Decode[wire.Job](msg.Data())
	if err != nil || job.Event != p.event.Token {
		p.tell(fmt.Sprintf("a job that cannot be read is left out: %v", err))
		_ = msg.Term()
		return
	}
	p.stats.busy.Add(1)
	p.stats.last.Store(time.Now().UnixNano())
	alive, dead := context.WithCancel(context.WithoutCancel(keep))
	p.sent.Go(func() { p.keepLease(alive, msg) })
	_ = p.conn.Publish(wire.BegunSubject(p.name, job.Event, job.Unit), nil)
	result, err := p.play(slot, &job)
	p.stats.busy.Add(-1)
	p.stats.last.Store(time.Now().UnixNano())
	var back givenBack
	if errors.As(err, &back) && len(result.Games) > 0 {
		p.stats.games.Add(int64(len(result.Games)))
		p.ended <- ended{msg: msg, result: result, dead: dead, part: true}
		return
	}
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

// keepLease renews the job's lease while it is played and until the server has its
// result.
func (p *player) keepLease(ctx context.Context, msg jetstream.Msg) {
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

// givenBack is the error of a job that was not played to its end.
type givenBack struct{}

func (givenBack) Error() string { return "given back" }

// play plays the games of a job one after the other.
func (p *player) play(slot int, job *wire.Job) (wire.Result, error) {
	result := wire.Result{Event: job.Event, Unit: job.Unit, Slot: slot, Speed: p.speed}
	for i := range job.Games {
		g := &job.Games[i]
		came := make(chan event.Outcome, 1)
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
			Options: [2][]arena.Option{arena.OptionList(g.FirstOptions), arena.OptionList(g.SecondOptions)},
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

// failed gives back a job that was not played.
func (p *player) failed(msg jetstream.Msg, err error) {
	var back givenBack
	if errors.As(err, &back) {
		_ = msg.Nak()
		return
	}
	p.stats.faults.Add(1)
	if p.trouble.Add(1) >= mostTrouble {
		p.pause()
	}
	p.tell(err.Error())
	p.report(err)
	_ = msg.NakWithDelay(giveBack)
}

// report tells the coordinator why this worker cannot play.
func (p *player) report(err error) {
	publish(p.conn, wire.TroubleSubject(p.name, p.event.Token), &wire.Trouble{Why: wire.Clip(err.Error())})
}
