package referee_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/referee"
	"botarena/engine"
	"botarena/engine/games"
)

// A game ends by what tables know: not before, not later, and with their words.
func TestReviewExact(t *testing.T) {
	game, err := games.All().Lookup("breakthrough:5x5")
	if err != nil {
		t.Fatal(err)
	}
	failing := errors.New("a damaged table")
	known := func(ply int, err error) func(engine.Position, bool) (engine.Side, string, error) {
		return func(pos engine.Position, _ bool) (engine.Side, string, error) {
			if pos.Ply() < ply {
				return engine.NoSide, "", nil
			}
			return engine.Second, "black wins", err
		}
	}
	atLimit := func(_ engine.Position, at bool) (engine.Side, string, error) {
		if at {
			return engine.Second, "black wins", nil
		}
		return engine.NoSide, "", nil
	}
	clock := arena.TimeControl{Nodes: 10}
	played := func(moves ...string) *arena.Game {
		g := &arena.Game{First: "a", Second: "b", Result: arena.SecondWins, Reason: arena.ExactTables, Detail: "black wins", Plies: len(moves), Wall: time.Hour}
		for _, m := range moves {
			g.Moves = append(g.Moves, arena.MoveRecord{Move: m})
		}
		return g
	}
	for _, tt := range []struct {
		name  string
		exact func(engine.Position, bool) (engine.Side, string, error)
		game  *arena.Game
		limit int
		want  string
	}{
		{"as it is", known(2, nil), played("a2a3", "a4b3"), 0, ""},
		{"goes on", known(1, nil), played("a2a3", "a4b3"), 0, "ply 2: a4b3: the game was over before it: 0-1 by exact tables|over before it"},
		{"too early", known(3, nil), played("a2a3", "a4b3"), 0, `the moves do not end it, and the reason is "exact tables"`},
		{"without tables", nil, played("a2a3", "a4b3"), 0, "the moves do not end it"},
		{"a table that cannot be read", known(1, failing), played("a2a3"), 0, "ply 1: a damaged table"},
		{"before the rule for the limit", atLimit, played("a2a3"), 1, ""},
	} {
		err := referee.Review(referee.Spec{Game: game, Clocks: [2]arena.TimeControl{clock, clock}, MaxPlies: tt.limit, Exact: tt.exact}, tt.game)
		ok := err == nil && tt.want == ""
		for _, want := range strings.Split(tt.want, "|") {
			ok = ok || err != nil && tt.want != "" && strings.Contains(err.Error(), want)
		}
		if !ok {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
