package fleet

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"botarena/arena/fleet/wire"
	"botarena/arena/text"
)

// member is a worker that is present.
type member struct {
	entry wire.Worker
	seen  time.Time
	first int // number of its first slot

	offers int    // slots, whatever becomes of them here
	away   bool   // another run of the coordinator has it now
	barred string // why it gets no games of the event; "" if it does
	games  int    // by time, taken from it
	lost   int    // of these, lost on time

	doubled bool // it was said that there are two of its name
}

// plays returns how many of a worker's slots play for this run.
func (m *member) plays() int {
	if m.away {
		return 0
	}
	return m.entry.Slots
}

// forget drops workers that have given no sign.
func (f *fleet) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, m := range f.workers {
		if name != LocalName && f.Now().Sub(m.seen) > wire.Entry {
			f.leave(name, "has given no sign for "+wire.Entry.String()+"; its games go to others")
		}
	}
}

// leave removes a worker; mu is held.
func (f *fleet) leave(name, how string) {
	m := f.workers[name]
	f.slots -= m.plays()
	delete(f.workers, name)
	last := f.runs.know(name, -1) == 0
	for _, u := range f.units {
		if u.begun == name {
			f.withdraw(u)
		}
	}
	if f.mine != nil {
		f.mine(Claim{Worker: name})
	}
	if !last { // the other runs find out
		return
	}
	if f.Left != nil {
		f.Left(name)
	}
	f.tell(fmt.Sprintf("worker %s %s", name, how))
}

func (f *fleet) onWorker(msg *nats.Msg) {
	if msg.Header.Get(jetstream.MsgRollup) != "" || msg.Header.Get("KV-Operation") != "" {
		name := wire.Last(msg.Subject)
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.workers[name] != nil {
			f.leave(name, "has left")
		}
		return
	}
	w, err := wire.Decode[wire.Worker](msg.Data)
	var other *wire.VersionError
	if errors.As(err, &other) {
		f.troubled(wire.Last(msg.Subject), fmt.Sprintf("it sends %v", err))
	}
	if err != nil || msg.Subject != wire.WorkerSubject(w.Name) {
		return
	}
	f.join(w)
}

// join adds or updates a worker by its entry.
func (f *fleet) join(w wire.Worker) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if isClosed(f.closed) { // nobody would count it out
		return
	}
	m := f.workers[w.Name]
	if m == nil {
		m = &member{first: f.next}
		f.workers[w.Name] = m
		f.next += w.Slots
		first := f.runs.know(w.Name, 1) == 1
		if w.Name != LocalName {
			if first {
				f.tell(fmt.Sprintf("worker %s has joined (%s)", w.Name, w.Platform))
			}
			signal(f.news) // it need not wait for the next beat
		}
	}
	told := w
	if w.Joined < m.entry.Joined && !m.doubled {
		// One that was started again says a later time from then on.
		m.doubled = true
		f.tell(fmt.Sprintf("warning: there are two workers %s: give one of them another --name, or none", w.Name))
	}
	m.offers = w.Slots
	if m.barred != "" {
		w.Slots = 0
	}
	before := m.plays()
	m.entry, m.seen = w, f.Now()
	f.slots += m.plays() - before
	if err := f.unfit(m); err != nil && m.barred == "" {
		f.bar(m, err)
	}
	f.claim(m)
	if f.Seen != nil && w.Name != LocalName {
		f.Seen(told)
	}
	signal(f.changed)
}

func (f *fleet) onTrouble(msg *nats.Msg) {
	worker := wire.WorkerOf(msg.Subject)
	t, err := wire.Decode[wire.Trouble](msg.Data)
	if err == nil {
		f.troubled(worker, t.Why)
	}
}

// mostTroubles is the maximum number of workers whose troubles are reported at once;
// the others follow when the next game ends.
const mostTroubles = 100

// troubled reports why a worker cannot play, once for each reason, since the worker
// keeps trying.
func (f *fleet) troubled(worker, why string) {
	const most = 300
	why = text.Line(why, most)
	f.mu.Lock()
	before, known := f.troubles[worker]
	few := len(f.troubles) < mostTroubles
	if known || few {
		f.troubles[worker] = why
	}
	f.mu.Unlock()
	line := fmt.Sprintf("worker %s cannot play: %s", worker, why)
	switch {
	case before == why:
	case !known && few && f.Tell != nil:
		f.Tell("warning: " + line) // nothing else may happen where nobody can play
	default:
		f.work.Warn(line)
	}
}

// Slots returns the number of concurrent games, and whether each has cores of its own
// on this machine.
func (f *fleet) Slots() (n int, pinned bool) {
	if f.local != nil {
		n, pinned = f.local.Slots()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return max(n, f.slots), pinned
}

// keyOf returns the common prefix of the names of all workers that join with one key.
func keyOf(worker string) string {
	if worker == LocalName {
		return worker
	}
	key, _, _ := strings.Cut(worker, "_")
	return key
}
