//go:build unix

package event

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/process"
	"botarena/arena/store"
)

// An event is held before it is looked at and before anything is built.
func TestHeldBeforeBuilt(t *testing.T) {
	t.Parallel()
	f := setup(t)
	const text = "bots:\n  - {name: a, builtin: random}\n  - {name: b, builtin: random}\n"
	e := f.event(text)
	f.mustRun(e, Options{})
	hold, err := f.Store.Acquire(t.Context(), "e", f.Self)
	if err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(f.folder, "made")
	more := f.event(text + "  - {name: c, command: [SELF, bot, random], build: [touch, " + made + "]}\n")
	var held *store.HeldError
	if _, err := f.Run(t.Context(), more, Options{Extend: true}); !errors.As(err, &held) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(made); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("built while another holds the event: %v", err)
	}
	if err := hold.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.mustRun(more, Options{Extend: true})
	if _, err := os.Stat(made); err != nil {
		t.Error(err)
	}
	if ev, err := f.Store.Event(t.Context(), "e"); err != nil || ev.Holder != nil || ev.Played != 6 {
		t.Errorf("%+v, %v", ev, err)
	}
}

// A build command has a limit of time, its output is cut, and it can be
// interrupted.
func TestBuild(t *testing.T) {
	t.Parallel()
	event := func(f *fixture, script string) arena.Event {
		return f.event(fmt.Sprintf(`
bots:
  - {name: a, builtin: random}
  - {name: b, command: [SELF, bot, random], build: [sh, -c, %q]}
`, script))
	}
	f := setup(t)
	f.Patience.Build = 200 * time.Millisecond
	_, err := f.Run(t.Context(), event(f, "echo working; sleep 600 & sleep 600"), Options{})
	var bots *BotsError
	if !errors.As(err, &bots) || !strings.Contains(err.Error(), "longer than its limit of 200ms") || !strings.Contains(err.Error(), "working") {
		t.Errorf("got %v", err)
	}
	f.Patience.Build = 0
	_, err = f.Run(t.Context(), event(f, "yes | head -c 20000000; echo the end; exit 3"), Options{})
	if !errors.As(err, &bots) || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(err.Error(), "the end") || len(err.Error()) > 2000 {
		t.Errorf("got %.3000v", err)
	}
	soft := make(chan struct{})
	f.Observe = func(u Update) {
		if u.Kind == Building {
			close(soft)
		}
	}
	if _, err = f.Run(t.Context(), event(f, "sleep 600"), Options{Soft: soft}); !errors.Is(err, ErrInterrupted) {
		t.Errorf("got %v", err)
	}
	if list, err := f.Store.Events(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("recorded %+v, %v", list, err)
	}
}

// More bots than the machine can have at once are refused before any starts.
func TestTooManyBots(t *testing.T) {
	t.Parallel()
	f := setup(t)
	e := f.event(`
concurrency: 4000
`)
	_, err := f.Run(t.Context(), e, Options{})
	var capacity *process.CapacityError
	if !errors.As(err, &capacity) || !strings.Contains(err.Error(), "lower concurrency") {
		t.Errorf("got %v", err)
	}
}

// shellBot writes a bot in sh that plays the first legal move; more are further
// cases of what it reads, and last what it does at the end of its input.
func (f *fixture) shellBot(name, more, last string) {
	f.t.Helper()
	text := `while read -r word rest; do
	case $word in
	` + more + `
	ugi) echo "option name UGI_LegalMoves type check default false"; echo ugiok;;
	isready) echo readyok;;
	legal) set -- $rest; move=$1;;
	go) echo "bestmove $move";;
	esac
done
` + last + "\n"
	if err := os.WriteFile(filepath.Join(f.folder, name), []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// Processes are kept as long as the machine has room for them.
func TestProcessesAreKept(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.shellBot("bot.sh", "", "") // which starts sooner than any other
	const many = fewProcesses + 2
	text := "event: e%d\ngame: breakthrough:5x5\nformat: swiss\nrounds: 1\nclock: {depth: 1}\nconcurrency: 1\nbots:\n"
	for i := range many {
		text += fmt.Sprintf("  - {name: b%d, command: [sh, bot.sh]}\n", i)
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
	if n := starts.Load(); n <= many {
		t.Errorf("%d starts of %d bots although memory is short", n, many)
	}
}
