//go:build !portable

package event

import (
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/store"
)

// A bot that loses on time without computing is told from one that thinks too long.
func TestIdleLosers(t *testing.T) {
	const second = time.Second
	for _, test := range []struct {
		name string
		game arena.Game
		want string
	}{
		{"starved", arena.Game{Reason: arena.TimeForfeit, Blame: "a", Wall: 3 * second, CPU: [2]time.Duration{second / 10, second}, Moves: []arena.MoveRecord{{Time: second / 10}, {Time: second}}}, "; it used 100ms of CPU in 2s on its clock"},
		{"the other side", arena.Game{Reason: arena.TimeForfeit, Blame: "b", Wall: 3 * second, CPU: [2]time.Duration{second, second / 10}, Moves: []arena.MoveRecord{{Time: second}}}, "; it used 100ms of CPU in 2s on its clock"},
		{"it thought", arena.Game{Reason: arena.TimeForfeit, Blame: "a", Wall: 2 * second, CPU: [2]time.Duration{2 * second}}, ""},
		{"not known", arena.Game{Reason: arena.TimeForfeit, Blame: "a", Wall: 2 * second}, ""},
		{"too short to tell", arena.Game{Reason: arena.TimeForfeit, Blame: "a", Wall: 10 * time.Millisecond, CPU: [2]time.Duration{1}}, ""},
		{"another fault", arena.Game{Reason: arena.Crash, Blame: "a", Wall: 2 * second, CPU: [2]time.Duration{1}}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := test.game
			g.First, g.Second, g.Detail = "a", "b", "late"
			if len(g.Moves)%2 == 0 && test.name == "starved" {
				g.Moves[0].Time, g.Moves[1].Time = 0, second // the last move was b's
			}
			r := &run{}
			r.noteIdle(&g)
			if g.Detail != "late"+test.want || (r.idle == 1) != (test.want != "") {
				t.Errorf("%q, %d idle; want %q", g.Detail, r.idle, test.want)
			}
		})
	}
}

// It is in the game's record, and one line tells of it.
func TestIdleIsTold(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.mustRun(f.event(`
rounds: 2
clock: {move: 50ms, margin: 10ms}
bots:
  - {name: sleeper, command: sh -c "echo ugiok; read -r x; read -r x; echo readyok; while read -r x; do case $x in isready) echo readyok; esac; done"}
  - {name: good, builtin: random}
`), Options{})
	games, err := f.Store.Games(t.Context(), store.Filter{Event: "e"})
	if err != nil {
		t.Fatal(err)
	}
	noted := 0
	for i := range games {
		if g := &games[i]; g.Reason == arena.TimeForfeit && g.Blame == "sleeper" && strings.Contains(g.Detail, " of CPU in ") {
			noted++
		}
	}
	told, why := f.warnings(), "hardly computed: it waited for something, or other programs had its core"
	if noted > 1 {
		why = "hardly computed: these waited for something, or other programs had their cores"
	}
	if noted == 0 || strings.Count(told, "lost on time by") != 1 || !strings.Contains(told, why) {
		t.Errorf("%d noted of %+v; it warned %q", noted, games, told)
	}
}
