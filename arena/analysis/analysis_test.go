package analysis_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"botarena/arena"
	"botarena/arena/analysis"
	"botarena/engine"
	"botarena/engine/games"
)

func start(t *testing.T, game string) engine.Position {
	t.Helper()
	g, err := games.All().Lookup(game)
	if err != nil {
		t.Fatal(err)
	}
	return g.Start()
}

// judge says scores in turn, for whoever is to move.
func judge(best string, scores ...arena.MoveRecord) func(context.Context, engine.Position) (arena.MoveRecord, error) {
	return func(context.Context, engine.Position) (arena.MoveRecord, error) {
		r := scores[0]
		scores = scores[1:]
		r.Move = best
		return r, nil
	}
}

func cp(n int) arena.MoveRecord   { return arena.MoveRecord{Score: n, HasScore: true} }
func mate(n int) arena.MoveRecord { return arena.MoveRecord{Score: n, HasScore: true, Mate: true} }

func TestMarks(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after arena.MoveRecord
		best          string
		loss          float64
		mark          analysis.Mark
	}{
		{"level stays level", cp(0), cp(0), "a2a3", 0, analysis.Fine},
		{"a better one than the bot's", cp(0), cp(-100), "a2a3", 0, analysis.Fine},
		{"half a pawn", cp(0), cp(50), "a2a3", 0.0715, analysis.Fine},
		{"a pawn", cp(0), cp(100), "a2a3", 0.1401, analysis.Inaccuracy},
		{"two pawns", cp(0), cp(200), "a2a3", 0.2597, analysis.Mistake},
		{"four pawns", cp(0), cp(400), "a2a3", 0.4091, analysis.Blunder},
		{"a mate missed for a level game", mate(3), cp(0), "a2a3", 0.5, analysis.Blunder},
		{"a mate run into", cp(0), mate(2), "a2a3", 0.5, analysis.Blunder},
		{"the bot's own move costs nothing", cp(0), cp(400), "c2c3", 0, analysis.Fine},
		{"nothing is said", cp(0), arena.MoveRecord{}, "a2a3", 0, analysis.Fine},
	} {
		plies, err := analysis.Game(context.Background(), start(t, "breakthrough"), []arena.MoveRecord{{Move: "c2c3"}},
			analysis.Inputs{Judge: judge(tt.best, tt.before, tt.after)})
		if err != nil {
			t.Fatal(err)
		}
		if p := plies[0]; p.Mark != tt.mark || p.Loss < tt.loss-0.0001 || p.Loss > tt.loss+0.0001 || p.Exact {
			t.Errorf("%s: %q, loss %v, want %q, %v", tt.name, p.Mark, p.Loss, tt.mark, tt.loss)
		}
	}
}

// Where tables know both positions, the bot's word does not count.
func TestTables(t *testing.T) {
	winners := []engine.Side{engine.First, engine.Second, engine.Second}
	plies, err := analysis.Game(context.Background(), start(t, "owlman"), []arena.MoveRecord{{Move: "d3c4"}, {Move: "a8b7"}},
		analysis.Inputs{
			Judge: judge("d3c4", cp(0), cp(0), cp(900)),
			Winner: func(engine.Position) (engine.Side, bool, error) {
				w := winners[0]
				winners = winners[1:]
				return w, true, nil
			},
		})
	if err != nil {
		t.Fatal(err)
	}
	if p := plies[0]; !p.Exact || p.Loss != 1 || p.Mark != analysis.Blunder {
		t.Errorf("a win given away: %+v", p)
	}
	if p := plies[1]; !p.Exact || p.Loss != 0 || p.Mark != analysis.Fine {
		t.Errorf("a win kept: %+v", p)
	}
	if s := analysis.NewReport(&arena.Game{}, [2]string{}, "", plies).Sides; s[0].Blunders != 1 || s[0].Loss != 1 || s[1].Blunders != 0 || s[1].Moves != 1 {
		t.Errorf("summed up: %+v", s)
	}
}

func TestErrorsNameThePly(t *testing.T) {
	moves := []arena.MoveRecord{{Move: "c2c3"}, {Move: "c2c3"}}
	_, err := analysis.Game(context.Background(), start(t, "breakthrough"), moves, analysis.Inputs{})
	if err == nil || !strings.HasPrefix(err.Error(), "ply 2: ") {
		t.Errorf("an illegal move: %v", err)
	}
	failing := errors.New("it crashed")
	_, err = analysis.Game(context.Background(), start(t, "breakthrough"), moves, analysis.Inputs{
		Judge: func(context.Context, engine.Position) (arena.MoveRecord, error) { return arena.MoveRecord{}, failing },
	})
	if !errors.Is(err, failing) {
		t.Errorf("a bot that fails: %v", err)
	}
}
