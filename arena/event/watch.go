package event

import (
	"sync"
	"time"
)

// beat is the interval at which the watch reads the clock, pause the gap from which
// arena counts as suspended: a busy machine delays a beat by some hundredths of a
// second.
const (
	beat  = 200 * time.Millisecond
	pause = time.Second
)

// A watch detects that arena was stopped (SIGSTOP), that the machine slept, or that its
// clock was set: a beat then comes late, by the monotonic clock or by the wall clock.
type watch struct {
	now  func() time.Time
	mu   sync.Mutex
	last time.Time
	stop time.Time // when the last pause was noticed
	quit chan struct{}
	done chan struct{}
}

func startWatch(now func() time.Time) *watch {
	w := &watch{now: now, last: now(), quit: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(w.done)
		tick := time.NewTicker(beat)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				w.look()
			case <-w.quit:
				return
			}
		}
	}()
	return w
}

func (w *watch) close() {
	close(w.quit)
	<-w.done
}

func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	gap := now.Sub(w.last)                    // monotonic
	wall := now.Round(0).Sub(w.last.Round(0)) // as the calendar has it
	if gap > pause || wall-gap > pause || gap-wall > pause {
		w.stop = now
	}
	w.last = now
}

// suspended reports whether a pause was detected since then. It reads the clock itself,
// since the caller may be the first to wake up after a pause.
func (w *watch) suspended(since time.Time) bool {
	w.look()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stop.After(since)
}

// notes collects the warnings of other goroutines for the observer.
type notes struct {
	told sync.Map
	list chan string
}

func newNotes() *notes { return &notes{list: make(chan string, 100)} }

// add adds a text, once a run, and drops it if there are too many.
func (n *notes) add(text string) {
	if _, told := n.told.LoadOrStore(text, true); told {
		return
	}
	select {
	case n.list <- text:
	default:
	}
}
