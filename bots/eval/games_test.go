package eval_test

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"botarena/bots/bottest"
	"botarena/bots/eval"
	"botarena/bots/minimax"
	"botarena/engine"
	"botarena/engine/chess"
)

// An evaluation of any game stays far from the scores of won games, but for the pieces
// that a side of chess is ahead, says the same again, and leaves the position alone.
func TestEveryGame(t *testing.T) {
	for _, name := range bottest.Games() {
		t.Run(name, func(t *testing.T) {
			game := bottest.Open(t, name)
			evaluate := eval.For(game)
			seen := map[int]bool{}
			rapid.Check(t, func(rt *rapid.T) {
				pos := bottest.Random(rt, game)
				text, hash := pos.String(), pos.Hash()
				score := evaluate(pos)
				seen[score] = true
				if rest := score - material(pos); max(rest, -rest) > minimax.Win/10 || max(score, -score) > minimax.MaxEval {
					rt.Errorf("%s: %d", pos, score)
				}
				if again := evaluate(pos); again != score || evaluate(pos.Clone()) != score {
					rt.Errorf("%s: %d, then %d", pos, score, again)
				}
				if pos.String() != text || pos.Hash() != hash {
					rt.Errorf("%s became %s", text, pos)
				}
			})
			if len(seen) < 10 {
				t.Errorf("only %d different scores", len(seen))
			}
		})
	}
}

// material is what the pieces of the side to move of chess are worth more than the
// other's, and 0 in other games: four queens alone are more than a tenth of a win.
func material(p engine.Position) int {
	pos, ok := p.(*chess.Position)
	if !ok {
		return 0
	}
	ahead := 0
	for kind, value := range []int{chess.Pawn: 100, chess.Knight: 320, chess.Bishop: 330, chess.Rook: 500, chess.Queen: 900} {
		mine, theirs := pos.Pieces(pos.Turn(), chess.Kind(kind)), pos.Pieces(pos.Turn().Other(), chess.Kind(kind))
		ahead += value * (bits.OnesCount64(mine) - bits.OnesCount64(theirs))
	}
	return ahead
}

// A position and the same with sides exchanged are worth the same to the side to
// move, in the games that are alike for both.
func TestSidesAreAlike(t *testing.T) {
	for _, c := range []struct {
		game  string
		round bool
		sides string
	}{
		{"breakthrough", false, "wb"},
		{"breakthrough:5x5", false, "wb"},
		{"breakthrough:9x9", false, "wb"},
		{"outwit", true, "ld"},
		{"outwit:push", true, "ld"},
	} {
		t.Run(c.game, func(t *testing.T) {
			game := bottest.Open(t, c.game)
			evaluate := eval.For(game)
			rapid.Check(t, func(rt *rapid.T) {
				pos := bottest.Random(rt, game)
				text := bottest.Turned(pos.String(), c.round, c.sides)
				other, err := game.Parse(text)
				if err != nil {
					rt.Fatal(err)
				}
				if x, y := evaluate(pos), evaluate(other); x != y {
					rt.Errorf("%s: %d, as %s %d", pos, x, text, y)
				}
			})
		})
	}
}

// A position and the same with colours exchanged are worth the same to the side
// to move.
func TestChessIsSymmetric(t *testing.T) {
	for _, c := range [][2]string{
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1"},
		{"r3k2r/2p1bpp1/2n5/pP1q4/8/4PN2/PB3P2/R2QK1R1 w Qkq - 0 1", "r2qk1r1/pb3p2/4pn2/8/Pp1Q4/2N5/2P1BPP1/R3K2R b KQq - 0 1"},
		{"8/5k2/3p4/8/2P1P3/8/1K6/8 b - - 0 1", "8/1k6/8/2p1p3/8/3P4/5K2/8 w - - 0 1"},
	} {
		a, b := bottest.Parse(t, "chess", c[0]), bottest.Parse(t, "chess", c[1])
		x, y := eval.For(a.Game())(a), eval.For(b.Game())(b)
		if x != y {
			t.Errorf("%s: %d, with colours exchanged %d", c[0], x, y)
		}
	}
}

// What is better by the game's own lights is better by the evaluation.
func TestPrefers(t *testing.T) {
	for _, c := range []struct{ what, game, better, worse string }{
		{"a piece more", "breakthrough:5x5", "ppp2/5/5/5/PPP2 w", "ppp2/5/5/5/PP3 w"},
		{"a piece further on", "breakthrough:5x5", "ppp2/5/2P2/5/PP3 w", "ppp2/5/5/2P2/PP3 w"},
		{"a chip at home", "outwit", "8S/9/9/9/9/9/9/9/9/4K3s l", "9/9/9/8S/9/9/9/9/9/4K3s l"},
		{"a chip in line with the corner", "outwit", "9/9/9/8S/9/9/9/9/9/4K3s l", "9/9/9/9/3S5/9/9/9/9/4K3s l"},
		{"a helper more", "owlman", "O7/8/8/3H4/4H3/8/8/7D w", "O7/8/8/3H4/8/8/8/7D w"},
		{"Doc nearer the lair", "owlman", "8/8/8/3D4/4H3/8/8/1O6 w", "8/8/8/8/4H3/5D2/8/1O6 w"},
		{"a queen more", "chess", "4k3/8/8/8/8/8/8/3QK3 w - - 0 1", "4k3/8/8/8/8/8/8/3RK3 w - - 0 1"},
		{"a knight in the middle", "chess", "4k3/8/8/8/3N4/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/N3K3 w - - 0 1"},
		{"a passed pawn", "chess", "4k3/7p/8/P7/8/8/8/4K3 w - - 0 1", "4k3/1p6/8/P7/8/8/8/4K3 w - - 0 1"},
		{"no doubled pawns", "chess", "4k3/8/8/8/8/8/PP6/4K3 w - - 0 1", "4k3/8/8/8/8/P7/P7/4K3 w - - 0 1"},
		{"a king in the middle of an endgame", "chess", "k7/8/8/8/3K4/8/P7/8 w - - 0 1", "k7/8/8/8/8/8/P7/7K w - - 0 1"},
		{"a hidden king in the middle game", "chess", "rnbq1rk1/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1RK1 w - - 0 1", "rnbq1rk1/pppppppp/8/8/4K3/8/PPPPPPPP/RNBQ1R2 w - - 0 1"},
		{"two bishops", "chess", "4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1", "4k3/8/8/8/8/8/8/1N2KB2 w - - 0 1"},
		{"a helper to frighten away", "owlman", "O7/8/8/3H4/8/8/8/7D b", "O7/3H4/8/8/8/8/8/7D b"},
	} {
		better, worse := bottest.Parse(t, c.game, c.better), bottest.Parse(t, c.game, c.worse)
		evaluate := eval.For(better.Game())
		if x, y := evaluate(better), evaluate(worse); x <= y {
			t.Errorf("%s: %d, without %d", c.what, x, y)
		}
	}
}

// other is a game that package eval has never heard of.
type other struct{ engine.Game }

type otherPosition struct{ engine.Position }

func (o other) Start() engine.Position { return otherPosition{o.Game.Start()} }

func TestUnknownGameIsJudgedByMobility(t *testing.T) {
	game := other{bottest.Open(t, "breakthrough:5x5")}
	pos := game.Start()
	if got, want := eval.For(game)(pos), len(pos.Legal(nil)); got != want {
		t.Errorf("%d, want the number of legal moves, %d", got, want)
	}
}
