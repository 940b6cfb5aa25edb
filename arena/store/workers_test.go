package store

import (
	"errors"
	"testing"

	"botarena/arena"
)

// A worker is invited once, revoked once, and its name may be used again; what it
// played stays its own.
func TestWorkers(t *testing.T) {
	ctx := t.Context()
	s := openTest(t)
	h := create(t, s, testEvent("spring", "a", "b"), 4)
	must(t, s.Invite(ctx, "attic", "KEY1"))
	if err := s.Invite(ctx, "attic", "KEY2"); !errors.Is(err, ErrWorkerExists) {
		t.Errorf("invited twice: %v", err)
	}
	list, err := s.Games(ctx, Filter{Event: "spring"})
	if err != nil || len(list) < 3 {
		t.Fatal(len(list), err)
	}
	for i, worker := range []string{"attic", "", "cellar"} {
		g := list[i].Game
		g.Result, g.Reason, g.Worker, g.Factor = arena.FirstWins, arena.WinByRule, worker, 1.5
		must(t, h.Finish(ctx, &g))
	}
	workers, err := s.Workers(ctx)
	if err != nil || len(workers) != 2 || workers[0].Games != 1 || workers[1].Name != "cellar" || workers[1].Key != "" {
		t.Fatalf("%+v, %v", workers, err)
	}
	own, err := s.Games(ctx, Filter{Worker: workers[0].ID})
	if err != nil || len(own) != 1 || own[0].Number != list[0].Number || own[0].Worker != "attic" || own[0].Factor != 1.5 {
		t.Errorf("%+v, %v", own, err)
	}
	if counts, err := s.CountGames(ctx, Filter{Worker: workers[0].ID}); err != nil || len(counts) != 1 || counts[0].Games != 1 {
		t.Errorf("%+v, %v", counts, err)
	}
	if keys, err := s.WorkerKeys(ctx); err != nil || len(keys) != 1 || keys["KEY1"] != "attic" {
		t.Errorf("%v, %v", keys, err)
	}
	var unknown *UnknownWorkerError
	if _, err := s.Revoke(ctx, "atic", "x", true); !errors.As(err, &unknown) || unknown.Nearest != "attic" {
		t.Error(err)
	}
	if w, err := s.Revoke(ctx, "attic", "it lies", true); err != nil || !w.Void || w.ID != workers[0].ID || w.Revoked.IsZero() {
		t.Errorf("%+v, %v", w, err)
	}
	if _, err := s.Revoke(ctx, "attic", "x", true); !errors.As(err, &unknown) || !unknown.Revoked {
		t.Error(err)
	}
	if err := s.Invite(ctx, "attic", "KEY2"); err != nil {
		t.Error(err)
	}
	if keys, err := s.WorkerKeys(ctx); err != nil || len(keys) != 1 || keys["KEY2"] != "attic" {
		t.Errorf("%v, %v", keys, err)
	}
	// What is voided is known as its own, and played again by nobody yet.
	must(t, h.VoidResults(ctx, []int{list[0].Number}, func(string) bool { return false }, "worker attic was revoked"))
	if err := s.NoteWorkers(ctx, map[string]WorkerState{"attic": {Host: "h", Slots: 4, Speed: 2e6, Faults: 2}, "cellar": {}}); err != nil {
		t.Fatal(err)
	}
	if workers, err = s.Workers(ctx); err != nil || workers[0].Games != 0 || workers[0].Voided != 1 || workers[2].Slots != 4 || workers[2].Faults != 2 {
		t.Errorf("%+v, %v", workers, err)
	}
	if again, err := s.Games(ctx, Filter{Event: "spring", Number: list[0].Number}); err != nil || again[0].Worker != "" || again[0].Result != arena.Unplayed {
		t.Errorf("%+v, %v", again, err)
	}
	scores, err := s.WorkerScores(ctx, "spring")
	if err != nil || len(scores) != 2 || scores[1].Worker != workers[1].ID || scores[1].Counts != [3]int{1, 0, 0} || scores[1].Of != 1 || scores[1].Games != 1 {
		t.Errorf("%+v, %v", scores, err)
	}
	// A pair that one machine played is counted as one, and is level where each won once.
	g := list[0].Game
	g.Result, g.Reason = arena.FirstWins, arena.WinByRule
	must(t, h.Finish(ctx, &g))
	scores, err = s.WorkerScores(ctx, "spring")
	if want := (WorkerScore{A: "a", B: "b", Of: 2, Counts: [3]int{0, 1, 0}, Games: 2}); err != nil || len(scores) != 2 || scores[0] != want {
		t.Errorf("%+v, %v", scores, err)
	}
}

// A loss on time is held against the bot that lost, whichever side it played.
func TestWorkerScoresTimeLosses(t *testing.T) {
	s := openTest(t)
	e := testEvent("e", "a", "b")
	h := create(t, s, e, 4)
	for i, late := range []string{"b", "b", "a", ""} {
		g := plan(e, 4)[i]
		g.Result, g.Reason = arena.FirstWins, arena.WinByRule
		if late != "" {
			g.Reason, g.Blame = arena.TimeForfeit, late
			if g.First == late {
				g.Result = arena.SecondWins
			}
		}
		must(t, h.Finish(t.Context(), &g))
	}
	scores, err := s.WorkerScores(t.Context(), "e")
	if err != nil || len(scores) != 1 || scores[0].A != "a" || scores[0].TimeLosses != [2]int{1, 2} || scores[0].Games != 4 {
		t.Errorf("%+v, %v", scores, err)
	}
}
