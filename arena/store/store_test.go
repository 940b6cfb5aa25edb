package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/process"
)

// tick is a clock that goes on a second each time it is read.
func tick() func() time.Time {
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	return func() time.Time {
		now = now.Add(time.Second)
		return now
	}
}

// openTest opens a new database.
func openTest(t testing.TB) *Store {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "results", "arena.db"))
}

// openAt opens a database until the test ends.
func openAt(t testing.TB, path string, options ...Option) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, time.Now, options...)
	must(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func me(t testing.TB) process.Identity {
	t.Helper()
	p, err := process.Self()
	must(t, err)
	return p
}

func testEvent(name string, bots ...string) arena.Event {
	e := config.Default()
	e.Name, e.Game = name, "breakthrough"
	for _, name := range bots {
		b := config.DefaultBot()
		b.Name, b.Builtin, b.Fingerprint = name, "random", "fp-"+name
		e.Bots = append(e.Bots, b)
	}
	return e
}

// plan makes n games between the bots of e, in pairs.
func plan(e arena.Event, n int) []arena.Game {
	var games []arena.Game
	for i := range n {
		k := len(e.Bots)
		a, b := i/2%k, (i/2+1+i/2/k%(k-1))%k
		if a == b {
			b = (b + 1) % k
		}
		if i%2 == 1 {
			a, b = b, a
		}
		games = append(games, arena.Game{
			Number: i + 1, Round: i/2 + 1, Pair: i/2 + 1, Game: e.Game, First: e.Bots[a].Name, Second: e.Bots[b].Name,
			Opening: arena.Opening{Moves: []string{"a2a3", "b7b6"}},
		})
	}
	return games
}

func results() []arena.Result {
	return []arena.Result{arena.FirstWins, arena.SecondWins, arena.Draw}
}

func create(t testing.TB, s *Store, e arena.Event, games int) *Hold {
	t.Helper()
	h, err := s.Create(t.Context(), e, []byte("config of "+e.Name), me(t))
	must(t, err)
	must(t, h.Append(t.Context(), plan(e, games)))
	return h
}

func TestRecordRoundTrip(t *testing.T) {
	s := openTest(t)
	ctx := t.Context()
	e := testEvent("spring", "a", "b")
	h := create(t, s, e, 2)
	ev, err := s.Event(ctx, "spring")
	must(t, err)
	if ev.State != Planned || ev.Games != 2 || ev.Played != 0 || string(ev.Config) != "config of spring" || ev.Holder == nil || ev.Elo != e.Elo {
		t.Errorf("planned event: %+v", ev)
	}
	g := arena.Game{
		Number: 2, Result: arena.SecondWins, Reason: arena.IllegalMove, Detail: "a2b9: no such square", Blame: "b",
		Plies: 3, Moves: someMoves(3), Start: time.UnixMicro(1714561234567890).UTC(), Wall: 1234567 * time.Microsecond,
		CPU: [2]time.Duration{5 * time.Microsecond, time.Second}, OffTurn: [2]time.Duration{3 * time.Microsecond, time.Minute},
	}
	if n, err := h.Void(ctx, 2, "the machine slept"); n != 1 || err != nil {
		t.Fatalf("void: %d, %v", n, err)
	}
	must(t, h.Finish(ctx, &g))
	list, err := s.Games(ctx, Filter{Event: "spring", Moves: true})
	must(t, err)
	if list[0].Hash != 0 || list[1].Hash == 0 {
		t.Errorf("hashes: %d without moves, %d with", list[0].Hash, list[1].Hash)
	}
	list[1].Hash = 0
	planned := plan(e, 2)
	want := []Game{{Game: planned[0], FirstVersion: 1, SecondVersion: 1}, {Game: g, FirstVersion: 1, SecondVersion: 1}}
	want[1].First, want[1].Second, want[1].Round, want[1].Pair = "b", "a", 1, 1
	want[1].Game.Game, want[1].Opening, want[1].Attempts = "breakthrough", planned[1].Opening, 1
	for i := range want {
		want[i].ID, want[i].Event = int64(i+1), "spring"
	}
	if !reflect.DeepEqual(list, want) {
		t.Errorf("games:\n%+v\nwant\n%+v", list, want)
	}
	if err := h.Done(ctx); err == nil || !strings.Contains(err.Error(), "1 games") {
		t.Errorf("done with an open game: %v", err)
	}
	must(t, h.Finish(ctx, &arena.Game{Number: 1, Result: arena.Draw, Reason: arena.MoveLimit}))
	must(t, h.Touch(ctx, 3*time.Second))
	must(t, h.Done(ctx))
	must(t, h.Release(ctx))
	if ev, err = s.Event(ctx, "spring"); err != nil {
		t.Fatal(err)
	}
	if ev.State != Finished || ev.Played != 2 || ev.Voids != 1 || ev.Holder != nil || ev.PlayTime != 3*time.Second || ev.Finished.IsZero() {
		t.Errorf("finished event: %+v", ev)
	}
	voids, err := s.Voids(ctx, "spring", 0)
	if err != nil || len(voids) != 1 || voids[0].Number != 2 || voids[0].Detail != "the machine slept" {
		t.Errorf("voids: %+v, %v", voids, err)
	}
	for name, f := range map[string]Filter{
		"by id": {ID: 2}, "by number": {Event: "spring", Number: 2},
	} {
		if list, err := s.Games(ctx, f); err != nil || len(list) != 1 || list[0].Number != 2 || list[0].Moves != nil {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
	}
	for name, c := range map[string]struct {
		f    Filter
		want int
	}{
		"bot": {Filter{Bot: "a"}, 2}, "no bot": {Filter{Bot: "z"}, 0}, "game": {Filter{Game: "breakthrough", Played: true}, 2},
		"other game": {Filter{Game: "owlman"}, 0}, "unplayed": {Filter{Unplayed: true}, 0},
	} {
		if list, err := s.Games(ctx, c.f); err != nil || len(list) != c.want {
			t.Errorf("%s: %d games, %v", name, len(list), err)
		}
	}
	stop := errors.New("enough")
	if err := s.Scan(ctx, Filter{}, func(*Game) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("scan: %v", err)
	}
	var unknown *UnknownEventError
	if _, err := s.Event(ctx, "sprong"); !errors.As(err, &unknown) || unknown.Nearest != "spring" {
		t.Errorf("unknown event: %v", err)
	}
}

func TestExactlyOnce(t *testing.T) {
	s := openTest(t)
	ctx := t.Context()
	h := create(t, s, testEvent("e", "a", "b"), 2)
	g := arena.Game{Number: 1, Result: arena.FirstWins, Reason: arena.WinByRule}
	must(t, h.Finish(ctx, &g))
	g.Result = arena.SecondWins
	if err := h.Finish(ctx, &g); !errors.Is(err, ErrPlayed) {
		t.Errorf("second result: %v", err)
	}
	if _, err := h.Void(ctx, 1, "late"); !errors.Is(err, ErrPlayed) {
		t.Errorf("void after the result: %v", err)
	}
	g.Number = 3
	if err := h.Finish(ctx, &g); err == nil || !strings.Contains(err.Error(), "no game 3") {
		t.Errorf("result of a game that is not planned: %v", err)
	}
	g.Number, g.Blame = 2, "z"
	if err := h.Finish(ctx, &g); err == nil {
		t.Error("a stranger was blamed")
	}
	// Whatever else writes to the file meets the same rule.
	if _, err := s.write.ExecContext(ctx, "UPDATE games SET result = '0-1' WHERE number = 1"); err == nil {
		t.Error("a result was changed")
	}
	if _, err := s.write.ExecContext(ctx, `INSERT INTO games (event, number, round, pair, stage, game, first, second, opening_name, opening_position, opening_moves)
		SELECT event, number, round, pair, stage, game, first, second, '', '', '' FROM games WHERE number = 1`); err == nil {
		t.Error("a game was planned twice")
	}
	if err := h.Append(ctx, plan(testEvent("e", "a", "b"), 1)); err == nil {
		t.Error("number 1 was planned again")
	}
	list, err := s.Games(ctx, Filter{})
	if err != nil || len(list) != 2 || list[0].Result != arena.FirstWins || list[1].Result != arena.Unplayed {
		t.Errorf("%+v, %v", list, err)
	}
	var held *HeldError
	if _, err := s.Create(ctx, testEvent("e", "a", "b"), []byte("c"), me(t)); !errors.As(err, &held) {
		t.Errorf("second event of one name, while the first is run: %v", err)
	}
	must(t, h.Release(ctx))
	if _, err := s.Create(ctx, testEvent("e", "a", "b"), []byte("c"), me(t)); !errors.Is(err, ErrExists) {
		t.Errorf("second event of one name: %v", err)
	}
}

func TestExtend(t *testing.T) {
	s := openTest(t)
	ctx := t.Context()
	e := testEvent("e", "a", "b")
	h := create(t, s, e, 1)
	must(t, h.Finish(ctx, &arena.Game{Number: 1, Result: arena.Draw, Reason: arena.MoveLimit}))
	must(t, h.Done(ctx))
	more := testEvent("e", "a", "b", "c")
	must(t, h.Extend(ctx, more, []byte("longer")))
	if err := h.Append(ctx, []arena.Game{{Number: 2, Round: 1, Pair: 2, Game: e.Game, First: "c", Second: "a"}}); err != nil {
		t.Fatal(err)
	}
	ev, err := s.Event(ctx, "e")
	if err != nil || ev.State != Running || string(ev.Config) != "longer" || len(ev.Entries) != 3 || ev.Games != 2 || ev.Played != 1 {
		t.Errorf("%+v, %v", ev, err)
	}
	more.Bots[1].Fingerprint = "another"
	if err := h.Extend(ctx, more, []byte("mixed")); err == nil {
		t.Error("a changed bot entered")
	}
	if ev, err = s.Event(ctx, "e"); err != nil || string(ev.Config) != "longer" {
		t.Errorf("a refused change was kept: %+v, %v", ev, err)
	}
}

func TestDrop(t *testing.T) {
	s := openTest(t)
	ctx := t.Context()
	h := create(t, s, testEvent("e", "a", "b"), 10)
	if _, err := h.Void(ctx, 8, "slept"); err != nil {
		t.Fatal(err)
	}
	must(t, h.Finish(ctx, &arena.Game{Number: 4, Result: arena.Draw, Reason: arena.MoveLimit}))
	if err := h.Drop(ctx, 3); err == nil {
		t.Error("a game with a result was dropped")
	}
	must(t, h.Drop(ctx, 4))
	if list, err := s.Games(ctx, Filter{}); err != nil || len(list) != 4 {
		t.Errorf("%d games, %v", len(list), err)
	}
}

// The settings hold, also of a connection that takes the place of one that failed.
func TestPragmas(t *testing.T) {
	s := openTest(t)
	for range 2 {
		for pragma, want := range map[string]string{
			"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "temp_store": "2", "busy_timeout": busyMillis(), "application_id": fmt.Sprint(applicationID),
		} {
			var got string
			if err := s.write.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
				t.Errorf("%s = %s, %v; want %s", pragma, got, err, want)
			}
		}
		conn, err := s.write.Conn(t.Context())
		must(t, err)
		if err := conn.Raw(func(any) error { return driver.ErrBadConn }); !errors.Is(err, driver.ErrBadConn) {
			t.Fatal(err)
		}
	}
	if _, err := s.read.ExecContext(t.Context(), "DELETE FROM bots"); err == nil {
		t.Error("the reading side can write")
	}
	if _, err := s.write.ExecContext(t.Context(), "INSERT INTO entries VALUES (99, 1, 99, 0, 0)"); err == nil {
		t.Error("foreign keys are not enforced")
	}
}

// A cancelled caller does not write, and a transaction that began is whole.
func TestCancelledWrite(t *testing.T) {
	s := openTest(t)
	h := create(t, s, testEvent("e", "a", "b"), 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Finish(ctx, &arena.Game{Number: 1, Result: arena.Draw, Reason: arena.MoveLimit}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	s.turn <- struct{}{} // somebody writes
	ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := h.Touch(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	<-s.turn
	if err := h.Touch(t.Context(), 0); err != nil {
		t.Error(err)
	}
}

func TestFullDatabase(t *testing.T) {
	s := openTest(t)
	ctx := t.Context()
	e := testEvent("e", "a", "b")
	h := create(t, s, e, 200)
	// SQLite's own limit on pages stands in for a small disk.
	if _, err := s.write.ExecContext(ctx, "PRAGMA max_page_count = 80"); err != nil {
		t.Fatal(err)
	}
	played := 0
	var full *FullError
	for n := 1; n <= 200; n++ {
		err := h.Finish(ctx, &arena.Game{Number: n, Result: arena.Draw, Reason: arena.MoveLimit, Moves: someMoves(400)})
		if errors.As(err, &full) {
			break
		}
		must(t, err)
		played++
	}
	if full == nil || played == 0 || played == 200 || !strings.Contains(full.Error(), "make room") {
		t.Fatalf("%d games, then %v", played, full)
	}
	if ev, err := s.Event(ctx, "e"); err != nil || ev.Played != played {
		t.Errorf("%+v, %v; want %d played", ev, err, played)
	}
	if _, err := s.write.ExecContext(ctx, "PRAGMA max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	if err := h.Finish(ctx, &arena.Game{Number: played + 1, Result: arena.Draw, Reason: arena.MoveLimit}); err != nil {
		t.Errorf("with room again: %v", err)
	}
	var ok string
	if err := s.write.QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&ok); err != nil || ok != "ok" {
		t.Errorf("integrity: %s, %v", ok, err)
	}
}

// finishAll gives every planned game of h a result that depends on its number.
func finishAll(ctx context.Context, h *Hold, games int, after func(number int)) error {
	for n := 1; n <= games; n++ {
		rng := rand.New(rand.NewPCG(uint64(n), 5))
		err := h.Finish(ctx, &arena.Game{Number: n, Result: results()[rng.IntN(3)], Reason: arena.WinByRule, Moves: someMoves(20), Plies: 20})
		if err != nil && !errors.Is(err, ErrPlayed) {
			return err
		}
		if err == nil {
			after(n)
		}
	}
	return nil
}
