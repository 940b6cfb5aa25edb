//go:build !portable

package event

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/store"
)

// arenaProcess starts the test program as arena.
func (f *fixture) arenaProcess(file, run string) (*exec.Cmd, *bufio.Scanner) {
	f.t.Helper()
	cmd := exec.CommandContext(f.t.Context(), f.Executable, "arena", f.folder, file, run)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, bufio.NewScanner(out)
}

// left counts living processes that bear the mark of a run.
func left(t testing.TB, run string) (pids []string) {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		env, err := os.ReadFile(d + "/environ")
		if err == nil && strings.Contains(string(env), "ARENA_BOT="+run+".") {
			pids = append(pids, filepath.Base(d))
		}
	}
	return pids
}

// runKilled runs an event to its end, but kills it again and again, and returns
// how often.
func (f *fixture) runKilled(text, name string, rng *rand.Rand) (kills int) {
	t := f.t
	if err := os.WriteFile(filepath.Join(f.folder, "e.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for {
		run := fmt.Sprintf("%s-%d", name, kills)
		cmd, out := f.arenaProcess("e.yaml", run)
		// After some results, or at any moment: while it starts, plans, or ends. The
		// time grows, so that a slow machine gets through as well.
		until := 1 + rng.IntN(5)
		pause := time.Duration(rng.IntN(20)) * time.Millisecond
		anyTime := time.AfterFunc(time.Duration(10+rng.IntN(400)+40*kills)*time.Millisecond, func() { _ = cmd.Process.Kill() })
		for lines := 0; out.Scan(); {
			if lines++; lines == until {
				time.Sleep(pause)
				_ = cmd.Process.Kill()
			}
		}
		err := cmd.Wait()
		anyTime.Stop()
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() >= 0 {
			t.Fatalf("run %d: %v", kills, err)
		}
		deadline := time.Now().Add(time.Minute)
		for len(left(t, run)) > 0 {
			if time.Now().After(deadline) {
				t.Fatalf("bots %v are left", left(t, run))
			}
			time.Sleep(10 * time.Millisecond)
		}
		if err == nil {
			return kills
		}
		kills++
	}
}

// After kills at any moment, any number of them, every pairing has one result, and
// the games are those of an undisturbed run: in a format that plans all at once and in
// one that plans as results come in.
func TestKilled(t *testing.T) {
	for format, size := range map[string]string{"round-robin": "rounds: 2", "ladder": "ladder: {games: 16}"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			whole := setup(t)
			text := whole.file(`
event: e
game: breakthrough:5x5
format: ` + format + `
` + size + `
seed: 11
openings: {random: 2}
clock: {depth: 2}
concurrency: 2
bots:
  - {name: a, builtin: random}
  - {name: b, builtin: minimax}
  - {name: c, builtin: greedy}
  - {name: d, builtin: random}
`)
			whole.mustRun(whole.event(text), Options{})
			rng := rand.New(rand.NewPCG(3, 4))
			disturbed, kills := setup(t), 0
			// Where it was done before the first kill hit, that shows nothing: once more.
			for try := 0; kills == 0; try++ {
				if try == 20 {
					t.Fatal("it was never killed")
				}
				if try > 0 {
					disturbed = setup(t)
				}
				kills = disturbed.runKilled(text, fmt.Sprintf("kill-%s-%d", format, try), rng)
			}
			t.Logf("%d kills", kills)
			if !reflect.DeepEqual(disturbed.games("e"), whole.games("e")) {
				t.Error("games differ from an undisturbed run")
			}
			a, err := whole.Store.Event(t.Context(), "e")
			if err != nil {
				t.Fatal(err)
			}
			b, err := disturbed.Store.Event(t.Context(), "e")
			if err != nil || !reflect.DeepEqual(a.Entries, b.Entries) || a.State != b.State {
				t.Errorf("%+v, %v\nwant %+v", b, err, a)
			}
		})
	}
}

// A bot that stops itself loses, also where another bot could have stopped it: a
// lost game that could be made void would be played for ever.
func TestStoppedBot(t *testing.T) {
	t.Parallel()
	const text = `
event: e
game: breakthrough:5x5
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
event: e
game: breakthrough:5x5
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
event: e
game: breakthrough:5x5
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
event: e
game: breakthrough:5x5
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
