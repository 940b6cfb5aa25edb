package chess_test

import (
	"errors"
	"strings"
	"testing"

	"botarena/engine"
	"botarena/engine/chess"
	"botarena/engine/enginetest"
)

func open960(t testing.TB) engine.Starts {
	t.Helper()
	game, err := chess.Family{}.Open("960")
	if err != nil {
		t.Fatal(err)
	}
	return game.(engine.Starts)
}

func parse960(t testing.TB, fen string) *chess.Position {
	t.Helper()
	pos, err := open960(t).Parse(fen)
	if err != nil {
		t.Fatal(err)
	}
	return pos.(*chess.Position)
}

func TestConformance960(t *testing.T) {
	enginetest.Run(t, open960(t), enginetest.OtherSpellings())
}
func FuzzPosition960(f *testing.F) { enginetest.FuzzPosition(f, open960(f)) }
func FuzzMove960(f *testing.F)     { enginetest.FuzzMove(f, open960(f)) }

// The published counts of the first positions of the Chess960 perft suite, depth
// 1 to 5, and those of chess from start 518.
func TestPerft960(t *testing.T) { perft960(t, 4) }

func perft960(t *testing.T, deepest int) {
	for _, tt := range []struct {
		fen  string
		want []uint64
	}{
		{"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", []uint64{21, 528, 12189, 326672, 8146062}},
		{"2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", []uint64{21, 807, 18002, 667366, 16253601}},
		{"b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9", []uint64{20, 479, 10471, 273318, 6417013}},
		{"qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9", []uint64{22, 593, 13440, 382958, 9183776}},
		{"1nbbnrkr/p1p1ppp1/3p4/1p3P1p/3Pq2P/8/PPP1P1P1/QNBBNRKR w HFhf - 0 9", []uint64{28, 1120, 31058, 1171749, 34030312}},
		{"qnbnr1kr/ppp1b1pp/4p3/3p1p2/8/2NPP3/PPP1BPPP/QNB1R1KR w HEhe - 1 9", []uint64{29, 899, 26578, 824055, 24851983}},
		{"q1bnrkr1/ppppp2p/2n2p2/4b1p1/2NP4/8/PPP1PPPP/QNB1RRKB w ge - 1 9", []uint64{30, 860, 24566, 732757, 21093346}},
		{"qbn1brkr/ppp1p1p1/2n4p/3p1p2/P7/6PP/QPPPPP2/1BNNBRKR w HFhf - 0 9", []uint64{25, 635, 17054, 465806, 13203304}},
		{"qnnbbrkr/1p2ppp1/2pp3p/p7/1P5P/2NP4/P1P1PPP1/Q1NBBRKR w HFhf - 0 9", []uint64{24, 572, 15243, 384260, 11110203}},
		{"qn1rbbkr/ppp2p1p/1n1pp1p1/8/3P4/P6P/1PP1PPPK/QNNRBB1R w hd - 2 9", []uint64{28, 811, 23175, 679699, 19836606}},
		{open960(t).Start().String(), []uint64{20, 400, 8902, 197281, 4865609}},
	} {
		pos := parse960(t, tt.fen)
		for i, want := range tt.want[:deepest] {
			if got := pos.Perft(i + 1); got != want {
				t.Errorf("%s: perft %d is %d, want %d", tt.fen, i+1, got, want)
				break
			}
		}
	}
}

// Every start is another one, stands as the rules of Chess960 say, and is read
// again from its text in either form.
func TestStarts(t *testing.T) {
	game := open960(t)
	seen := map[string]bool{}
	for n := range game.Starts() {
		pos := game.StartAt(n)
		fen := pos.String()
		row := strings.Fields(fen)[0][35:]
		seen[row] = true
		king, rooks := strings.IndexByte(row, 'K'), [2]int{strings.IndexByte(row, 'R'), strings.LastIndexByte(row, 'R')}
		bishops := [2]int{strings.IndexByte(row, 'B'), strings.LastIndexByte(row, 'B')}
		if king < rooks[0] || king > rooks[1] || (bishops[0]+bishops[1])%2 == 0 {
			t.Errorf("start %d is %s", n, row)
		}
		for _, text := range []string{fen, strings.Replace(fen, strings.Fields(fen)[2], "KQkq", 1)} {
			again, err := game.Parse(text)
			if err != nil || again.String() != fen || again.Hash() != pos.Hash() {
				t.Errorf("start %d: %q reads as %v, %v", n, text, again, err)
			}
		}
		if _, ok := pos.Game().(engine.Starts); !ok || pos.Game().Name() != "chess:960" {
			t.Errorf("start %d is of %s", n, pos.Game().Name())
		}
	}
	if len(seen) != 960 {
		t.Errorf("%d different starts", len(seen))
	}
	for n, row := range map[int]string{0: "BBQNNRKR", 1: "BQNBNRKR", 518: "RNBQKBNR", 959: "RKRNNQBB"} {
		if got := game.StartAt(n).String(); !strings.Contains(got, "/"+row+" w") {
			t.Errorf("start %d is %s, want %s", n, got, row)
		}
	}
	if game.Start().String() != game.StartAt(518).String() {
		t.Errorf("the game's own start is %s", game.Start())
	}
}

func TestCastling960(t *testing.T) {
	for _, tt := range []struct{ fen, move, canonical, san, after string }{
		{"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "e1h1", "O-O", "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1"},
		{"4k3/8/8/8/8/8/8/R3K2R w HA - 0 1", "O-O-O", "e1a1", "O-O-O", "4k3/8/8/8/8/8/8/2KR3R b - - 1 1"},
		{"4k3/8/8/8/8/8/8/1RK3R1 w GB - 0 1", "c1b1", "c1b1", "O-O-O", "4k3/8/8/8/8/8/8/2KR2R1 b - - 1 1"}, // the king stays
		{"4k3/8/8/8/8/8/8/5RKR w H - 0 1", "g1h1", "", "", ""},                                             // f1 is taken
		{"4k3/8/8/8/8/8/8/R5KR w H - 0 1", "g1h1", "g1h1", "O-O", "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1"},
		{"4k3/8/8/8/8/8/8/R4K1R w HA - 0 1", "f1g1", "f1g1", "Kg1", "4k3/8/8/8/8/8/8/R5KR b - - 1 1"}, // a step, no castling
		{"4k3/8/8/8/8/8/8/R4K1R w HA - 0 1", "f1h1", "f1h1", "O-O", "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1"},
		{"4k3/8/8/8/8/8/8/RK5R w HA - 0 1", "b1g1", "b1h1", "O-O", "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1"},
		{"1r4k1/8/8/8/8/8/8/RK5R w HA - 0 1", "b1h1", "", "", ""}, // in check
		{"2r3k1/8/8/8/8/8/8/RK5R w HA - 0 1", "b1h1", "", "", ""}, // through check
		{"7k/8/8/8/8/8/8/qRK5 w B - 0 1", "c1b1", "", "", ""},     // the rook is pinned: it shields the king
		{"rk5r/8/8/8/8/8/8/4K3 b ha - 0 1", "b8a8", "b8a8", "O-O-O", "2kr3r/8/8/8/8/8/8/4K3 w - - 1 2"},
		{"4k3/8/8/8/8/8/8/R2RK3 w Q - 0 1", "e1a1", "", "", ""}, // the other rook stands between
		{"4k3/8/8/8/8/8/8/R2RK3 w D - 0 1", "e1d1", "e1d1", "O-O-O", "4k3/8/8/8/8/8/8/R1KR4 b - - 1 1"},
	} {
		pos := parse960(t, tt.fen)
		m, err := pos.ParseMove(tt.move)
		if tt.after == "" {
			var bad *engine.MoveError
			if !errors.As(err, &bad) {
				t.Errorf("%s %s: %v", tt.fen, tt.move, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %s: %v", tt.fen, tt.move, err)
			continue
		}
		if got := string(pos.AppendMove(nil, m)); got != tt.canonical {
			t.Errorf("%s %s is written %s", tt.fen, tt.move, got)
		}
		if got := string(pos.AppendSAN(nil, m)); got != tt.san {
			t.Errorf("%s %s is %s in algebraic notation", tt.fen, tt.move, got)
		}
		before := pos.String()
		pos.Play(m)
		if pos.String() != tt.after {
			t.Errorf("%s %s: %s, want %s", tt.fen, tt.move, pos, tt.after)
		}
		if again := parse960(t, pos.String()); again.Hash() != pos.Hash() {
			t.Errorf("%s: its hash is another when it is read", pos)
		}
		if pos.Undo(); pos.String() != before {
			t.Errorf("taken back: %s", pos)
		}
	}
}

func TestRights960(t *testing.T) {
	for _, tt := range []struct{ fen, want, why string }{
		{"4k3/8/8/8/8/8/8/R2RK2R w KQ - 0 1", "R2RK2R w HA", ""}, // K and Q: the outermost rooks
		{"4k3/8/8/8/8/8/8/R2RK2R w HD - 0 1", "R2RK2R w HD", ""},
		{"4k3/8/8/8/8/8/8/R2RK2R w HDA - 0 1", "", "twice"},
		{"4k3/8/8/8/8/8/8/R2RK2R w C - 0 1", "", "rook on c1"},
		{"4k3/8/8/8/8/8/4K3/R2R3R w K - 0 1", "", "king on rank 1"},
		{"4k3/8/8/8/8/8/8/R3K3 w K - 0 1", "", "rook on that side"},
		{"4k3/8/8/8/8/8/8/R3K3 w x - 0 1", "", "files of the rooks"},
		{"4k3/8/8/8/8/8/8/R3K3 w a - 0 1", "", "rook on a8"},
	} {
		pos, err := open960(t).Parse(tt.fen)
		switch {
		case tt.why != "" && (err == nil || !strings.Contains(err.Error(), tt.why)):
			t.Errorf("%s: %v, want %q", tt.fen, err, tt.why)
		case tt.why == "" && (err != nil || !strings.Contains(pos.String(), tt.want)):
			t.Errorf("%s: %v, %v", tt.fen, pos, err)
		}
	}
	if _, err := open(t).Parse("4k3/8/8/8/8/8/8/R3K2R w HA - 0 1"); err == nil {
		t.Error("chess itself takes files as castling rights")
	}
}
