package eval_test

import (
	"testing"

	"botarena/bots/eval"
	"botarena/engine"
	"botarena/engine/games"
)

func position(t *testing.T, text string) engine.Position {
	t.Helper()
	game, err := games.All().Lookup("chess")
	if err != nil {
		t.Fatal(err)
	}
	pos, err := game.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return pos
}

// A position and the same with colours exchanged are worth the same to the side
// to move.
func TestChessIsSymmetric(t *testing.T) {
	for _, c := range [][2]string{
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1"},
		{"r3k2r/2p1bpp1/2n5/pP1q4/8/4PN2/PB3P2/R2QK1R1 w Qkq - 0 1", "r2qk1r1/pb3p2/4pn2/8/Pp1Q4/2N5/2P1BPP1/R3K2R b KQq - 0 1"},
		{"8/5k2/3p4/8/2P1P3/8/1K6/8 b - - 0 1", "8/1k6/8/2p1p3/8/3P4/5K2/8 w - - 0 1"},
	} {
		a, b := position(t, c[0]), position(t, c[1])
		x, y := eval.For(a.Game())(a), eval.For(b.Game())(b)
		if x != y {
			t.Errorf("%s: %d, with colours exchanged %d", c[0], x, y)
		}
	}
}

// What is better by the book is better by the evaluation.
func TestChessPrefers(t *testing.T) {
	for _, c := range []struct{ what, better, worse string }{
		{"a queen more", "4k3/8/8/8/8/8/8/3QK3 w - - 0 1", "4k3/8/8/8/8/8/8/3RK3 w - - 0 1"},
		{"a knight in the middle", "4k3/8/8/8/3N4/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/N3K3 w - - 0 1"},
		{"a passed pawn", "4k3/7p/8/P7/8/8/8/4K3 w - - 0 1", "4k3/1p6/8/P7/8/8/8/4K3 w - - 0 1"},
		{"no doubled pawns", "4k3/8/8/8/8/8/PP6/4K3 w - - 0 1", "4k3/8/8/8/8/P7/P7/4K3 w - - 0 1"},
		{"a king in the middle of an endgame", "k7/8/8/8/3K4/8/P7/8 w - - 0 1", "k7/8/8/8/8/8/P7/7K w - - 0 1"},
		{"a hidden king in the middle game", "rnbq1rk1/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1RK1 w - - 0 1", "rnbq1rk1/pppppppp/8/8/4K3/8/PPPPPPPP/RNBQ1R2 w - - 0 1"},
		{"two bishops", "4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1", "4k3/8/8/8/8/8/8/1N2KB2 w - - 0 1"},
	} {
		better, worse := position(t, c.better), position(t, c.worse)
		evaluate := eval.For(better.Game())
		x, y := evaluate(better), evaluate(worse)
		if x <= y {
			t.Errorf("%s: %d, without %d", c.what, x, y)
		}
	}
}
