package breakthrough_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/enginetest"
)

func open(t testing.TB, variant string) engine.Game {
	t.Helper()
	game, err := breakthrough.Family{}.Open(variant)
	if err != nil {
		t.Fatal(err)
	}
	return game
}

func TestConformance(t *testing.T) { conformance(t, 2) }

func conformance(t *testing.T, games int) {
	// 8x8 and 16x4 fill one word, 13x5 is one square more, 26x26 the largest.
	for _, variant := range []string{"", "2x4", "2x26", "3x5", "5x5", "6x5", "16x4", "13x5", "12x12", "26x4", "26x26"} {
		t.Run(variant, func(t *testing.T) {
			n := games
			if variant == "26x26" {
				n = 1
			}
			enginetest.Run(t, open(t, variant), enginetest.Games(n))
		})
	}
}

func FuzzPosition(f *testing.F) { enginetest.FuzzPosition(f, open(f, "")) }
func FuzzMove(f *testing.F)     { enginetest.FuzzMove(f, open(f, "11x12")) }

// The counts are the game's known ones; those beyond depth 4 need the bulk count.
func TestPerftStart(t *testing.T) {
	pos := open(t, "").Start()
	for depth, want := range []uint64{1, 22, 484, 11132, 256036, 6182818, 149264638} {
		if got := engine.Perft(pos, depth); got != want {
			t.Errorf("Perft(%d) = %d, want %d", depth, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	catalog := engine.Catalog{breakthrough.Family{}}
	for name, want := range map[string]string{
		"breakthrough": "breakthrough", "breakthrough:8x8": "breakthrough", "breakthrough:6x5": "breakthrough:6x5",
		"breakthrough:2x4": "breakthrough:2x4", "breakthrough:26x26": "breakthrough:26x26",
	} {
		game, err := catalog.Lookup(name)
		if err != nil || game.Name() != want {
			t.Errorf("Lookup(%q) = %v, %v, want %s", name, game, err, want)
		}
	}
	for name, want := range map[string]string{
		"breakthrough:1x8":    "1 columns; use 2 to 26",
		"breakthrough:27x8":   "27 columns; use 2 to 26",
		"breakthrough:8x3":    "3 rows; use 4 to 26",
		"breakthrough:8x27":   "27 rows; use 4 to 26",
		"breakthrough:8":      "write it like 6x5",
		"breakthrough:08x8":   "write it like 6x5",
		"breakthrough:+8x8":   "write it like 6x5",
		"breakthrough:8x8x8":  "write it like 6x5",
		"breakthrough:8x-8":   "write it like 6x5",
		"breakthrough:":       "nothing after the colon",
		"breakthrough:99999x": "write it like 6x5",
		"breakthrugh":         `did you mean "breakthrough"?`,
	} {
		if _, err := catalog.Lookup(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Lookup(%q): %v, want ...%s...", name, err, want)
		}
	}
	for _, name := range (breakthrough.Family{}).Names() {
		if game, err := catalog.Lookup(name); err != nil || game.Name() != name {
			t.Errorf("Lookup(%q) = %v, %v", name, game, err)
		}
	}
}

func TestOutcome(t *testing.T) {
	for _, c := range []struct {
		game, text string
		want       engine.Outcome
	}{
		{"", "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w", engine.Outcome{Winner: engine.NoSide}},
		{"3x4", "P2/1p1/3/2P b", over(engine.First, breakthrough.ReachedHomeRow)},
		// Over, though the other side would have moved last.
		{"3x4", "P2/1p1/3/2P w", over(engine.First, breakthrough.ReachedHomeRow)},
		{"3x4", "3/1p1/3/2p w", over(engine.Second, breakthrough.ReachedHomeRow)},
		{"3x4", "3/1p1/3/2p b", over(engine.Second, breakthrough.ReachedHomeRow)},
		{"3x4", "3/1P1/3/3 b", over(engine.First, breakthrough.NoPiecesLeft)},
		{"3x4", "3/1p1/3/3 w", over(engine.Second, breakthrough.NoPiecesLeft)},
		{"3x4", "3/1p1/3/3 b", over(engine.Second, breakthrough.NoPiecesLeft)},
		// The last piece captured on its home row.
		{"3x4", "1P1/3/3/3 b", over(engine.First, breakthrough.ReachedHomeRow)},
		{"3x4", "3/3/3/2p w", over(engine.Second, breakthrough.ReachedHomeRow)},
		// A side's own home row is no goal.
		{"3x4", "p2/3/3/P2 w", engine.Outcome{Winner: engine.NoSide}},
	} {
		pos, err := open(t, c.game).Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := pos.Outcome(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.text, got, c.want)
		}
	}
}

func over(winner engine.Side, reason string) engine.Outcome {
	return engine.Outcome{Over: true, Winner: winner, Reason: reason}
}

func TestParsePosition(t *testing.T) {
	for _, c := range []struct{ game, text, want string }{
		{"", "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w 0 1", "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w"},
		{"", " pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP  b - - 0 17 ", "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP b"},
		{"", "8/8/3p4/8/8/3P4/8/8 w 12", "8/8/3p4/8/8/3P4/8/8 w"},
		{"12x4", "12/p11/11P/12 b", "12/p11/11P/12 b"},
		{"26x4", "26/12p13/1P24/26 w", "26/12p13/1P24/26 w"},
		// More pieces than a game has, composed.
		{"2x4", "2/pp/PP/PP w", "2/pp/PP/PP w"},
	} {
		pos, err := open(t, c.game).Parse(c.text)
		if err != nil || pos.String() != c.want {
			t.Errorf("Parse(%q) = %v, %v, want %s", c.text, pos, err, c.want)
		}
	}
	for _, c := range []struct{ game, text, want string }{
		{"3x4", "", `column 1: it is empty; the start is "ppp/ppp/PPP/PPP w"`},
		{"3x4", "ppp/ppp/PPP/PPP", "column 16: the side to move is missing; end with w or b"},
		{"3x4", "ppp/ppp/PPP/PPP x", `column 17: 'x' is no side to move; write w or b`},
		{"3x4", "ppp/ppp/PPP w", "column 12: 3 ranks instead of 4"},
		{"3x4", "ppp/ppp/3/PPP/PPP w", "column 14: more than 4 ranks"},
		{"3x4", "ppp/pppp/PPP/PPP w", "column 8: rank 3 has more than 3 squares"},
		{"3x4", "ppp/p1/PPP/PPP w", "column 7: rank 3 has 2 squares instead of 3"},
		{"3x4", "ppp/p99999999999999999999/PPP/PPP w", "rank 3 has more than 3 squares"},
		{"3x4", "ppp/k2/PPP/PPP w", `column 5: 'k' is no piece`},
		{"3x4", "ppp/0ppp/PPP/PPP w", `column 5: '0' is no piece`},
		{"3x4", "ppp/3/PPP/PPP wb", "put a space between"},
		{"3x4", "ppp/3/PPP/PPP w KQ", "only a move number may follow"},
		{"3x4", "ppp/3/PPP/PPP w 1 2 3", "only a move number may follow"},
		{"3x4", "3/3/3/3 w", "there is no piece on the board"},
		{"3x4", "P2/3/3/2p w", "both sides stand on the other's home row"},
	} {
		if _, err := open(t, c.game).Parse(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse(%q): %v, want ...%s...", c.text, err, c.want)
		}
	}
}

func TestParseMove(t *testing.T) {
	const middle = "pppppppp/p1pppppp/8/1p6/P7/8/1PPPPPPP/PPPPPPPP w"
	for _, c := range []struct{ game, position, text, want string }{
		{"", middle, "a4b5", "a4b5"},
		{"", middle, "a4-b5", "a4b5"},
		{"", middle, "a4xb5", "a4b5"},
		{"", middle, "a4b5*", "a4b5"},
		{"", middle, "a4xb5*", "a4b5"},
		{"", middle, "\t A4XB5  ", "a4b5"},
		{"", middle, "a4-a5", "a4a5"},
		{"26x12", "26/26/23p2/24P1/26/26/26/26/26/26/26/26 w", "y9x10", "y9x10"},
		{"26x12", "26/26/23p2/24P1/26/26/26/26/26/26/26/26 w", "y9xx10", "y9x10"},
		{"26x12", "26/26/23p2/24P1/26/26/26/26/26/26/26/26 w", "y9y10", "y9y10"},
	} {
		pos, err := open(t, c.game).Parse(c.position)
		if err != nil {
			t.Fatal(err)
		}
		m, err := pos.ParseMove(c.text)
		if err != nil || string(pos.AppendMove(nil, m)) != c.want {
			t.Errorf("ParseMove(%q) = %d, %v, want %s", c.text, m, err, c.want)
		}
	}
	for _, c := range []struct{ position, text, want string }{
		{middle, "a2b3", "a2b3: no piece of White on a2"},
		{middle, "b5a4", "b5a4: no piece of White on b5"},
		{middle, "b1b2", "b1b2: b2 is occupied by White itself"},
		{middle, "a4a3", "a4a3: not one step forward, straight or diagonally"},
		{middle, "a4a6", "a4a6: not one step forward, straight or diagonally"},
		{middle, "a4c5", "a4c5: not one step forward, straight or diagonally"},
		{middle, "a4h5", "a4h5: not one step forward, straight or diagonally"},
		{middle, "h2i3", "h2i3: i3 is off the board, which ends at h8"},
		{middle, "h8h9", "h8h9: h9 is off the board, which ends at h8"},
		{middle, "a4", "a4: not a move; write the two squares, like a2a3"},
		{middle, "a4b5q", "a4b5q: not a move; write the two squares, like a2a3"},
		{middle, "a4 b5", "a4 b5: not a move; write the two squares, like a2a3"},
		{middle, "a04b5", "a04b5: not a move; write the two squares, like a2a3"},
		{"8/p7/P7/8/8/8/8/8 w", "a6a7", "a6a7: a7 is occupied, and a straight move cannot capture"},
		{"P7/8/7p/8/8/8/8/8 b", "h6h5", "h6h5: the game is over (white reached home row)"},
		{"8/8/7P/8/8/8/8/8 b", "h6h5", "h6h5: the game is over (black has no pieces left)"},
	} {
		pos, err := open(t, "").Parse(c.position)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pos.ParseMove(c.text); err == nil || err.Error() != c.want {
			t.Errorf("ParseMove(%q): %v, want %s", c.text, err, c.want)
		}
	}
}

// No game from the start reaches MaxPlies, and neither does the longest that
// pieces which only go forward could play.
func TestMaxPlies(t *testing.T) {
	for _, size := range []string{"2x4", "", "26x26"} {
		game := open(t, size)
		b := game.Start().Board()
		if steps := 2 * b.Cols * (2*b.Rows - 3); game.MaxPlies() < steps {
			t.Errorf("%s: MaxPlies %d, but the pieces have %d steps", game.Name(), game.MaxPlies(), steps)
		}
	}
}

func TestAccessors(t *testing.T) {
	for _, size := range []string{"6x5", "11x12"} {
		pos := open(t, size).Start().(*breakthrough.Position)
		rng := rand.New(rand.NewPCG(3, 3))
		for !pos.Outcome().Over {
			board, count := pos.Board(), [2]int{}
			for sq := range pos.Cols() * pos.Rows() {
				cell := board.Cells[(pos.Rows()-1-sq/pos.Cols())*pos.Cols()+sq%pos.Cols()]
				if pos.PieceAt(sq) != cell.Side {
					t.Fatalf("%s: PieceAt(%d) = %d, want %d", pos, sq, pos.PieceAt(sq), cell.Side)
				}
				for side := range count {
					bit := int(pos.Bits(engine.Side(side))[sq>>6] >> (sq & 63) & 1)
					if (bit == 1) != (int(cell.Side) == side) {
						t.Fatalf("%s: bit %d of side %d is %d", pos, sq, side, bit)
					}
					count[side] += bit
				}
			}
			if count != [2]int{pos.Pieces(engine.First), pos.Pieces(engine.Second)} {
				t.Fatalf("%s: Pieces %d and %d, want %v", pos, pos.Pieces(engine.First), pos.Pieces(engine.Second), count)
			}
			legal := pos.Legal(nil)
			m := legal[rng.IntN(len(legal))]
			captures, enemy := pos.Captures(m), pos.PieceAt(breakthrough.To(m)) == pos.Turn().Other()
			if captures != enemy || pos.PieceAt(breakthrough.From(m)) != pos.Turn() {
				t.Fatalf("%s: Captures(%s) = %v", pos, pos.AppendMove(nil, m), captures)
			}
			pos.Play(m)
		}
	}
}
