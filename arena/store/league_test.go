package store

import (
	"reflect"
	"testing"

	"botarena/arena"
)

// A result that is taken back and comes out the same again leaves the record as
// it was, Elo and void attempts included; the trail keeps what was taken back.
func TestVoidResults(t *testing.T) {
	ctx, s := t.Context(), openTest(t)
	e := testEvent("e", "a", "b", "c")
	h := create(t, s, e, 6)
	games := plan(e, 6)
	finish := func(i int) {
		t.Helper()
		games[i].Result, games[i].Reason, games[i].Moves = results()[i%3], arena.WinByRule, someMoves(i+1)
		must(t, h.Finish(ctx, &games[i]))
	}
	if _, err := h.Void(ctx, 2, "the machine slept"); err != nil {
		t.Fatal(err)
	}
	for i := range games {
		finish(i)
	}
	must(t, h.Done(ctx))
	read := func() (records []Game, ev *Event, steps []EloStep, attempts []VoidAttempt) {
		t.Helper()
		var err error
		if records, err = s.Games(ctx, Filter{Event: "e", Moves: true}); err != nil {
			t.Fatal(err)
		}
		if ev, err = s.Event(ctx, "e"); err != nil {
			t.Fatal(err)
		}
		if steps, err = s.History(ctx, "a", ""); err != nil {
			t.Fatal(err)
		}
		if attempts, err = s.Voids(ctx, "e", 0); err != nil {
			t.Fatal(err)
		}
		return records, ev, steps, attempts
	}
	records, before, steps, attempts := read()

	nobody := func(string) bool { return false }
	must(t, h.VoidResults(ctx, []int{5, 2}, nobody, "a mistake"))
	if err := h.VoidResults(ctx, []int{1, 2}, nobody, "twice"); err == nil {
		t.Error("a game without a result was voided")
	}
	if ev, err := s.Event(ctx, "e"); err != nil || ev.Played != 4 || ev.State != Running {
		t.Errorf("after voiding two of six games: %d played, %s, %v", ev.Played, ev.State, err)
	}
	list, err := s.Voided(ctx, "e")
	if err != nil || len(list) != 2 {
		t.Fatalf("%d voided results, %v", len(list), err)
	}
	if v := list[0]; v.Number != 5 || v.Why != "a mistake" || v.Result != games[4].Result || len(v.Moves) != 5 || v.First != games[4].First {
		t.Errorf("voided: %+v", v)
	}
	finish(1)
	finish(4)
	must(t, h.Done(ctx))
	again, after, stepsAgain, attemptsAgain := read()
	after.Finished = before.Finished
	if !reflect.DeepEqual(again, records) || !reflect.DeepEqual(after, before) || !reflect.DeepEqual(stepsAgain, steps) || !reflect.DeepEqual(attemptsAgain, attempts) {
		t.Errorf("played again the same way, the record differs:\n%+v\n%+v\n%+v\n%+v", again, records, after, before)
	}

	// Games of a withdrawn bot go, with their void attempts.
	must(t, h.VoidResults(ctx, []int{2}, func(bot string) bool { return bot == games[1].First }, "withdrawn"))
	if ev, err := s.Event(ctx, "e"); err != nil || ev.Games != 5 || ev.Played != 5 || ev.Voids != 0 {
		t.Errorf("after voiding a withdrawn bot's game: %+v, %v", ev, err)
	}
}

// recorded records an event of two games, which are the same in each event.
func recorded(t *testing.T, s *Store, name string) *Hold {
	t.Helper()
	e := testEvent(name, "a", "b")
	h := create(t, s, e, 2)
	for _, g := range plan(e, 2) {
		g.Result, g.Reason, g.Moves = arena.FirstWins, arena.WinByRule, someMoves(3)
		must(t, h.Finish(t.Context(), &g))
	}
	return h
}

// Of a removed event nothing is left, and the others are as they were.
func TestRemove(t *testing.T) {
	ctx, s := t.Context(), openTest(t)
	for _, name := range []string{"e", "f"} {
		h := recorded(t, s, name)
		must(t, h.VoidResults(ctx, []int{1}, func(string) bool { return false }, "a mistake"))
		if name == "e" {
			must(t, h.Remove(ctx))
		}
	}
	events, err := s.Events(ctx)
	if err != nil || len(events) != 1 || events[0].Name != "f" || events[0].Games != 2 || events[0].Played != 1 {
		t.Errorf("events: %+v, %v", events, err)
	}
	if list, err := s.Voided(ctx, ""); err != nil || len(list) != 1 {
		t.Errorf("%d voided results, %v", len(list), err)
	}
	got, err := s.Counts(ctx, "", "")
	must(t, err)
	sameCounts(t, got, recount(t, s, "", ""))
}

// Games of removed and archived events repeat none of others: the id of a removed one
// is not used again.
func TestRepeatsOfEventsThatAreGone(t *testing.T) {
	ctx, s := t.Context(), openTest(t)
	repeats := func(events string, want int) {
		t.Helper()
		c, err := s.Counts(ctx, "", "")
		must(t, err)
		n := 0
		for _, r := range c.Repeats {
			n += r.Repeated + r.Elsewhere
		}
		if n != want {
			t.Errorf("%s: %d games repeat another one, want %d", events, n, want)
		}
	}
	e := recorded(t, s, "e")
	f := recorded(t, s, "f")
	repeats("e f", 2)
	must(t, e.Remove(ctx))
	repeats("f", 0)
	must(t, f.Remove(ctx))
	recorded(t, s, "g")
	repeats("g", 0)
	if g, err := s.Event(ctx, "g"); err != nil || g.ID != 3 {
		t.Errorf("the third event has id %d, %v", g.ID, err)
	}
	recorded(t, s, "h")
	recorded(t, s, "i")
	repeats("g h i", 4)
	for _, name := range []string{"g", "h"} {
		must(t, s.Archive(ctx, name, true))
	}
	repeats("i", 0)
	must(t, s.Archive(ctx, "h", false))
	repeats("h i", 2)
}

// An archived event counts only where it is named.
func TestArchive(t *testing.T) {
	ctx, s := t.Context(), openTest(t)
	for _, name := range []string{"e", "f"} {
		create(t, s, testEvent(name, "a", "b"), 2)
	}
	must(t, s.Archive(ctx, "e", true))
	count := func(event string) int {
		t.Helper()
		c, err := s.Counts(ctx, event, "")
		must(t, err)
		return len(c.Events)
	}
	if n := count(""); n != 1 {
		t.Errorf("%d events count, one of them archived", n)
	}
	if n := count("e"); n != 1 {
		t.Errorf("the archived event does not count where it is named")
	}
	games, err := s.Games(ctx, Filter{Current: true})
	if err != nil || len(games) != 2 || games[0].Event != "f" {
		t.Errorf("current games: %+v, %v", games, err)
	}
	if err := s.Archive(ctx, "e", false); err != nil || count("") != 2 {
		t.Errorf("not back from the archive: %v", err)
	}
	if err := s.Archive(ctx, "g", true); err == nil {
		t.Error("archived an event that is not there")
	}
}
