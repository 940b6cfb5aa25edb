package standings_test

import (
	"testing"
	"time"

	"botarena/arena/config"
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

// A test plans its games as it goes: until it has ended, the list tells how many there may be.
func TestEventLineOfTest(t *testing.T) {
	e, err := config.Decode([]byte("event: e\ngame: breakthrough:5x5\nformat: match\nrounds: 3000\nclock: {depth: 1}\nsprt: {elo0: 0, elo1: 5}\nbots: [{builtin: random}, {builtin: greedy}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := config.Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	for state, want := range map[store.State]int{store.Running: 6000, store.Finished: 1000} {
		line := standings.NewEventLine(&store.Event{Name: e.Name, Format: e.Format, Config: text, State: state, Games: 1000}, process.Identity{}, time.Time{})
		if !line.Test || line.Games != want {
			t.Errorf("%s: %+v", state, line)
		}
	}
}

// So does a Swiss event, whose rounds are planned by the results of those before.
func TestEventLineOfSwiss(t *testing.T) {
	text := []byte("event: e\ngame: breakthrough:5x5\nformat: swiss\nrounds: 3\nclock: {depth: 1}\nbots: [{name: a, builtin: random}, {name: b, builtin: greedy}, {name: c, builtin: random}, {name: d, builtin: greedy}]\n")
	e := store.Event{Name: "e", Format: "swiss", Config: text, State: store.Running, Games: 4, Round: 1}
	if line := standings.NewEventLine(&e, process.Identity{}, time.Time{}); line.Games != 12 {
		t.Errorf("after a round of 3, of 4 games each: %+v", line)
	}
}
