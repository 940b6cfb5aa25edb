package event

import (
	"testing"
	"time"
)

func TestWatch(t *testing.T) {
	base := time.Now()
	var offset time.Duration
	w := &watch{now: func() time.Time { return base.Add(offset) }}
	w.last = w.now()
	step := func(gap time.Duration) {
		offset += gap
		w.look()
	}
	since := base
	step(200 * time.Millisecond)
	step(900 * time.Millisecond)
	if w.suspended(since) {
		t.Error("a late beat counts as a pause")
	}
	offset += 2 * time.Second // whoever asks first finds it
	if !w.suspended(since) {
		t.Error("a pause was not noticed")
	}
	if since = w.now(); w.suspended(since) {
		t.Error("a pause before counts")
	}
}
