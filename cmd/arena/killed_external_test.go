//go:build external && linux

package main

import (
	"math/rand/v2"
	"testing"
)

// The long form of TestKilled.
func TestExternalKilledAgainAndAgain(t *testing.T) { killedAgainAndAgain(t, "rounds: 2", 20) }

// A hundred kill -9s over formats that plan as results come in: no pairing lost,
// none twice. It needs no program that others wrote, but minutes.
func TestExternalKilled(t *testing.T) {
	formats := []struct{ name, size string }{
		{"swiss", "rounds: 5"},
		{"knockout", "rounds: 6\nknockout: {third_place: true}"},
		{"ladder", "ladder: {games: 60}"},
	}
	rng := rand.New(rand.NewPCG(7, 8))
	total := 0
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			event := killedEvent(f.name, f.size)
			whole := newPlace(t, event)
			whole.run(exitDone, "run", "event.yaml", "--quiet")
			undisturbed := whole.games()
			kills, events := 0, 0
			for kills < 34 {
				n, _ := killed(t, event, undisturbed, rng)
				kills += n
				events++
			}
			t.Logf("%d kills in %d events of %d games", kills, events, len(undisturbed))
			total += kills
		})
	}
	t.Logf("%d kills", total)
}
