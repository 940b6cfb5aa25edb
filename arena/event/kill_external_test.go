//go:build external && linux && !portable

package event

import "testing"

// The long form of a test that every run of the tests does in short.
func TestExternalKilled(t *testing.T) {
	killed(t, "rounds: 3", "ladder: {games: 40}", `  - {name: e, builtin: random}
  - {name: f, builtin: greedy}
`)
}
