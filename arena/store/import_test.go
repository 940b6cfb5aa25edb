package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"botarena/arena"
)

func TestImport(t *testing.T) {
	s := openTest(t)
	ctx := t.Context()
	e, other := testEvent("e", "a", "b"), testEvent("f", "a", "b")
	games := plan(e, 5)
	for i := range games {
		games[i].Result, games[i].Reason, games[i].Moves = arena.FirstWins, arena.WinByRule, someMoves(5)
	}
	games = slices.Delete(games, 2, 3) // a number may be missing
	games[1].Attempts = 2
	games[3].Result = arena.Unplayed
	broken := errors.New("cannot be read")
	for name, events := range map[string][]Import{
		"a game without a result":    {imported(other, games[:3]), imported(e, games)},
		"numbers that do not ascend": {imported(e, []arena.Game{games[1], games[0]})},
		"a name twice":               {imported(e, games[:3]), imported(e, games[:3])},
		"a broken sequence": {imported(e, games[:3]), {Event: other, Config: []byte("c"), Games: func(yield func(*arena.Game, error) bool) {
			yield(nil, broken)
		}}},
	} {
		if err := s.Import(ctx, events, me(t)); err == nil {
			t.Errorf("%s was imported", name)
		}
		if list, err := s.Events(ctx); err != nil || len(list) != 0 {
			t.Errorf("%s: a failed import left %+v, %v", name, list, err)
		}
	}
	games[3].Result = arena.Draw
	must(t, s.Import(ctx, []Import{imported(other, games[:1]), imported(e, games)}, me(t)))
	ev, err := s.Event(ctx, "e")
	if err != nil || ev.State != Finished || ev.Played != 4 || ev.Voids != 2 || ev.Holder != nil || ev.Entries[0].Rated != 4 {
		t.Errorf("%+v, %v", ev, err)
	}
	list, err := s.Games(ctx, Filter{Event: "e", Moves: true})
	if err != nil || len(list) != 4 || list[2].Number != 4 || list[1].Attempts != 2 || len(list[3].Moves) != 5 {
		t.Errorf("%+v, %v", list, err)
	}
	if err := s.Import(ctx, []Import{imported(e, games)}, me(t)); !errors.Is(err, ErrExists) {
		t.Errorf("imported twice: %v", err)
	}
}

func imported(e arena.Event, games []arena.Game) Import {
	return Import{Event: e, Config: []byte("c"), Games: func(yield func(*arena.Game, error) bool) {
		for i := range games {
			if !yield(&games[i], nil) {
				return
			}
		}
	}}
}

// While an import reads its games, which may take long, an event that runs records
// its results.
func TestImportLetsOthersWrite(t *testing.T) {
	s := openTest(t)
	other := openAt(t, s.Path())
	runs := testEvent("runs", "a", "b")
	h, err := other.Create(t.Context(), runs, []byte("c"), me(t))
	if err == nil {
		err = h.Append(t.Context(), plan(runs, 3))
	}
	must(t, err)
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
		g.CPU, g.OffTurn = [2]time.Duration{time.Second, 2 * time.Second}, [2]time.Duration{time.Millisecond, 2 * time.Millisecond}
		g.Start, g.Wall = time.UnixMicro(1_700_000_000_000_000+int64(i)).UTC(), time.Duration(i)*time.Second
	}
	played, imports := openTest(t), openTest(t)
	h, err := played.Create(t.Context(), e, []byte("c"), me(t))
	if err == nil {
		err = h.Append(t.Context(), plan(e, 12))
	}
	must(t, err)
	for i := range games {
		must(t, h.Finish(t.Context(), &games[i]))
	}
	must(t, imports.Import(t.Context(), []Import{imported(e, games)}, me(t)))
	for _, query := range []string{
		"SELECT * FROM games ORDER BY id", "SELECT * FROM moves ORDER BY game",
		"SELECT * FROM entries ORDER BY event, seat", "SELECT * FROM endings ORDER BY 1, 2, 3, 4, 5, 6", "SELECT * FROM days ORDER BY 1, 2, 3, 4, 5, 6, 7", "SELECT * FROM pairs ORDER BY 1, 2, 3, 4",
		"SELECT * FROM repeats ORDER BY 1, 2, 3", "SELECT * FROM openings ORDER BY 1, 2, 3, 4, 5, 6", "SELECT rated FROM events",
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
	must(t, err)
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	must(t, err)
	var out strings.Builder
	for rows.Next() {
		values, at := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			at[i] = &values[i]
		}
		must(t, rows.Scan(at...))
		fmt.Fprintln(&out, values...)
	}
	must(t, rows.Err())
	return out.String()
}
