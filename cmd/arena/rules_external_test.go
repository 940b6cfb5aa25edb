//go:build external

package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"botarena/engine/games"
)

// ownGames compiles the examples of rules in Go, into a folder of their own.
func ownGames(t *testing.T) (connect4, hex, examples string) {
	t.Helper()
	need(t, "python3", "python3")
	project, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command("go", "build", "-o", dir+"/", "./bots/examples/own_game/...")
	cmd.Dir = project
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "connect4"), filepath.Join(dir, "hex"), filepath.Join(project, "bots", "examples")
}

func TestExternalPerftConnect4(t *testing.T) {
	t.Parallel()
	connect4, _, examples := ownGames(t)
	known := []uint64{1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234}
	most := 8
	if testing.Short() {
		most = 7
	}
	for program, depth := range map[string]int{connect4: most, examples + "/own_game/connect4_rules.py": 4} {
		for d, want := range known[:depth+1] {
			stdout, stderr, code := arenaCommand(t, t.TempDir(), "perft", fmt.Sprint(d), "--rules", program)
			if code != exitDone || !strings.Contains(stdout, fmt.Sprintf(" depth %d: %d nodes ", d, want)) {
				t.Errorf("depth %d: exit code %d\n%s%s", d, code, stdout, stderr)
			}
		}
	}
}

// The rules in Python and in Go are the same: so are the events that are played by
// them, and no bot is at fault. What Go's programs play is better than anyhow.
func TestExternalOwnGames(t *testing.T) {
	t.Parallel()
	connect4, hex, examples := ownGames(t)
	for _, test := range []struct{ game, python, compiled string }{
		{"hex", "[python3, " + examples + "/own_game/hex_rules.py, '5']", "[" + hex + ", '5']"},
		{"connect4", "[python3, " + examples + "/own_game/connect4_rules.py]", "[" + connect4 + "]"},
	} {
		t.Run(test.game, func(t *testing.T) {
			t.Parallel()
			compiled := strings.Trim(test.compiled, "[]")
			stdout, stderr, code := arenaCommand(t, t.TempDir(), "check", "--rules", strings.NewReplacer(",", "", "'", "").Replace(compiled))
			if code != exitDone || !strings.Contains(stdout, " 0 warned, 0 failed") {
				t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
			}
			program := strings.NewReplacer(",", "", "'", "").Replace(compiled)
			stdout, stderr, code = arenaCommand(t, t.TempDir(), "check", program, "--rules", program, "--quick")
			if code != exitDone || !strings.Contains(stdout, " 0 failed") {
				t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
			}
			event := func(rules string) string {
				return fmt.Sprintf(`
game: {name: %s, rules: %s}
openings: {random: 3}
rounds: 5
seed: 3
bots:
  - {name: own, command: %s, options: {Seed: 1}}
  - {name: first, command: [python3, %s/python/first_bot.py]}
`, test.game, rules, test.compiled, examples)
			}
			first := playedEvent(t, t.TempDir(), event(test.python))
			checkNoFault(t, first, 10)
			second := playedEvent(t, t.TempDir(), event(test.compiled))
			if a, b := movesOf(first), movesOf(second); a != b {
				t.Errorf("by the rules in Python\n%s\nin Go\n%s", a, b)
			}
			if p := points(first, "own"); p < 7 {
				t.Errorf("the bot in Go made %v points of 10 against one that plays anyhow", p)
			}
		})
	}
}

// An event by the rules that arena knows, and by a bot of arena's that answers
// queries as the program of its rules, leave the same record but for the name of the
// game, whatever the game.
func TestExternalSameRecord(t *testing.T) {
	t.Parallel()
	for _, name := range append(games.All().Names(), "breakthrough:5x4", "breakthrough:12x10") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			record := func(game string) string {
				dir := t.TempDir()
				rounds := "2"
				if name == "breakthrough:5x4" {
					rounds = "30" // more games than are planned at once
				}
				fileIn(t, dir, "event.yaml", "event: same\ngame: "+game+"\nrounds: "+rounds+`
openings: {random: 3}
seed: 7
clock: {nodes: 40}
max_plies: 40
concurrency: 2
pin: off
bots: [{builtin: random}, {builtin: minimax}]
`)
				if stdout, stderr, code := arenaCommand(t, dir, "run", "event.yaml", "-q"); code != exitDone {
					t.Fatalf("exit code %d\n%s%s", code, stderr, stdout)
				}
				stdout, stderr, code := arenaCommand(t, dir, "export", "--format", "jsonl")
				if code != exitDone {
					t.Fatalf("exit code %d\n%s", code, stderr)
				}
				return timeless(t, stdout)
			}
			own := record(name)
			program := record(fmt.Sprintf("{name: %q, rules: [arena, bot, random, --game, %q]}", name, name))
			if own != program {
				t.Errorf("by arena's own rules\n%s\nby the program\n%s", own, program)
			}
		})
	}
}

// timeless are exported games without what is another time each time, and without the
// event's own words.
func timeless(t *testing.T, games string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(games) {
		var game map[string]any
		if err := json.Unmarshal([]byte(line), &game); err != nil {
			t.Fatal(err)
		}
		for key := range game {
			if strings.HasSuffix(key, "seconds") || key == "start" || key == "config" {
				delete(game, key)
			}
		}
		name, ok := game["game"].(string)
		moves, list := game["moves"].([]any)
		if !ok || !list || len(moves) == 0 {
			t.Fatalf("no game or no moves: %s", line)
		}
		game["game"], _, _ = strings.Cut(name, "@")
		for _, m := range moves {
			if m, ok := m.(map[string]any); ok {
				delete(m, "time")
			}
		}
		text, err := json.Marshal(game)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(text, '\n'))
	}
	return b.String()
}
