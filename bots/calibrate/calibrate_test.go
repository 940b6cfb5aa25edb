package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botarena/arena/config"
	"botarena/bots/builtin"
	"botarena/engine/games"
)

// The event that is played has random, greedy and every level once, and is one that
// arena accepts.
func TestEventIsValid(t *testing.T) {
	file := filepath.Join(t.TempDir(), "levels.yaml")
	if err := os.WriteFile(file, []byte(event("breakthrough:6x6", 3)), 0o644); err != nil {
		t.Fatal(err)
	}
	event, err := config.Load(file, config.Known{Catalog: games.All(), Builtins: builtin.Names()})
	if err != nil {
		t.Fatal(err)
	}
	if event.Game != "breakthrough:6x6" || event.Rounds != 3 || len(event.Bots) != builtin.Levels+2 {
		t.Errorf("%s, %d rounds, %d bots", event.Game, event.Rounds, len(event.Bots))
	}
}

// fake is an arena that plays nothing and shows a leaderboard.
const fake = `#!/bin/sh
case $1 in
run) echo "played $2" >&2 ;;
leaderboard) echo '{"bots":[{"bot":"level 2","elo":101.4,"error":20.2,"games":40},{"bot":"random","elo":-100,"error":21,"games":40},{"bot":"level 1","elo":0,"error":20,"games":40},{"bot":"greedy","elo":-1.4,"error":20,"games":40}]}' ;;
esac
`

// What a pool of one game says takes its place in the table; the others stay.
func TestWritesTheTable(t *testing.T) {
	dir := t.TempDir()
	arena, table := filepath.Join(dir, "arena"), filepath.Join(dir, "ratings.json")
	for file, text := range map[string]string{arena: fake, table: `{"chess":[{"Bot":"random","Level":0,"Elo":1,"Error":2,"Games":3}],"owlman":[]}`} {
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var out, log bytes.Buffer
	if err := run([]string{"-arena", "sh " + arena, "-dir", filepath.Join(dir, "levels"), "-file", table, "owlman"}, &out, &log); err != nil {
		t.Fatal(err, log.String())
	}
	if !strings.HasPrefix(out.String(), "owlman: from random up +100 +101") {
		t.Errorf("told %q", out.String())
	}
	data, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(data)), "")
	for _, want := range []string{
		`"chess":[{"Bot":"random","Level":0,"Elo":1,"Error":2,"Games":3}]`,
		`{"Bot":"minimax","Level":2,"Elo":101,"Error":20,"Games":40}`, `{"Bot":"greedy","Level":0,"Elo":-1,"Error":20,"Games":40}`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
}

func TestWrongUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"-rounds", "0", "owlman"}, {"-file", filepath.Join(t.TempDir(), "none"), "-dir", t.TempDir(), "owlman"}} {
		if err := run(args, io.Discard, io.Discard); err == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}
