//go:build external

package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// foreignProgram is the beginning of a program for a machine that this one is not.
func foreignProgram(t *testing.T) []byte {
	t.Helper()
	machine := elf.EM_AARCH64
	if runtime.GOARCH == "arm64" {
		machine = elf.EM_X86_64
	}
	h := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT), Ehsize: 64, Phentsize: 56, Shentsize: 64}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, &h); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A bot that is installed on the machines: a worker that has another one refuses the event
// with what to try, and one that has it plays the same games as are played here alone.
func TestExternalFleetTravel(t *testing.T) {
	t.Parallel()
	y := newYard(t, `
event: e
game: breakthrough:5x5
seed: 5
clock: {nodes: 10, margin: 10s}
handshake: 60s
pin: off
rounds: 2
openings: {random: 2}
bots:
  - {name: sent, command: [python3, first_bot.py]}
  - {name: installed, command: installed_bot, fleet: installed}
  - {name: b, builtin: greedy}
`)
	script, err := os.ReadFile(filepath.Join("..", "..", "bots", "examples", "python", "first_bot.py"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"first_bot.py": script}
	own := append([]byte("#!/usr/bin/env python3\n"), script...)
	files["here/installed_bot"], files["there/installed_bot"] = own, own
	files["other/installed_bot"] = append(own, "# another one\n"...)
	for name, data := range files {
		file := filepath.Join(y.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o755); err != nil { //nolint:gosec // programs
			t.Fatal(err)
		}
	}
	at := func(dir string) []string {
		return []string{"env", "PATH=" + filepath.Join(y.dir, dir) + string(filepath.ListSeparator) + os.Getenv("PATH")}
	}
	alone := y.startBy(at("here"), "run", "event.yaml", "--quiet", "--db", "whole.db")
	if code := y.wait(alone); code != exitDone {
		t.Fatalf("alone it ends with %d:\n%s", code, alone.log.String())
	}
	want := y.export("whole.db")
	c := y.startBy(at("here"), "run", "event.yaml", fmt.Sprintf("--fleet=127.0.0.1:%d", y.port), "--local", "0")
	c.says(t, "no games are played until a worker joins")
	elsewhere := &place{t: t, dir: t.TempDir(), mark: y.mark}
	join := func(dir string, more ...string) *child {
		w := elsewhere.startBy(at(dir), append([]string{
			"worker", "--join", y.url(), "--key", filepath.Join(y.dir, "results", "fleet", "here.key"),
			"--cache", filepath.Join(elsewhere.dir, "cache"), "--slots", "1",
		}, more...)...)
		y.workers = append(y.workers, w)
		return w
	}
	join("other").says(t, `bot "installed": what is installed here is another program, or what its arguments name differs; install the same one, or let it be sent (fleet: bundle)`)
	c.says(t, `cannot play: bot "installed": what is installed`)
	join("there").says(t, "playing e, 1 game at once")
	y.finish(c, want)
	y.dismiss()
	if n := strings.Count(want, "[Event "); n != 12 {
		t.Errorf("%d games:\n%s", n, want)
	}
	for _, g := range y.games() {
		if g.Worker != "here" || g.Blame != "" {
			t.Errorf("game %d at %q: %s: %s", g.Number, g.Worker, g.Reason, g.Detail)
		}
	}
}

// A bot that has no program for a worker's platform is refused with what to write.
func TestExternalFleetNoProgram(t *testing.T) {
	t.Parallel()
	foreign := "arm64"
	if runtime.GOARCH == foreign {
		foreign = "amd64"
	}
	y := newYard(t, fleetEvent("breakthrough:5x5", "rounds: 1\nbots:\n  - {name: a, command: ./foreign}\n  - {name: b, builtin: random}\n"))
	if err := os.WriteFile(filepath.Join(y.dir, "foreign"), foreignProgram(t), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	c := y.coordinate("--local", "0")
	c.says(t, "workers join with")
	y.hire(1)
	y.workers[0].says(t, fmt.Sprintf(`bot "a": its program is for linux/%s, and this machine is %s/%s; install one here`, foreign, runtime.GOOS, runtime.GOARCH))
	y.dismiss()
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := y.wait(c); code != exitInterrupted {
		t.Errorf("it ends with %d:\n%s", code, c.log.String())
	}
	if log := c.log.String(); !strings.Contains(log, fmt.Sprintf("go on with: arena run event.yaml --fleet=127.0.0.1:%d --local=0", y.port)) {
		t.Errorf("%s", log)
	}
}

// Games that end by exact tables are the same on a fleet: a worker without these tables
// refuses the event with what to type, and one that has computed them plays.
func TestExternalFleetTables(t *testing.T) {
	t.Parallel()
	y := newYard(t, fleetEvent("breakthrough:4x4", "rounds: 4\nadjudicate: {tables: true}\n"+fourBots))
	at := func(name string) []string { return []string{"env", "XDG_CACHE_HOME=" + filepath.Join(y.dir, name)} }
	do := func(where string, args ...string) {
		t.Helper()
		if c := y.startBy(at(where), args...); y.wait(c) != exitDone {
			t.Fatalf("%q: %s", args, c.log.String())
		}
	}
	do("here", "solve", "breakthrough:4x4")
	do("here", "run", "event.yaml", "--quiet", "--db", "whole.db")
	want := y.export("whole.db")
	if n := strings.Count(want, `[Termination "adjudication"]`); n < 20 {
		t.Fatalf("few games are ended by tables:\n%s", want)
	}
	c := y.startBy(at("here"), "run", "event.yaml", fmt.Sprintf("--fleet=127.0.0.1:%d", y.port), "--local", "0")
	c.says(t, "workers join with")
	join := func(where string) *child {
		w := y.startBy(at(where), "worker", "--join", y.url(), "--slots", "1")
		y.workers = append(y.workers, w)
		return w
	}
	join("there").says(t, "adjudicate: tables: there are no tables of breakthrough:4x4 in "+filepath.Join(y.dir, "there"))
	c.says(t, "`arena solve breakthrough:4x4` computes them")
	do("there too", "solve", "breakthrough:4x4")
	join("there too").says(t, "playing e")
	y.finish(c, want)
	y.dismiss()
}
