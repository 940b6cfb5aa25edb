package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"botarena/arena"
)

// While an import reads its games, which may take long, an event that runs records
// its results.
func TestImportLetsOthersWrite(t *testing.T) {
	s := openTest(t)
	other, err := Open(t.Context(), s.Path(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	runs := testEvent("runs", "a", "b")
	h, err := other.Create(t.Context(), runs, []byte("c"), me(t))
	if err == nil {
		err = h.Append(t.Context(), plan(runs, 3))
	}
	if err != nil {
		t.Fatal(err)
	}
	e := testEvent("e", "a", "b")
	games := plan(e, 3)
	for i := range games {
		games[i].Result, games[i].Reason, games[i].Moves = arena.FirstWins, arena.WinByRule, someMoves(5)
	}
	finished := 0
	list := Import{Event: e, Config: []byte("c"), Games: func(yield func(*arena.Game, error) bool) {
		for i := range games {
			g := plan(runs, 3)[i]
			g.Result, g.Reason = arena.FirstWins, arena.WinByRule
			if err := h.Finish(t.Context(), &g); err != nil {
				t.Errorf("a result during the import: %v", err)
				return
			}
			finished++
			if !yield(&games[i], nil) {
				return
			}
		}
	}}
	if err := s.Import(t.Context(), []Import{list}, me(t)); err != nil || finished != 3 {
		t.Errorf("%d results, %v", finished, err)
	}
	for _, name := range []string{"runs", "e"} {
		if ev, err := s.Event(t.Context(), name); err != nil || ev.Played != 3 {
			t.Errorf("%+v, %v", ev, err)
		}
	}
}

// An import records what playing the same games does.
func TestImportRecordsAsPlayingDoes(t *testing.T) {
	e := testEvent("e", "a", "b", "c")
	games := plan(e, 12)
	for i := range games {
		g := &games[i]
		g.Result, g.Reason, g.Moves, g.Plies = []arena.Result{arena.FirstWins, arena.Draw, arena.SecondWins}[i%3], arena.WinByRule, someMoves(i), i
		if i%4 == 1 {
			g.Reason, g.Blame, g.Result = arena.Crash, g.Second, arena.FirstWins
		}
		g.Start, g.Wall = time.UnixMicro(1_700_000_000_000_000+int64(i)).UTC(), time.Duration(i)*time.Second
	}
	played, imports := openTest(t), openTest(t)
	h, err := played.Create(t.Context(), e, []byte("c"), me(t))
	if err == nil {
		err = h.Append(t.Context(), plan(e, 12))
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range games {
		if err := h.Finish(t.Context(), &games[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := imports.Import(t.Context(), []Import{imported(e, games)}, me(t)); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{
		"SELECT * FROM games ORDER BY id", "SELECT * FROM moves ORDER BY game", "SELECT * FROM elo ORDER BY event, number, side",
		"SELECT * FROM entries ORDER BY event, seat", "SELECT * FROM endings ORDER BY 1, 2, 3, 4, 5, 6, 7", "SELECT * FROM pairs ORDER BY 1, 2, 3, 4",
		"SELECT * FROM repeats ORDER BY 1, 2, 3", "SELECT rated FROM events",
	} {
		if a, b := rowsOf(t, played, query), rowsOf(t, imports, query); a != b {
			t.Errorf("%s:\nplayed\n%simported\n%s", query, a, b)
		}
	}
}

// rowsOf returns the rows of a query as text.
func rowsOf(t *testing.T, s *Store, query string) string {
	t.Helper()
	rows, err := s.read.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for rows.Next() {
		values, at := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			at[i] = &values[i]
		}
		if err := rows.Scan(at...); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&out, values...)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
