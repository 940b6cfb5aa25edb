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
	_, err := ReadBook([]byte("1. e4 e5 2. Ke3\n8/8/8/8/8/8/8/8 w - -\n"), "book", game)
	if err == nil || !strings.Contains(err.Error(), "book:1: move 3: Ke3: ") || !strings.Contains(err.Error(), "book:2: ") {
		t.Error(err)
	}
}
