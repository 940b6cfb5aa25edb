package tournament

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botarena/arena"
	"botarena/arena/session"
)

func TestProtocolLog(t *testing.T) {
	f := setup(t)
	f.mustRun(f.event(`
event: a/b
game: breakthrough:5x5
clock: {depth: 1}
log: protocol
bots:
  - {name: x, builtin: random}
  - {name: y, builtin: random}
`), Options{})
	paths := LogFiles(f.LogDir, "a/b", 2)
	text, err := os.ReadFile(paths.Protocol)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" > y: setoption name Seed value ", " > y: uginewgame\n", " > x: go depth 1\n", " < x: bestmove ", " < y: readyok\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if _, err := os.Stat(paths.Stderr[0]); !errors.Is(err, os.ErrNotExist) {
		t.Error("an empty log was made")
	}
}

func TestLogsAreCapped(t *testing.T) {
	var n notes
	dir := t.TempDir()
	l, err := openLogs(dir, "e", n.add)
	if err != nil {
		t.Fatal(err)
	}
	l.most = 10_000
	for number := 1; number <= 30; number++ {
		w := l.game(number)[0]
		for range 2 {
			if _, err := w.Write(make([]byte, 500)); err != nil {
				t.Fatal(err)
			}
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, "e"))
	if err != nil || len(entries) > 10 || len(entries) < 8 || entries[len(entries)-1].Name() != "000030.first.stderr" {
		t.Errorf("%d files, %v", len(entries), err)
	}
	again, err := openLogs(dir, "e", n.add)
	if err != nil || again.total != l.total || again.total != int64(1000*len(entries)) {
		t.Errorf("%d bytes counted, %d before, %v", again.total, l.total, err)
	}
	if notes := n.take(); notes != nil {
		t.Error(notes)
	}
	var d dialogue
	log := d.of(0)
	for i := range 200 {
		log(session.Line{Text: fmt.Appendf(nil, "%d %s", i, strings.Repeat("x", 60_000))})
	}
	d.save(l, &arena.Game{Number: 31})
	text, err := os.ReadFile(LogFiles(dir, "e", 31).Protocol)
	if err != nil || len(text) > 2*mostDialogue || !strings.Contains(string(text), ": 0 xx") || !strings.Contains(string(text), ": 199 xx") || strings.Contains(string(text), ": 60 xx") {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}
