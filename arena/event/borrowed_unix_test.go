// Windows keeps a folder that a program runs in: it cannot go away there.

//go:build unix

package event

import (
	"os"
	"path/filepath"
	"testing"

	"botarena/arena"
)

// A bot whose files are gone is at fault where they are its own; where they were lent to
// this machine, the machine is.
func TestFilesGone(t *testing.T) {
	t.Parallel()
	for _, borrowed := range []bool{false, true} {
		f := setup(t)
		dir := filepath.Join(t.TempDir(), "lent")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		e := f.event(`
event: gone
game: breakthrough:5x5
concurrency: 1
clock: {depth: 1}
bots: [{name: a, builtin: random, restart: every-game}, {name: b, builtin: random}]
`)
		e.Bots[0].Dir = dir
		rules, err := f.Catalog.Lookup(e.Game)
		if err != nil {
			t.Fatal(err)
		}
		work := Work{Event: e, Game: rules, Warn: func(string) {}, Borrowed: borrowed}
		workers, err := NewLocal(f.Runner, work)
		if err != nil {
			t.Fatal(err)
		}
		if err := workers.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		var last Outcome
		for n := range 2 { // the first one may be played by the process that was tried out
			workers.Games() <- arena.Game{Event: "gone", Number: n + 1, Pair: 1, Round: 1, Game: e.Game, First: "a", Second: "b"}
			last = <-workers.Outcomes()
		}
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
	dir := filepath.Join(t.TempDir(), "lent")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	e := f.event(`
event: gone
game: breakthrough:5x5
concurrency: 1
clock: {depth: 1}
bots:
  - {name: a, command: [sh, -c, "test -e ../again && rmdir $PWD; touch ../again; exit 3"]}
  - {name: b, builtin: random}
`)
	e.Bots[0].Dir = dir
	rules, err := f.Catalog.Lookup(e.Game)
	if err != nil {
		t.Fatal(err)
	}
	workers, err := NewLocal(f.Runner, Work{Event: e, Game: rules, Warn: func(string) {}, Borrowed: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := workers.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	workers.Games() <- arena.Game{Event: "gone", Number: 1, Pair: 1, Round: 1, Game: e.Game, First: "a", Second: "b"}
	o := <-workers.Outcomes()
	workers.Close()
	if o.Err == nil {
		t.Errorf("%s by %q: %s", o.Game.Reason, o.Game.Blame, o.Game.Detail)
	}
}
