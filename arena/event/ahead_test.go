package event

import (
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"botarena/arena/store"
	"botarena/engine"
	"botarena/engine/breakthrough"
)

// asking are games whose positions have foresight, as those of rules programs; spread is
// called where many of them are to be looked at.
type asking struct {
	breakthrough.Family
	spread func()
}

func (a asking) Open(variant string) (engine.Game, error) {
	g, err := a.Family.Open(variant)
	return askingGame{g, a.spread}, err
}

type askingGame struct {
	engine.Game
	spread func()
}

func (g askingGame) Start() engine.Position { return askingPosition{g.Game.Start(), g.spread} }

type askingPosition struct {
	engine.Position
	spread func()
}

func (askingPosition) Expect([]string, bool) {}
func (p askingPosition) Spread()             { p.spread() }

// Games that are planned while others are played are those that would have been
// planned before, also where the run was interrupted in between.
func TestPlanMeanwhile(t *testing.T) {
	t.Parallel()
	const text = `
event: long
rounds: 35
seed: 3
openings: {random: 2}
max_plies: 6
concurrency: 2
bots: [{name: random, builtin: random}, {name: twin, builtin: random, options: {Seed: 9}}]
`
	before, meanwhile, parts := setup(t), setup(t), setup(t)
	for _, f := range []*fixture{before, meanwhile, parts} {
		f.Workers = throwDice(2, 1)
	}
	before.mustRun(before.event(text), Options{})
	want := before.games("long")
	if len(want) != 70 {
		t.Fatalf("%d games", len(want))
	}
	for _, f := range []*fixture{meanwhile, parts} {
		f.Catalog = engine.Catalog{asking{spread: func() {}}}
		f.Patience.Plan = time.Nanosecond
	}
	// Once some games are planned, no more are until the first one is played.
	var planned atomic.Bool
	started := make(chan struct{})
	start := sync.OnceFunc(func() { close(started) })
	meanwhile.Catalog = engine.Catalog{asking{spread: func() {
		if planned.Load() {
			<-started
		}
	}}}
	observe := meanwhile.Observe
	meanwhile.Observe = func(u Update) {
		observe(u)
		switch u.Kind {
		case GamesPlanned:
			planned.Store(true)
		case GameStarted:
			start()
		default:
		}
	}
	meanwhile.mustRun(meanwhile.event(text), Options{})
	if !reflect.DeepEqual(meanwhile.games("long"), want) {
		t.Error("other games are played when they are planned meanwhile")
	}
	for _, u := range meanwhile.updates {
		if u.Kind == GameStarted {
			if u.Planned >= 70 {
				t.Errorf("%d games were planned before the first one", u.Planned)
			}
			break
		}
	}
	for {
		summary, err := parts.Run(t.Context(), parts.event(text), Options{Soft: parts.after(25)})
		if err == nil {
			break
		}
		if !errors.Is(err, ErrInterrupted) || summary.Now == 0 {
			t.Fatalf("%+v, %v", summary, err)
		}
	}
	if !reflect.DeepEqual(parts.games("long"), want) {
		t.Error("other games are played after interruptions")
	}
	if ev, err := parts.Store.Event(t.Context(), "long"); err != nil || ev.State != store.Finished {
		t.Errorf("%+v, %v", ev, err)
	}
}
