//go:build external

package sprt

import "testing"

// The long forms of tests that every run of the tests does in short.

func TestExternalSPRTBySimulation(t *testing.T) { sprtBySimulation(t, 1600, 8) }

func TestExternalAfterStopCoverage(t *testing.T) { afterStopCoverage(t, 80, -800, -150, 30, 150, 800) }

func TestExternalAnytimeCoverage(t *testing.T) {
	if testing.Short() {
		anytimeCoverage(t, 2000, 1000)
		return
	}
	anytimeCoverage(t, 10_000, 1000)
}

func TestExternalCorrectedBounds(t *testing.T) {
	if testing.Short() {
		correctedBounds(t, 1500, 60, 120)
		return
	}
	correctedBounds(t, 5000, 30, 60, 120)
}
