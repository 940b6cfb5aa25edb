package host

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// play has a party play games of a length until stop is closed, with as many of the slots as it gets.
func play(s *slots, p share, length time.Duration, stop chan struct{}) *atomic.Int64 {
	played := new(atomic.Int64)
	s.open(p)
	go func() {
		for s.take(p, stop) {
			go func() {
				time.Sleep(length)
				s.give(p)
			}()
			played.Add(int64(length))
		}
		s.close(p)
	}()
	return played
}

// Both parties have half of the slots while both play, however long their games are; with one
// slot they take turns; who plays alone has all.
func TestSlotsAreShared(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 3, 8} {
		synctest.Test(t, func(t *testing.T) {
			s := &slots{now: time.Now, free: n, at: time.Now()}
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
