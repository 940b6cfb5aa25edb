package fleet_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/event"
	"botarena/arena/fleet"
	"botarena/arena/fleet/speed"
	"botarena/arena/store"
)

func timedEvent(t *testing.T, rest string) arena.Event {
	t.Helper()
	e, err := config.Decode([]byte("event: e\ngame: breakthrough:5x5\nclock: {base: 10s, increment: 100ms}\nrounds: 4\nseed: 3\nbots: [{builtin: a}, {builtin: b, clock: {move: 1s, margin: 70ms}}, {builtin: c}]\n" + rest))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// fast is a worker of that speed; clocks notes those that it was told to play by.
func fast(positions, spread float64, clocks *sync.Map) func(*fleet.Worker) {
	return func(w *fleet.Worker) {
		w.Measure = func(context.Context) (speed.Measured, error) {
			return speed.Measured{Speed: positions, Spread: spread}, nil
		}
		play := w.Play
		w.Play = func(work event.Work) (event.Workers, error) {
			if clocks != nil {
				clocks.Store(w.Name, [2]arena.TimeControl{work.Event.Clock, *work.Event.Bots[1].Clock})
			}
			return play(work)
		}
	}
}

// played is how many games each worker has on record, and the factor of one.
func (r *rig) played() (games map[string]int, factor map[string]float64) {
	r.t.Helper()
	ctx := context.Background()
	s := r.open(filepath.Join(r.dir, "fleet.db"))
	defer func() { _ = s.Close() }()
	list, err := s.Games(ctx, store.Filter{Event: "e"})
	if err != nil {
		r.t.Fatal(err)
	}
	games, factor = map[string]int{}, map[string]float64{}
	for i := range list {
		games[list[i].Worker]++
		factor[list[i].Worker] = list[i].Factor
	}
	return games, factor
}

// With scale: measured, a slower worker gives more time; one beyond the limits gets
// no games, and is told why, as is the machine that runs the event, once.
func TestScale(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.coord.Speed = speed.Measured{Speed: 3e6}
	var clocks sync.Map
	var both sync.WaitGroup // slow and fast, each in its first game
	both.Add(2)
	for name, positions := range map[string]float64{"slow": 2e6, "fast": 6e6, "snail": 1e6, "rocket": 7e6} {
		meet := sync.OnceValue(func() string { both.Done(); both.Wait(); return "" })
		r.workerOf(name, r.server.Addr, 1, walkSalted(1, 0, meet), fast(positions, 0, &clocks))
	}
	r.workerOf("unknown", r.server.Addr, 1, walk(1, 0))
	r.run("fleet.db", timedEvent(t, "scale: measured\n"), r.coord.Workers, nil)
	games, factor := r.played()
	if games["slow"]+games["fast"] != 24 || games["slow"] == 0 || games["fast"] == 0 || factor["slow"] != 1.5 || factor["fast"] != 0.5 {
		t.Errorf("%v %v", games, factor)
	}
	for name, want := range map[string][2]arena.TimeControl{
		"slow": {
			{Base: 15 * time.Second, Increment: 150 * time.Millisecond, Margin: 50 * time.Millisecond},
			{Move: 1500 * time.Millisecond, Margin: 70 * time.Millisecond},
		},
		"fast": {
			{Base: 5 * time.Second, Increment: 50 * time.Millisecond, Margin: 50 * time.Millisecond},
			{Move: 500 * time.Millisecond, Margin: 70 * time.Millisecond},
		},
	} {
		if got, _ := clocks.Load(name); got != want {
			t.Errorf("%s: %+v; want %+v", name, got, want)
		}
	}
	said := strings.Join(r.said, "\n")
	for _, part := range []string{
		"worker snail gets no games of this event: it is 3.0 times slower", "worker rocket gets no games of this event: it is 2.3 times faster",
		"worker unknown gets no games of this event: its speed was not measured",
		"event e gives no games to this machine: it is 3.0 times slower",
	} {
		if strings.Count(said, part) != 1 {
			t.Errorf("%q is said %d times:\n%s", part, strings.Count(said, part), said)
		}
	}
}

// A noisy worker gets no games by time, which is said once, and plays those by nodes.
// Without scale, clocks are the same everywhere and the factor is recorded.
func TestNoise(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		event  func(*testing.T, *rig) arena.Event
		barred bool
	}{
		{"by time", func(t *testing.T, _ *rig) arena.Event { return timedEvent(t, "") }, true},
		{"by nodes", func(t *testing.T, r *rig) arena.Event { return r.event(t, 8) }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.coord.Speed, r.coord.Noise = speed.Measured{Speed: 3e6}, 0.2
			r.workerOf("noisy", r.server.Addr, 1, walk(1, 5*time.Millisecond), fast(3e6, 0.3, nil))
			r.workerOf("quiet", r.server.Addr, 1, walk(1, 5*time.Millisecond), fast(2e6, 0.1, nil))
			e := test.event(t, r)
			if e.Bots[1].Clock == nil {
				e.Bots[1].Clock = &e.Clock
			}
			r.run("fleet.db", e, r.coord.Workers, nil)
			games, factor := r.played()
			if games["quiet"] == 0 || (games["noisy"] == 0) != test.barred || factor["quiet"] != 1.5 {
				t.Errorf("%v %v", games, factor)
			}
			want := 0
			if test.barred {
				want = 1
			}
			if said := strings.Join(r.said, "\n"); strings.Count(said, "worker noisy gets no games of this event: it is noisy: its speed varies by ±30 % under full load") != want {
				t.Errorf("%s", said)
			}
		})
	}
}

// A worker that loses its games on time while others do not gets no more of them.
func TestLate(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	late := func(work event.Work) (event.Workers, error) {
		w, err := walk(1, time.Millisecond)(work)
		w.(*walkers).late = true
		return w, err
	}
	r.worker("punctual", r.server.Addr, 1, time.Millisecond)
	r.workerOf("late", r.server.Addr, 1, late)
	e := timedEvent(t, "")
	e.Rounds = 40
	r.run("fleet.db", e, r.coord.Workers, nil)
	games, _ := r.played()
	if games["late"] < 5 || games["late"] > 60 || !r.heard("worker late gets no games of this event: it answers late: ") {
		t.Errorf("%v\n%s", games, strings.Join(r.said, "\n"))
	}
}
