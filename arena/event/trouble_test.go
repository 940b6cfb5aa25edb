package event

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/process"
)

// A machine without room for a process, for a while or for long, ends no event.
func TestBusyMachine(t *testing.T) {
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
event: e
game: breakthrough:5x5
rounds: 3
concurrency: 1
clock: {depth: 1}
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
	f := setup(t)
	e := f.event(`
event: e
game: breakthrough:5x5
clock: {depth: 1}
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

// An event whose bots all fail at once is not played to its end; one of whose bots
// does is.
func TestAllFail(t *testing.T) {
	const text = `
event: %s
game: breakthrough:5x5
rounds: 20
clock: {depth: 1}
concurrency: 1
bots:
  - {name: a, command: [SELF, worse, illegal-move], restart: every-game}
  - {name: b, %s}
`
	f := setup(t)
	summary, err := f.Run(t.Context(), f.event(fmt.Sprintf(text, "both", "command: [SELF, worse, illegal-move], restart: every-game")), Options{})
	var failing *FailingError
	if !errors.As(err, &failing) || summary.Played < mostFailing || summary.Played > mostFailing+4 || failing.Games != mostFailing ||
		!strings.Contains(err.Error(), "its bots fail at once") || !strings.Contains(err.Error(), "illegal move of b") {
		t.Errorf("%+v, %v, %+v", summary, err, f.games("both")[:4])
	}
	if summary := f.mustRun(f.event(fmt.Sprintf(text, "one", "builtin: random")), Options{}); summary.Played != 40 {
		t.Errorf("%+v", summary)
	}
}

func TestStreak(t *testing.T) {
	var s streak
	lost := func(first, second, blame string) int {
		return s.add(&arena.Game{First: first, Second: second, Blame: blame, Reason: arena.Crash})
	}
	for range mostFailing + 5 { // c is never at fault
		if lost("a", "c", "a") != 0 || lost("c", "b", "b") != 0 {
			t.Fatal("an honest bot is among them")
		}
	}
	if n := lost("a", "c", "c"); n != 2*mostFailing+11 {
		t.Errorf("%d games", n)
	}
	s.add(&arena.Game{First: "a", Second: "b", Plies: 1, Reason: arena.Crash, Blame: "a"})
	for range mostFailing/2 - 1 {
		lost("a", "b", "a")
		lost("b", "a", "b")
	}
	if lost("a", "b", "a") != 0 || lost("b", "a", "b") != mostFailing {
		t.Error("a move does not break the streak, or too early")
	}
}

// Processes are kept as long as the machine has room for them.
func TestProcessesAreKept(t *testing.T) {
	f := setup(t)
	const many = fewProcesses + 8
	text := "event: e%d\ngame: breakthrough:5x5\nformat: swiss\nrounds: 3\nclock: {depth: 1}\nconcurrency: 1\nbots:\n"
	for i := range many {
		text += fmt.Sprintf("  - {name: b%d, command: [SELF, bad, none]}\n", i)
	}
	var starts atomic.Int32
	f.start = func(ctx context.Context, spec process.Spec) (*process.Process, error) {
		starts.Add(1)
		return f.Starter.Start(ctx, spec)
	}
	f.memory = func() (float64, bool) { return 0.9, true }
	f.mustRun(f.event(fmt.Sprintf(text, 1)), Options{})
	if n := starts.Swap(0); n != many {
		t.Errorf("%d starts of %d bots with memory to spare", n, many)
	}
	f.memory = func() (float64, bool) { return 0.1, true }
	f.mustRun(f.event(fmt.Sprintf(text, 2)), Options{})
	if n := starts.Load(); n < many+8 {
		t.Errorf("%d starts of %d bots although memory is short", n, many)
	}
}

// A book that has changed is another event's; one that is gone matters where its
// openings are needed.
func TestBook(t *testing.T) {
	for format, needed := range map[string]bool{"match": false, "swiss": true} {
		t.Run(format, func(t *testing.T) {
			f := setup(t)
			file := filepath.Join(f.folder, "book.txt")
			write := func(text string) {
				if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			write("a2a3\nb2b3\nc2c3\n")
			e := f.event(`
event: e
game: breakthrough:5x5
format: ` + format + `
rounds: 3
clock: {depth: 1}
concurrency: 1
openings: {file: book.txt}
bots: [{name: a, builtin: random}, {name: b, builtin: random}]
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
