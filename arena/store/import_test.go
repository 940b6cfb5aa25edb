package store

import (
	"errors"
	"slices"
	"testing"

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
