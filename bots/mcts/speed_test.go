package mcts_test

import (
	"testing"

	"botarena/bots/boards"
	"botarena/bots/bottest"
	"botarena/bots/kit"
	"botarena/bots/mcts"
	"botarena/bots/minimax"
	"botarena/engine"
)

// tactical lists chess positions in which many pieces can be captured, after a quiet one.
func tactical() []string {
	return []string{
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
		"r1bqkb1r/pp3pp1/2nppn2/7p/3NP1PP/2N5/PPP2P2/R1BQKBR1 w Qkq - 0 9",
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
		"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
	}
}

// counted counts the moves that a search plays on a board.
type counted struct {
	minimax.Board
	played *int
}

func (c counted) Play(m engine.Move) {
	*c.played++
	c.Board.Play(m)
}

func search(tb testing.TB, fen string, nodes int64, played *int) {
	game := bottest.Open(tb, "chess")
	made, err := boards.For(game, nil)
	if err != nil {
		tb.Fatal(err)
	}
	pos, err := game.Parse(fen)
	if err != nil {
		tb.Fatal(err)
	}
	s := mcts.New(mcts.Config{Megabytes: 16}, func() minimax.Board { return counted{made(), played} })
	turn := kit.NewTurn(pos, 1, nil)
	turn.Nodes = nodes
	s.Choose(turn)
}

// A simulation costs a bounded number of positions, however many captures there are.
func TestTacticsAreBounded(t *testing.T) {
	const simulations, most = 50, 1200
	for _, fen := range tactical() {
		played := 0
		search(t, fen, simulations, &played)
		if played > simulations*most {
			t.Errorf("%s: %d moves a simulation, want at most %d", fen, played/simulations, most)
		}
	}
}
