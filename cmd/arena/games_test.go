package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"botarena/arena/store"
)

// A terminal is shown the last games alone, and told how to see the others.
func TestGamesOnATerminal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "arena.db")
	s, err := store.Open(t.Context(), path, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	total, err := largeEvent(t.Context(), s, "league", 3, 100)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flags string
		want  int
	}{{"", gamesOnTerminal}, {"--all", total}, {"--last 7", 7}, {"--markdown", gamesOnTerminal}, {"--csv", total}, {"--json", total}} {
		var out, errs bytes.Buffer
		code := run(context.Background(), append([]string{"games", "--db", path}, strings.Fields(c.flags)...), &app{
			in: &bytes.Buffer{}, out: &out, err: &errs,
			getenv:   func(string) string { return "" },
			now:      time.Now,
			terminal: func(io.Writer) (int, bool) { return 80, true },
		})
		if got := strings.Count(out.String(), "league"); code != exitDone || got != c.want {
			t.Errorf("%q: %d games, want %d; exit code %d\n%s", c.flags, got, c.want, code, errs.String())
		}
		more := fmt.Sprintf("Not shown: %d games before these; --all shows all", total-c.want)
		if strings.Contains(out.String(), "Not shown") != (c.want < total) || c.want < total && !strings.Contains(out.String(), more) {
			t.Errorf("%q: no %q in\n%s", c.flags, more, out.String())
		}
	}
}
