//go:build external

package main

import (
	"fmt"
	"testing"
)

// Every protocol against every other and itself, both colours, by every kind of
// clock that xboard engines can be told: of them, hoichess and fairymax know a
// depth, and none knows nodes, so that this clock is of UGI and UCI alone. The
// margins are for busy machines.
func TestExternalProtocolMatrix(t *testing.T) {
	needEngines(t)
	need(t, "hoichess", "hoichess")
	need(t, "fairymax", "fairymax")
	const ugi = `
  - {name: ugi, builtin: greedy, protocol: ugi}
  - {name: ugi 2, builtin: random, protocol: ugi}`
	const uci = `
  - {name: uci, command: stockfish, protocol: uci, options: {Threads: 1}}
  - {name: our own uci, builtin: greedy, protocol: uci}`
	const xboard = `
  - {name: xboard, command: hoichess, protocol: xboard}
  - {name: xboard 2, command: fairymax, protocol: xboard}`
	for _, test := range []struct {
		name, clock, bots, more string
		count                   int
	}{
		{name: "move time", clock: "{move: 1s, margin: 5s}", bots: ugi + uci + xboard, count: 6},
		{name: "increment", clock: "{base: 400ms, increment: 5ms, margin: 5s}", bots: ugi + uci + xboard, count: 6},
		{name: "moves in base", clock: "{base: 1s, moves: 40, margin: 5s}", bots: ugi + uci + xboard, count: 6},
		{name: "depth", clock: "{depth: 2}", bots: ugi + uci + xboard, count: 6},
		{name: "nodes", clock: "{nodes: 500}", bots: ugi + uci, count: 4},
		{name: "pondering", clock: "{base: 400ms, increment: 5ms, margin: 5s}", bots: ugi + uci + xboard, count: 6, more: "ponder: true"},
		{name: "suspended", clock: "{base: 400ms, increment: 5ms, margin: 5s}", bots: ugi + uci + xboard, count: 6, more: "suspend: true"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			games := playedEvent(t, t.TempDir(), fmt.Sprintf(`
game: chess
rounds: 1
seed: 5
openings: {random: 6}
clock: %s
max_plies: 6
concurrency: 2
pin: off
%s
bots:%s
`, test.clock, test.more, test.bots))
			checkNoFault(t, games, test.count*(test.count-1))
		})
	}
}
