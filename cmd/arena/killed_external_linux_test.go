//go:build external

package main

import "testing"

// The long form of TestKilled, of all formats that plan as results come in.
func TestExternalKilled(t *testing.T) {
	t.Parallel()
	killedFormats(t, map[string]string{"round-robin": "rounds: 3", "ladder": "ladder: {games: 60}", "swiss": "rounds: 5", "knockout": "rounds: 2", "race": "rounds: 8\nsprt: {elo1: 200, alpha: 0.3, beta: 0.3}"})
}
