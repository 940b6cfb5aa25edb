//go:build external && linux

package main

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
)

// timedEvent has a bot that is busy until a time before (or after) its time is
// over, against itself, alone on the machine but for what the test adds.
func timedEvent(clock, margin, over string) string {
	return fmt.Sprintf(`
event: e
game: breakthrough:4x4
clock: {%s, margin: %s}
concurrency: 1
bots:
  - {name: a, command: [pace, left, %s]}
  - {name: b, command: [pace, left, %s]}
`, clock, margin, over, over)
}

// load keeps a core busy until the test ends.
func load(t *testing.T) {
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !stop.Load() {
			continue // busy
		}
	}()
	t.Cleanup(func() { stop.Store(true); <-done })
}

// A bot that uses its time but for 200 ms never loses on time, while another core
// is busy; one that exceeds it by three margins always does. The margin of the
// first is wide, since the test shares its machine with others; that of the second
// need not be: whoever delays arena makes the bot no earlier.
func TestExternalTimeTruth(t *testing.T) {
	load(t)
	for _, clock := range []string{"move: 260ms", "base: 400ms, increment: 60ms"} {
		t.Run(strings.Fields(clock)[0], func(t *testing.T) {
			p := newPlace(t, timedEvent(clock, "1s", "-200ms"))
			p.run(exitDone, "run", "event.yaml", "--quiet")
			if n := p.results(); n != 2 { // and none of them is a fault
				t.Errorf("%d of 2 games are played", n)
			}
			p = newPlace(t, timedEvent(clock, "100ms", "300ms"))
			p.run(exitDone, "run", "event.yaml", "--quiet")
			games := p.games()
			for i := range games {
				g := &games[i]
				// The side that moves first is the first to be late.
				if g.Reason != "time forfeit" || g.Blame != g.First || g.Result != "0-1" || g.Void > 0 {
					t.Errorf("game %d, %s - %s: %s, %s, blame %q: %s", g.Number, g.First, g.Second, g.Result, g.Reason, g.Blame, g.Detail)
				}
			}
			if len(games) != 2 {
				t.Errorf("%d of 2 games are played", len(games))
			}
		})
	}
}
