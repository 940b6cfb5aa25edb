package event

import (
	"context"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"botarena/arena/live"
	"botarena/arena/replay"
)

// What is told of games in progress ends in what is recorded, and none is told of
// as over before it is.
func TestLive(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Live = live.NewHub(f.Now)
	ctx, cancel := context.WithCancel(t.Context())
	view := live.Watch(ctx, filepath.Join(f.folder, "arena.db"), time.Now, f.Live)
	defer func() { <-view.Stopped() }()
	defer cancel()
	observe := f.Observe
	f.Observe = func(u Update) {
		observe(u)
		if u.Kind == GameStarted { // the view looks now and then
			for changed := view.Changed(); ; changed = view.Changed() {
				d := view.Snapshot()
				for i := range d.Games {
					if g := &d.Games[i]; g.Over && f.games(g.Event)[g.Number-1].Result != g.Result {
						t.Errorf("game %d is told of as over before it is recorded", g.Number)
					}
				}
				if slices.ContainsFunc(d.Games, func(g live.Game) bool { return !g.Over }) {
					break
				}
				<-changed
			}
		}
	}
	event := f.event(`
event: slow
format: match
rounds: 1
clock: {base: 1m}
concurrency: 1
bots:
  - {name: a, command: [SELF, bot, chatty], protocol: ugi}
  - {name: b, command: [SELF, bot, chatty], protocol: ugi}
`)
	rules, err := f.Catalog.Lookup(event.Game)
	if err != nil {
		t.Fatal(err)
	}
	f.mustRun(event, Options{})
	for {
		changed := view.Changed()
		d := view.Snapshot()
		if len(d.Events) != 1 || d.Events[0].Running || len(d.Games) != 2 || !d.Games[1].Over {
			<-changed
			continue
		}
		if e := d.Events[0]; e.Planned != 2 || e.Played != 2 || e.Total != 2 || e.Slots != 1 || e.Game != "breakthrough:5x5" {
			t.Errorf("event %+v", e)
		}
		for i, want := range f.games("slow") {
			g := d.Games[i]
			for j := range g.Moves {
				if g.Moves[j].Time <= 0 {
					t.Errorf("game %d, ply %d took no time", i+1, j+1)
				}
				g.Moves[j].Time = 0
			}
			if !reflect.DeepEqual(g.Moves, want.Moves) || g.Result != want.Result || g.Reason != want.Reason || g.Plies != want.Plies || g.First != want.First {
				t.Errorf("told  %+v\nwanted %+v", g, want)
			}
			if r, err := replay.New(rules, &g.Game, g.Clocks); err != nil || !r.Outcome().Over {
				t.Errorf("game %d does not end on the board: %v", i+1, err)
			}
		}
		return
	}
}
