package host

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"botarena/arena"
	"botarena/arena/event"
	"botarena/arena/fleet"
)

// Times after which the workers of a fleet are dealt again.
const (
	turn    = time.Minute      // or more: an odd one is to play several games in a turn
	turnOf  = 4                // of the longest game
	soonest = 10 * time.Second // where a party has more games again
)

// slots has the slots for games: this machine's, and those of a fleet's workers, each of
// which plays for one party at a time: the ladder, or an experiment. Who alone wants one gets
// it. While the ladder and experiments do, the ladder has half of them, and the experiments
// share what they have equally; an odd one goes to whoever has played for less time since
// they share: with one slot all take turns.
type slots struct {
	now func() time.Time

	mu      sync.Mutex
	free    int       // of this machine
	at      time.Time // up to which used is counted
	ladder  party
	tests   party              // what the experiments have together
	playing []*party           // that want slots, now or later
	workers map[string]*worker // of a fleet, by name
	dealt   time.Time          // when all of these were dealt; zero if they are to be at once
	soon    bool               // a party has more games again since then
}

// A party is one of those among whom slots are shared: the ladder, or an experiment.
type party struct {
	held    int
	used    time.Duration // by all its slots
	waiting []chan struct{}
	jobs    int           // that it has for slots of the fleet
	longest time.Duration // of its games
}

// A worker is a machine of a fleet.
type worker struct {
	slots int
	party *party          // that it plays for; nil for none
	unfit map[*party]bool // the party gives it no games
}

// count adds the time that has passed to what was used.
func (s *slots) count() {
	now := s.now()
	s.tests.count(now.Sub(s.at))
	for _, p := range s.playing {
		p.count(now.Sub(s.at))
	}
	s.at = now
}

func (p *party) count(d time.Duration) { p.used += time.Duration(p.held) * d }

// hold gives a party n slots more, or takes some if n is negative.
func (s *slots) hold(p *party, n int) {
	p.held += n
	if p != &s.ladder {
		s.tests.held += n
	}
}

// open notes the run of a party, until the function that it returns is called. Time during
// which it had none gives no right to more now.
func (s *slots) open(p *party) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count()
	switch tests := s.experiments(s.playing); {
	case p == &s.ladder:
		p.used = max(p.used, s.tests.used)
	case len(tests) == 0:
		s.tests.used = max(s.tests.used, s.ladder.used)
	default:
		p.used = slices.MaxFunc(tests, byUse).used
	}
	p.jobs = math.MaxInt
	s.playing = append(s.playing, p)
	s.dealt = time.Time{}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.count()
		s.playing = slices.DeleteFunc(s.playing, func(o *party) bool { return o == p })
		for _, w := range s.workers {
			delete(w.unfit, p)
		}
		s.dealt = time.Time{}
	}
}

// experiments returns the parties of some that are experiments.
func (s *slots) experiments(of []*party) []*party {
	return slices.DeleteFunc(slices.Clone(of), func(p *party) bool { return p == &s.ladder })
}

// take waits for a slot, and reports whether there was one before stop was closed.
func (s *slots) take(p *party, stop <-chan struct{}) bool {
	turn := make(chan struct{})
	s.mu.Lock()
	p.waiting = append(p.waiting, turn)
	s.grant()
	s.mu.Unlock()
	select {
	case <-turn:
		return true
	case <-stop:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, w := range p.waiting {
		if w == turn {
			p.waiting = append(p.waiting[:i:i], p.waiting[i+1:]...)
			return false
		}
	}
	return true // it was given meanwhile
}

// give gives a slot back.
func (s *slots) give(p *party) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count()
	s.hold(p, -1)
	s.free++
	s.grant()
}

// grant hands out what is free.
func (s *slots) grant() {
	s.count()
	for ; s.free > 0; s.free-- {
		p := s.next(1, func(p *party) bool { return len(p.waiting) > 0 })
		if p == nil {
			return
		}
		close(p.waiting[0])
		p.waiting = p.waiting[1:]
		s.hold(p, 1)
	}
}

// next returns the party that gets n slots which come together, of those that want them; nil
// for none.
func (s *slots) next(n int, wants func(*party) bool) *party {
	want := slices.DeleteFunc(slices.Clone(s.playing), func(p *party) bool { return !wants(p) })
	switch tests := s.experiments(want); {
	case len(want) == 0:
		return nil
	case len(tests) == 0, len(tests) < len(want) && first(n, &s.tests, &s.ladder) == &s.ladder:
		return &s.ladder
	default:
		return first(n, tests...)
	}
}

// first returns the party with the fewest slots; of those that differ by less than n, that which
// has played for the least time.
func first(n int, of ...*party) *party {
	most := slices.MinFunc(of, func(a, b *party) int { return cmp.Compare(a.held, b.held) }).held + n
	of = slices.DeleteFunc(slices.Clone(of), func(p *party) bool { return p.held >= most })
	return slices.MinFunc(of, byUse)
}

func byUse(a, b *party) int { return cmp.Compare(a.used, b.used) }

// plays notes what a run of a party says of a worker, and reports whether that is to play
// for the party now.
func (s *slots) plays(p *party, c fleet.Claim) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count()
	w := s.workers[c.Worker]
	if w == nil {
		w = &worker{unfit: map[*party]bool{}}
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
	had := p.held < p.jobs
	w.unfit[p], p.jobs, p.longest = c.Unfit, c.Jobs, c.Longest
	s.soon = s.soon || !had && p.held < p.jobs
	s.deal()
	return w.party == p
}

// deal gives workers that nobody has to the parties, and deals all of them again when
// their turn is over, or soon.
func (s *slots) deal() {
	wait := turn
	for _, p := range s.playing {
		wait = max(wait, turnOf*p.longest)
	}
	if s.soon {
		wait = soonest
	}
	all := s.at.Sub(s.dealt) >= wait
	if all {
		s.dealt, s.soon = s.at, false
	}
	for _, name := range slices.Sorted(maps.Keys(s.workers)) {
		w := s.workers[name]
		if !all && w.party != nil && !w.unfit[w.party] {
			continue
		}
		s.drop(w)
		fits := func(p *party) bool { return !w.unfit[p] }
		w.party = s.next(w.slots, func(p *party) bool { return fits(p) && p.held < p.jobs })
		if w.party == nil {
			w.party = s.next(w.slots, fits)
		}
		if w.party != nil {
			s.hold(w.party, w.slots)
		}
	}
}

// drop takes a worker from the party that has it.
func (s *slots) drop(w *worker) {
	if w.party != nil {
		s.hold(w.party, -w.slots)
	}
	w.party = nil
}

// sharedBy returns workers of this machine for runs of a party: they play a game only
// while they have one of the shared slots for it.
func (s *slots) sharedBy(p *party, local func(event.Work) (event.Workers, error)) func(event.Work) (event.Workers, error) {
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
	party    *party
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
