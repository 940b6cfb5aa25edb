package standings_test

import (
	"testing"
	"time"

	"botarena/arena/process"
	"botarena/arena/standings"
	"botarena/arena/store"
)

// An event whose process was killed is interrupted, and held by nobody; one that
// somebody plays says who.
func TestEventsTellWhoPlaysThem(t *testing.T) {
	me, err := process.Self()
	if err != nil {
		t.Fatal(err)
	}
	dead := me
	dead.PID = 1 << 30
	now := time.Now()
	for _, c := range []struct {
		state  store.State
		by     *process.Identity
		want   string
		holder bool
	}{
		{store.Running, &me, "running", true},
		{store.Running, &dead, "interrupted", false},
		{store.Running, nil, "interrupted", false},
		{store.Finished, nil, "finished", false},
	} {
		e := store.Event{Name: "e", State: c.state}
		if c.by != nil {
			e.Holder = &store.Holder{Identity: *c.by, Since: now, Seen: now}
		}
		if line := standings.NewEventLine(&e, me, now); line.State != c.want || (line.Holder != "") != c.holder {
			t.Errorf("%s by %v: %q, held by %q", c.state, c.by, line.State, line.Holder)
		}
	}
}
