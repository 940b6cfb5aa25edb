package chess_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"botarena/engine"
	"botarena/engine/chess"

	lib "github.com/corentings/chess/v2"
)

// fromLibrary asks the library for the legal moves of a position, as UCI text
// and in algebraic notation.
func fromLibrary(t *testing.T, fen string) (pos *lib.Position, moves map[string]lib.Move) {
	t.Helper()
	pos = new(lib.Position)
	if err := pos.UnmarshalText([]byte(fen)); err != nil {
		t.Fatal(err)
	}
	moves = map[string]lib.Move{}
	for _, m := range pos.ValidMoves() {
		moves[m.String()] = m
	}
	return pos, moves
}

// TestAgainstLibrary plays random games and holds the rules to those of an
// independent library: legal moves, checkmate and stalemate, notation, and the
// position after each move.
func TestAgainstLibrary(t *testing.T) {
	fens := []string{
		start,
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
		"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
		"4k3/PPP3PP/8/8/8/8/ppp3pp/4K3 w - - 0 1",
	}
	ends := map[string]int{}
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 9))
		pos := parse(t, fens[seed%5])
		for range 150 {
			ref, want := fromLibrary(t, pos.String())
			out := pos.Outcome()
			ends[out.Reason]++
			if out.Over {
				mated, stuck := ref.Status() == lib.Checkmate, ref.Status() == lib.Stalemate
				if mated != (out.Reason == "checkmate") || stuck != (out.Reason == "stalemate") {
					t.Fatalf("%s: %q, the library says %v", pos, out.Reason, ref.Status())
				}
				break
			}
			compare(t, pos, ref, want)
			moves := pos.Legal(nil)
			m := moves[rng.IntN(len(moves))]
			their := want[string(pos.AppendMove(nil, m))]
			pos.Play(m)
			// The library notes the square after any double step.
			after, err := open(t).Parse(ref.Update(&their).String())
			if err != nil || after.String() != pos.String() || after.Hash() != pos.Hash() {
				t.Fatalf("%v after %s: %s, the library has %v", ref, their.String(), pos, ref.Update(&their))
			}
		}
	}
	if ends["checkmate"] == 0 {
		t.Error("no game was mate")
	}
}

func compare(t *testing.T, pos *chess.Position, ref *lib.Position, want map[string]lib.Move) {
	t.Helper()
	got := legal(pos)
	var theirs []string
	for text := range want {
		theirs = append(theirs, text)
	}
	slices.Sort(theirs)
	if !slices.Equal(got, theirs) {
		t.Fatalf("%s: legal %v, the library has %v", pos, got, theirs)
	}
	for _, m := range pos.Legal(nil) {
		their := want[string(pos.AppendMove(nil, m))]
		san := lib.AlgebraicNotation{}.Encode(ref, &their)
		ours := chess.SAN(pos, m)
		if p := their.Promo(); p != lib.NoPieceType && p != lib.Queen {
			// The library gives these the queen's check (v2.3.2).
			ours, san = strings.TrimRight(ours, "+#"), strings.TrimRight(san, "+#")
		}
		if ours != san {
			t.Errorf("%s: %s, the library writes %s", pos, ours, san)
		}
	}
}

func TestEPD(t *testing.T) {
	for _, tt := range []struct{ line, fen, id string }{
		{`rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; id "the start";`, start, "the start"},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", start, ""},
		{"4k3/8/8/8/3pP3/8/8/4K3 b - e3 5 20", "4k3/8/8/8/3pP3/8/8/4K3 b - e3 5 20", ""},
	} {
		fen, id, err := chess.EPD(tt.line)
		if err != nil || fen != tt.fen || id != tt.id {
			t.Errorf("%s: %q %q %v", tt.line, fen, id, err)
		}
	}
	for _, line := range []string{"", "1. e4", "8/8/8/8/8/8/8/8 w - - id x;"} {
		if fen, _, err := chess.EPD(line); err == nil {
			t.Errorf("%q reads as %s", line, fen)
		}
	}
}

func TestReadPGN(t *testing.T) {
	const text = "\ufeff" + `[Event "A \"quoted\" one"]
[Result "1-0"]

1. e4 {best by test
[not "a tag"]} e5 2.Nf3 (2. f4 exf4 (2... d5) 3. Nf3) 2... Nc6 $1 3. Bb5 a6!? ; a line
4. O-O 1-0

[Event "B"]
[FEN "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"]
[SetUp "1"]

1... dxe3 e.p. *

[Event "C"]

1/2-1/2
`
	var got []string
	err := chess.ReadPGN(strings.NewReader(text), func(r chess.Record) error {
		got = append(got, r.Tags["Event"]+"|"+r.FEN+"|"+strings.Join(r.Moves, " "))
		return nil
	})
	want := []string{
		`A "quoted" one||e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1`,
		"B|4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1|d4e3",
		"C||",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	err = chess.ReadPGN(strings.NewReader("\n[Event \"A\"]\n\n1. e4 e5 2. Ke3 *\n"), func(chess.Record) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "line 2") || !strings.Contains(err.Error(), "ply 3") || !strings.Contains(err.Error(), "Ke3") {
		t.Errorf("an illegal move: %v", err)
	}
}

func FuzzReadPGN(f *testing.F) {
	f.Add("[Event \"A\"]\n\n1. e4 {x} (1. d4) e5 $1 1-0\n")
	f.Add("[FEN \"4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1\"]\n1... dxe3 *")
	game := open(f)
	f.Fuzz(func(t *testing.T, text string) {
		_ = chess.ReadPGN(strings.NewReader(text), func(r chess.Record) error {
			pos := game.Start()
			if r.FEN != "" {
				pos, _ = game.Parse(r.FEN)
			}
			for _, move := range r.Moves {
				m, err := pos.ParseMove(move)
				if err != nil {
					t.Fatalf("%q: %v", text, err)
				}
				pos.Play(m)
			}
			return nil
		})
	})
}

func BenchmarkLibrary(b *testing.B) {
	pos := lib.StartingPosition()
	rng := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		moves := pos.ValidMoves()
		if len(moves) == 0 || pos.HalfMoveClock() > 99 {
			pos = lib.StartingPosition()
			continue
		}
		pos = pos.Update(&moves[rng.IntN(len(moves))])
	}
}

var _ engine.Perfter = (*chess.Position)(nil)
