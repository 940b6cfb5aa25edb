package live

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// A View merges the games that all runs on one database play. It is safe for concurrent
// use.
type View struct {
	now func() time.Time

	mu       sync.Mutex
	changed  chan struct{}
	sources  []*source
	problems map[string]string
	stopped  chan struct{}
	readers  int       // that attend
	asked    time.Time // when a snapshot was last taken
}

// A source is one hub as a view knows it.
type source struct {
	last Snapshot
	lost time.Time // when its process was gone; zero while it is there
}

// newView returns a view of nothing.
func newView(now func() time.Time) *View {
	return &View{now: now, changed: make(chan struct{}), problems: map[string]string{}, stopped: make(chan struct{})}
}

// Changed returns a channel that is closed at the next change. Call it before
// Snapshot, and none is missed.
func (v *View) Changed() <-chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.changed
}

// attention is how long a call of Snapshot keeps a view up to date without delay.
const attention = 10 * time.Second

// Attend keeps the view up to date until release is called. A view without attention,
// and without a recent call of Snapshot, is up to a second late and costs the runs
// nothing.
func (v *View) Attend() (release func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.readers++
	return sync.OnceFunc(func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.readers--
		v.asked = v.now()
	})
}

// attended reports whether somebody is watching.
func (v *View) attended() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.readers > 0 || v.now().Sub(v.asked) < attention
}

// Problems returns lines for people that explain why something may be missing, or none.
func (v *View) Problems() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Sorted(maps.Values(v.problems))
}

// problem sets or, by "", removes a problem.
func (v *View) problem(about, text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.problems[about] == text {
		return
	}
	if text == "" {
		delete(v.problems, about)
	} else {
		v.problems[about] = text
	}
	v.wake()
}

// wake notifies all who wait for a change; mu is held.
func (v *View) wake() {
	close(v.changed)
	v.changed = make(chan struct{})
}

// put sets what a source plays now.
func (v *View) put(s *source, now Snapshot) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch known := slices.Contains(v.sources, s); {
	case !known:
		v.sources = append(v.sources, s)
	case s.last.equal(&now):
		return
	}
	s.last = now
	v.wake()
}

// lose removes a source: none of its games is in progress any more. Ended games stay
// for a while.
func (v *View) lose(s *source) {
	v.mu.Lock()
	defer v.mu.Unlock()
	s.lost = v.now()
	s.last.Games = slices.DeleteFunc(slices.Clone(s.last.Games), func(g Game) bool { return !g.Over })
	s.last.Events = slices.Clone(s.last.Events)
	for i := range s.last.Events {
		s.last.Events[i].Running = false
	}
	v.wake()
}

// Snapshot returns what all runs play now, and what has just ended.
func (v *View) Snapshot() Snapshot {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.asked = v.now()
	v.sources = slices.DeleteFunc(v.sources, func(s *source) bool { return !s.lost.IsZero() && v.asked.Sub(s.lost) > keepFor })
	var all Snapshot
	for _, s := range v.sources {
		all.Events, all.Games = append(all.Events, s.last.Events...), append(all.Games, s.last.Games...)
	}
	all.sort()
	all.Events = merge(all.Events, func(a, b *Event) bool { return a.Name == b.Name }, func(a, b *Event) bool {
		return a.Running && !b.Running || a.Running == b.Running && a.Since.After(b.Since)
	})
	all.Games = merge(all.Games, func(a, b *Game) bool { return a.Key() == b.Key() }, (*Game).Newer)
	return all
}

// merge keeps the better of two neighbours with the same key.
func merge[T any](list []T, same, better func(a, b *T) bool) []T {
	out := list[:0]
	for i := range list {
		switch last := len(out) - 1; {
		case last < 0 || !same(&out[last], &list[i]):
			out = append(out, list[i])
		case better(&list[i], &out[last]):
			out[last] = list[i]
		}
	}
	return out
}
