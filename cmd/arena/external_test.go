//go:build external

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"botarena/arena/standings"
)

// need fails the test where a program is missing: these tests are about programs
// that others wrote, and say nothing without them.
func need(t *testing.T, program, debianPackage string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Fatalf("%s is not in PATH: install Debian's package %s (games are in /usr/games)", program, debianPackage)
	}
}

// arenaCommand runs arena as a person would and returns what it printed.
func arenaCommand(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command("arena", args...)
	cmd.Dir = dir
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("arena %s: %v", strings.Join(args, " "), err)
	}
	return out.String(), log.String(), cmd.ProcessState.ExitCode()
}

// playedEvent runs an event file in dir to its end and returns its games.
func playedEvent(t *testing.T, dir, event string, args ...string) []standings.GameLine {
	t.Helper()
	fileIn(t, dir, "event.yaml", event)
	stdout, stderr, code := arenaCommand(t, dir, append([]string{"run", "event.yaml"}, args...)...)
	if code != exitDone {
		t.Fatalf("exit code %d\n%s%s", code, stderr, stdout)
	}
	t.Log(stdout + stderr)
	stdout, stderr, code = arenaCommand(t, dir, "games", "--json")
	if code != exitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var games []standings.GameLine
	if err := json.Unmarshal([]byte(stdout), &games); err != nil {
		t.Fatal(err)
	}
	return games
}

// checkNoFault wants so many games, all decided on the board.
func checkNoFault(t *testing.T, games []standings.GameLine, want int) {
	t.Helper()
	if len(games) != want {
		t.Errorf("%d games, want %d", len(games), want)
	}
	reasons := map[string]int{}
	for i := range games {
		g := &games[i]
		reasons[g.Reason]++
		switch g.Reason {
		case "win by rule", "draw by rule", "move limit", "resign":
		default:
			t.Errorf("game %d, %s - %s: %s of %q: %s", g.Number, g.First, g.Second, g.Reason, g.Blame, g.Detail)
		}
		if g.Blame != "" || g.Void > 0 || len(g.Moves) == 0 && g.Reason != "resign" {
			t.Errorf("game %d: blame %q, %d void attempts, %d moves", g.Number, g.Blame, g.Void, len(g.Moves))
		}
	}
	t.Log(reasons)
}

// points are a bot's points over the games.
func points(games []standings.GameLine, bot string) float64 {
	sum := 0.0
	for i := range games {
		g := &games[i]
		switch {
		case g.First != bot && g.Second != bot:
		case g.Result == "1/2-1/2":
			sum += 0.5
		case (g.Result == "1-0") == (g.First == bot):
			sum++
		}
	}
	return sum
}

// movesOf are the games as text, for comparing whole matches.
func movesOf(games []standings.GameLine) string {
	var b strings.Builder
	for i := range games {
		g := &games[i]
		fmt.Fprintf(&b, "%d %s-%s %s: %s %s\n", g.Number, g.First, g.Second, g.Opening, strings.Join(g.Moves, " "), g.Result)
	}
	return b.String()
}

func fileIn(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
