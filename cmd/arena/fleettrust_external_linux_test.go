//go:build external

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A revoked worker is cut off at once, its games are taken back with a trail, and the
// others play them again: the event is the same as one that it never saw.
func TestExternalFleetRevoked(t *testing.T) {
	t.Parallel()
	y := newYard(t, fleetEvent("breakthrough:6x6", "rounds: 60\n"+fourBots))
	want := y.whole()
	c := y.coordinate("--local", "0")
	c.says(t, "workers join with")
	y.run(exitDone, "fleet", "invite", "attic")
	attic := y.start("worker", "--join", y.url(), "--key", "attic.key", "--slots", "1", "--name", "1")
	eventually(t, func() string {
		if out, _ := y.run(exitDone, "fleet", "list", "--csv"); !strings.Contains(out, "attic,there") {
			return out
		}
		if out, _ := y.run(exitDone, "export", "--format", "pgn"); strings.Count(out, "[Result \"1-0\"]") < 5 {
			return "few games yet"
		}
		return ""
	})
	out, _ := y.run(exitDone, "fleet", "revoke", "attic", "--reason", "it lies")
	if !strings.Contains(out, "worker attic is revoked") || !strings.Contains(out, "the run that is on takes them back") {
		t.Errorf("%s", out)
	}
	if code := y.wait(attic); code != exitFailed {
		t.Errorf("the revoked worker ends with %d", code)
	}
	attic.says(t, "the server does not know this key, or it was revoked")
	c.says(t, "worker attic was revoked: ")
	y.hire(1)
	y.finish(c, want)
	y.dismiss()
	out, _ = y.run(exitDone, "games", "voided", "e", "--csv")
	if n := strings.Count(out, "worker attic was revoked: it lies"); n < 5 {
		t.Errorf("%d games in the trail:\n%s", n, out)
	}
	out, _ = y.run(exitDone, "fleet", "list", "--csv")
	if !strings.Contains(out, "attic,revoked") || !strings.Contains(out, "here,") {
		t.Errorf("%s", out)
	}
	_, log := y.run(exitFailed, "worker", "--join", "tls://127.0.0.1:1", "--key", "attic.key", "--drain")
	if !strings.Contains(log, "join tls://127.0.0.1:1") {
		t.Errorf("%s", log)
	}
}

// A bot in Python and a compiled one play on a worker in another folder, with an
// empty cache, shut in: they see their own files and nothing else, and what was
// changed in the cache is fetched again.
func TestExternalFleetBundles(t *testing.T) {
	t.Parallel()
	bots := filepath.Join("..", "..", "bots", "examples")
	y := newYard(t, `
event: e
game: breakthrough:6x6
clock: {move: 50ms, margin: 10s}
rounds: 3
pin: off
openings: {random: 4}
bots:
  - {name: python, command: [python3, first_bot.py], dir: own}
  - {name: compiled, command: [./bin/compiled]}
  - {name: nosy, command: [python3, nosy.py, ../../../key], dir: nosy}
`)
	for _, dir := range []string{"own", "bin", "nosy"} {
		if err := os.Mkdir(filepath.Join(y.dir, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script, err := os.ReadFile(filepath.Join(bots, "python", "first_bot.py"))
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(y.dir, "secret")
	// The last argument is a text where the event is, and a file of the worker's owner.
	nosy := fmt.Sprintf("import os, socket, sys\nif os.path.exists(%q) or os.path.exists(sys.argv[1]) or os.path.exists(os.path.expanduser('~/.ssh')):\n    sys.exit('it sees')\n", secret) + string(script)
	for name, text := range map[string]string{"own/first_bot.py": string(script), "nosy/nosy.py": nosy, "secret": "x"} {
		if err := os.WriteFile(filepath.Join(y.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "build", "-o", filepath.Join(y.dir, "bin", "compiled"), "./"+filepath.ToSlash(filepath.Join(bots, "go", "breakthrough_bot")))
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cache := filepath.Join(t.TempDir(), "cache")
	if err := os.WriteFile(filepath.Join(filepath.Dir(cache), "key"), []byte("private\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	elsewhere := &place{t: t, dir: t.TempDir(), mark: y.mark}
	play := func() {
		t.Helper()
		c := y.coordinate("--local", "0")
		c.says(t, "workers join with")
		w := elsewhere.start("worker", "--join", y.url(), "--key", filepath.Join(y.dir, "results", "fleet", "here.key"), "--cache", cache, "--slots", "2", "--drain")
		if code := y.wait(c); code != exitDone {
			t.Fatalf("it ends with %d:\n%s\n%s", code, c.log.String(), w.log.String())
		}
		if code := y.wait(w); code != exitDone {
			t.Errorf("the worker ends with %d:\n%s", code, w.log.String())
		}
	}
	play()
	games := y.games()
	if len(games) != 18 {
		t.Fatalf("%d games", len(games))
	}
	for i := range games {
		if g := &games[i]; g.Blame != "" && g.Plies < 2 || g.Worker != "here" {
			t.Errorf("game %d at %q: %s: %s", g.Number, g.Worker, g.Reason, g.Detail)
		}
	}
	var names []string
	entries, err := os.ReadDir(cache)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && len(e.Name()) == 64 {
			names = append(names, e.Name())
		}
	}
	if len(names) != 3 {
		t.Fatalf("%q", names)
	}
	// Tampered with, it is fetched again.
	for _, name := range names {
		files, _ := filepath.Glob(filepath.Join(cache, name, "dir", "*"))
		for _, file := range slices.DeleteFunc(files, func(f string) bool { return !strings.HasSuffix(f, ".py") }) {
			if err := os.Chmod(file, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte("import sys; sys.exit('tampered with')"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(y.dir, "event.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	y.write("event.yaml", strings.Replace(string(text), "event: e", "event: again", 1))
	play()
	for _, g := range y.games() {
		if strings.Contains(g.Detail, "tampered") || strings.Contains(g.Detail, "it sees") {
			t.Errorf("game %d: %s", g.Number, g.Detail)
		}
	}
}

// A full disk under the cache costs that worker the event, with a word of why; others
// play it.
func TestExternalFleetCacheFull(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "none", disk).CombinedOutput(); err != nil {
		t.Fatalf("a small disk needs the right to mount one: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", disk).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	y := newYard(t, fleetEvent("breakthrough:5x5", "rounds: 2\nbots:\n  - {name: a, command: [python3, first_bot.py], dir: own}\n  - {name: b, builtin: random}\n"))
	if err := os.Mkdir(filepath.Join(y.dir, "own"), 0o755); err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join("..", "..", "bots", "examples", "python", "first_bot.py"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"first_bot.py": script, "net.bin": make([]byte, 1<<20)} {
		if err := os.WriteFile(filepath.Join(y.dir, "own", name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := y.coordinate("--local", "0")
	c.says(t, "workers join with")
	full := y.start("worker", "--join", y.url(), "--slots", "1", "--cache", filepath.Join(disk, "cache"))
	full.says(t, "no space left on device; make room there, or name another folder")
	y.more = []string{"--cache", filepath.Join(t.TempDir(), "cache")}
	y.hire(1)
	if code := y.wait(c); code != exitDone {
		t.Errorf("it ends with %d:\n%s", code, c.log.String())
	}
	y.workers = append(y.workers, full)
	y.dismiss()
}

// A worker whose cache vanishes gives the games back, pauses and says why; another one plays
// them, and the event is the same as one that was played here alone.
func TestExternalFleetCacheGone(t *testing.T) {
	t.Parallel()
	y := newYard(t, fleetEvent("breakthrough:5x5", "rounds: 10\nrestart: every-game\nbots:\n  - {name: a, command: [python3, first_bot.py], dir: own}\n  - {name: b, builtin: random}\n"))
	if err := os.Mkdir(filepath.Join(y.dir, "own"), 0o755); err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join("..", "..", "bots", "examples", "python", "first_bot.py"))
	if err != nil {
		t.Fatal(err)
	}
	y.write("own/first_bot.py", string(script))
	want := y.whole()
	c := y.coordinate("--local", "0")
	c.says(t, "workers join with")
	cache := filepath.Join(t.TempDir(), "cache")
	y.more = []string{"--cache", cache}
	y.hire(1)
	y.workers[0].says(t, "playing e")
	eventually(t, func() string {
		if len(y.games()) < 2 {
			return "few games yet"
		}
		return ""
	})
	if err := os.RemoveAll(cache); err != nil {
		t.Fatal(err)
	}
	y.workers[0].says(t, "event e is left alone for 30s: 3 jobs in a row could not be played here")
	c.says(t, "warning: worker here_w1 cannot play: game")
	y.more = []string{"--cache", filepath.Join(t.TempDir(), "cache")}
	y.hire(2)
	y.finish(c, want)
	y.dismiss()
}

// A game whose rules are a program is played by two workers that have nothing but
// what was sent, and is the same, byte for byte, as played here alone.
func TestExternalFleetRules(t *testing.T) {
	t.Parallel()
	y := newYard(t, `
event: e
game: {name: hex, rules: [python3, hex_rules.py, "4"]}
seed: 5
clock: {nodes: 10, margin: 10s}
handshake: 60s
pin: off
rounds: 4
openings: {random: 2}
bots:
  - {name: a, command: [python3, first_bot.py]}
  - {name: b, command: [python3, first_bot.py], options: {Seed: 9}}
`)
	for _, file := range []string{"own_game/hex_rules.py", "python/first_bot.py"} {
		script, err := os.ReadFile(filepath.Join("..", "..", "bots", "examples", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		y.write(filepath.Base(file), string(script))
	}
	want := y.whole()
	if n := strings.Count(want, "[Event "); n != 8 {
		t.Fatalf("%d games:\n%s", n, want)
	}
	c := y.coordinate("--local", "0")
	c.says(t, "workers join with")
	elsewhere := &place{t: t, dir: t.TempDir(), mark: y.mark}
	for i := range 2 {
		y.workers = append(y.workers, elsewhere.start("worker", "--join", y.url(), "--key", filepath.Join(y.dir, "results", "fleet", "here.key"),
			"--cache", filepath.Join(elsewhere.dir, "cache"), "--slots", "1", "--name", fmt.Sprint(i)))
	}
	y.finish(c, want)
	y.dismiss()
	for _, g := range y.games() {
		if g.Worker != "here" {
			t.Errorf("game %d was played by %q", g.Number, g.Worker)
		}
	}
}
