//go:build linux && external

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"botarena/arena/process"
	"botarena/arena/submission"
	"botarena/bots/examples"
)

// A student who downloads a starter kit and hands it in as it is has a bot in the league:
// in each language it passes the check in the sandbox, and plays without a fault.
func TestExternalStarterKits(t *testing.T) {
	dir := t.TempDir()
	exampleEvent(t, t.TempDir()) // all languages are there
	starter, err := process.NewStarter(process.Config{RunID: "kits", Environ: os.Environ(), Home: os.Getenv("HOME"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	builder, err := submission.New(t.Context(), submission.Config{Starter: starter, Path: os.Getenv("PATH")})
	if err != nil {
		t.Fatal(err)
	}
	var entries strings.Builder
	for _, l := range builder.Languages() {
		kit, err := submission.Kit(examples.FirstBots(), l.Name, submission.About{League: "autumn", Game: "breakthrough:6x6"})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, l.Name+".zip")
		if err := os.WriteFile(file, kit, 0o644); err != nil {
			t.Fatal(err)
		}
		source, to := filepath.Join(dir, "source", l.Name), filepath.Join(dir, "built", l.Name)
		if err := submission.Unpack(t.Context(), file, "kit.zip", source, submission.Limits{}); err != nil {
			t.Fatal(err)
		}
		plan, err := builder.Plan(source)
		if err != nil {
			t.Fatal(err)
		}
		bot, log, err := builder.Build(t.Context(), source, to, plan)
		if err != nil {
			t.Fatalf("%s: %v\n%s", l.Name, err, log)
		}
		fmt.Fprintf(&entries, "  - {name: %s, command: %s, dir: %s, sandbox: strict}\n", l.Name, strings.Join(bot.Command, " "), bot.Dir)
	}
	if err := starter.Close(); err != nil {
		t.Fatal(err)
	}
	games := playedEvent(t, dir, "game: breakthrough:6x6\nseed: 1\nclock: {base: 10s, increment: 100ms, margin: 1s}\nconcurrency: 2\nbots:\n"+entries.String())
	checkNoFault(t, games, 42)
	for _, l := range builder.Languages() {
		if stdout, stderr, code := arenaCommand(t, dir, "check", l.Name+".zip", "--sandbox", "strict", "--game", "breakthrough:6x6", "--quick"); code != exitDone {
			t.Errorf("%s: exit code %d\n%s%s", l.Name, code, stderr, stdout)
		}
	}
}
