//go:build !portable

package event

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/store"
)

// A bot that stops itself loses, also where another bot could have stopped it: a
// lost game that could be made void would be played for ever.
func TestStoppedBot(t *testing.T) {
	t.Parallel()
	const text = `
clock: {move: 1m}
concurrency: 1
swap: false
bots:
  - {name: a, builtin: random}
  - {name: b, command: [SELF, bad, stop-self], clock: {move: 200ms}}
`
	for _, open := range []bool{false, true} {
		f := setup(t)
		f.openSignals = open
		why := "which only its own processes can send it"
		if open || !f.Starter.Shields() {
			why = "sandbox: strict"
		}
		f.mustRun(f.event(text), Options{})
		g := f.games("e")[0]
		if g.Reason != arena.TimeForfeit || g.Blame != "b" || !strings.Contains(g.Detail, "stopped by a signal") || !strings.Contains(g.Detail, why) {
			t.Errorf("open %v: %+v", open, g)
		}
	}
}

// A bot that made an illegal move is killed before the next game has its core,
// however long it might have had to quit.
func TestIllegalMoveKills(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.shellBot("stays.sh", `go) echo $$ >> pids; echo "bestmove a1a1";;`, "sleep 600")
	f.Observe = func(u Update) {
		if u.Kind != GameFinished || u.Game.Reason != arena.IllegalMove {
			return
		}
		text, err := os.ReadFile(filepath.Join(f.folder, "pids"))
		if err != nil {
			t.Error(err)
		}
		for _, pid := range strings.Fields(string(text)) {
			// It is ended, which may take the kernel a moment, and would otherwise take
			// the grace.
			for begun := time.Now(); ; time.Sleep(5 * time.Millisecond) {
				if _, err := os.Stat("/proc/" + pid); err != nil {
					break
				}
				if time.Since(begun) > time.Minute {
					t.Errorf("process %s lives on after game %d", pid, u.Game.Number)
					break
				}
			}
		}
	}
	f.mustRun(f.event(`
clock: {move: 5s}
concurrency: 1
grace: 5m
rounds: 1
bots:
  - {name: a, builtin: random}
  - {name: b, command: [sh, stays.sh]}
`), Options{})
	for _, g := range f.games("e") {
		if g.Reason != arena.IllegalMove || g.Blame != "b" {
			t.Errorf("%+v", g)
		}
	}
}

// A bot that is never restarted and ends after its first game loses all others,
// also where its end is only seen when the second one is to begin.
func TestNeverRestartedAfterAQuietEnd(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.shellBot("once.sh", `uginewgame) n=$((n + 1)); [ $n = 1 ] || exit 3;;`, "")
	f.mustRun(f.event(`
clock: {move: 5s}
concurrency: 1
rounds: 2
bots:
  - {name: a, builtin: random}
  - {name: b, command: [sh, once.sh], restart: never}
`), Options{})
	for i, g := range f.games("e") {
		if i == 0 && g.Reason != arena.WinByRule || i > 0 && (g.Reason != arena.Crash || g.Blame != "b" || !strings.Contains(g.Detail, "after game 1 and is never restarted")) {
			t.Errorf("%+v", g)
		}
	}
}

// What a bot computes while it is not to move is recorded and warned of; what an
// honest one does is not.
func TestOffTurn(t *testing.T) {
	f := setup(t)
	// After each answer it keeps a core busy until the next line comes.
	f.shellBot("busy.sh", `go) echo "bestmove $move"; [ -z "$spin" ] || kill $spin; (while :; do :; done) & spin=$!; continue;;
	position) [ -z "$spin" ] || kill $spin; spin=;;`, "[ -z \"$spin\" ] || kill $spin")
	f.mustRun(f.event(`
clock: {move: 20s}
concurrency: 1
max_plies: 12
pin: off
bots:
  - {name: honest, builtin: sleepy}
  - {name: busy, command: [sh, busy.sh]}
`), Options{})
	games, err := f.Store.Games(t.Context(), store.Filter{Event: "e"})
	if err != nil || len(games) != 2 {
		t.Fatalf("%d games, %v", len(games), err)
	}
	for _, g := range games {
		busy, honest := 0, 1
		if g.First == "honest" {
			busy, honest = 1, 0
		}
		// How much it gets on a busy machine nobody can say: more than the honest one.
		if g.OffTurn[busy] < 10*time.Millisecond || g.OffTurn[honest] > g.OffTurn[busy]/2 {
			t.Errorf("game %d, %s - %s: %v of CPU off turn, of %v", g.Number, g.First, g.Second, g.OffTurn, g.CPU)
		}
	}
}

func TestWarnsOfThinkers(t *testing.T) {
	r := run{Runner: &Runner{}, notes: newNotes(), workers: &local{slots: []*worker{{cpus: []int{0}}}}}
	for range 4 {
		r.wait(&arena.Game{First: "thinker", Second: "honest", Wall: 2 * time.Second, OffTurn: [2]time.Duration{time.Second, 20 * time.Millisecond}})
	}
	r.wait(&arena.Game{First: "long", Second: "other", Wall: time.Hour, OffTurn: [2]time.Duration{2 * time.Second}})
	r.warnOfThinkers()
	if len(r.notes.list) != 1 {
		t.Fatalf("%d notes", len(r.notes.list))
	}
	if text := <-r.notes.list; !strings.Contains(text, `bot "thinker" used 4.0 s of CPU while others were to move, in 8.0 s of play, on the core that they share`) {
		t.Errorf("%q", text)
	}
}
