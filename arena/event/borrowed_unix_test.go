// Windows keeps a folder that a program runs in: it cannot go away there.

//go:build unix

package event

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"botarena/arena"
)

// lend makes a folder for the first bot of an event, and the workers that play it.
func (f *fixture) lend(e arena.Event, borrowed bool) (workers Workers, dir string) {
	f.t.Helper()
	dir = filepath.Join(f.t.TempDir(), "lent")
	e.Bots[0].Dir = dir
	err := os.Mkdir(dir, 0o755)
	rules, lookupErr := f.Catalog.Lookup(e.Game)
	if err = errors.Join(err, lookupErr); err == nil {
		workers, err = NewLocal(f.Runner, Work{Event: e, Game: rules, Warn: func(string) {}, Borrowed: borrowed})
	}
	if err == nil {
		err = workers.Start(f.t.Context())
	}
	if err != nil {
		f.t.Fatal(err)
	}
	return workers, dir
}

// outcome plays a game between a and b.
func outcome(workers Workers, number int) Outcome {
	workers.Games() <- arena.Game{Event: "e", Number: number, Pair: 1, Round: 1, Game: "breakthrough:5x5", First: "a", Second: "b"}
	return <-workers.Outcomes()
}

// A bot whose files are gone is at fault where they are its own; where they were lent to
// this machine, the machine is.
func TestFilesGone(t *testing.T) {
	t.Parallel()
	for _, borrowed := range []bool{false, true} {
		f := setup(t)
		workers, dir := f.lend(f.event("concurrency: 1\nbots: [{name: a, builtin: random, restart: every-game}, {name: b, builtin: random}]\n"), borrowed)
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		outcome(workers, 1) // it may be played by the process that was tried out
		last := outcome(workers, 2)
		workers.Close()
		if blamed := last.Game.Blame == "a"; blamed == borrowed || borrowed == (last.Err == nil) {
			t.Errorf("borrowed %v: %s by %s: %v", borrowed, last.Game.Reason, last.Game.Blame, last.Err)
		}
	}
}

// A bot that fails while its files vanish is at fault no more than one whose files are gone.
func TestFilesGoneMeanwhile(t *testing.T) {
	t.Parallel()
	f := setup(t)
	workers, _ := f.lend(f.event(`
concurrency: 1
bots:
  - {name: a, command: [sh, -c, "test -e ../again && rmdir $PWD; touch ../again; exit 3"]}
  - {name: b, builtin: random}
`), true)
	o := outcome(workers, 1)
	workers.Close()
	if o.Err == nil {
		t.Errorf("%s by %q: %s", o.Game.Reason, o.Game.Blame, o.Game.Detail)
	}
}
