package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/arena/rating"
)

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
			if err := s.read.QueryRowContext(ctx, "SELECT rated, (SELECT count(*) FROM games WHERE event = e.id AND rated_first > 0 AND rated_second > 0) FROM events e WHERE name = ?", e.Name).Scan(&rated, &rows); err != nil {
				rt.Fatal(err)
			}
			if rated != prefix || rows != prefix {
				rt.Fatalf("after %d games, %d in a row: %d rated, %d rows", len(done), prefix, rated, rows)
			}
		}
		rows, err := s.read.QueryContext(ctx, "SELECT number, rating_first, rating_second FROM games WHERE event = ? ORDER BY number", h.event)
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
	steps, err := s.History(ctx, "a", "")
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
	// An archived event counts if it is named.
	if err := s.Archive(ctx, "e", true); err != nil {
		t.Fatal(err)
	}
	for event, want := range map[string]int{"": 1, "e": 2, "f": 1} {
		if steps, err := s.History(ctx, "a", event); err != nil || len(steps) != want {
			t.Errorf("with e archived, history of %q: %+v, %v", event, steps, err)
		}
	}
	var event *UnknownEventError
	if _, err := s.History(ctx, "a", "ff"); !errors.As(err, &event) || event.Nearest != "f" {
		t.Errorf("unknown event: %v", err)
	}
	var unknown *UnknownBotError
	if _, err := s.History(ctx, "zz", ""); !errors.As(err, &unknown) {
		t.Errorf("unknown bot: %v", err)
	}
}
