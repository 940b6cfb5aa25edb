package host

import (
	"sync"
	"time"

	"botarena/arena"
	"botarena/arena/event"
)

// A share is one of the parties among whom the host's slots are shared.
type share int

const (
	ofLadder share = iota
	ofExperiments
	shares
)

// slots has the host's slots for games. A party that wants one while the other does not
// gets it; where both do, each has half of them, and an odd one goes to whoever has played
// for less time since both do: with one slot they take turns.
type slots struct {
	now func() time.Time

	mu   sync.Mutex
	free int
	at   time.Time // up to which used is counted
	of   [shares]party
}

type party struct {
	runs    int // that want slots, now or later
	held    int
	used    time.Duration // by all its slots
	waiting []chan struct{}
}

// count adds the time that has passed to what was used.
func (s *slots) count() {
	now := s.now()
	for i := range s.of {
		s.of[i].used += time.Duration(s.of[i].held) * now.Sub(s.at)
	}
	s.at = now
}

// open notes a run of a party. Time during which it had none gives no right to more now.
func (s *slots) open(p share) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count()
	if s.of[p].runs++; s.of[p].runs == 1 {
		s.of[p].used = max(s.of[p].used, s.of[1-p].used)
	}
}

func (s *slots) close(p share) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of[p].runs--
}

// take waits for a slot, and reports whether there was one before stop was closed.
func (s *slots) take(p share, stop <-chan struct{}) bool {
	turn := make(chan struct{})
	s.mu.Lock()
	s.of[p].waiting = append(s.of[p].waiting, turn)
	s.grant()
	s.mu.Unlock()
	select {
	case <-turn:
		return true
	case <-stop:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, w := range s.of[p].waiting {
		if w == turn {
			s.of[p].waiting = append(s.of[p].waiting[:i:i], s.of[p].waiting[i+1:]...)
			return false
		}
	}
	return true // it was given meanwhile
}

// give gives a slot back.
func (s *slots) give(p share) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count()
	s.of[p].held--
	s.free++
	s.grant()
}

// grant hands out what is free.
func (s *slots) grant() {
	s.count()
	for ; s.free > 0; s.free-- {
		next := &s.of[ofLadder]
		if x := &s.of[ofExperiments]; len(next.waiting) == 0 || len(x.waiting) > 0 && before(x, next) {
			next = x
		}
		if len(next.waiting) == 0 {
			return
		}
		close(next.waiting[0])
		next.waiting = next.waiting[1:]
		next.held++
	}
}

// before reports whether a party that waits comes before another one.
func before(a, b *party) bool { return a.held < b.held || a.held == b.held && a.used <= b.used }

// workers returns the workers of this machine for runs of a party: they play a game only
// while they have one of the shared slots for it.
func (s *slots) workers(p share, r *event.Runner) func(event.Work) (event.Workers, error) {
	local := *r
	return func(work event.Work) (event.Workers, error) {
		inner, err := event.NewLocal(&local, work)
		if err != nil {
			return nil, err
		}
		n, _ := inner.Slots()
		w := &sharing{
			Workers: inner, slots: s, party: p, games: make(chan arena.Game), outcomes: make(chan event.Outcome, 2*n),
			stopped: make(chan struct{}), closed: make(chan struct{}), holds: map[int]bool{},
		}
		s.open(p)
		w.passing.Go(w.passGames)
		w.passing.Go(w.passOutcomes)
		return w, nil
	}
}

// sharing is workers that play with slots that others use, too.
type sharing struct {
	event.Workers
	slots    *slots
	party    share
	games    chan arena.Game
	outcomes chan event.Outcome
	stopped  chan struct{} // no game begins any more
	closed   chan struct{}
	stop     sync.Once
	passing  sync.WaitGroup

	mu    sync.Mutex
	holds map[int]bool // the numbers of games that have a slot
}

func (w *sharing) Games() chan<- arena.Game { return w.games }

func (w *sharing) Outcomes() <-chan event.Outcome { return w.outcomes }

func (w *sharing) Stop() {
	w.Workers.Stop()
	w.stop.Do(func() { close(w.stopped) })
}

func (w *sharing) Close() {
	w.Stop()
	close(w.games)
	close(w.closed)
	w.passing.Wait()
	w.Workers.Close()
	w.slots.close(w.party)
}

// passGames passes games on, each once there is a slot for it; after Stop without one, since
// they come back as they are.
func (w *sharing) passGames() {
	for g := range w.games {
		if w.slots.take(w.party, w.stopped) {
			w.mu.Lock()
			w.holds[g.Number] = true
			w.mu.Unlock()
		}
		w.Workers.Games() <- g
	}
}

func (w *sharing) passOutcomes() {
	for {
		select {
		case o := <-w.Workers.Outcomes():
			w.mu.Lock()
			held := w.holds[o.Game.Number]
			delete(w.holds, o.Game.Number)
			w.mu.Unlock()
			if held {
				w.slots.give(w.party)
			}
			select {
			case w.outcomes <- o:
			case <-w.closed:
				return
			}
		case <-w.closed:
			return
		}
	}
}
