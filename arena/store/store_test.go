package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/process"
	"botarena/arena/rating"
)

// tick is a clock that goes on a second each time it is read.
func tick() func() time.Time {
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	return func() time.Time {
		now = now.Add(time.Second)
		return now
	}
}

func openTest(t testing.TB) *Store {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "results", "arena.db"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Append(t.Context(), plan(e, games)); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestRecordRoundTrip(t *testing.T) {
	s := openTest(t)
	ctx := t.Context()
	e := testEvent("spring", "a", "b")
	h := create(t, s, e, 2)
	ev, err := s.Event(ctx, "spring")
	if err != nil {
		t.Fatal(err)
	}
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
	if err := h.Finish(ctx, &g); err != nil {
		t.Fatal(err)
	}
	list, err := s.Games(ctx, Filter{Event: "spring", Moves: true})
	if err != nil {
		t.Fatal(err)
	}
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
	if err := h.Finish(ctx, &arena.Game{Number: 1, Result: arena.Draw, Reason: arena.MoveLimit}); err != nil {
		t.Fatal(err)
	}
	if err := h.Touch(ctx, 3*time.Second); err != nil {
		t.Fatal(err)
	}
	if err := h.Done(ctx); err != nil {
		t.Fatal(err)
	}
	if err := h.Release(ctx); err != nil {
		t.Fatal(err)
	}
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
	if err := h.Finish(ctx, &g); err != nil {
		t.Fatal(err)
	}
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
	if _, err := s.Create(ctx, testEvent("e", "a", "b"), []byte("c"), me(t)); !errors.Is(err, ErrExists) {
		t.Errorf("second event of one name: %v", err)
	}
}

// Whatever the order in which games end, the Elo history is that of the schedule.
func TestEloInScheduleOrder(t *testing.T) {
	s := openTest(t)
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		round++
		n := rapid.IntRange(1, 30).Draw(rt, "games")
		e := testEvent(fmt.Sprintf("e%d", round), "a", "b", "c")
		h := create(t, s, e, n)
		games := plan(e, n)
		order := rapid.Permutation(games).Draw(rt, "order")
		outcome := rapid.SliceOfN(rapid.SampledFrom(results()), n, n).Draw(rt, "results")
		elo := rating.DefaultElo()
		reference := map[string]rating.Standing{"a": elo.New(), "b": elo.New(), "c": elo.New()}
		type row struct {
			number int
			rating [2]float64
		}
		var want []row
		for i, g := range games {
			points, _ := outcome[i].Score()
			a, b := elo.Update(reference[g.First], reference[g.Second], rating.Score(2*points))
			reference[g.First], reference[g.Second] = a, b
			want = append(want, row{g.Number, [2]float64{a.Rating, b.Rating}})
		}
		done := map[int]bool{}
		for _, g := range order {
			g.Result, g.Reason = outcome[g.Number-1], arena.WinByRule
			if err := h.Finish(ctx, &g); err != nil {
				rt.Fatal(err)
			}
			done[g.Number] = true
			prefix := 0
			for done[prefix+1] {
				prefix++
			}
			var rated, rows int
			if err := s.read.QueryRowContext(ctx, "SELECT rated, (SELECT count(*) FROM elo WHERE event = e.id) FROM events e WHERE name = ?", e.Name).Scan(&rated, &rows); err != nil {
				rt.Fatal(err)
			}
			if rated != prefix || rows != 2*prefix {
				rt.Fatalf("after %d games, %d in a row: %d rated, %d rows", len(done), prefix, rated, rows)
			}
		}
		rows, err := s.read.QueryContext(ctx, `SELECT l.number, l.rating, m.rating FROM elo l JOIN elo m ON m.event = l.event AND m.number = l.number AND m.side = 2
			WHERE l.side = 1 AND l.event = ? ORDER BY l.number`, h.event)
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		var got []row
		for rows.Next() {
			var r row
			if err := rows.Scan(&r.number, &r.rating[0], &r.rating[1]); err != nil {
				rt.Fatal(err)
			}
			got = append(got, r)
		}
		if !reflect.DeepEqual(got, want) {
			rt.Fatalf("got %v\nwant %v", got, want)
		}
		ev, err := s.Event(ctx, e.Name)
		if err != nil {
			rt.Fatal(err)
		}
		for _, entry := range ev.Entries {
			if st := reference[entry.Name]; st.Rating != entry.Rating || st.Games != entry.Rated {
				rt.Fatalf("%s stands at %+v, want %+v", entry.Name, entry, st)
			}
		}
	})
}

func TestHistory(t *testing.T) {
	s := openTest(t)
	ctx := t.Context()
	e := testEvent("e", "a", "b")
	h := create(t, s, e, 2)
	for n := 1; n <= 2; n++ {
		if err := h.Finish(ctx, &arena.Game{Number: n, Result: arena.FirstWins, Reason: arena.WinByRule}); err != nil {
			t.Fatal(err)
		}
	}
	// The same name with another fingerprint is another version.
	e.Name, e.Bots[0].Fingerprint = "f", "fp-other"
	f := create(t, s, e, 1)
	if err := f.Finish(ctx, &arena.Game{Number: 1, Result: arena.Draw, Reason: arena.MoveLimit}); err != nil {
		t.Fatal(err)
	}
	steps, err := s.History(ctx, "a")
	if err != nil || len(steps) != 3 {
		t.Fatalf("%+v, %v", steps, err)
	}
	if s := steps[0]; s.Event != "e" || s.Opponent != "b" || s.Side != 0 || s.Rating != 1520 || s.Change != 20 || s.Games != 1 || s.Version != 1 {
		t.Errorf("first game: %+v", s)
	}
	if s := steps[1]; s.Side != 1 || s.Number != 2 || s.Rating >= 1520 || math.Abs(s.Rating-s.Change-1520) > 1e-9 || s.Games != 2 {
		t.Errorf("second game: %+v", s)
	}
	if s := steps[2]; s.Event != "f" || s.Version != 2 || s.Rating != 1500 || s.Games != 1 {
		t.Errorf("second version: %+v", s)
	}
	versions, err := s.Versions(ctx)
	if err != nil || len(versions) != 3 || versions[1].Bot != "a" || versions[1].Number != 2 || versions[1].Fingerprint != "fp-other" {
		t.Errorf("versions: %+v, %v", versions, err)
	}
	var unknown *UnknownBotError
	if _, err := s.History(ctx, "zz"); !errors.As(err, &unknown) {
		t.Errorf("unknown bot: %v", err)
	}
}

func TestExtend(t *testing.T) {
	s := openTest(t)
	ctx := t.Context()
	e := testEvent("e", "a", "b")
	h := create(t, s, e, 1)
	if err := h.Finish(ctx, &arena.Game{Number: 1, Result: arena.Draw, Reason: arena.MoveLimit}); err != nil {
		t.Fatal(err)
	}
	if err := h.Done(ctx); err != nil {
		t.Fatal(err)
	}
	more := testEvent("e", "a", "b", "c")
	if err := h.Extend(ctx, more, []byte("longer")); err != nil {
		t.Fatal(err)
	}
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
	if err := h.Finish(ctx, &arena.Game{Number: 4, Result: arena.Draw, Reason: arena.MoveLimit}); err != nil {
		t.Fatal(err)
	}
	if err := h.Drop(ctx, 3); err == nil {
		t.Error("a game with a result was dropped")
	}
	if err := h.Drop(ctx, 4); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Games(ctx, Filter{}); err != nil || len(list) != 4 {
		t.Errorf("%d games, %v", len(list), err)
	}
}

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
	if err := s.Import(ctx, []Import{imported(other, games[:1]), imported(e, games)}, me(t)); err != nil {
		t.Fatal(err)
	}
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

func TestRegistry(t *testing.T) {
	s := openTest(t)
	s.clock = tick()
	ctx := t.Context()
	for _, spec := range []string{`{"command":["x"]}`, `{"command":["y"]}`} {
		if err := s.Register(ctx, "mine", []byte(spec)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.RegisteredBot(ctx, "mine")
	if err != nil || string(r.Spec) != `{"command":["y"]}` || !r.Updated.After(r.Created) {
		t.Errorf("%+v, %v", r, err)
	}
	var unknown *UnknownBotError
	if _, err := s.RegisteredBot(ctx, "mime"); !errors.As(err, &unknown) || unknown.Nearest != "mine" {
		t.Errorf("unknown: %v", err)
	}
	if err := s.Unregister(ctx, "mime"); !errors.As(err, &unknown) {
		t.Errorf("unknown: %v", err)
	}
	if err := s.RenameRegistered(ctx, "mime", "other"); !errors.As(err, &unknown) {
		t.Errorf("rename unknown: %v", err)
	}
	if err := s.Register(ctx, "taken", []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	if err := s.RenameRegistered(ctx, "mine", "taken"); !errors.Is(err, ErrRegistered) {
		t.Errorf("rename to a name that is taken: %v", err)
	}
	if err := s.RenameRegistered(ctx, "taken", "mine again"); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Registry(ctx); err != nil || len(list) != 2 || list[0].Name != "mine" || list[1].Name != "mine again" {
		t.Errorf("%+v, %v", list, err)
	}
	for _, name := range []string{"mine", "mine again"} {
		if err := s.Unregister(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := s.Registry(ctx); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestPragmas(t *testing.T) {
	s := openTest(t)
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": busyMillis(), "application_id": fmt.Sprint(applicationID),
	} {
		var got string
		if err := s.write.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s = %s, %v; want %s", pragma, got, err, want)
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
	if _, err := s.write.ExecContext(ctx, "PRAGMA max_page_count = 60"); err != nil {
		t.Fatal(err)
	}
	played := 0
	var full *FullError
	for n := 1; n <= 200; n++ {
		err := h.Finish(ctx, &arena.Game{Number: n, Result: arena.Draw, Reason: arena.MoveLimit, Moves: someMoves(400)})
		if errors.As(err, &full) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
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

func BenchmarkFinish(b *testing.B) {
	s := openTest(b)
	e := testEvent("e", "a", "b", "c")
	h := create(b, s, e, 20000)
	moves := someMoves(60)
	n := 0
	for b.Loop() {
		n++
		if err := h.Finish(b.Context(), &arena.Game{Number: n, Result: arena.Draw, Reason: arena.MoveLimit, Moves: moves, Plies: 60}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPlan20000(b *testing.B) {
	e := testEvent("e", "a", "b", "c")
	games := plan(e, 20000)
	s := openTest(b)
	i := 0
	for b.Loop() {
		e.Name = fmt.Sprintf("e%d", i)
		i++
		h, err := s.Create(b.Context(), e, []byte("c"), me(b))
		if err != nil {
			b.Fatal(err)
		}
		if err := h.Append(b.Context(), games); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead20000(b *testing.B) {
	s := openTest(b)
	e := testEvent("e", "a", "b", "c")
	games := plan(e, 20000)
	for i := range games {
		games[i].Result, games[i].Reason, games[i].Moves = arena.FirstWins, arena.WinByRule, someMoves(60)
	}
	if err := s.Import(b.Context(), []Import{imported(e, games)}, me(b)); err != nil {
		b.Fatal(err)
	}
	for _, moves := range []bool{false, true} {
		b.Run(fmt.Sprintf("moves=%t", moves), func(b *testing.B) {
			for b.Loop() {
				if list, err := s.Games(b.Context(), Filter{Moves: moves}); err != nil || len(list) != 20000 {
					b.Fatal(len(list), err)
				}
			}
		})
	}
	if st, err := os.Stat(s.path); err == nil {
		b.Logf("database of 20,000 games of 60 plies: %d KB", st.Size()/1024)
	}
}
