package engine_test

import (
	"errors"
	"strings"
	"testing"

	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/enginetest"
	"botarena/engine/owlman"
)

func TestOther(t *testing.T) {
	for side, want := range map[engine.Side]engine.Side{
		engine.First: engine.Second, engine.Second: engine.First, engine.NoSide: engine.NoSide,
	} {
		if got := side.Other(); got != want {
			t.Errorf("the other of %d is %d, want %d", side, got, want)
		}
	}
}

// plain hides a position's own count, so that Perft has to play.
type plain struct{ engine.Position }

// Perft gives the same counts however they come about, splits them by the first
// move, and leaves the position as it was.
func TestPerft(t *testing.T) {
	catalog := engine.Catalog{breakthrough.Family{}, owlman.Family{}}
	for _, name := range catalog.Names() {
		game, err := catalog.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		pos := game.Start()
		before := pos.String()
		for depth := range 4 {
			want := enginetest.Perft(pos, depth)
			if got := engine.Perft(pos, depth); got != want {
				t.Errorf("%s: perft %d is %d, want %d", name, depth, got, want)
			}
			if got := engine.Perft(plain{pos}, depth); got != want {
				t.Errorf("%s: perft %d, played, is %d, want %d", name, depth, got, want)
			}
			var sum uint64
			branches := engine.PerftDivide(pos, depth)
			for i, b := range branches {
				sum += b.Nodes
				if b.Move != pos.Legal(nil)[i] {
					t.Errorf("%s: branch %d is not in the order of Legal", name, i)
				}
			}
			if depth == 0 && branches != nil || depth > 0 && sum != want {
				t.Errorf("%s: divide %d adds up to %d, want %d", name, depth, sum, want)
			}
		}
		if pos.String() != before || pos.Ply() != 0 {
			t.Errorf("%s: %s became %s", name, before, pos)
		}
	}
}

// A finished game is not extended: it has no path of one move.
func TestPerftOfAFinishedGame(t *testing.T) {
	game, err := engine.Catalog{breakthrough.Family{}}.Lookup("breakthrough")
	if err != nil {
		t.Fatal(err)
	}
	pos, err := game.Parse("P7/8/8/8/8/8/7p/8 b")
	if err != nil {
		t.Fatal(err)
	}
	if engine.Perft(plain{pos}, 0) != 1 || engine.Perft(plain{pos}, 1) != 0 || len(engine.PerftDivide(pos, 2)) != 0 {
		t.Error("a finished game goes on")
	}
}

// Errors name the place and stay short, whatever text they are about.
func TestErrors(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for _, c := range []struct {
		err  error
		want string
	}{
		{&engine.MoveError{Move: "a2b3", Why: "no piece of White on a2"}, "a2b3: no piece of White on a2"},
		{&engine.PositionError{Game: "chess", Text: "8/8", Column: 4, Why: "two ranks only"}, `chess position "8/8", column 4: two ranks only`},
		{&engine.PositionError{Game: "chess", Text: "8/8", Why: "no king"}, `chess position "8/8": no king`},
		{&engine.UnknownGameError{Name: "ches", Nearest: "chess"}, `unknown game "ches"; did you mean "chess"?`},
		{&engine.UnknownGameError{Name: "go", Known: []string{"chess", "outwit"}}, `unknown game "go"; known games: chess, outwit`},
		{&engine.MoveError{Move: long, Why: "too long"}, ""},
		{&engine.PositionError{Game: "chess", Text: long, Why: "too long"}, ""},
		{&engine.UnknownGameError{Name: long}, ""},
	} {
		got := c.err.Error()
		if c.want != "" && got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
		if len(got) > 300 {
			t.Errorf("an error of %d bytes", len(got))
		}
	}
}

func TestLookupIsTyped(t *testing.T) {
	catalog := engine.Catalog{breakthrough.Family{}}
	for _, name := range []string{"", ":", "breakthrough:", "breakthrough:0x0", "breaktrough", strings.Repeat("b", 100_000)} {
		_, err := catalog.Lookup(name)
		var unknown *engine.UnknownGameError
		if !errors.As(err, &unknown) || unknown.Name != name {
			t.Errorf("%.20q: %v", name, err)
		}
	}
}
