package fleet

import (
	"time"

	"github.com/nats-io/nats.go"

	"botarena/arena/event"
	"botarena/arena/fleet/wire"
)

// beat announces the event to workers at regular intervals.
func (f *fleet) beat() {
	tick := time.NewTicker(wire.Beat)
	defer tick.Stop()
	for {
		f.share()
		f.announce(false)
		select {
		case <-tick.C:
		case <-f.news:
			continue
		case <-f.stopped:
			f.announce(true)
			return
		case <-f.closed:
			return
		}
		f.forget()
	}
}

func (f *fleet) announce(ending bool) {
	e := f.event
	e.Ending, e.Watched = ending, f.work.Feed.Watched()
	f.mu.Lock()
	for name, m := range f.workers {
		if m.barred != "" || m.away {
			if e.Barred == nil {
				e.Barred = map[string]string{}
			}
			e.Barred[name] = m.barred
		}
	}
	f.mu.Unlock()
	publish(f.Conn, wire.EventSubject(e.Token), &e)
}

// onBegun handles a worker's message that it has begun a unit, or given it back. Other
// contents are a server's answer that somebody directed here, and ignored.
func (f *fleet) onBegun(msg *nats.Msg) {
	name := wire.Last(msg.Subject)
	if len(msg.Header) > 0 || len(msg.Data) > 0 && string(msg.Data) != wire.GivenBack {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	u := f.units[name]
	switch {
	case u == nil:
	case string(msg.Data) != wire.GivenBack:
		u.begun, u.since = wire.WorkerOf(msg.Subject), f.Now()
	default:
		u.begun = ""
		f.withdraw(u)
		if isClosed(f.stopped) {
			// The games of it that ended are on their way.
			time.AfterFunc(lastBegun, func() { f.takeOut(u) })
		}
	}
}

// takeOut closes the open games of a unit that nobody plays.
func (f *fleet) takeOut(u *unit) {
	var back []event.Outcome
	f.mu.Lock()
	if u.begun == "" {
		back = f.takeBack(u)
	}
	f.mu.Unlock()
	f.give(back)
}
