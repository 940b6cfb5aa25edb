package host

import (
	"testing"
	"testing/synctest"
	"time"
)

// play has a party play games of a length until stop is closed, with as many of the slots as it gets.
func play(s *slots, p share, length time.Duration, stop chan struct{}) *time.Duration {
	played := new(time.Duration)
	s.open(p)
	go func() {
		for s.take(p, stop) {
			go func() {
				time.Sleep(length)
				s.give(p)
			}()
			*played += length
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
			near := func(what string, got, want time.Duration) {
				t.Helper()
				if got < want-all(20*time.Second) || got > want+all(20*time.Second) {
					t.Errorf("%d slots: %s played for %v, want about %v", n, what, got, want)
				}
			}
			ladder, tests := make(chan struct{}), make(chan struct{})
			long := play(s, ofLadder, 10*time.Second, ladder)
			time.Sleep(1000 * time.Second)
			synctest.Wait()
			near("the ladder alone", *long, all(1000*time.Second))
			before := *long
			short := play(s, ofExperiments, time.Second, tests)
			time.Sleep(1000 * time.Second)
			synctest.Wait()
			near("the ladder beside tests", *long-before, all(500*time.Second))
			near("tests", *short, all(500*time.Second))
			close(tests) // they have ended
			before = *long
			time.Sleep(1000 * time.Second)
			synctest.Wait()
			near("the ladder alone again", *long-before, all(1000*time.Second))
			close(ladder)
			time.Sleep(time.Minute)
			synctest.Wait()
			if s.free != n || s.of[ofLadder].runs+s.of[ofExperiments].runs != 0 {
				t.Errorf("%d of %d slots are free: %+v", s.free, n, s.of)
			}
		})
	}
}
