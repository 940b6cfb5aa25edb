package casual_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/casual"
	"botarena/arena/session"
	"botarena/arena/session/sessiontest"
	"botarena/engine"
	"botarena/engine/games"
	"botarena/protocol"
)

// lobby has a bot that plays the moves given.
func lobby(t *testing.T, moves ...string) (*casual.Lobby, *records) {
	t.Helper()
	r := &records{}
	c := &casual.Lobby{
		Now: time.Now, Tables: 1, Record: r.add, Problem: func(err error) { t.Log(err) },
		Offers: []casual.Offer{{
			Bot: arena.Bot{Name: "dummy", Protocol: arena.ProtocolUGI},
			Start: func(context.Context, *session.Tail) (session.Process, error) {
				return &sessiontest.Bot{Clock: &sessiontest.Clock{Time: time.Now()}, Answer: sessiontest.Plays(0, moves...)}, nil
			},
		}},
	}
	t.Cleanup(c.Close)
	return c, r
}

type records struct {
	mu   sync.Mutex
	list []arena.Game
}

func (r *records) add(g *arena.Game, _ arena.Bot, _ [2]arena.TimeControl) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, *g)
	return nil
}

func request(t *testing.T, person engine.Side) casual.Request {
	t.Helper()
	game, err := games.All().Lookup("breakthrough:2x5")
	if err != nil {
		t.Fatal(err)
	}
	return casual.Request{Game: game, Person: person, Clocks: [2]arena.TimeControl{1: {Move: 10 * time.Second}}}
}

// until waits for a state.
func until(t *testing.T, table *casual.Table, what string, is func(casual.State) bool) casual.State {
	t.Helper()
	for late := time.After(30 * time.Second); ; {
		changed := table.Changed()
		if s := table.State(); is(s) {
			return s
		}
		select {
		case <-changed:
		case <-late:
			t.Fatalf("no %s: %+v", what, table.State())
		}
	}
}

func myTurn(s casual.State) bool { return len(s.Legal) > 0 }
func over(s casual.State) bool   { return s.Ended != nil }

func TestClub(t *testing.T) {
	c, r := lobby(t, "a4a3", "b4b3")
	table, err := c.Sit(request(t, engine.First))
	if err != nil {
		t.Fatal(err)
	}
	if c.Table(table.ID) != table || c.Table("x") != nil {
		t.Error("tables are not found by their IDs")
	}
	s := until(t, table, "turn", myTurn)
	if len(s.Legal) != 4 || s.Thinking || s.Turn != engine.First {
		t.Errorf("begins with %+v", s)
	}
	if _, err := c.Sit(request(t, engine.First)); !errors.Is(err, casual.ErrFull) {
		t.Errorf("a game too many: %v", err)
	}
	var illegal *engine.MoveError
	if err := table.Move(t.Context(), "a1a5"); !errors.As(err, &illegal) {
		t.Errorf("an illegal move: %v", err)
	}
	for i, move := range []string{"b2b3", "b3a4", "a4b5"} {
		until(t, table, "turn", func(s casual.State) bool { return myTurn(s) && len(s.Moves) == 2*i })
		if err := table.Move(t.Context(), move); err != nil {
			t.Fatal(err)
		}
	}
	if e := until(t, table, "end", over).Ended; e.Result != arena.FirstWins || e.Reason != arena.WinByRule {
		t.Errorf("ended as %+v", e)
	}
	if err := table.Move(t.Context(), "a2a3"); !errors.Is(err, casual.ErrOver) {
		t.Errorf("a move after the end: %v", err)
	}
	if len(r.list) != 1 || r.list[0].First != casual.PersonName || r.list[0].Second != "dummy" || r.list[0].Plies != 5 {
		t.Errorf("recorded %+v", r.list)
	}
	if _, err := c.Sit(request(t, engine.First)); err != nil {
		t.Errorf("a game after one that is over: %v", err)
	}
}

// A hint, a move taken back, and giving up.
func TestClubTools(t *testing.T) {
	c, r := lobby(t, "a4a3", "b2b3")
	table, err := c.Sit(request(t, engine.First))
	if err != nil {
		t.Fatal(err)
	}
	until(t, table, "turn", myTurn)
	if err := table.Move(t.Context(), "a2b3"); err != nil {
		t.Fatal(err)
	}
	until(t, table, "turn", func(s casual.State) bool { return myTurn(s) && s.CanUndo })
	if err := table.Undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, table, "turn", func(s casual.State) bool { return myTurn(s) && len(s.Moves) == 0 && !s.CanUndo })
	if err := table.Hint(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := table.State(); s.Hint == nil || s.Hint.Move != "b2b3" || s.Said != "dummy would play b2b3." {
		t.Errorf("after a hint: %+v", s)
	}
	if err := table.Resign(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e := until(t, table, "end", over).Ended; e.Result != arena.SecondWins || e.Reason != arena.Resign {
		t.Errorf("ended as %+v", e)
	}
	if len(r.list) != 1 || r.list[0].Reason != arena.Resign {
		t.Errorf("recorded %+v", r.list)
	}
}

// A visitor who leaves, or is not heard of any more, ends the game and its bot;
// nothing is recorded then.
func TestClubLeaves(t *testing.T) {
	c, r := lobby(t)
	c.Stay, c.Leave = time.Hour, time.Nanosecond
	table, err := c.Sit(request(t, engine.First))
	if err != nil {
		t.Fatal(err)
	}
	until(t, table, "turn", myTurn)
	table.Leave()
	if e := until(t, table, "end", over).Ended; e.Reason != arena.Void || e.Detail != "left unfinished" {
		t.Errorf("ended as %+v", e)
	}
	if table, err = c.Sit(request(t, engine.First)); err != nil {
		t.Fatal(err)
	}
	done := table.Watch()
	until(t, table, "turn", myTurn)
	done()
	until(t, table, "end", over)
	if len(r.list) != 0 {
		t.Errorf("recorded %+v", r.list)
	}
}

// The option by which a bot's strength is chosen, and what it takes.
func TestLevel(t *testing.T) {
	c, _ := lobby(t)
	o := &c.Offers[0]
	if _, ok := o.Level(); ok {
		t.Error("a level of a bot that has none")
	}
	o.Declared.Options = levels()
	l, ok := o.Level()
	if !ok || l.Option != "Skill Level" || l.Min != 0 || l.Max != 20 || l.Default != "20" {
		t.Errorf("level %+v", l)
	}
	for _, bad := range []string{"21", "-1", "x"} {
		w := request(t, engine.First)
		w.Level = bad
		if _, err := c.Sit(w); err == nil {
			t.Errorf("level %q is taken", bad)
		}
	}
	o.Declared.Options = levels()[1:]
	if l, _ = o.Level(); l.Option != "UCI_Elo" || l.Switch != "UCI_LimitStrength" {
		t.Errorf("level %+v", l)
	}
}

func levels() protocol.Options {
	return protocol.Options{
		{Name: "Skill Level", Type: protocol.Spin, Default: "20", Min: 0, Max: 20},
		{Name: "UCI_LimitStrength", Type: protocol.Check, Default: "false"},
		{Name: "UCI_Elo", Type: protocol.Spin, Default: "1500", Min: 1000, Max: 2800},
	}
}
