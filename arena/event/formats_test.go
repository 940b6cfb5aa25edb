package event

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"botarena/arena/schedule"
	"botarena/arena/store"
)

// A test plans few games more than are given out, and all of them if it decides nothing.
func TestTrialPlansAsItGoes(t *testing.T) {
	t.Parallel()
	const rounds = schedule.Chunk * 11 / 20 // pairs: more than a chunk of games
	text := fmt.Sprintf("event: e\ngame: breakthrough:5x5\nformat: match\nrounds: %d\nsprt: {elo0: -0.01, elo1: 0.01}\nopenings: {random: 2}\nclock: {depth: 1}\nbots: [{name: a, builtin: random}, {name: b, builtin: greedy}]\n", rounds)
	f := setup(t)
	f.Workers = throwDice(16, 1)
	half, err := f.Run(t.Context(), f.event(text), Options{Soft: f.after(rounds / 2)})
	if !errors.Is(err, ErrInterrupted) || half.Planned != 2*rounds {
		t.Fatalf("%+v, %v", half, err)
	}
	ahead := 0
	f.updates = nil
	f.Observe = func(u Update) { ahead = max(ahead, u.Planned-u.Played) }
	summary := f.mustRun(f.event(text), Options{})
	if summary.Played != 2*rounds || summary.Planned != 2*rounds {
		t.Errorf("%+v", summary)
	}
	if ahead > schedule.Chunk+40 {
		t.Errorf("%d games are planned ahead", ahead)
	}
}

func TestLadderEndsByTime(t *testing.T) {
	t.Parallel()
	f := setup(t)
	e := f.event(`
format: ladder
openings: {random: 2}
ladder: {time: 700ms}
bots:
  - {name: a, builtin: random}
  - {name: b, builtin: random}
  - {name: c, builtin: greedy}
`)
	summary := f.mustRun(e, Options{})
	ev, err := f.Store.Event(t.Context(), "e")
	if err != nil || ev.State != store.Finished || summary.Played%2 != 0 || ev.PlayTime < 700*time.Millisecond {
		t.Errorf("%+v, %+v, %v", summary, ev, err)
	}
}

// A league's ladder plans games as they are wanted; another run goes on with a new bot,
// which plays first.
func TestLeagueTakesBots(t *testing.T) {
	t.Parallel()
	f := setup(t)
	const text = `
format: ladder
openings: {random: 2}
concurrency: 2
ladder: {choose: league, games: %GAMES}
bots:
  - {name: a, builtin: random}
  - {name: b, builtin: random}
  - {name: c, builtin: greedy}
`
	if s := f.mustRun(f.event(strings.ReplaceAll(text, "%GAMES", "20")), Options{}); s.Played != 20 {
		t.Fatalf("%+v", s)
	}
	more := strings.ReplaceAll(text, "%GAMES", "40") + "  - {name: d, builtin: greedy, replaces: c}\n"
	if s := f.mustRun(f.event(more), Options{Extend: true}); s.Played != 40 || s.Now != 20 {
		t.Fatalf("%+v", s)
	}
	own, late := 0, 0
	err := f.Store.Scan(t.Context(), store.Filter{Event: "e", After: 20}, func(g *store.Game) error {
		if g.First == "d" || g.Second == "d" {
			own++
		}
		if g.First == "c" || g.Second == "c" {
			late++
		}
		return nil
	})
	if err != nil || own < 8 || late > 0 {
		t.Errorf("%d games of the new bot, %d of the old one, %v", own, late, err)
	}
}
