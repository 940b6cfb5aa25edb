package mcts_test

import (
	"testing"
	"time"

	"botarena/bots/bottest"
	"botarena/bots/eval"
	"botarena/bots/kit"
	"botarena/bots/mcts"
	"botarena/engine"
	"botarena/protocol"
)

func choose(turn *kit.Turn) engine.Move {
	return mcts.New(eval.For(turn.Position.Game())).Choose(turn)
}

func TestSuite(t *testing.T) {
	bottest.Run(t, 20_000, func() bottest.Choose { return choose })
}

// A position solved within the limit ends the search, and a sure win is told.
func TestSolverEndsTheSearch(t *testing.T) {
	for _, p := range bottest.Problems() {
		if p.Saves {
			continue
		}
		pos, _ := p.Best(t)
		turn := kit.NewTurn(pos, 1, nil)
		turn.Nodes = 1_000_000
		var last protocol.Info
		turn.OnInfo(func(info protocol.Info) { last = info })
		choose(turn)
		if !last.Score.Mate || last.Score.Value <= 0 || last.Nodes > 200_000 {
			t.Errorf("%s, %s: ended with %+v after %d simulations", p.Game, p.Position, last.Score, last.Nodes)
		}
	}
}

// The clock is read often enough: one that goes on with each evaluation is
// overrun by few of them.
func TestReadsTheClock(t *testing.T) {
	game := bottest.Open(t, "breakthrough")
	evaluations := 0
	evaluate := eval.For(game)
	s := mcts.New(func(pos engine.Position) int {
		evaluations++
		return evaluate(pos)
	})
	turn := kit.NewTurn(game.Start(), 1, func() time.Time { return time.UnixMicro(int64(evaluations)) })
	turn.Budget = 2 * time.Millisecond
	s.Choose(turn)
	if evaluations < 2000 || evaluations > 2100 {
		t.Errorf("%d evaluations of a microsecond in a budget of 2 ms", evaluations)
	}
}

// Where every move loses, one is played all the same.
func TestLostPosition(t *testing.T) {
	pos := bottest.Parse(t, "breakthrough:4x5", "4/P1Pp/4/4/4 b")
	if n := bottest.Solve(pos, 2); n != -2 {
		t.Fatalf("Solve gives %d, want a loss in 2", n)
	}
	turn := kit.NewTurn(pos, 1, nil)
	turn.Nodes = 10_000
	var last protocol.Info
	turn.OnInfo(func(info protocol.Info) { last = info })
	if m := choose(turn); m == 0 || last.Nodes > 100 {
		t.Errorf("played %d after %d simulations", m, last.Nodes)
	}
}
