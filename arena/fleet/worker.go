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
	"botarena/arena/fleet/bundle"
	"botarena/arena/fleet/speed"
	"botarena/arena/fleet/wire"
	"botarena/arena/text"
)

const (
	lookAround = 200 * time.Millisecond // at events and ends
	entryEvery = 2 * time.Second        // what changed is told
	entryLeast = 4 * time.Second        // all is
	dryFor     = 4 * time.Second        // without a job, until another event is looked at
	penalty    = 30 * time.Second       // until an event that could not be played is tried again
	handOver   = time.Minute            // for results whose event is silent
)

// A Worker plays the jobs of coordinators.
type Worker struct {
	Conn *nats.Conn
	// Name is a token (see wire.Token) that no other worker has.
	Name     string
	Host     string // for people
	Platform string // GOOS-GOARCH
	Arena    string // version of this program
	// Play returns the workers that play an event on this machine.
	Play func(event.Work) (event.Workers, error)
	// Programs prepares other people's programs here; Bring, if set, replaces it for
	// bots.
	Programs *bundle.Installer
	Bring    Bring
	Known    arena.Known
	Slots    int // games at once; 0 is one a core, by the bots' threads
	// Measure, if set, returns this machine's speed with all slots busy. It is called
	// before the first event is played.
	Measure func(ctx context.Context) (speed.Measured, error)
	// Drain ends the worker when there is nothing to play, Idle when there was nothing
	// for that time; 0 is never.
	Drain bool
	Idle  time.Duration
	Now   func() time.Time
	// Tell is called with news, one line at a time, from any goroutine.
	Tell func(string)
}

// attendance is the state of one Run call.
type attendance struct {
	*Worker
	js    jetstream.JetStream
	stats stats
	since time.Time
	news  chan struct{} // holds a token when the entry is to be told before it is due: an event may be over by then
	// stranger reports that an event of another version of arena was announced.
	stranger atomic.Bool

	mu      sync.Mutex
	events  map[string]*knownEvent
	speed   speed.Measured
	playing string // token of the event that is played
	slots   int    // of the last event
}

// knownEvent is an announced event.
type knownEvent struct {
	wire.Event
	seen  time.Time
	avoid time.Time // not before then
	unfit string    // why none of its games come here, "" if they do
	away  bool      // this machine is to play another event for now
	// failed is the reason why it could not be played the last time, "" if it could.
	failed string
}

// Run plays until soft is closed, which gives unfinished jobs back, until ctx ends, or
// until there was nothing to play for as long as Drain and Idle say.
func (w *Worker) Run(ctx context.Context, soft <-chan struct{}) error {
	a := &attendance{Worker: w, events: map[string]*knownEvent{}, since: w.Now(), slots: w.Slots, news: make(chan struct{}, 1)}
	a.stats.last.Store(time.Now().UnixNano())
	var err error
	if a.js, err = jetstream.New(w.Conn); err != nil {
		return err
	}
	sub, err := w.Conn.Subscribe(wire.EventSubject(wire.Any), a.hear)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }()
	if a.Measure != nil {
		measured, err := a.Measure(ctx)
		if err != nil {
			return fmt.Errorf("measure this machine: %w", err)
		}
		a.mu.Lock()
		a.speed = measured
		clear(a.events) // they come again, and are seen in the light of that
		a.mu.Unlock()
	}
	told, stop := context.WithCancel(ctx)
	var entries sync.WaitGroup
	entries.Go(func() { a.entries(told) })
	entries.Go(func() { a.tellInterrupted(soft, told) })
	defer entries.Wait()
	defer stop()
	tick := time.NewTicker(lookAround)
	defer tick.Stop()
	for {
		if e, ok := a.choose(); ok && !isClosed(soft) {
			a.playEvent(ctx, soft, e)
		}
		select {
		case <-soft:
			return nil
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if a.done() {
			a.Tell(fmt.Sprintf("nothing to play: ending after %s", text.Plural(int(a.stats.games.Load()), "game")))
			return nil
		}
	}
}

// tellInterrupted tells what happens when soft is closed.
func (a *attendance) tellInterrupted(soft <-chan struct{}, over context.Context) {
	select {
	case <-soft:
	case <-over.Done():
		if !isClosed(soft) {
			return
		}
	}
	if a.stats.busy.Load() > 0 {
		a.Tell("interrupted: giving the games in hand back")
	} else {
		a.Tell("interrupted: no game is in hand")
	}
}

// done reports whether the worker has waited long enough.
func (a *attendance) done() bool {
	idle := time.Duration(time.Now().UnixNano() - a.stats.last.Load())
	if a.Drain && idle > dryFor {
		return true
	}
	return a.Idle > 0 && idle > a.Idle
}

// hear handles an announcement of an event.
func (a *attendance) hear(msg *nats.Msg) {
	e, err := wire.Decode[wire.Event](msg.Data)
	var other *wire.VersionError
	if errors.As(err, &other) && a.stranger.CompareAndSwap(false, true) {
		a.Tell(fmt.Sprintf("an event cannot be played here: %v", err))
	}
	if err != nil || msg.Subject != wire.EventSubject(e.Token) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	h := a.events[e.Token]
	if h == nil {
		h = &knownEvent{}
		a.events[e.Token] = h
		signal(a.news) // its coordinator may be new, and not know who is there
	}
	h.Event, h.seen = e, a.Now()
	why, barred := h.Barred[a.Name]
	h.away = barred && why == ""
	if err := speedFits(&h.Event, a.speed.Speed, a.speed.Spread); why == "" && err != nil && a.speed.Speed > 0 {
		why = err.Error() // as its coordinator will find
	}
	if why != "" && why != h.unfit {
		a.Tell(fmt.Sprintf("event %s gives no games to this machine: %s", e.Name, why))
	}
	h.unfit = why
}

// fits reports whether games of the event may come here now.
func (h *knownEvent) fits() bool { return h.unfit == "" && !h.away }

// others reports whether there is another event than that one to play; mu is held.
func (a *attendance) others(than string) bool {
	for token, h := range a.events {
		if token != than && h.fits() {
			return true
		}
	}
	return false
}

// choose returns an event to play, another one than the last if possible.
func (a *attendance) choose() (wire.Event, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var best *knownEvent
	for token, h := range a.events {
		switch now := a.Now(); {
		case h.Ending || now.Sub(h.seen) > wire.Silence:
			delete(a.events, token)
		case now.Before(h.avoid) || !h.fits():
		case best == nil || h.avoid.Before(best.avoid) || h.avoid.Equal(best.avoid) && h.Token < best.Token:
			best = h
		}
	}
	if best == nil {
		return wire.Event{}, false
	}
	return best.Event, true
}

// playEvent plays an event until it is over, has nothing to play while another has,
// or cannot be played here.
func (a *attendance) playEvent(ctx context.Context, soft <-chan struct{}, e wire.Event) {
	hard, breakOff := context.WithCancel(ctx)
	defer breakOff()
	p, err := a.prepare(hard, soft, &e)
	if err != nil {
		a.avoid(e.Token, penalty)
		if hard.Err() == nil && !isClosed(soft) {
			a.stats.faults.Add(1)
			if a.isNews(e.Token, err) {
				a.Tell(fmt.Sprintf("event %s cannot be played here: %v", e.Name, err))
			}
			(&player{conn: a.Conn, name: a.Name, event: e}).report(err)
		}
		return
	}
	before := a.stats.games.Load()
	a.Tell(fmt.Sprintf("playing %s, %s at once", e.Name, text.Plural(p.slots, "game")))
	a.mu.Lock()
	a.playing, a.slots = e.Token, p.slots
	a.mu.Unlock()
	signal(a.news)
	end := make(chan struct{})
	stop := sync.OnceFunc(func() {
		close(end)
		p.workers.Stop()
	})
	sub, err := a.Conn.Subscribe(wire.CancelSubject(e.Token), func(msg *nats.Msg) {
		c, err := wire.Decode[wire.Cancel](msg.Data)
		if err != nil {
			return
		}
		stop()
		if c.Hard {
			breakOff()
		}
	})
	if err == nil {
		defer func() { _ = sub.Unsubscribe() }()
	}
	p.began = time.Now().UnixNano()
	played := make(chan struct{})
	go func() {
		defer close(played)
		p.run(hard, end)
	}()
	a.attend(p, soft, stop, breakOff, played)
	stop()
	p.workers.Close()
	p.release()
	a.mu.Lock()
	a.playing = ""
	a.mu.Unlock()
	a.Tell(fmt.Sprintf("%s of %s played here", text.Plural(int(a.stats.games.Load()-before), "game"), e.Name))
	if p.trouble.Load() >= mostTrouble {
		a.Tell(fmt.Sprintf("event %s is left alone for %v: %d jobs in a row could not be played here", e.Name, penalty, mostTrouble))
		a.avoid(e.Token, penalty)
	} else {
		a.avoid(e.Token, 0)
	}
}

// isNews reports whether an event failed for another reason than the last time: it is
// tried repeatedly.
func (a *attendance) isNews(token string, err error) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	h := a.events[token]
	if h == nil {
		return true
	}
	before := h.failed
	h.failed = err.Error()
	return h.failed != before
}

// attend waits until this worker is done with an event.
func (a *attendance) attend(p *player, soft <-chan struct{}, stop, breakOff func(), played <-chan struct{}) {
	tick := time.NewTicker(lookAround)
	defer tick.Stop()
	var alone time.Time
	for {
		select {
		case <-played:
			return
		case <-soft:
			soft = nil
			stop()
			breakOff() // the games are played elsewhere
		case <-tick.C:
		}
		now := a.Now()
		a.mu.Lock()
		h := a.events[p.event.Token]
		others := a.others(p.event.Token)
		gone := h == nil || h.Ending || h.unfit != "" || now.Sub(h.seen) > wire.Silence
		away := !gone && h.away
		a.mu.Unlock()
		if gone || away || p.dry() && (others || a.done()) {
			stop()
		}
		// Results that nobody takes are not kept for ever, if it is not the
		// connection that is missing.
		if !gone || !a.Conn.IsConnected() {
			alone = now
		} else if now.Sub(alone) > handOver {
			breakOff()
		}
	}
}

// avoid postpones an event for a while; choose prefers others.
func (a *attendance) avoid(token string, d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if h := a.events[token]; h != nil {
		h.avoid = a.Now().Add(d)
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
