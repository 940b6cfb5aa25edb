package fleet

import (
	"math"
	"strings"
	"sync"
	"time"

	"botarena/arena/event"
	"botarena/arena/fleet/wire"
)

// A Claim describes a worker and a run to whoever shares workers among the runs of a
// Coordinator.
type Claim struct {
	Worker string
	Slots  int  // of the worker; 0 if it has left
	Unfit  bool // the run gives it no games
	Jobs   int  // that the run has for workers, math.MaxInt if it has more than they play
	// Longest is the time that the longest game of the run took.
	Longest time.Duration
}

// A Share reports whether a worker is to play for the run that claims it. Each run asks
// for each worker at least once a second.
type Share func(Claim) bool

// Shared returns the Workers of one of several runs at once: local, nil for none, makes
// the workers of this machine instead of c.Local, and those of other machines play while
// mine says so.
func (c *Coordinator) Shared(local func(event.Work) (event.Workers, error), mine Share) func(event.Work) (event.Workers, error) {
	return func(work event.Work) (event.Workers, error) { return c.workers(work, local, mine) }
}

// share asks which workers play for this run now.
func (f *fleet) share() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.workers {
		f.claim(m)
	}
}

// claim asks whether a worker plays for this run now; mu is held.
func (f *fleet) claim(m *member) {
	if f.mine == nil || m.entry.Name == LocalName || !f.given || isClosed(f.stopped) {
		return
	}
	c := Claim{Worker: m.entry.Name, Slots: m.offers, Unfit: m.barred != "", Jobs: math.MaxInt, Longest: f.longest}
	if len(f.open) < f.most() {
		c.Jobs = len(f.units)
	}
	before := m.plays()
	m.away = !f.mine(c)
	f.slots += m.plays() - before
	signal(f.changed)
}

// runs holds what the runs of a coordinator that are on the server now have in common.
type runs struct {
	mu    sync.Mutex
	files map[string][]string // the objects that each needs, by its token
	known map[string]int      // how many of them know a worker, by its name
}

func (r *runs) begin(token string, files []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.files == nil {
		r.files, r.known = map[string][]string{}, map[string]int{}
	}
	r.files[token] = files
}

func (r *runs) end(token string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.files, token)
}

// has reports whether a subject that ends with an event's token and a unit is of one of
// the runs.
func (r *runs) has(subject string) bool {
	const last = 2
	parts := strings.Split(subject, ".")
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.files[parts[max(0, len(parts)-last)]]
	return ok
}

// needed returns the objects that one of the runs needs.
func (r *runs) needed() map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[string]bool{}
	for _, files := range r.files {
		for _, name := range files {
			all[name] = true
		}
	}
	return all
}

// know counts the runs that know a worker, and returns how many do.
func (r *runs) know(worker string, by int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known[worker] += by
	n := r.known[worker]
	if n == 0 {
		delete(r.known, worker)
	}
	return n
}

// objects returns the names of the objects that the event needs.
func (f *fleet) objects() []string {
	names := []string{wire.SpecName(f.event.Spec)}
	for _, id := range f.bundles {
		names = append(names, wire.BundleName(string(id)))
	}
	return names
}
