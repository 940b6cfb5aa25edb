package chess_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"botarena/engine"
	"botarena/engine/chess"
	"botarena/engine/enginetest"

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

func TestAgainstLibrary(t *testing.T) { againstLibrary(t, 5) }

// againstLibrary plays random games and holds the rules to those of an
// independent library: legal moves, checkmate and stalemate, notation, and the
// position after each move.
func againstLibrary(t *testing.T, games uint64) {
	fens := []string{
		start,
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
		"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
		"4k3/PPP3PP/8/8/8/8/ppp3pp/4K3 w - - 0 1",
	}
	ends := map[string]int{}
	for seed := range games {
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
	got := enginetest.Legal(pos)
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

var _ engine.Perfter = (*chess.Position)(nil)
