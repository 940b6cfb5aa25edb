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

// playedGame is what of a game does not depend on when it was played.
type playedGame struct {
	Number, Round, Pair          int
	Stage, First, Second, Result string
	Opening                      string
	Moves                        []string
}

func playedGames(t *testing.T, dir, event string) []playedGame {
	t.Helper()
	cmd := exec.Command("arena", "games", "--event", event, "--json")
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
	t.Parallel()
	resumeEveryFormat(t, "breakthrough:6x6", 6, map[string]string{
		"swiss":    "rounds: 3\n",
		"knockout": "rounds: 3\nknockout: {third_place: true}\n",
		"ladder":   "ladder: {games: 30}\n",
		"gauntlet": "rounds: 3\n",
	})
}

// resumeEveryFormat plays events of these formats and settings alone, and broken
// off so many times.
func resumeEveryFormat(t *testing.T, game string, breaks int, formats map[string]string) {
	t.Helper()
	const bots = `
openings: {random: 3}
clock: {nodes: 100}
concurrency: 2
grace: 200ms
bots:
  - {builtin: minimax}
  - {builtin: mcts}
  - {builtin: greedy}
  - {builtin: random}
  - {name: second, builtin: random}
`
	for format, settings := range formats {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			alone, disturbed := t.TempDir(), t.TempDir()
			for _, dir := range []string{alone, disturbed} {
				text := "event: e\ngame: " + game + "\nformat: " + format + "\n" + settings + bots
				if err := os.WriteFile(filepath.Join(dir, "e.yaml"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command("arena", "run", "e.yaml", "--quiet")
			cmd.Dir = alone
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if n := disturb(t, disturbed, breaks); n == 0 {
				t.Error("the event was never broken off")
			} else {
				t.Logf("broken off %d times", n)
			}
			want, got := playedGames(t, alone, "e"), playedGames(t, disturbed, "e")
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

// disturb runs the event to its end, but kills or interrupts it at random times,
// most times at the most: while it starts, plans or plays. It returns how often.
func disturb(t *testing.T, dir string, most int) (breaks int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 5))
	for try := 0; ; try++ {
		cmd := exec.Command("arena", "run", "e.yaml", "--quiet")
		cmd.Dir = dir
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var timer *time.Timer
		if breaks < most {
			signal := syscall.SIGKILL
			if try%3 == 2 {
				signal = syscall.SIGINT
			}
			after := time.Duration(30+rng.IntN(250)+20*try) * time.Millisecond
			timer = time.AfterFunc(after, func() { _ = cmd.Process.Signal(signal) })
		}
		err := cmd.Wait()
		if timer != nil {
			timer.Stop()
		}
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
}
