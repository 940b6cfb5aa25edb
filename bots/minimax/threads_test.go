package minimax

import (
	"slices"
	"strings"
	"testing"
	"time"

	"botarena/bots/bottest"
	"botarena/bots/eval"
	"botarena/bots/kit"
	"botarena/engine"
	"botarena/protocol"
)

// The first moves that are asked for are told best first, each once, all legal; the
// first of them is the move played.
func TestLines(t *testing.T) {
	game := bottest.Open(t, "breakthrough:5x5")
	const lines = 3
	s := New(Config{Megabytes: 1, Lines: lines}, func() Board { return Plain(eval.For(game), nil, Traits{}) })
	turn := kit.NewTurn(game.Start(), 1, nil)
	turn.Depth = 5
	told := map[int64][]protocol.Info{}
	turn.OnInfo(func(info protocol.Info) {
		info.PV = slices.Clone(info.PV)
		told[info.Depth] = append(told[info.Depth], info)
	})
	played := string(turn.Text(s.Choose(turn)))
	for depth, infos := range told {
		var moves []string
		for i, info := range infos {
			first, _, _ := strings.Cut(string(info.PV), " ")
			if _, err := game.Start().ParseMove(first); err != nil || slices.Contains(moves, first) {
				t.Errorf("depth %d, line %d: %q, %v, after %v", depth, i+1, first, err, moves)
			}
			if info.MultiPV != int64(i+1) || i > 0 && info.Score.Value > infos[i-1].Score.Value {
				t.Errorf("depth %d, line %d: %+v after %+v", depth, i+1, info, infos[max(0, i-1)])
			}
			moves = append(moves, first)
		}
		if len(infos) != lines {
			t.Errorf("depth %d: %d lines", depth, len(infos))
		}
		if depth == 5 && moves[0] != played {
			t.Errorf("played %s, told %v", played, moves)
		}
	}
	if len(told) != 5 {
		t.Errorf("%d depths", len(told))
	}
}

// Threads that share a table find what one finds, and end when it ends; with a limit of
// nodes there is one, so that the search is the same.
func TestThreads(t *testing.T) {
	for i, p := range bottest.Problems() {
		if i%4 > 0 { // TestSuite has them all
			continue
		}
		pos, best := p.Best(t)
		game := pos.Game()
		s := New(Config{Megabytes: 1, Threads: 4}, func() Board { return Plain(eval.For(game), nil, Traits{Margin: 150, Reduce: 200}) })
		turn := kit.NewTurn(pos, 1, time.Now)
		turn.Budget = 100 * time.Millisecond
		if m := s.Choose(turn); !slices.Contains(best, m) {
			t.Errorf("%s, %s: four threads play %s", p.Game, p.Position, turn.Text(m))
		}
	}
	game := bottest.Open(t, "breakthrough:5x5")
	var moves [2]engine.Move
	var nodes [2]int64
	for i, threads := range [2]int{1, 4} {
		s := New(Config{Megabytes: 1, Threads: threads}, func() Board { return Plain(eval.For(game), nil, Traits{}) })
		turn := kit.NewTurn(game.Start(), 1, nil)
		turn.Nodes = 5000
		turn.OnInfo(func(info protocol.Info) { nodes[i] = info.Nodes })
		moves[i] = s.Choose(turn)
	}
	if moves[0] != moves[1] || nodes[0] != nodes[1] {
		t.Errorf("with 5,000 nodes one thread plays %d (%d nodes), four %d (%d)", moves[0], nodes[0], moves[1], nodes[1])
	}
}
