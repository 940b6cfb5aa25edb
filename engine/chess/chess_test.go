package chess_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"botarena/engine"
	"botarena/engine/chess"
	"botarena/engine/enginetest"

	"pgregory.net/rapid"
)

const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

func open(t testing.TB) engine.Game {
	t.Helper()
	game, err := chess.Family{}.Open("")
	if err != nil {
		t.Fatal(err)
	}
	return game
}

func parse(t testing.TB, fen string) *chess.Position {
	t.Helper()
	pos, err := open(t).Parse(fen)
	if err != nil {
		t.Fatal(err)
	}
	return pos.(*chess.Position)
}

func TestConformance(t *testing.T) { enginetest.Run(t, open(t), enginetest.OtherSpellings()) }
func FuzzPosition(f *testing.F)    { enginetest.FuzzPosition(f, open(f)) }
func FuzzMove(f *testing.F)        { enginetest.FuzzMove(f, open(f)) }

// BenchmarkReferee measures what a runner asks of the rules for each ply of a
// game: read the move, play it, ask for the outcome. SAN adds the move's text
// for PGN.
func BenchmarkReferee(b *testing.B) {
	for _, san := range []bool{false, true} {
		name := "UCI"
		if san {
			name = "SAN"
		}
		b.Run(name, func(b *testing.B) {
			rules, game := open(b), randomGame(b, 330)
			buf := make([]byte, 0, 16)
			plies := 0
			b.ReportAllocs()
			for b.Loop() {
				pos := rules.Start().(*chess.Position)
				for _, text := range game {
					m, err := pos.ParseMove(text)
					if err != nil {
						b.Fatal(err)
					}
					if san {
						buf = pos.AppendSAN(buf[:0], m)
					}
					pos.Play(m)
					if pos.Outcome().Over {
						break
					}
				}
				plies += pos.Ply()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(plies), "ns/ply")
		})
	}
}

// randomGame returns the first random game of at least so many plies.
func randomGame(t testing.TB, plies int) []string {
	for seed := uint64(0); ; seed++ {
		rng := rand.New(rand.NewPCG(seed, 1))
		pos := open(t).Start()
		var texts []string
		for len(texts) < plies {
			moves := pos.Legal(nil)
			if len(moves) == 0 {
				break
			}
			m := moves[rng.IntN(len(moves))]
			texts = append(texts, string(pos.AppendMove(nil, m)))
			pos.Play(m)
		}
		if len(texts) == plies {
			return texts
		}
	}
}

// TestPerft holds the counts that chess programmers publish: the start, and the
// five other positions that are usual for testing move generators.
func TestPerft(t *testing.T) {
	for _, tt := range []struct {
		fen   string
		nodes []uint64
	}{
		{start, []uint64{20, 400, 8902, 197281, 4865609}},
		{"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", []uint64{48, 2039, 97862, 4085603}},
		{"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", []uint64{14, 191, 2812, 43238, 674624}},
		{"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", []uint64{6, 264, 9467, 422333}},
		{"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", []uint64{44, 1486, 62379, 2103487}},
		{"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", []uint64{46, 2079, 89890, 3894594}},
	} {
		pos := parse(t, tt.fen)
		for i, want := range tt.nodes {
			if got := engine.Perft(pos, i+1); got != want {
				t.Errorf("%s: perft(%d) = %d, want %d", tt.fen, i+1, got, want)
			}
		}
	}
}

func TestEndings(t *testing.T) {
	const shuffle = "g1f3 g8f6 f3g1 f6g8 "
	for _, tt := range []struct {
		name, fen, moves, reason string
		winner                   engine.Side
	}{
		{"fool's mate", start, "f2f3 e7e5 g2g4 Qh4#", "checkmate", engine.Second},
		{"stalemate", "7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "g6f7", "stalemate", engine.NoSide},
		{"threefold", start, shuffle + shuffle, "threefold repetition", engine.NoSide},
		{"twofold", start, shuffle, "", engine.NoSide},
		{
			"two of three without the rights to castle", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
			"e1e2 e8e7 e2e1 e7e8 e1e2 e8e7 e2e1 e7e8", "", engine.NoSide,
		},
		{
			"three without the rights", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
			"e1e2 e8e7 e2e1 e7e8 e1e2 e8e7 e2e1 e7e8 e1e2 e8e7", "threefold repetition", engine.NoSide,
		},
		{ // After e2e4 Black may capture en passant, later no more.
			"an en-passant capture makes a difference", "4k2n/8/8/8/3p4/8/4P3/4K2N w - - 0 1",
			"e2e4 h8g6 h1g3 g6h8 g3h1 h8g6 h1g3 g6h8 g3h1", "", engine.NoSide,
		},
		{ // The same, but the capture would leave the king on e8 to the rook.
			"a pinned capture makes none", "3k3n/8/8/8/3p4/8/4P3/3RK2N w - - 0 1",
			"e2e4 h8g6 h1g3 g6h8 g3h1 h8g6 h1g3 g6h8 g3h1", "threefold repetition", engine.NoSide,
		},
		{"fifty moves", "4k3/8/8/8/8/8/r7/4K2R b - - 98 70", "a2b2 h1g1", "fifty-move rule", engine.NoSide},
		{"one ply short", "4k3/8/8/8/8/8/r7/4K2R b - - 98 70", "a2b2", "", engine.NoSide},
		{"a capture resets", "4k3/8/8/8/8/8/r6R/4K3 w - - 99 70", "h2a2", "", engine.NoSide},
		{"mate goes before fifty moves", "7k/8/6K1/8/8/8/8/R7 w - - 99 70", "Ra8", "checkmate", engine.First},
		{"counter already there", "7k/8/6K1/8/8/8/8/R7 w - - 151 90", "", "fifty-move rule", engine.NoSide},
		{"bare kings", "7k/8/8/8/8/8/r7/K7 w - - 0 1", "a1a2", "insufficient material", engine.NoSide},
		{"a knight", "7k/8/8/8/8/8/8/K6N w - - 0 1", "", "insufficient material", engine.NoSide},
		{"a bishop", "7k/8/8/8/8/8/8/K6b w - - 0 1", "", "insufficient material", engine.NoSide},
		{"bishops of one colour", "7k/8/8/8/8/8/6B1/K6b w - - 0 1", "", "insufficient material", engine.NoSide},
		{"bishops of both colours", "7k/8/8/8/8/8/7B/K6b w - - 0 1", "", "", engine.NoSide},
		{"two knights", "7k/8/8/8/8/8/6N1/K6N w - - 0 1", "", "", engine.NoSide},
		{"knight and bishop", "7k/8/8/8/8/8/6n1/K6B w - - 0 1", "", "", engine.NoSide},
		{"a pawn", "7k/8/8/8/8/8/6P1/K7 w - - 0 1", "", "", engine.NoSide},
	} {
		pos := parse(t, tt.fen)
		enginetest.Play(t, pos, tt.moves)
		want := engine.Outcome{Over: tt.reason != "", Winner: tt.winner, Reason: tt.reason}
		if got := pos.Outcome(); got != want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, want)
		}
		if n := len(pos.Legal(nil)); tt.reason != "" && n > 0 {
			t.Errorf("%s: %d legal moves after the end", tt.name, n)
		}
	}
}

func TestPositionText(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{start, start},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR  w KQkq -", start},
		{" rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w qkQK - 0 0\n", start},
		{"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"},
		{"4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"},
		{"8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1", "8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1"}, // both pawns would leave the rank
	} {
		if got := parse(t, tt.text).String(); got != tt.want {
			t.Errorf("%q reads as %s, want %s", tt.text, got, tt.want)
		}
	}
	for _, tt := range []struct {
		text, why string
		column    int
	}{
		{"", "six fields", 0},
		{"8/8/8/8/8/8/8/8 w", "six fields", 0},
		{"8/8/8/8/8/8/8/8 w - - 0 1", "white has 0 kings", 0},
		{"k7/8/8/8/8/8/8/KK6 w - - 0 1", "white has 2 kings", 0},
		{"k7/8/8/8/8/8/8/K7/8 w - - 0 1", "more than 8 ranks", 18},
		{"k7/8/8/8/8/8/K7 w - - 0 1", "7 ranks", 0},
		{"k6/8/8/8/8/8/8/K7 w - - 0 1", "rank 8 has 7", 3},
		{"k8/8/8/8/8/8/8/K7 w - - 0 1", "more than 8 squares", 2},
		{"kx6/8/8/8/8/8/8/K7 w - - 0 1", "no piece", 2},
		{"k7/8/8/8/8/8/8/K7 x - - 0 1", "w or b", 19},
		{"k6P/8/8/8/8/8/8/K7 w - - 0 1", "pawn cannot stand on h8", 0},
		{"k7/8/8/8/8/8/8/K6r b - - 0 1", "white is in check but not to move", 0},
		{"8/8/8/8/8/8/1k6/K7 b - - 0 1", "in check but not to move", 0},
		{"k7/8/8/8/8/8/8/K7 w KK - 0 1", "king on e1", 21},
		{"k7/8/8/8/8/8/8/4K2R w KK - 0 1", "each once", 23},
		{"k7/8/8/8/8/8/8/4K3 w K - 0 1", "rook on h1", 22},
		{"k7/8/8/8/8/8/8/4K3 w - e4 0 1", "rank 6", 24},
		{"k7/8/8/8/8/8/8/4K3 w - e6 0 1", "no pawn can just", 24},
		{"k7/8/8/8/8/8/8/4K3 w - - x 1", "plies since", 26},
		{"k7/8/8/8/8/8/8/4K3 w - - 0 99999", "number of the move", 28},
	} {
		_, err := open(t).Parse(tt.text)
		var bad *engine.PositionError
		if !errors.As(err, &bad) || !strings.Contains(bad.Why, tt.why) || bad.Column != tt.column {
			t.Errorf("%q: %v, want %q at column %d", tt.text, err, tt.why, tt.column)
		}
	}
}

func TestMoveText(t *testing.T) {
	const (
		rooks  = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
		passes = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"
		queens = "1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1"
		four   = "7k/8/8/8/1N3N2/8/1N3N2/K7 w - - 0 1"
	)
	for _, tt := range []struct{ fen, text, want string }{
		{start, "e2e4", "e2e4"},
		{start, "e2-e4", "e2e4"},
		{start, " e4 ", "e2e4"},
		{start, "Nf3!?", "g1f3"},
		{start, "Ng1-f3", "g1f3"},
		{start, "Ngf3", "g1f3"},
		{rooks, "e1g1", "e1g1"},
		{rooks, "O-O", "e1g1"},
		{rooks, "0-0-0+", "e1c1"},
		{rooks, "e1h1", "e1g1"},
		{rooks, "e1a1", "e1c1"},
		{rooks, "Rxh8+", "h1h8"},
		{rooks, "Rh8", "h1h8"},
		{passes, "exd6", "e5d6"},
		{passes, "exd6e.p.", "e5d6"},
		{passes, "exd6 e.p.", "e5d6"},
		{passes, "e5xd6", "e5d6"},
		{queens, "a7a8q", "a7a8q"},
		{queens, "a7a8=N", "a7a8n"},
		{queens, "a8=R", "a7a8r"},
		{queens, "axb8=Q+", "a7b8q"},
		{queens, "axb8B", "a7b8b"},
		{four, "Nb4d3", "b4d3"},
	} {
		pos := parse(t, tt.fen)
		m, err := pos.ParseMove(tt.text)
		if got := string(pos.AppendMove(nil, m)); err != nil || got != tt.want {
			t.Errorf("%s %q: %s %v, want %s", tt.fen, tt.text, got, err, tt.want)
		}
	}
	for _, tt := range []struct{ fen, text, why string }{
		{start, "e3e4", "no piece of white on e3"},
		{start, "e7e5", "the pawn on e7 is black's; white is to move"},
		{start, "e2e5", "the pawn on e2 does not reach e5"},
		{start, "a1a2", "taken by a piece of the same side"},
		{start, "e1g1", "a piece stands between"},
		{start, "O-O-O", "a piece stands between"},
		{start, "e2e4q", "only a pawn that reaches the last rank promotes"},
		{start, "0000", "not a move"},
		{start, "", "not a move"},
		{start, "Nd2", "no knight of white can go to d2"},
		{start, "e1h1", "a piece stands between"},
		{queens, "a7a8", "promote to is missing"},
		{queens, "a8", "promote to is missing"},
		{queens, "a7a8k", "not a move"},
		{four, "Nd3", "more than one knight can go to d3: write "},
		{"r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1", "e1g1", "the right to castle there is lost"},
		{"r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1", "O-O", "the right to castle there is lost"},
		{"4kr2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "through check"},
		{"4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1", "e2c3", "pinned"},
		{"4r1k1/8/8/8/8/8/3N4/4K3 w - - 0 1", "d2c4", "stays in check"},
		{"4r1k1/8/8/8/8/8/3N4/3K4 w - - 0 1", "d1e1", "the king would be in check on e1"},
		{"8/8/8/8/8/8/8/K6k w - - 0 1", "a1a2", "the game is over: insufficient material"},
	} {
		_, err := parse(t, tt.fen).ParseMove(tt.text)
		var bad *engine.MoveError
		if !errors.As(err, &bad) || !strings.Contains(bad.Why, tt.why) {
			t.Errorf("%s %q: %v, want %q", tt.fen, tt.text, err, tt.why)
		}
	}
}

func TestPieces(t *testing.T) {
	pos := parse(t, start)
	if got := pos.Pieces(engine.Second, chess.Pawn); got != 0x00ff000000000000 {
		t.Errorf("black pawns on %#x", got)
	}
	if kind, side := pos.PieceOn(59); kind != chess.Queen || side != engine.Second {
		t.Errorf("d8: %s of %d", kind, side)
	}
	if _, side := pos.PieceOn(32); side != engine.NoSide {
		t.Errorf("a5: side %d", side)
	}
	if pos.InCheck() || !parse(t, "k6R/8/8/8/8/8/8/K7 b - - 0 1").InCheck() {
		t.Error("InCheck is wrong")
	}
}

// TestSANRoundTrip: in random games the text of each move for PGN is read back
// as that move and no other has the same text.
func TestSANRoundTrip(t *testing.T) {
	game := open(t)
	enginetest.Check(t, 15, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 7))
		pos := game.Start()
		for range 120 {
			moves := pos.Legal(nil)
			if len(moves) == 0 {
				return
			}
			seen := map[string]bool{}
			for _, m := range moves {
				san := chess.SAN(pos, m)
				if got, err := pos.ParseMove(san); err != nil || got != m || seen[san] {
					rt.Fatalf("%s: %s of %s reads as %d, %v", pos, san, pos.AppendMove(nil, m), got, err)
				}
				seen[san] = true
			}
			pos.Play(moves[rng.IntN(len(moves))])
		}
	})
}
