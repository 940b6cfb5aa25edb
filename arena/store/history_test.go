package store

import (
	"errors"
	"math"
	"testing"

	"botarena/arena"
)

func TestHistory(t *testing.T) {
	s := openTest(t)
	ctx := t.Context()
	e := testEvent("e", "a", "b")
	h := create(t, s, e, 2)
	for n := 1; n <= 2; n++ {
		must(t, h.Finish(ctx, &arena.Game{Number: n, Result: arena.FirstWins, Reason: arena.WinByRule}))
	}
	// The same name with another fingerprint is another version.
	e.Name, e.Bots[0].Fingerprint = "f", "fp-other"
	f := create(t, s, e, 1)
	must(t, f.Finish(ctx, &arena.Game{Number: 1, Result: arena.Draw, Reason: arena.MoveLimit}))
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
	must(t, s.Archive(ctx, "e", true))
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
