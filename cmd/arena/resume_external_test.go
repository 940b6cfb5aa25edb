//go:build external && unix

package main

import "testing"

// Longer events of a game that knows draws, broken off more often. It needs no
// program that others wrote, but time.
func TestExternalResumeOfEveryFormat(t *testing.T) {
	resumeEveryFormat(t, "outwit", 20, map[string]string{
		"swiss":    "rounds: 4\n",
		"knockout": "rounds: 5\nknockout: {third_place: true}\n",
		"ladder":   "ladder: {games: 60}\n",
		"gauntlet": "rounds: 4\n",
	})
}
