package event

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/store"
)

// A bot that does not get ready in the time that the event gives it loses without a
// move, and is not waited for again and again.
func TestNoHandshake(t *testing.T) {
	t.Parallel()
	f := setup(t)
	event := f.event(`
clock: {move: 1m}
grace: 300ms
handshake: 2s
concurrency: 1
rounds: 3
bots:
  - {name: a, builtin: random}
  - {name: mute, command: [SELF, bad, no-handshake]}
`)
	f.mustRun(event, Options{})
	games := f.games("e")
	for i, g := range games {
		if g.Blame != "mute" || g.Reason != arena.Stall || g.Plies != 0 || i == 0 && !strings.Contains(g.Detail, "within 2s") {
			t.Errorf("%+v", g)
		}
	}
	if len(games) != 6 || !strings.Contains(games[5].Detail, "not started again after 3 failures in a row") {
		t.Errorf("%d games: %+v", len(games), games)
	}
	if !strings.Contains(f.warnings(), "mute") {
		t.Error("no warning about the bot that does not shake hands")
	}
	// What looks at the record afterwards counts its faults, too.
	if _, err := f.Preview(t.Context(), event, Options{}); err != nil {
		t.Error(err)
	}
}

// Restart policies, seen from how often a bot says that it has started. Whether it was heard
// before its first game or in it is up to the system.
func TestRestart(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]int{"never": 1, "on-fault": 1, "every-game": 4} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			f.mustRun(f.event(`
rounds: 2
concurrency: 1
bots:
  - {name: quiet, builtin: random}
  - {name: chatty, builtin: chatty, restart: `+policy+`}
`), Options{})
			files, err := filepath.Glob(filepath.Join(f.LogDir, "e", "*.stderr"))
			if err != nil {
				t.Fatal(err)
			}
			var said strings.Builder
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Error(err)
				}
				said.Write(text)
			}
			if said.String() != strings.Repeat("started\n", want) {
				t.Errorf("%q in %q, started %d times", said.String(), files, want)
			}
		})
	}
}

func TestNeverRestarted(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.mustRun(f.event(`
rounds: 2
concurrency: 1
bots:
  - {name: good, builtin: random}
  - {name: bad, command: [SELF, bad, crash], restart: never}
`), Options{})
	for i, g := range f.games("e") {
		if g.Blame != "bad" || g.Reason != arena.Crash || (i > 0) != strings.Contains(g.Detail, "never restarted") {
			t.Errorf("%+v", g)
		}
	}
}

// A clock that jumps makes faults of time void; a game that is void again and
// again is given up, and said so.
func TestVoidIsGivenUp(t *testing.T) {
	t.Parallel()
	f := setup(t)
	begin := time.Now()
	f.pauses = func() time.Time { return begin.Add(1000 * time.Since(begin)) }
	e := f.event(`
clock: {move: 20ms, margin: 5ms}
concurrency: 1
bots:
  - {name: a, builtin: random}
  - {name: b, builtin: sleepy}
`)
	_, err := f.Run(t.Context(), e, Options{})
	if err == nil || !strings.Contains(err.Error(), "2 games were void") || !strings.Contains(err.Error(), "game 1: ") || !strings.Contains(err.Error(), "suspended") {
		t.Fatalf("got %v", err)
	}
	ev, err := f.Store.Event(t.Context(), "e")
	if err != nil || ev.Played != 0 || ev.Voids != 2*mostVoids || ev.State == store.Finished {
		t.Errorf("%+v, %v", ev, err)
	}
	f.pauses = nil
	if summary := f.mustRun(e, Options{}); summary.Played != 2 {
		t.Errorf("%+v", summary)
	}
}

// Engines that speak xboard move at once at clocks that are short for whole seconds.
func TestHastyClocks(t *testing.T) {
	for _, c := range []struct {
		clock arena.TimeControl
		told  bool
	}{
		{arena.TimeControl{Base: time.Second, Increment: 50 * time.Millisecond}, true},
		{arena.TimeControl{Base: 3 * time.Second, Increment: 50 * time.Millisecond}, false},
		{arena.TimeControl{Base: 2 * time.Second, Moves: 10}, false},
		{arena.TimeControl{Move: 50 * time.Millisecond}, true},
		{arena.TimeControl{Move: 200 * time.Millisecond}, false},
		{arena.TimeControl{Depth: 4}, false},
	} {
		if got := hasty(c.clock); (got != "") != c.told {
			t.Errorf("%+v: %q", c.clock, got)
		}
	}
}
