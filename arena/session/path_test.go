package session_test

import (
	"slices"
	"strings"
	"testing"

	"botarena/arena/session"
	"botarena/arena/session/sessiontest"
)

// positions are the position lines of a game that is played on a path, each
// before its move.
func positions(t *testing.T, path *session.Path, moves ...string) []string {
	t.Helper()
	var s session.Session
	var got []string
	for _, text := range moves {
		line := strings.TrimSuffix(string(s.AppendSetup(nil, path)), "\n")
		got = append(got, strings.TrimPrefix(line, "position "))
		m, err := path.Position.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		path.PlayText(m, text)
	}
	return got
}

func TestHistory(t *testing.T) {
	start := func(short bool) *session.Path {
		path := session.NewPath(sessiontest.Shuttle{Goal: 99})
		path.Short = short
		positions(t, path, "u", "u")
		return path
	}
	moves := []string{"u", "p", "d", "d", "p", "t"}
	want := []string{
		"startpos moves u u", "startpos moves u u u", "fen 1 3 r", "fen 1 3 r moves d", "fen 1 3 r moves d d", "fen 2 1 b",
	}
	if got := positions(t, start(true), moves...); !slices.Equal(got, want) {
		t.Errorf("short: got %q, want %q", got, want)
	}
	want = []string{
		"startpos moves u u", "startpos moves u u u", "startpos moves u u u p", "startpos moves u u u p d",
		"startpos moves u u u p d d", "startpos moves u u u p d d p",
	}
	if got := positions(t, start(false), moves...); !slices.Equal(got, want) {
		t.Errorf("full: got %q, want %q", got, want)
	}
}

// What was taken back is told no more, on a path from the start or from a position.
func TestUndo(t *testing.T) {
	game := sessiontest.Shuttle{Goal: 99}
	from, err := game.Parse("2 7 b")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[*session.Path]string{
		session.NewPath(game):  "startpos moves u p|startpos moves u|startpos",
		session.PathFrom(from): "fen 2 7 b moves u p|fen 2 7 b moves u|fen 2 7 b",
	} {
		positions(t, path, "u", "p")
		var got []string
		for more := true; more; more = path.Undo() {
			line := string((&session.Session{}).AppendSetup(nil, path))
			got = append(got, strings.TrimSpace(strings.TrimPrefix(line, "position ")))
		}
		if text := strings.Join(got, "|"); text != want {
			t.Errorf("got %q, want %q", text, want)
		}
	}
}

// The spelling that a bot used is kept only where it is the game's own.
func TestSpelling(t *testing.T) {
	path := session.NewPath(sessiontest.Shuttle{Goal: 99})
	if got := positions(t, path, "U", "d", "t")[2]; got != "startpos moves u d" {
		t.Errorf("got %q", got)
	}
}
