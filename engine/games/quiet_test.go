package games_test

import (
	"testing"

	"botarena/engine"
	"botarena/engine/games"
)

// A position is quiet where nothing is taken, threatened at once or promoted.
func TestQuiet(t *testing.T) {
	for _, c := range []struct {
		game, position, move string
		want                 bool
	}{
		{"chess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "e2e4", true},
		{"chess", "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2", "e4d5", false},
		{"chess", "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2", "e4e5", true},
		{"chess", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", false}, // in passing
		{"chess", "4k3/8/8/8/8/8/8/R3K2r w Q - 0 1", "e1d2", false},   // in check
		{"chess", "7k/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", false},
		{"chess", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", true},
		{"chess960", "4k3/8/8/8/8/8/8/R3K3 w A - 0 1", "e1a1", true}, // the king's own rook
		{"breakthrough:4x5", "pppp/p1pp/Pp2/1PPP/PPPP w", "c2b3", false},
		{"breakthrough:4x5", "pppp/p1pp/Pp2/1PPP/PPPP w", "c2c3", true},
		{"breakthrough:4x5", "ppp1/3P/4/p3/1PPP b", "a2a1", false}, // one step from winning
		{"owlman", "O7/8/8/8/8/5H2/8/1H5D b", "a8b7", false},
		{"owlman", "D7/8/8/8/8/5H2/6H1/7O b", "h1g2", false},
	} {
		game, err := games.All().Lookup(c.game)
		if err != nil {
			t.Fatal(err)
		}
		pos, err := game.Parse(c.position)
		if err != nil {
			t.Fatal(err)
		}
		m, err := pos.ParseMove(c.move)
		if err != nil {
			t.Fatal(err)
		}
		if quiet, known := engine.Quiet(pos, m); !known || quiet != c.want {
			t.Errorf("%s: %s at %s: quiet %v (%v), want %v", c.game, c.move, c.position, quiet, known, c.want)
		}
	}
	outwit, err := games.All().Lookup("outwit")
	if err != nil {
		t.Fatal(err)
	}
	pos := outwit.Start()
	if quiet, known := engine.Quiet(pos, pos.Legal(nil)[0]); quiet || known {
		t.Error("outwit knows what is quiet")
	}
}
