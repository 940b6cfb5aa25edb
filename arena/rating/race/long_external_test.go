//go:build external

package race

import "testing"

// The tables of the README.

func TestExternalRaces(t *testing.T) { races(t, false, 1000, []int{2, 4, 8}, 0, 0.5, 0.8) }

func TestExternalRacesForBest(t *testing.T) { races(t, true, 1000, []int{2, 4, 8}, 0, 0.5, 0.8) }
