//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// buildArena builds the program as people run it.
func buildArena(t *testing.T) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "arena")
	if out, err := exec.Command("go", "build", "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return exe
}

// playedGame is what of a game does not depend on when it was played.
type playedGame struct {
	Number, Round, Pair          int
	Stage, First, Second, Result string
	Opening                      string
	Moves                        []string
}

func playedGames(t *testing.T, exe, dir, event string) []playedGame {
	t.Helper()
	cmd := exec.Command(exe, "games", "--event", event, "--json")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("games: %v", err)
	}
	var list []playedGame
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// An event that is killed or interrupted again and again, and gone on with by
// the same command, has the very games of one that was left alone.
func TestResumeOfEveryFormat(t *testing.T) {
	exe := buildArena(t)
	const bots = `
openings: {random: 3}
clock: {nodes: 400}
concurrency: 2
grace: 200ms
bots:
  - {builtin: minimax}
  - {builtin: mcts}
  - {builtin: greedy}
  - {builtin: random}
  - {name: second, builtin: random}
`
	for format, settings := range map[string]string{
		"swiss":    "rounds: 4\n",
		"knockout": "rounds: 5\nknockout: {third_place: true}\n",
		"ladder":   "ladder: {games: 60}\n",
		"gauntlet": "rounds: 4\n",
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			alone, disturbed := t.TempDir(), t.TempDir()
			for _, dir := range []string{alone, disturbed} {
				text := "event: e\ngame: outwit\nformat: " + format + "\n" + settings + bots
				if err := os.WriteFile(filepath.Join(dir, "e.yaml"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(exe, "run", "e.yaml", "--quiet")
			cmd.Dir = alone
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			breaks := disturb(t, exe, disturbed)
			t.Logf("broken off %d times", breaks)
			want, got := playedGames(t, exe, alone, "e"), playedGames(t, exe, disturbed, "e")
			if len(got) != len(want) {
				t.Fatalf("%d games, and %d when left alone", len(got), len(want))
			}
			for i := range want {
				if fmt.Sprint(got[i]) != fmt.Sprint(want[i]) {
					t.Fatalf("game %d is %v, and when left alone %v", i+1, got[i], want[i])
				}
			}
		})
	}
}

// disturb runs the event to its end, killing or interrupting it after a random
// time, a little later each time. It returns how often.
func disturb(t *testing.T, exe, dir string) (breaks int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 5))
	for try := range 200 {
		cmd := exec.Command(exe, "run", "e.yaml", "--quiet")
		cmd.Dir = dir
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		signal := syscall.SIGKILL
		if try%3 == 2 {
			signal = syscall.SIGINT
		}
		timer := time.AfterFunc(time.Duration(80+try*20+rng.IntN(300))*time.Millisecond, func() { _ = cmd.Process.Signal(signal) })
		err := cmd.Wait()
		timer.Stop()
		var exit *exec.ExitError
		switch {
		case err == nil:
			return breaks
		case !errors.As(err, &exit):
			t.Fatal(err)
		case exit.ExitCode() == exitInterrupted, exit.Sys().(syscall.WaitStatus).Signaled():
			breaks++
		default:
			t.Fatalf("try %d: %v\n%s", try+1, err, stderr.String())
		}
	}
	t.Fatal("the event does not end")
	return breaks
}
