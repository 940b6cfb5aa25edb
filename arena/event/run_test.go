package event

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/store"
)

const smallEvent = `
event: small
rounds: 2
seed: 3
openings: {random: 2}
concurrency: %d
bots:
  - {name: random, builtin: random}
  - {name: twin, builtin: random, options: {Seed: 9}}
  - {name: tree, builtin: mcts, clock: {nodes: 30}}
`

// The same seed gives the same games and ratings, however many are played at once.
func TestConcurrencyChangesNothing(t *testing.T) {
	t.Parallel()
	one, four := setup(t), setup(t)
	a := one.mustRun(one.event(fmt.Sprintf(smallEvent, 1)), Options{})
	b := four.mustRun(four.event(fmt.Sprintf(smallEvent, 4)), Options{})
	if a.Played != 12 || a.Now != 12 || a.Planned != 12 || a.Voids != 0 || b.Played != 12 || b.Concurrency != 4 {
		t.Errorf("summaries %+v, %+v", a, b)
	}
	list := one.games("small")
	if !reflect.DeepEqual(list, four.games("small")) {
		t.Error("games differ")
	}
	results := map[arena.Result]bool{}
	for i, g := range list {
		results[g.Result] = true
		if g.Result == arena.Unplayed || len(g.Moves) != g.Plies || g.Plies == 0 || g.Number != i+1 || len(g.Opening.Moves) != 2 || g.Blame != "" {
			t.Errorf("game %+v", g)
		}
		if i%2 == 1 && (g.First != list[i-1].Second || !reflect.DeepEqual(g.Opening, list[i-1].Opening)) {
			t.Errorf("games %d and %d are no pair", i, i+1)
		}
	}
	if len(results) < 2 {
		t.Error("all games ended alike")
	}
	if reflect.DeepEqual(list[0].Moves, list[6].Moves) {
		t.Error("the same pairing from another opening repeated its game: is the seed the same each time?")
	}
	for _, f := range []*fixture{one, four} {
		ev, err := f.Store.Event(t.Context(), "small")
		if err != nil || ev.State != store.Finished || ev.Holder != nil {
			t.Fatalf("%+v, %v", ev, err)
		}
		for _, e := range ev.Entries {
			if want := wantElo(list)[e.Name]; e.Rating != want {
				t.Errorf("%s stands at %v, want %v", e.Name, e.Rating, want)
			}
		}
	}
	var kinds [Building + 1]int
	for _, u := range four.updates {
		kinds[u.Kind]++
	}
	if kinds != [...]int{1, 12, 12, 0, 0, 0, 0} {
		t.Errorf("updates %v", kinds)
	}
	if _, err := one.Run(t.Context(), one.event(fmt.Sprintf(smallEvent, 2)), Options{}); !errors.Is(err, ErrFinished) {
		t.Errorf("run again: %v", err)
	}
}

// after is a channel that closes when so many games are finished.
func (f *fixture) after(n int) <-chan struct{} {
	soft := make(chan struct{})
	finished := 0
	f.Observe = func(u Update) {
		f.updates = append(f.updates, u)
		if u.Kind == GameFinished {
			if finished++; finished == n {
				close(soft)
			}
		}
	}
	return soft
}

// A second interrupt ends at once, and after the first one games in progress have the
// event's grace: they are void.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for grace, hard := range map[string]bool{"50s": true, "300ms": false} {
		f := setup(t)
		ctx, cancel := context.WithCancel(t.Context())
		soft := make(chan struct{})
		whenThere(t, filepath.Join(f.folder, "thinking"), func() {
			if hard {
				cancel()
			} else {
				close(soft)
			}
		})
		begin := time.Now()
		summary, err := f.Run(ctx, f.event(`
clock: {move: 60s}
concurrency: 2
bots:
  - {name: a, command: [SELF, stuck, thinking], restart: never}
  - {name: b, command: [SELF, bad, hang]}
grace: `+grace), Options{Soft: soft})
		if !errors.Is(err, ErrInterrupted) || summary.Played != 0 || summary.Voids == 0 {
			t.Errorf("grace %s: %+v, %v", grace, summary, err)
		}
		if took := time.Since(begin); took > 40*time.Second {
			t.Errorf("grace %s: the end took %v", grace, took)
		}
		voids, err := f.Store.Voids(t.Context(), "e", 0)
		if err != nil || len(voids) != summary.Voids || voids[0].Detail != "interrupted" {
			t.Errorf("grace %s: %+v, %v", grace, voids, err)
		}
		cancel()
	}
}
