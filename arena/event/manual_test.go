package event

import (
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/process"
	"botarena/arena/store"
)

// Games of visitors are recorded one after the other, in an event for each game and
// clock; a bot at another level is another player there.
func TestRecordManual(t *testing.T) {
	s, err := store.Open(t.Context(), t.TempDir()+"/arena.db", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	self, err := process.Self()
	if err != nil {
		t.Fatal(err)
	}
	var failed error
	full := false // more clocks come than there is room for
	play := func(level string, clock arena.TimeControl, personFirst bool) {
		t.Helper()
		bot := config.DefaultBot()
		bot.Name, bot.Builtin = "minimax", "minimax"
		if level != "" {
			bot.Options = []arena.Option{{Name: "Level", Value: level}}
		}
		g := &arena.Game{
			Game: "breakthrough:2x5", First: "minimax", Second: "person", Result: arena.FirstWins, Reason: arena.TimeForfeit,
			Detail: "late", Blame: "minimax", Start: time.Now(), Moves: []arena.MoveRecord{{Move: "a2a3"}}, Plies: 1,
		}
		clocks := [2]arena.TimeControl{clock, {}}
		if personFirst {
			g.First, g.Second, clocks[0], clocks[1] = "person", "minimax", clocks[1], clocks[0]
		}
		runner := &Runner{Store: s, Self: self}
		if failed = runner.RecordManual(t.Context(), "evening", Manual{Person: "person", Bot: bot, Clocks: clocks, Game: g}); failed != nil && !full {
			t.Fatal(failed)
		}
	}
	second, fast := arena.TimeControl{Move: time.Second}, arena.TimeControl{Base: time.Minute, Increment: time.Second}
	play("", second, false)
	play("3", second, true)
	play("", second, true)
	play("", fast, false)
	want := map[string][][2]string{
		"evening breakthrough 2x5 1s":      {{"minimax", "person"}, {"person", "minimax (Level 3)"}, {"person", "minimax"}},
		"evening breakthrough 2x5 1m0s+1s": {{"minimax", "person"}},
	}
	events, err := s.Events(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(events) != len(want) {
		t.Errorf("%d events", len(events))
	}
	for _, e := range events {
		games, err := s.Games(t.Context(), store.Filter{Event: e.Name, Moves: true})
		if err != nil {
			t.Fatal(err)
		}
		if e.State != store.Finished || e.Holder != nil || len(games) != len(want[e.Name]) {
			t.Fatalf("event %q is %s with %d games, held by %v", e.Name, e.State, len(games), e.Holder)
		}
		for i, g := range games {
			if [2]string{g.First, g.Second} != want[e.Name][i] || g.Number != i+1 || len(g.Moves) != 1 || g.Blame == "person" {
				t.Errorf("%s: game %d is %+v", e.Name, i+1, g)
			}
		}
		if _, err := config.Decode(e.Config); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
	full = true
	for n := range mostManual {
		play("", arena.TimeControl{Move: time.Second + time.Duration(n)*time.Millisecond}, false)
	}
	if events, err = s.Events(t.Context()); err != nil || len(events) != mostManual || failed == nil || !strings.Contains(failed.Error(), "record under another name") {
		t.Errorf("%d events, %v, %v", len(events), err, failed)
	}
	if play("", second, false); failed != nil {
		t.Errorf("a game of a clock that is there: %v", failed)
	}
}
