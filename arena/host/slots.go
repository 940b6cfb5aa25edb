package host

import (
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"botarena/arena"
	"botarena/arena/event"
	"botarena/arena/fleet"
)

// A share is one of the parties among whom the host's slots are shared.
type share int

const (
	nobody share = iota - 1
	ofLadder
	ofExperiments
	shares
)

// Times after which the workers of a fleet are dealt again.
const (
	turn    = time.Minute      // or more: an odd one is to play several games in a turn
	turnOf  = 4                // of the longest game
	soonest = 10 * time.Second // where a party has more games again
)

// slots has the slots for games: this machine's, and those of a fleet's workers, each of
// which plays for one party at a time. A party that wants one while the other does not gets
// it; where both do, each has half of them, and an odd one goes to whoever has played for
// less time since both do: with one slot they take turns.
type slots struct {
	now func() time.Time

	mu      sync.Mutex
	free    int       // of this machine
	at      time.Time // up to which used is counted
	of      [shares]party
	workers map[string]*worker // of a fleet, by name
	dealt   time.Time          // when all of these were dealt; zero if they are to be at once
	soon    bool               // a party has more games again since then
}

type party struct {
	runs    int // that want slots, now or later
	held    int
	used    time.Duration // by all its slots
	waiting []chan struct{}
	jobs    int           // that it has for slots of the fleet
	longest time.Duration // of its games
}

// A worker is a machine of a fleet.
type worker struct {
	slots int
	party share        // that it plays for
	unfit [shares]bool // the party gives it no games
}

// count adds the time that has passed to what was used.
func (s *slots) count() {
	now := s.now()
	for i := range s.of {
		s.of[i].used += time.Duration(s.of[i].held) * now.Sub(s.at)
	}
	s.at = now
}

// open notes a run of a party, until the function that it returns is called. Time during
// which it had none gives no right to more now.
func (s *slots) open(p share) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count()
	s.dealt = time.Time{}
	if s.of[p].runs++; s.of[p].runs == 1 {
		s.of[p].used, s.of[p].jobs = max(s.of[p].used, s.of[1-p].used), math.MaxInt
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.of[p].runs--
		s.dealt = time.Time{}
	}
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
		p := s.next(1, func(p share) bool { return len(s.of[p].waiting) > 0 })
		if p == nobody {
			return
		}
		next := &s.of[p]
		close(next.waiting[0])
		next.waiting = next.waiting[1:]
		next.held++
	}
}

// next returns the party that gets n slots which come together, of those that want them.
func (s *slots) next(n int, wants func(share) bool) share {
	ladder, x := &s.of[ofLadder], &s.of[ofExperiments]
	switch {
	case !wants(ofExperiments) && !wants(ofLadder):
		return nobody
	case !wants(ofExperiments):
		return ofLadder
	case !wants(ofLadder), x.held+n <= ladder.held:
		return ofExperiments
	case ladder.held+n <= x.held:
		return ofLadder
	case x.used <= ladder.used: // it is an odd one
		return ofExperiments
	}
	return ofLadder
}

// plays notes what a run of a party says of a worker, and reports whether that is to play
// for the party now.
func (s *slots) plays(p share, c fleet.Claim) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count()
	w := s.workers[c.Worker]
	if w == nil {
		w = &worker{party: nobody}
		s.workers[c.Worker] = w
	}
	if w.slots != c.Slots {
		s.drop(w)
		w.slots = c.Slots
	}
	if c.Slots == 0 {
		delete(s.workers, c.Worker)
		s.dealt = time.Time{}
		return false
	}
	of := &s.of[p]
	had := of.held < of.jobs
	w.unfit[p], of.jobs, of.longest = c.Unfit, c.Jobs, c.Longest
	s.soon = s.soon || !had && of.held < of.jobs
	s.deal()
	return w.party == p
}

// deal gives workers that nobody has to the parties, and deals all of them again when
// their turn is over, or soon.
func (s *slots) deal() {
	wait := max(turn, turnOf*s.of[ofLadder].longest, turnOf*s.of[ofExperiments].longest)
	if s.soon {
		wait = soonest
	}
	all := s.at.Sub(s.dealt) >= wait
	if all {
		s.dealt, s.soon = s.at, false
	}
	for _, name := range slices.Sorted(maps.Keys(s.workers)) {
		w := s.workers[name]
		if !all && w.party != nobody && !w.unfit[w.party] {
			continue
		}
		s.drop(w)
		runs := func(p share) bool { return s.of[p].runs > 0 && !w.unfit[p] }
		w.party = s.next(w.slots, func(p share) bool { return runs(p) && s.of[p].held < s.of[p].jobs })
		if w.party == nobody {
			w.party = s.next(w.slots, runs)
		}
		if w.party != nobody {
			s.of[w.party].held += w.slots
		}
	}
}

// drop takes a worker from the party that has it.
func (s *slots) drop(w *worker) {
	if w.party != nobody {
		s.of[w.party].held -= w.slots
	}
	w.party = nobody
}

// sharedBy returns workers of this machine for runs of a party: they play a game only
// while they have one of the shared slots for it.
func (s *slots) sharedBy(p share, local func(event.Work) (event.Workers, error)) func(event.Work) (event.Workers, error) {
	return func(work event.Work) (event.Workers, error) {
		inner, err := local(work)
		if err != nil {
			return nil, err
		}
		n, _ := inner.Slots()
		w := &sharing{
			Workers: inner, slots: s, party: p, games: make(chan arena.Game), outcomes: make(chan event.Outcome, 2*n),
			stopped: make(chan struct{}), closed: make(chan struct{}), holds: map[int]bool{},
		}
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
