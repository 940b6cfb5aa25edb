//go:build external

package main

import (
	"fmt"
	"testing"
)

// Every protocol against every other and itself, both colours, by every kind of
// clock that xboard engines can be told: of them, hoichess and fairymax know a
// depth, and none knows nodes or less than a second for a move, so that these clocks
// are of UGI and UCI alone. Each move by "st 1" takes
// its whole second: six plies of these games are a minute and a half. The margins are
// for busy machines.
func TestExternalProtocolMatrix(t *testing.T) {
	t.Parallel()
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
		count, plies            int
	}{
		{name: "move time", clock: "{move: 1s, margin: 20s}", bots: ugi + uci + xboard, count: 6, plies: 6},
		{name: "short move time", clock: "{move: 20ms, margin: 20s}", bots: ugi + uci, count: 4, plies: 80},
		{name: "base", clock: "{base: 1s, margin: 20s}", bots: ugi + uci + xboard, count: 6, plies: 40},
		{name: "increment", clock: "{base: 400ms, increment: 5ms, margin: 20s}", bots: ugi + uci + xboard, count: 6, plies: 60},
		// Each bot reaches the second period.
		{name: "moves in base", clock: "{base: 1s, moves: 10, margin: 20s}", bots: ugi + uci + xboard, count: 6, plies: 24},
		{name: "depth", clock: "{depth: 2}", bots: ugi + uci + xboard, count: 6, plies: 80},
		{name: "nodes", clock: "{nodes: 500}", bots: ugi + uci, count: 4, plies: 80},
		{name: "pondering", clock: "{base: 400ms, increment: 5ms, margin: 20s}", bots: ugi + uci + xboard, count: 6, plies: 30, more: "ponder: true"},
		{name: "suspended", clock: "{base: 400ms, increment: 5ms, margin: 20s}", bots: ugi + uci + xboard, count: 6, plies: 60, more: "suspend: true"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			games := playedEvent(t, t.TempDir(), fmt.Sprintf(`
game: chess
rounds: 1
seed: 5
openings: {random: 6}
clock: %s
max_plies: %d
concurrency: 2
pin: off
%s
bots:%s
`, test.clock, test.plies, test.more, test.bots))
			checkNoFault(t, games, test.count*(test.count-1))
		})
	}
}
