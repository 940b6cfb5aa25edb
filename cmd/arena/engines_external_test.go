//go:build external

package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Engines of Debian's that speak UCI, as an event file enters them.
func engines(protocol string) string {
	return strings.ReplaceAll(`bots:
  - {name: stockfish, command: stockfish, protocol: PROTOCOL}
  - {name: ethereal, command: ethereal-chess, protocol: PROTOCOL}
  - {name: glaurung, command: glaurung, protocol: PROTOCOL, options: {Threads: 1}}
  - {name: toga2, command: toga2, protocol: PROTOCOL, options: {Hash: 16}}
  - {name: gnuchess, command: gnuchess --uci, protocol: PROTOCOL}
  - {name: fairy-stockfish, command: fairy-stockfish, protocol: PROTOCOL}
`, "PROTOCOL", protocol)
}

func needEngines(t *testing.T) {
	t.Helper()
	need(t, "stockfish", "stockfish")
	need(t, "ethereal-chess", "ethereal-chess")
	need(t, "glaurung", "glaurung")
	need(t, "toga2", "toga2")
	need(t, "gnuchess", "gnuchess")
	need(t, "fairy-stockfish", "fairy-stockfish")
}

func TestExternalEnginesRoundRobin(t *testing.T) {
	needEngines(t)
	for _, protocol := range []string{"uci", "auto"} {
		t.Run(protocol, func(t *testing.T) {
			games := playedEvent(t, t.TempDir(), `
game: chess
rounds: 1
seed: 1
openings: {random: 4}
clock: {base: 100ms, increment: 2ms, margin: 1s}
concurrency: 2
`+engines(protocol))
			checkNoFault(t, games, 30)
		})
	}
}

// Engines of Debian's that speak xboard against others, found by auto and told.
func TestExternalXBoardEngines(t *testing.T) {
	needEngines(t)
	for _, program := range []string{"phalanx", "hoichess", "fairymax", "sjeng"} {
		need(t, program, program)
	}
	games := playedEvent(t, t.TempDir(), `
game: chess
rounds: 1
seed: 1
openings: {random: 4}
clock: {base: 500ms, increment: 10ms, margin: 2s}
concurrency: 2
bots:
  - {name: phalanx, command: phalanx}
  - {name: hoichess, command: hoichess}
  - {name: fairymax, command: fairymax, protocol: xboard}
  - {name: sjeng, command: sjeng, protocol: xboard}
  - {name: gnuchess, command: gnuchess, protocol: xboard, clock: {base: 2s, increment: 10ms, margin: 2s}}
  - {builtin: greedy}
`)
	checkNoFault(t, games, 30)
}

// The margin is for machines that are busy with more than this match.
func TestExternalEnginesMatch(t *testing.T) {
	needEngines(t)
	rounds := 100
	if testing.Short() {
		rounds = 30
	}
	dir := t.TempDir()
	games := playedEvent(t, dir, fmt.Sprintf(`
event: long
game: chess
format: match
rounds: %d
seed: 2
openings: {random: 6}
clock: {base: 100ms, increment: 2ms, margin: 1s}
concurrency: 2
bots:
  - {name: glaurung, command: glaurung, protocol: uci, options: {Threads: 1, OwnBook: false}}
  - {name: toga2, command: toga2, protocol: uci, options: {Hash: 16, OwnBook: false}}
`, rounds))
	checkNoFault(t, games, 2*rounds)
	checkPGN(t, dir, 2*rounds)
}

// checkPGN lets pgn-extract read the games of the database in dir.
func checkPGN(t *testing.T, dir string, games int) {
	t.Helper()
	need(t, "pgn-extract", "pgn-extract")
	for _, flags := range [][]string{nil, {"--comments"}} {
		_, stderr, code := arenaCommand(t, dir, append([]string{"export", "--format", "pgn", "--output", "games.pgn"}, flags...)...)
		if code != exitDone {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		cmd := exec.Command("pgn-extract", "-s", filepath.Join(dir, "games.pgn"))
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		if err := cmd.Run(); err != nil || said.Len() > 0 {
			t.Errorf("pgn-extract complains: %v\n%s", err, said.String())
		}
		if n := strings.Count(out.String(), "[Result "); n != games {
			t.Errorf("pgn-extract read %d of %d games", n, games)
		}
	}
}

// Engines that search a number of nodes play the same match again, whatever
// they played before in the same process: ucinewgame makes them forget.
func TestExternalEnginesRepeat(t *testing.T) {
	t.Parallel()
	need(t, "stockfish", "stockfish")
	need(t, "glaurung", "glaurung")
	const event = `
event: repeated
game: chess
format: match
rounds: 6
seed: 3
openings: {random: 6}
clock: {nodes: 2000}
bots:
  - {name: stockfish, command: stockfish, protocol: uci, options: {Threads: 1, Hash: 16}}
  - {name: glaurung, command: glaurung, protocol: uci, options: {Threads: 1, Hash: 16, OwnBook: false}}
`
	first := playedEvent(t, t.TempDir(), event, "--concurrency", "2")
	checkNoFault(t, first, 12)
	for name, other := range map[string]struct{ event, concurrency string }{
		"again":             {event, "2"},
		"one after another": {event, "1"},
		"new processes":     {event + "restart: every-game\n", "2"},
	} {
		t.Run(name, func(t *testing.T) {
			if again := playedEvent(t, t.TempDir(), other.event, "--concurrency", other.concurrency); movesOf(again) != movesOf(first) {
				t.Errorf("the games differ:\n%s\nfirst:\n%s", movesOf(again), movesOf(first))
			}
		})
	}
}

// A chess-variant engine plays Breakthrough by its UCI_Variant.
func TestExternalEnginesBreakthrough(t *testing.T) {
	need(t, "fairy-stockfish", "fairy-stockfish")
	const bots = `
clock: {base: 1s, increment: 10ms, margin: 1s}
bots:
  - {name: fairy, command: fairy-stockfish, protocol: auto}
  - {name: greedy, builtin: greedy}
`
	for name, openings := range map[string]string{
		"moves":     "openings: {random: 4}",
		"positions": "openings: {file: book.txt}",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			fileIn(t, dir, "book.txt", "pppp1ppp/pppppppp/4p3/8/8/3P4/PPPPPPPP/PPP1PPPP w\n1ppppppp/pppppppp/8/p7/8/8/PPPPPPPP/PPPPPPPP w\n")
			games := playedEvent(t, dir, "game: breakthrough\nrounds: 5\nseed: 4\n"+openings+bots)
			checkNoFault(t, games, 10)
			if p := points(games, "fairy"); p < 7 {
				t.Errorf("the engine made %v points of 10 against a greedy bot: does it play this game?", p)
			}
		})
	}
	for _, game := range []string{"breakthrough:6x6", "breakthrough:10x10", "outwit"} {
		t.Run(game, func(t *testing.T) {
			dir := t.TempDir()
			fileIn(t, dir, "event.yaml", "game: "+game+bots)
			stdout, stderr, code := arenaCommand(t, dir, "run", "event.yaml")
			if code != exitUsage || stdout != "" || !strings.Contains(stderr, `bot "fairy": it does not play `+game) {
				t.Errorf("exit code %d\n%s%s", code, stderr, stdout)
			}
		})
	}
}

// Stockfish's own bench is found, is the same again, and is compared.
func TestExternalBenchOfStockfish(t *testing.T) {
	t.Parallel()
	need(t, "stockfish", "stockfish")
	dir := t.TempDir()
	for _, want := range []string{"The first of this version", "The same as on"} {
		stdout, stderr, code := arenaCommand(t, dir, "bots", "bench", "stockfish")
		if code != 0 || !strings.Contains(stdout, "its own bench") || !strings.Contains(stdout, want) {
			t.Fatalf("exit code %d, no %q:\n%s%s", code, want, stdout, stderr)
		}
	}
	if stdout, stderr, code := arenaCommand(t, dir, "bots", "bench", "stockfish", "--expect", "1"); code != 1 || !strings.Contains(stderr, "not 1: it is another build") {
		t.Errorf("exit code %d:\n%s%s", code, stdout, stderr)
	}
	if stdout, stderr, code := arenaCommand(t, dir, "bots", "bench", "stockfish", "--positions", "--nodes", "2000"); code != 0 || !strings.Contains(stdout, "16 positions at 2000 nodes") {
		t.Errorf("exit code %d:\n%s%s", code, stdout, stderr)
	}
}
