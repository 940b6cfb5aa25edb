package fleet_test

import (
	"path/filepath"
	"testing"
	"time"

	"botarena/arena/event"
	"botarena/arena/fleet"
	"botarena/arena/store"
)

// The clocks of two workers are wrong by hours, and one is set while it plays: games are
// those of an undisturbed event, and are recorded as begun when they were.
func TestWrongClocks(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	from := time.Now()
	for name, off := range map[string]func() time.Duration{
		"ahead":  func() time.Duration { return 3 * time.Hour },
		"behind": func() time.Duration { return -26 * time.Hour },
		"set": func() time.Duration {
			if time.Since(from) > 500*time.Millisecond {
				return 48 * time.Hour
			}
			return 0
		},
	} {
		clock := func() time.Time { return time.Now().Add(off()).Round(0) } // no monotonic reading
		r.workerOf(name, r.server.Addr, 1, func(work event.Work) (event.Workers, error) {
			ws, err := walk(1, 5*time.Millisecond)(work)
			ws.(*walkers).clock = clock
			return ws, err
		}, func(w *fleet.Worker) { w.Now = clock })
	}
	e := r.event(t, 20)
	r.same(e, nil)
	s := r.open(filepath.Join(r.dir, "fleet.db"))
	defer func() { _ = s.Close() }()
	list, err := s.Games(r.ctx, store.Filter{Event: e.Name})
	if err != nil {
		t.Fatal(err)
	}
	workers := map[string]int{}
	for i := range list {
		g := &list[i]
		workers[g.Worker]++
		// The clock may have been set between the game and its result.
		if off := g.Start.Sub(from); g.Worker != "set" && (off < -time.Second || off > time.Since(from)+time.Second) {
			t.Errorf("game %d of worker %s began %v after the event", g.Number, g.Worker, off)
		}
	}
	for _, name := range []string{"ahead", "behind"} {
		if workers[name] == 0 || !r.heard("the clock of worker "+name+" is wrong by") {
			t.Errorf("%d games of worker %s; said: %q", workers[name], name, r.said)
		}
	}
}
