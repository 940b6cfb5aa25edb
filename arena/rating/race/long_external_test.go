//go:build external

package race

import "testing"

// The tables of the README.

func TestExternalRaces(t *testing.T) { long(t, false) }

func TestExternalRacesForBest(t *testing.T) { long(t, true) }

func long(t *testing.T, best bool) {
	if testing.Short() {
		t.Skip("it takes ten minutes: leave -short out; the plain tests have a smaller one")
	}
	races(t, best, 1000, []int{2, 4, 8}, 0, 0.5, 0.8)
}
