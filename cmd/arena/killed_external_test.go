//go:build external && linux

package main

import "testing"

// The long form of TestKilled: more than a hundred kill -9s. It needs no program that
// others wrote, but minutes.
func TestExternalKilled(t *testing.T) {
	killedFormats(t, 26, map[string]string{
		"round-robin": "rounds: 2", "swiss": "rounds: 5", "knockout": "rounds: 6\nknockout: {third_place: true}", "ladder": "ladder: {games: 60}",
	})
}
