package openings

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/engine"
	"botarena/engine/games"
)

func lookup(t interface{ Fatal(...any) }, name string) engine.Game {
	game, err := games.All().Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return game
}

// at returns the position after an opening.
func at(t interface{ Fatalf(string, ...any) }, game engine.Game, o arena.Opening) engine.Position {
	pos, err := After(game, o)
	if err != nil {
		t.Fatalf("%v: %v", o, err)
	}
	return pos
}

var gameNames = []string{"breakthrough", "breakthrough:4x5", "breakthrough:3x4", "outwit", "outwit:jump", "owlman", "owlman:daybreak"}

func TestRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		game := lookup(t, rapid.SampledFrom(gameNames).Draw(t, "game"))
		plies := rapid.IntRange(1, 8).Draw(t, "plies")
		seed := rapid.Uint64().Draw(t, "seed")
		n := rapid.IntRange(1, 40).Draw(t, "n")
		s, again := Random(game, plies, seed), Random(game, plies, seed)
		last, err := again.Opening(n - 1) // asked for in another order
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for i := range n {
			o, err := s.Opening(i)
			if err != nil {
				t.Fatal(err)
			}
			if i == n-1 && fmt.Sprint(o) != fmt.Sprint(last) {
				t.Fatalf("opening %d is %v, and %v when asked for first", i, o, last)
			}
			if l := s.Len(); l > 0 && i >= l {
				if first, _ := s.Opening(i - l); fmt.Sprint(o) != fmt.Sprint(first) {
					t.Fatalf("opening %d of %d is %v, not %v again", i, l, o, first)
				}
				continue
			}
			if len(o.Moves) != plies || o.Position != "" {
				t.Fatalf("%v is not %d plies from the start", o, plies)
			}
			pos := at(t, game, o)
			if seen[pos.String()] {
				t.Fatalf("opening %d, %v, leads to the position of an earlier one", i, o)
			}
			seen[pos.String()] = true
			if pos.Outcome().Over {
				t.Fatalf("%v is over", o)
			}
			for _, m := range pos.Legal(nil) {
				me := pos.Turn()
				pos.Play(m)
				if out := pos.Outcome(); out.Over && out.Winner == me {
					t.Fatalf("%v is won at once", o)
				}
				pos.Undo()
			}
		}
	})
}

// Where openings run out they are counted exactly. So early no two ways lead to
// one position and nothing is decided, so the counts are those of perft.
func TestRandomRunsOut(t *testing.T) {
	for _, c := range []struct {
		game  string
		plies int
		want  int
	}{
		{"breakthrough", 1, 22},
		{"breakthrough", 2, 484},
		{"owlman", 2, 27},
		{"outwit", 1, 27},
		{"outwit", 0, 1},
	} {
		s := Random(lookup(t, c.game), c.plies, 1)
		for i := range 1000 {
			if _, err := s.Opening(i); err != nil {
				t.Fatal(err)
			}
		}
		if s.Len() != c.want {
			t.Errorf("%s, %d plies: %d openings, want %d", c.game, c.plies, s.Len(), c.want)
		}
	}
}

// No game of 2x4 lasts 40 plies: this must end with an error that says so.
func TestRandomNone(t *testing.T) {
	_, err := Random(lookup(t, "breakthrough:2x4"), 40, 1).Opening(0)
	if err == nil || !strings.Contains(err.Error(), "breakthrough:2x4 has no opening of 40 random plies") {
		t.Error(err)
	}
}

func TestOrders(t *testing.T) {
	var book []arena.Opening
	for i := range 5 {
		book = append(book, arena.Opening{Name: fmt.Sprint(i + 1)})
	}
	order := func(o arena.Openings, seed uint64) string {
		s, err := List(book, o, seed)
		if err != nil {
			t.Fatal(err)
		}
		names := ""
		for i := range 7 {
			o, _ := s.Opening(i)
			names += o.Name
		}
		return names
	}
	if got := order(arena.Openings{}, 1); got != "1234512" {
		t.Error(got)
	}
	if got := order(arena.Openings{Order: "sequential", Start: 4}, 1); got != "4512345" {
		t.Error(got)
	}
	a, b := order(arena.Openings{Order: "shuffled"}, 1), order(arena.Openings{Order: "shuffled"}, 2)
	if a == b || a != order(arena.Openings{Order: "shuffled"}, 1) || a[:2] != a[5:] {
		t.Error(a, b)
	}
	sorted := []byte(a[:5])
	slices.Sort(sorted)
	if string(sorted) != "12345" {
		t.Error(a)
	}
	for _, o := range []arena.Openings{{Start: 6}, {Order: "random"}} {
		if _, err := List(book, o, 1); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

func TestReadBook(t *testing.T) {
	const book = "# a comment\n\na2a3 a7a6 ; Edge\r\nstartpos moves b2xb3 b7-b6\n" +
		"pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP b 7\n" +
		"pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w moves h2h3 ; with ; more\n1. c2c3 c7c6 2.d2d3\nstartpos\n"
	got, err := ReadBook([]byte(strings.Replace(book, "b2xb3", "b2b3", 1)), "b.txt", lookup(t, "breakthrough"))
	if err != nil {
		t.Fatal(err)
	}
	const start = "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP"
	want := []arena.Opening{
		{Name: "Edge", Moves: []string{"a2a3", "a7a6"}},
		{Moves: []string{"b2b3", "b7b6"}},
		{Position: start + " b"},
		{Name: "with ; more", Position: start + " w", Moves: []string{"h2h3"}},
		{Moves: []string{"c2c3", "c7c6", "d2d3"}},
		{},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestReadBookNamesAllBadLines(t *testing.T) {
	const book = "a2a3\nnonsense\n# fine\npppppppp/8/8/8/8/8/8/p6P w\na2a4 ; too far\n; nameless\nstartpos a2a3\n9/9 w\n"
	_, err := ReadBook([]byte(book), "dir/b.txt", lookup(t, "breakthrough"))
	var bad *BookError
	if !errors.As(err, &bad) {
		t.Fatalf("%v", err)
	}
	var lines []int
	for _, b := range bad.Bad {
		lines = append(lines, b.Line)
	}
	if !slices.Equal(lines, []int{2, 4, 5, 6, 7, 8}) {
		t.Errorf("lines %v: %v", lines, err)
	}
	if !strings.Contains(err.Error(), "dir/b.txt:5: move 1: a2a4: ") || !strings.Contains(err.Error(), "b.txt:4: the game is over: ") {
		t.Error(err)
	}
	if _, err := ReadBook([]byte("# nothing\n"), "b.txt", lookup(t, "outwit")); err == nil {
		t.Error("an empty book is taken")
	}
}

// chessLike is any game under the name of chess, for the lines that only chess has.
type chessLike struct{ engine.Game }

func (chessLike) Name() string { return "chess" }

func TestChessLines(t *testing.T) {
	b := &book{game: chessLike{lookup(t, "outwit")}}
	const fen = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -"
	for line, want := range map[string]arena.Opening{
		fen:                                    {Position: fen + " 0 1"},
		fen + ` bm Bb5; id "Spanish; or not";`: {Position: fen + " 0 1", Name: "Spanish; or not"},
		fen + ` hmvc 2; fmvn 3; id "x";`:       {Position: fen + " 2 3", Name: "x"},
		fen + " 2 3":                           {Position: fen + " 2 3"},
		fen + " 2 3 ; a name":                  {Position: fen + " 2 3", Name: "a name"},
		fen + "; a name":                       {Position: fen + " 0 1", Name: "a name"},
		fen + " 2 3 moves Bb5 a6 ; a name":     {Position: fen + " 2 3", Name: "a name", Moves: []string{"Bb5", "a6"}},
		"fen " + fen + " 2 3 moves f1b5":       {Position: fen + " 2 3", Moves: []string{"f1b5"}},
		"1. e4 e5 2. Nf3 ; King's knight":      {Name: "King's knight", Moves: []string{"e4", "e5", "Nf3"}},
		"startpos moves e2e4":                  {Moves: []string{"e2e4"}},
	} {
		got, err := b.line(line)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s:\ngot  %+v %v\nwant %+v", line, got, err, want)
		}
	}
}

func TestPGNBook(t *testing.T) {
	const pgn = `[Event "x"]
[Opening "Edge \"A\""]
[Variation "Main"]

1. a2a3 {a [comment] ; here} a7a6! 2. b2b3 (2. c2c3 (2. d2d3) c7c6) $1 1/2-1/2

[ECO "A00"]
[FEN "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP b"]
; a line
% another
1... h7h6 *
`
	game := lookup(t, "breakthrough")
	got, err := ReadBook([]byte(pgn), "b.pgn", game)
	if err != nil {
		t.Fatal(err)
	}
	want := []arena.Opening{
		{Name: `Edge "A", Main`, Moves: []string{"a2a3", "a7a6", "b2b3"}},
		{Name: "A00", Position: "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP b", Moves: []string{"h7h6"}},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	_, err = ReadBook([]byte(strings.Replace(pgn, "h7h6", "h7h5", 1)), "b.pgn", game)
	if err == nil || !strings.HasPrefix(err.Error(), "b.pgn:7: move 1: h7h5: ") {
		t.Error(err)
	}
	for _, broken := range []string{"[Event \"x\n", "[Event \"x\"] 1. a2a3 {never closed", "[Event"} {
		if _, err := ReadBook([]byte(broken), "b.pgn", game); err == nil {
			t.Errorf("%q is taken", broken)
		}
	}
}

func TestWriteReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		game := lookup(t, rapid.SampledFrom(gameNames).Draw(t, "game"))
		source := Random(game, rapid.IntRange(0, 6).Draw(t, "plies"), rapid.Uint64().Draw(t, "seed"))
		var list []arena.Opening
		for i := range rapid.IntRange(1, 8).Draw(t, "n") {
			o, err := source.Opening(i)
			if err != nil {
				t.Fatal(err)
			}
			o.Name = rapid.StringMatching(`|[a-zA-Z;#]{1,6}( [a-z0-9;]{1,5})?`).Draw(t, "name")
			if rapid.Bool().Draw(t, "from a position") {
				cut := rapid.IntRange(0, len(o.Moves)).Draw(t, "cut")
				o.Position = at(t, game, arena.Opening{Moves: o.Moves[:cut]}).String()
				o.Moves = o.Moves[cut:]
			}
			list = append(list, o)
		}
		var b bytes.Buffer
		if err := Write(&b, list, "made for a test", "of two lines"); err != nil {
			t.Fatal(err)
		}
		got, err := ReadBook(b.Bytes(), "book", game)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(list) {
			t.Fatalf("%s\ngot  %v %v\nwant %v", &b, got, err, list)
		}
	})
}

func TestNew(t *testing.T) {
	game := lookup(t, "breakthrough")
	file := filepath.Join(t.TempDir(), "book")
	if err := os.WriteFile(file, []byte("a2a3\nb2b3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o    arena.Openings
		want string
	}{
		{arena.Openings{}, "[]"},
		{arena.Openings{File: file, Start: 2}, "[b2b3]"},
		{arena.Openings{Balanced: &arena.Balanced{Plies: 2, Window: 1, Count: 1}, Start: 1}, "[c2c3]"},
	} {
		s, err := New(game, c.o, 1, []arena.Opening{{Moves: []string{"c2c3"}}})
		if err != nil {
			t.Fatal(err)
		}
		o, err := s.Opening(0)
		if err != nil || c.want != "" && fmt.Sprint(o.Moves) != c.want {
			t.Errorf("%+v: %v %v", c.o, o, err)
		}
	}
	if _, err := New(game, arena.Openings{File: file + "x"}, 1, nil); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := New(game, arena.Openings{Balanced: &arena.Balanced{Plies: 2, Count: 1}}, 1, nil); err == nil {
		t.Error("balanced openings without a book")
	}
}

// What may be waited for or read for ever is no book.
func TestReadFileRefuses(t *testing.T) {
	for _, file := range []string{os.DevNull, t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		var bad *BookError
		if _, err := ReadFile(file); !errors.As(err, &bad) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func FuzzReadBook(f *testing.F) {
	for _, s := range []string{
		"a2a3 a7a6 ; Edge\n", "[FEN \"x\"]\n1. a2a3 {c} (d) *\n", "fen 8/8 moves\n", "startpos moves\n", "fen moves\n", "[",
		"r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - bm Bb5; id \"x\";",
	} {
		f.Add([]byte(s))
	}
	game, err := games.All().Lookup("breakthrough:4x4")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := ReadBook(data, "book", game)
		parser := &book{game: chessLike{game}}
		for _, line := range strings.Split(string(data), "\n") {
			_, _ = parser.line(line)
		}
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := Write(&b, list); err != nil {
			t.Fatal(err)
		}
		again, err := ReadBook(b.Bytes(), "book", game)
		if err != nil {
			t.Fatalf("%q is written as %q, which is no book: %v", data, b.Bytes(), err)
		}
		for i := range list {
			list[i].Name = strings.Join(strings.Fields(list[i].Name), " ")
		}
		if fmt.Sprint(again) != fmt.Sprint(list) {
			t.Fatalf("%v becomes %v", list, again)
		}
	})
}
