package web

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// What was spent is earned again by a share of the time, and no panic leaves a thread.
func TestThrift(t *testing.T) {
	now := time.Unix(0, 0)
	s := &thrift{now: func() time.Time { return now }, cores: 2}
	spend := func(d time.Duration) error {
		return s.run(func() error { now = now.Add(d); return errors.New("done") })
	}
	for n := 0; n < 5; n++ {
		if s.poor(now) {
			t.Fatalf("poor after %d seconds", n)
		}
		if err := spend(1100 * time.Millisecond); err == nil || err.Error() != "done" {
			t.Error(err)
		}
	}
	if !s.poor(now) {
		t.Error("rich after 5.5 seconds at once")
	}
	if err := s.run(func() error { panic("help") }); err == nil || !strings.Contains(err.Error(), "panic: help") {
		t.Errorf("a panic is %v", err)
	}
	now = now.Add(time.Minute)
	if s.poor(now) {
		t.Error("poor after a minute's rest")
	}
}

// A burst comes through at once, and then so many a second.
func TestPacer(t *testing.T) {
	now := time.Unix(0, 0)
	p := &pacer{now: func() time.Time { return now }, rate: 10, most: 3}
	var waits []time.Duration
	for range 5 {
		waits = append(waits, p.wait())
	}
	if waits[2] != 0 || waits[3] != 100*time.Millisecond || waits[4] != 200*time.Millisecond {
		t.Errorf("waits %v", waits)
	}
	p.giveBack()
	if d := p.wait(); d != 200*time.Millisecond {
		t.Errorf("after one gave its turn back: %v", d)
	}
	now = now.Add(time.Hour)
	if d := p.wait(); d != 0 || p.left > 2 {
		t.Errorf("after a rest: %v, %v left", d, p.left)
	}
}
