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
func play(s *slots, p share, length time.Duration, stop chan struct{}) *atomic.Int64 {
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

// Both parties have half of the slots while both play, however long their games are; with one
// slot they take turns; who plays alone has all.
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
			ladder, tests := make(chan struct{}), make(chan struct{})
			long := play(s, ofLadder, 9973*time.Millisecond, ladder) // hardly ever ends at once with one of the others
			time.Sleep(1000 * time.Second)
			synctest.Wait()
			near("the ladder alone", long.Load(), all(1000*time.Second))
			before := long.Load()
			short := play(s, ofExperiments, 1009*time.Millisecond, tests)
			time.Sleep(1000 * time.Second)
			synctest.Wait()
			near("the ladder beside tests", long.Load()-before, all(500*time.Second))
			near("tests", short.Load(), all(500*time.Second))
			close(tests) // they have ended
			before = long.Load()
			time.Sleep(1000 * time.Second)
			synctest.Wait()
			near("the ladder alone again", long.Load()-before, all(1000*time.Second))
			close(ladder)
			time.Sleep(time.Minute)
			synctest.Wait()
			if s.free != n || s.of[ofLadder].runs+s.of[ofExperiments].runs != 0 {
				t.Errorf("%d of %d slots are free: %+v", s.free, n, s.of)
			}
		})
	}
}

// Workers of a fleet are shared as the slots are, by whole machines: each party has half of
// all slots in the long run, and a machine stays with one for a while.
func TestWorkersAreShared(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		local   int
		workers map[string]int
		jobs    int // of the experiments
		half    float64
	}{
		{local: 1, workers: map[string]int{"a": 1, "b": 1, "c": 1}, jobs: math.MaxInt, half: 0.5},
		{workers: map[string]int{"a": 2, "b": 2, "c": 2}, jobs: math.MaxInt, half: 0.5},
		{workers: map[string]int{"a": 8}, jobs: math.MaxInt, half: 0.5},
		{local: 2, workers: map[string]int{"a": 8}, jobs: math.MaxInt, half: 0.5},
		{workers: map[string]int{"a": 1, "b": 1, "c": 1, "d": 1}, jobs: 1, half: 0.25}, // no more than it can play
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newSlots(c.local)
			stop := make(chan struct{})
			var played [shares]*atomic.Int64
			jobs := [shares]int{math.MaxInt, c.jobs}
			for p := range shares {
				played[p] = play(s, p, 1013*time.Millisecond, stop)
			}
			synctest.Wait()
			moves, last := 0, map[string]share{}
			claim := func(p share, name string, slots int) bool {
				return s.plays(p, fleet.Claim{Worker: name, Slots: slots, Jobs: jobs[p]})
			}
			const long = 3600
			for range long {
				for name, n := range c.workers {
					for p := range shares {
						if claim(p, name, n) {
							played[p].Add(int64(n) * int64(time.Second))
							if before, ok := last[name]; ok && before != p {
								moves++
							}
							last[name] = p
						}
					}
				}
				time.Sleep(time.Second)
			}
			x, ladder := float64(played[ofExperiments].Load()), float64(played[ofLadder].Load())
			if share := x / (x + ladder); share < c.half-0.02 || share > c.half+0.02 {
				t.Errorf("%+v: tests have %.3f of the slots", c, share)
			}
			if moves > long/60+2 {
				t.Errorf("%+v: %d moves", c, moves)
			}

			// Who plays alone has all, a party to which a machine is no use does not get it, and
			// one that has left is forgotten.
			end := s.open(ofLadder)
			close(stop)
			time.Sleep(time.Minute)
			synctest.Wait()
			for name, n := range c.workers {
				if !claim(ofLadder, name, n) || claim(ofExperiments, name, n) {
					t.Errorf("%+v: the ladder does not get %s", c, name)
				}
				if s.plays(ofLadder, fleet.Claim{Worker: name, Slots: n, Unfit: true}) {
					t.Errorf("%+v: the ladder gets %s, to which it gives no games", c, name)
				}
				claim(ofLadder, name, 0)
			}
			if end(); len(s.workers) > 0 || s.of[ofLadder].held+s.of[ofExperiments].held != 0 {
				t.Errorf("%+v: left are %+v, %+v", c, s.workers, s.of)
			}
		})
	}
}
