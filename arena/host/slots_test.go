package host

import (
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"botarena/arena/fleet"
)

func newSlots(n int) *slots {
	return &slots{now: time.Now, free: n, at: time.Now(), workers: map[string]*worker{}}
}

// play has a party play games of a length until stop is closed, with as many of the slots as it gets.
func play(s *slots, p *party, length time.Duration, stop chan struct{}) *atomic.Int64 {
	played := new(atomic.Int64)
	end := s.open(p)
	go func() {
		for s.take(p, stop) {
			go func() {
				time.Sleep(length)
				s.give(p)
			}()
			played.Add(int64(length))
		}
		end()
	}()
	return played
}

// The ladder has half of the slots and experiments share the rest equally while they play, however
// long their games are; with one slot they take turns; who plays alone has all.
func TestSlotsAreShared(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 3, 8} {
		synctest.Test(t, func(t *testing.T) {
			s := newSlots(n)
			all := func(d time.Duration) time.Duration { return time.Duration(n) * d }
			near := func(what string, played int64, want time.Duration) {
				t.Helper()
				got := time.Duration(played)
				if got < want-all(20*time.Second) || got > want+all(20*time.Second) {
					t.Errorf("%d slots: %s played for %v, want about %v", n, what, got, want)
				}
			}
			ladder, tests, others := make(chan struct{}), make(chan struct{}), make(chan struct{})
			long := play(s, &s.ladder, 9973*time.Millisecond, ladder) // hardly ever ends at once with one of the others
			time.Sleep(1000 * time.Second)
			synctest.Wait()
			near("the ladder alone", long.Load(), all(1000*time.Second))
			before := long.Load()
			short := play(s, new(party), 1009*time.Millisecond, tests)
			time.Sleep(1000 * time.Second)
			synctest.Wait()
			near("the ladder beside a test", long.Load()-before, all(500*time.Second))
			near("the test", short.Load(), all(500*time.Second))
			before, shorts := long.Load(), short.Load()
			other := play(s, new(party), 5003*time.Millisecond, others)
			time.Sleep(1000 * time.Second)
			synctest.Wait()
			near("the ladder beside two tests", long.Load()-before, all(500*time.Second))
			near("the first test", short.Load()-shorts, all(250*time.Second))
			near("the second test", other.Load(), all(250*time.Second))
			close(tests) // the first one has ended
			before, shorts = long.Load(), other.Load()
			time.Sleep(1000 * time.Second)
			synctest.Wait()
			near("the ladder beside the other test", long.Load()-before, all(500*time.Second))
			near("the other test", other.Load()-shorts, all(500*time.Second))
			close(others)
			before = long.Load()
			time.Sleep(1000 * time.Second)
			synctest.Wait()
			near("the ladder alone again", long.Load()-before, all(1000*time.Second))
			close(ladder)
			time.Sleep(time.Minute)
			synctest.Wait()
			if s.free != n || len(s.playing) > 0 || s.ladder.held+s.tests.held != 0 {
				t.Errorf("%d of %d slots are free: %+v", s.free, n, s)
			}
		})
	}
}

// Workers of a fleet are shared as the slots are, by whole machines: each party has its part of
// all slots in the long run, and a machine stays with one for a while.
func TestWorkersAreShared(t *testing.T) {
	t.Parallel()
	machine := func(slots int) map[string]int { return map[string]int{"a": slots} }
	three := func(slots int) map[string]int { return map[string]int{"a": slots, "b": slots, "c": slots} }
	const endless = math.MaxInt
	for _, c := range []struct {
		local   int
		workers map[string]int
		jobs    []int     // of each experiment
		parts   []float64 // that each gets
	}{
		{local: 1, workers: three(1), jobs: []int{endless}, parts: []float64{0.5}},
		{workers: three(2), jobs: []int{endless}, parts: []float64{0.5}},
		{workers: machine(8), jobs: []int{endless}, parts: []float64{0.5}},
		{local: 2, workers: machine(8), jobs: []int{endless}, parts: []float64{0.5}},
		{workers: map[string]int{"a": 1, "b": 1, "c": 1, "d": 1}, jobs: []int{1}, parts: []float64{0.25}}, // no more than it can play
		{local: 1, workers: three(1), jobs: []int{endless, endless}, parts: []float64{0.25, 0.25}},
		{workers: three(1), jobs: []int{endless, endless}, parts: []float64{0.25, 0.25}},
		{workers: machine(8), jobs: []int{endless, endless}, parts: []float64{0.25, 0.25}},
		{workers: three(4), jobs: []int{endless, endless, endless}, parts: []float64{1. / 6, 1. / 6, 1. / 6}},
		{workers: map[string]int{"a": 2, "b": 2, "c": 2, "d": 2}, jobs: []int{endless, 0}, parts: []float64{0.5, 0}}, // it has no games now
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newSlots(c.local)
			stop := make(chan struct{})
			type player struct {
				*party
				jobs   int
				played *atomic.Int64
				part   float64
			}
			players, rest := []*player{}, 1.0
			for i, jobs := range c.jobs {
				players = append(players, &player{new(party), jobs, nil, c.parts[i]})
				rest -= c.parts[i]
			}
			ladder := &player{&s.ladder, endless, nil, rest}
			players = append(players, ladder)
			for _, p := range players {
				if p.jobs > 0 {
					p.played = play(s, p.party, 1013*time.Millisecond, stop)
				} else {
					defer s.open(p.party)()
					p.played = new(atomic.Int64)
				}
			}
			synctest.Wait()
			moves, last := 0, map[string]*player{}
			claim := func(p *player, name string, slots int) bool {
				return s.plays(p.party, fleet.Claim{Worker: name, Slots: slots, Jobs: p.jobs})
			}
			const long = 3600
			for range long {
				for name, n := range c.workers {
					for _, p := range players {
						if claim(p, name, n) {
							p.played.Add(int64(n) * int64(time.Second))
							if before := last[name]; before != nil && before != p {
								moves++
							}
							last[name] = p
						}
					}
				}
				time.Sleep(time.Second)
			}
			sum := 0.0
			for _, p := range players {
				sum += float64(p.played.Load())
			}
			for i, p := range players {
				if part := float64(p.played.Load()) / sum; part < p.part-0.02 || part > p.part+0.02 {
					t.Errorf("%+v: party %d has %.3f of the slots, want %.3f", c, i, part, p.part)
				}
			}
			if moves > len(c.jobs)*(long/60+2) {
				t.Errorf("%+v: %d moves", c, moves)
			}

			// Who plays alone has all, a party to which a machine is no use does not get it, and
			// one that has left is forgotten.
			close(stop)
			time.Sleep(time.Minute)
			synctest.Wait()
			end := s.open(&s.ladder)
			for name, n := range c.workers {
				if !claim(ladder, name, n) || claim(players[0], name, n) {
					t.Errorf("%+v: the ladder does not get %s", c, name)
				}
				if s.plays(&s.ladder, fleet.Claim{Worker: name, Slots: n, Unfit: true}) {
					t.Errorf("%+v: the ladder gets %s, to which it gives no games", c, name)
				}
				claim(ladder, name, 0)
			}
			if end(); len(s.workers) > 0 || s.ladder.held+s.tests.held != 0 {
				t.Errorf("%+v: left are %+v, %+v", c, s.workers, s)
			}
		})
	}
}
