package web

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"botarena/arena/process"
)

// A thrift keeps account of the time that goes into pages. Visitors as people are have
// them made at once. Where more is asked for, over some time, than a small share of the
// machine, what exceeds it is done while no game wants the core: requests as they come
// from programs, or from whoever means harm, then wait and not the games.
type thrift struct {
	now   func() time.Time
	cores int

	mu    sync.Mutex
	spent time.Duration // more than the share, so far
	at    time.Time
}

const (
	thriftShare = 0.02            // of each core
	thriftPurse = 5 * time.Second // may be spent at once
)

// run runs what makes a page.
func (t *thrift) run(f func() error) error {
	begun := t.now()
	defer func() { t.spend(t.now().Sub(begun)) }()
	if !t.poor(begun) {
		return f()
	}
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		_ = process.GiveAllWay()
		done <- guard(f)
	}()
	return <-done
}

// guard returns a panic as an error, as net/http has it for what it calls itself.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

// poor reports whether the share has been spent.
func (t *thrift) poor(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.at.IsZero() {
		t.at = now
	}
	t.spent = max(0, t.spent-time.Duration(thriftShare*float64(t.cores)*float64(now.Sub(t.at))))
	t.at = now
	return t.spent > thriftPurse
}

func (t *thrift) spend(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spent = min(t.spent+d, 2*thriftPurse) // what was is forgiven at last
}
