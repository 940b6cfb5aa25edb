package openings

import (
	"fmt"
	"strings"
	"testing"
)

// EPD and PGN books as chess tools write them.
func TestChessBooks(t *testing.T) {
	game := lookup(t, "chess")
	for text, want := range map[string]string{
		"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - bm Nf3; id \"Open game\";\n": "[{Open game rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1 []}]",
		"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n":                       "[{ rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2 []}]",
		"1. e4 e5 2. Nf3 Nc6 3. Bb5 ; Spanish\ne2e4 c7c5\n":                                    "[{Spanish  [e2e4 e7e5 g1f3 b8c6 f1b5]} {  [e2e4 c7c5]}]",
		"[Event \"?\"]\n[ECO \"C60\"]\n\n1.e4 e5 2.Nf3 Nc6 3.Bb5 $1 a6 {Morphy} 4.O-O!? *\n\n[Event \"?\"]\n[SetUp \"1\"]\n[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8=Q+ 1/2-1/2\n": "[{C60  [e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1]} { 4k3/P7/8/8/8/8/8/4K3 w - - 0 1 [a7a8q]}]",
	} {
		got, err := ReadBook([]byte(text), "book", game)
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s\ngot  %v %v\nwant %s", text, got, err, want)
		}
	}
	got, err := ReadBook([]byte("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - id \"start 0\";\n"), "book", lookup(t, "chess:960"))
	if err != nil || fmt.Sprint(got) != "[{start 0 bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1 []}]" {
		t.Error(got, err)
	}
	_, err = ReadBook([]byte("1. e4 e5 2. Ke3\n8/8/8/8/8/8/8/8 w - -\n"), "book", game)
	if err == nil || !strings.Contains(err.Error(), "book:1: move 3: Ke3: ") || !strings.Contains(err.Error(), "book:2: ") {
		t.Error(err)
	}
}

// Each pair of a Chess960 event has a start of its own, the same for the same seed.
func TestStarts960(t *testing.T) {
	game := lookup(t, "chess:960")
	all := Random(game, 0, 7)
	if all.Len() != 960 {
		t.Fatalf("%d openings without random plies", all.Len())
	}
	seen := map[string]bool{}
	for i := range 960 {
		o, err := all.Opening(i)
		if err != nil || len(o.Moves) != 0 || !strings.HasPrefix(o.Name, "start ") {
			t.Fatalf("opening %d is %+v, %v", i, o, err)
		}
		seen[o.Position] = true
	}
	if len(seen) != 960 {
		t.Errorf("%d different starts", len(seen))
	}
	first, _ := all.Opening(0)
	if again, _ := Random(game, 0, 7).Opening(0); again.Position != first.Position {
		t.Errorf("the same seed begins with %s and %s", first.Position, again.Position)
	}
	if other, _ := Random(game, 0, 8).Opening(0); other.Position == first.Position {
		t.Error("another seed has the same first start")
	}
	source, starts := Random(game, 4, 7), map[string]bool{}
	for i := range 200 {
		o, err := source.Opening(i)
		if err != nil || len(o.Moves) != 4 || o.Position == "" {
			t.Fatalf("opening %d is %+v, %v", i, o, err)
		}
		if _, err := After(game, o); err != nil {
			t.Errorf("opening %d: %v", i, err)
		}
		starts[o.Position] = true
	}
	if len(starts) < 150 || source.Len() != 0 {
		t.Errorf("200 openings from %d starts, of %d in all", len(starts), source.Len())
	}
}
