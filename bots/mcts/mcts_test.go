package mcts_test

import (
	"slices"
	"testing"
	"time"

	"botarena/bots/bottest"
	"botarena/bots/eval"
	"botarena/bots/kit"
	"botarena/bots/mcts"
	"botarena/bots/minimax"
	"botarena/engine"
	"botarena/protocol"
)

func choose(turn *kit.Turn) engine.Move {
	game := turn.Position.Game()
	return mcts.New(mcts.Config{Megabytes: 16}, func() minimax.Board { return plain(game) }).Choose(turn)
}

// plain knows of a game what its rules and package eval say.
func plain(game engine.Game) minimax.Board {
	return minimax.Plain(eval.For(game), nil, minimax.Traits{})
}

func TestSuite(t *testing.T) {
	bottest.Run(t, 4_000, func() bottest.Choose { return choose })
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
	s := mcts.New(mcts.Config{Megabytes: 16}, func() minimax.Board {
		return minimax.Plain(func(pos engine.Position) int {
			evaluations++
			return evaluate(pos)
		}, nil, minimax.Traits{})
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

// Threads share one tree: they find what one finds, and count what all of them did. A
// turn that is limited by nodes is the same whatever the number of threads.
func TestThreads(t *testing.T) {
	game := bottest.Open(t, "breakthrough:5x5")
	search := func(threads int, limit func(*kit.Turn)) (engine.Move, protocol.Info) {
		s := mcts.New(mcts.Config{Megabytes: 16, Threads: threads}, func() minimax.Board { return plain(game) })
		turn := kit.NewTurn(game.Start(), 3, time.Now)
		limit(turn)
		var last protocol.Info
		turn.OnInfo(func(info protocol.Info) { last = info })
		return s.Choose(turn), last
	}
	byNodes := func(turn *kit.Turn) { turn.Nodes = 500 }
	one, toldOne := search(1, byNodes)
	four, toldFour := search(4, byNodes)
	if one != four || toldOne.Score != toldFour.Score || toldFour.Nodes != 500 {
		t.Errorf("by nodes one thread plays %d (%+v), four %d (%+v)", one, toldOne, four, toldFour)
	}
	if m, told := search(4, func(turn *kit.Turn) { turn.Budget = 20 * time.Millisecond }); m == 0 || told.Nodes == 0 {
		t.Errorf("four threads play %d after %+v", m, told)
	}
	for i, p := range bottest.Problems() {
		if i%4 > 0 { // TestSuite has them all
			continue
		}
		pos, best := p.Best(t)
		s := mcts.New(mcts.Config{Megabytes: 16, Threads: 3}, func() minimax.Board { return plain(pos.Game()) })
		turn := kit.NewTurn(pos, 1, time.Now)
		turn.Budget = 20 * time.Second // what is solved ends sooner
		if p.Saves {
			turn.Budget = 100 * time.Millisecond
		}
		if m := s.Choose(turn); !slices.Contains(best, m) {
			t.Errorf("%s, %s: three threads play %s", p.Game, p.Position, turn.Text(m))
		}
	}
}

// A tree that is full grows no further, and the search goes on.
func TestFullTree(t *testing.T) {
	game := bottest.Open(t, "breakthrough")
	s := mcts.New(mcts.Config{Megabytes: 1}, func() minimax.Board { return plain(game) })
	turn := kit.NewTurn(game.Start(), 1, nil)
	turn.Nodes = 3000 // some 60,000 positions, of which half has room
	var last protocol.Info
	turn.OnInfo(func(info protocol.Info) { last = info })
	if m := s.Choose(turn); m == 0 || last.Nodes != turn.Nodes {
		t.Errorf("played %d after %d simulations", m, last.Nodes)
	}
	if n := s.Positions(); n > 1<<20/32+100 {
		t.Errorf("a tree of a megabyte has %d positions", n)
	}
}

// A game whose judgement says little is played on at random: the solver and the
// playouts find what the judgement does not tell.
func TestVagueJudgement(t *testing.T) {
	for _, p := range bottest.Problems() {
		pos, best := p.Best(t)
		s := mcts.New(mcts.Config{Megabytes: 16}, func() minimax.Board {
			return minimax.Plain(func(engine.Position) int { return 0 }, nil, minimax.Traits{Vague: true})
		})
		turn := kit.NewTurn(pos, 1, nil)
		turn.Nodes = 1_000
		if m := s.Choose(turn); !slices.Contains(best, m) {
			t.Errorf("%s, %s: played %s", p.Game, p.Position, turn.Text(m))
		}
	}
}
