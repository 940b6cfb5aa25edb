package event

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/gamelog"
	"botarena/arena/process"
	"botarena/arena/schedule"
)

// A machine without room for a process, for a while or for long, ends no event.
func TestBusyMachine(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.Patience.Fork = 20 * time.Millisecond
	var starts atomic.Int32
	f.start = func(ctx context.Context, spec process.Spec) (*process.Process, error) {
		switch n := starts.Add(1); {
		case n == 2, n >= 5 && n < 5+20: // soon over, and longer than patience
			return nil, &process.BusyError{What: "start it", Err: syscall.EAGAIN}
		}
		return f.Starter.Start(ctx, spec)
	}
	summary := f.mustRun(f.event(`
rounds: 3
concurrency: 1
bots:
  - {name: a, builtin: random, restart: every-game}
  - {name: b, builtin: random}
`), Options{})
	if summary.Played != 6 || summary.Voids == 0 {
		t.Errorf("%+v", summary)
	}
	voids, err := f.Store.Voids(t.Context(), "e", 0)
	if err != nil || len(voids) != summary.Voids || !strings.Contains(voids[0].Detail, "bot a could not be started: start it: resource temporarily unavailable") {
		t.Errorf("%+v, %v", voids, err)
	}
	for _, g := range f.games("e") {
		if g.Blame != "" {
			t.Errorf("%+v", g)
		}
	}
}

// A second interrupt ends at once what the first one leaves time.
func TestHardStopEndsGrace(t *testing.T) {
	t.Parallel()
	f := setup(t)
	e := f.event(`
grace: 10m
concurrency: 1
bots:
  - {name: a, builtin: random}
  - {name: b, command: [SELF, bad, never-quit], restart: every-game}
`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f.Observe = func(u Update) {
		if u.Kind == GameFinished && u.Game.Number == 2 {
			cancel() // all is played, and b has minutes to end since its first game
		}
	}
	begin := time.Now()
	_, err := f.Run(ctx, e, Options{})
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("the end took %v", took)
	}
	if !errors.Is(err, ErrInterrupted) {
		t.Errorf("got %v", err)
	}
}

// A match one of whose bots fails in game after game is stopped without a verdict;
// the first fault is told at once, with what the bot wrote last.
func TestFaultyBotStopsMatch(t *testing.T) {
	t.Parallel()
	const text = `
event: %s
format: match
rounds: %d
concurrency: 1
max_faults: %d
bots:
  - {name: a, command: [SELF, worse, illegal-move], restart: every-game}
  - {name: b, %s}
`
	const bad, good = "command: [SELF, worse, illegal-move], restart: every-game", "builtin: random"
	f := setup(t)
	var told []string
	f.Observe = func(u Update) {
		if u.Kind == Warning {
			told = append(told, fmt.Sprint(u.Played, ": ", u.Text))
		}
	}
	for _, other := range []string{bad, good} {
		name := "with " + other[:7]
		told = nil
		summary, err := f.Run(t.Context(), f.event(fmt.Sprintf(text, name, 20, 3, other)), Options{})
		if !errors.Is(err, errFailing) || summary.Played < 3 || summary.Played > 3*2+4 || !strings.Contains(err.Error(), "its last 3 games") || !strings.Contains(err.Error(), `bot "a" was at fault in its last 3 games`) && other == good {
			t.Errorf("%s: %+v, %v", name, summary, err)
		}
		if len(told) < 2 || !strings.HasPrefix(told[1], `1: bot "a" lost game 1 (a - b) by a fault, illegal move`) || !strings.Contains(told[1], "its last lines on stdout:\n    ") {
			t.Errorf("%s: %q", name, told)
		}
	}
	few := fmt.Sprintf(text, "few", 2, 100, bad)
	if summary, err := f.Run(t.Context(), f.event(few), Options{}); !errors.Is(err, errFailing) || summary.Played != 4 {
		t.Errorf("a match of which no game was played: %+v, %v", summary, err)
	}
	if summary := f.mustRun(f.event(fmt.Sprintf(text, "off", 3, 0, good)), Options{}); summary.Played != 6 {
		t.Errorf("%+v", summary)
	}
	files := gamelog.Files(f.LogDir, "off", 1)
	if said, err := os.ReadFile(files.Output[0]); err != nil || !strings.Contains(string(said), "bestmove") {
		t.Errorf("%q, %v", said, err)
	}
}

// In an event of more bots, one that fails in game after game is withdrawn, and the
// others play on.
func TestFaultyBotIsBenched(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.mustRun(f.event(`
rounds: 5
concurrency: 2
max_faults: 3
bots:
  - {name: a, command: [SELF, worse, illegal-move], restart: every-game}
  - {name: b, builtin: random}
  - {name: c, builtin: random}
`), Options{})
	played := map[string]int{}
	for _, g := range f.games("e") {
		if g.Result == arena.Unplayed {
			t.Errorf("left: %+v", g)
		}
		played[g.First]++
		played[g.Second]++
	}
	if played["a"] < 3 || played["a"] > 16 || played["b"]+played["c"] != 20+played["a"] {
		t.Errorf("%v", played)
	}
	// Changing the event afterwards counts the faults on record, too.
	if err := f.Withdraw(t.Context(), "e", []string{"a"}, true); err != nil {
		t.Error(err)
	}
	if err := f.Withdraw(t.Context(), "e", []string{"a"}, false); err != nil {
		t.Error(err)
	}
}

// A row of faults ends with a game in which the bot moves and is not at fault.
func TestCountFaults(t *testing.T) {
	r := &run{faulty: map[string]*faulty{}}
	lost := func(first, second, blame string, reason arena.Reason, plies int) {
		r.count(&arena.Game{First: first, Second: second, Blame: blame, Reason: reason, Plies: plies})
	}
	for range 3 { // each fails when it is to move first
		lost("a", "b", "a", arena.Crash, 0)
		lost("b", "a", "b", arena.Crash, 0)
	}
	lost("a", "c", "a", arena.TimeForfeit, 0)
	if r.faulty["a"].games != 3 || r.faulty["b"].games != 3 || r.faulty["c"] != nil {
		t.Errorf("%+v", r.faulty)
	}
	lost("a", "b", "b", arena.Crash, 1)
	if r.faulty["a"].games != 0 || r.faulty["b"].games != 4 {
		t.Errorf("%+v", r.faulty)
	}
}

// A book that has changed is another event's; one that is gone matters where its
// openings are needed.
func TestBook(t *testing.T) {
	t.Parallel()
	for format, needed := range map[string]bool{"match": false, "swiss": true} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			file := filepath.Join(f.folder, "book.txt")
			write := func(text string) {
				if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			write("a2a3\nb2b3\nc2c3\n")
			e := f.event(`
format: ` + format + `
rounds: 3
concurrency: 1
openings: {file: book.txt}
`)
			if _, err := f.Run(t.Context(), e, Options{Soft: f.after(1)}); !errors.Is(err, ErrInterrupted) {
				t.Fatal(err)
			}
			write("b2b3\na2a3\nc2c3\n")
			var changed *ChangedError
			for _, extend := range []bool{false, true} {
				if _, err := f.Run(t.Context(), e, Options{Extend: extend}); !errors.As(err, &changed) || !strings.Contains(err.Error(), "book.txt holds other openings now") {
					t.Errorf("changed: %v", err)
				}
			}
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			_, err := f.Run(t.Context(), e, Options{})
			if needed != errors.Is(err, os.ErrNotExist) || !needed && err != nil {
				t.Errorf("deleted: %v", err)
			}
			if needed {
				write("a2a3\nb2b3\nc2c3\n")
				f.mustRun(e, Options{})
			}
			for i, g := range f.games("e") {
				if want := [...]string{"a2a3", "b2b3", "c2c3"}[i/2]; len(g.Opening.Moves) != 1 || g.Opening.Moves[0] != want {
					t.Errorf("game %d: %v, want %s", i+1, g.Opening.Moves, want)
				}
			}
		})
	}
}

// A game of a worker that was revoked meanwhile is played again from its opening.
func TestLeaveOut(t *testing.T) {
	t.Parallel()
	f := setup(t)
	e := f.event("")
	plan, err := schedule.New(e)
	if err != nil {
		t.Fatal(err)
	}
	planned, _ := plan.Next()
	planned[0].Opening = arena.Opening{Moves: []string{"a2a3"}}
	came := make([]Outcome, 2)
	for i := range came {
		came[i] = Outcome{Game: planned[i], Begun: true}
		came[i].Game.Result, came[i].Game.Reason, came[i].Game.Worker = arena.Draw, arena.WinByRule, [...]string{"bad_1", "good_1"}[i]
	}
	r := &run{plan: plan}
	finished := r.leaveOut(came, "bad")
	if len(finished) != 1 || finished[0].Number != 2 || came[0].Begun || len(r.again) != 1 || !reflect.DeepEqual(r.again[0], planned[0]) {
		t.Errorf("%+v are recorded, %+v played again", finished, r.again)
	}
}
