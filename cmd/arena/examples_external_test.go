//go:build external

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// exampleEvent copies the examples to dir, as their readers do, and returns the
// entries of the first bots, which need no rules.
func exampleEvent(t *testing.T, dir string) (firstBots string) {
	t.Helper()
	need(t, "gcc", "gcc")
	need(t, "g++", "g++")
	need(t, "rustc", "rustc")
	need(t, "javac", "default-jdk-headless")
	need(t, "node", "nodejs")
	need(t, "python3", "python3")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "bots", "examples"))); err != nil {
		t.Fatal(err)
	}
	return `
bots:
  - {name: python, command: python3 first_bot.py, dir: python}
  - {name: javascript, command: node first_bot.js, dir: javascript}
  - {name: c, build: gcc -O2 -Wall -Wextra -Werror -o first_bot first_bot.c, command: ./first_bot, dir: c}
  - {name: cpp, build: g++ -std=c++17 -O2 -Wall -Wextra -Werror -o first_bot first_bot.cpp, command: ./first_bot, dir: cpp}
  - {name: rust, build: rustc -O -D warnings -o first_bot first_bot.rs, command: ./first_bot, dir: rust}
  - {name: java, build: javac -Xlint:all -Werror FirstBot.java, command: java FirstBot, dir: java}
  - {name: go, build: go build -o first_bot main.go, command: ./first_bot, dir: go/first_bot}
`
}

// The search bots know Breakthrough; the Go one is part of this module.
func searchBots(t *testing.T, dir string) string {
	t.Helper()
	project, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`  - {name: search-python, command: python3 breakthrough_bot.py, dir: python}
  - {name: search-go, build: go build -o %[1]s/search ./bots/examples/go/breakthrough_bot, command: %[1]s/search, dir: %[2]s}
`, dir, project)
}

func TestExternalExamplesBreakthrough(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bots := exampleEvent(t, dir) + searchBots(t, dir)
	games := playedEvent(t, dir, "game: breakthrough:6x6\nseed: 1\nopenings: {random: 2}\nclock: {move: 50ms, margin: 5s}\nconcurrency: 2"+bots)
	checkNoFault(t, games, 72)
	for _, bot := range []string{"search-python", "search-go"} {
		for i := range games {
			g := &games[i]
			other := strings.TrimPrefix(g.First+g.Second, bot)
			if other = strings.TrimSuffix(other, bot); g.First != bot && g.Second != bot || strings.HasPrefix(other, "search") {
				continue
			}
			if (g.Result == "1-0") != (g.First == bot) {
				t.Errorf("game %d: %s does not beat %s, which plays at random", g.Number, bot, other)
			}
		}
	}
}

func TestExternalExamplesAnyGame(t *testing.T) {
	t.Parallel()
	for _, game := range []string{"outwit", "owlman", "chess"} {
		t.Run(game, func(t *testing.T) {
			dir := t.TempDir()
			bots := exampleEvent(t, dir)
			games := playedEvent(t, dir, "game: "+game+"\nseed: 1\nclock: {base: 10s, increment: 100ms, margin: 1s}\nconcurrency: 2"+bots)
			checkNoFault(t, games, 42)
		})
	}
}

// Authors are told to check their bots: the examples must pass.
func TestExternalExamplesCheck(t *testing.T) {
	dir := t.TempDir()
	bots := exampleEvent(t, dir) + searchBots(t, dir)
	fileIn(t, dir, "build.yaml", "game: breakthrough:6x6\nclock: {depth: 1}"+bots)
	if stdout, stderr, code := arenaCommand(t, dir, "run", "build.yaml", "--quiet"); code != exitDone {
		t.Fatalf("exit code %d\n%s%s", code, stderr, stdout)
	}
	for _, bot := range []string{
		"python/first_bot.py", "javascript/first_bot.js", "c/first_bot", "cpp/first_bot", "rust/first_bot",
		"java -cp java FirstBot", "java/FirstBot.java", "go/first_bot/first_bot",
		"python/breakthrough_bot.py --game breakthrough", "./search --game breakthrough",
	} {
		t.Run(bot, func(t *testing.T) {
			command, game, _ := strings.Cut(bot, " --game ")
			args := []string{"check", command}
			if testing.Short() {
				args = append(args, "--quick")
			}
			if game != "" {
				args = append(args, "--game", game)
			}
			if stdout, stderr, code := arenaCommand(t, dir, args...); code != exitDone {
				t.Errorf("exit code %d\n%s%s", code, stderr, stdout)
			}
			// They learn which game they play, and on which board.
			const told = "> setoption name UGI_Variant value breakthrough:6x6\n"
			if stdout, stderr, _ := arenaCommand(t, dir, "debug", command, "--game", "breakthrough:6x6"); !strings.Contains(stdout, told) {
				t.Errorf("it is not told the board\n%s%s", stderr, stdout)
			}
		})
	}
}
