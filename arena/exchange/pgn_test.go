package exchange

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/arena/openings"
	"botarena/arena/pgn"
	"botarena/arena/text"
	"botarena/engine/chess"
	"botarena/engine/games"
)

func pgnOf(t *testing.T, o PGNOptions, list ...*Game) string {
	t.Helper()
	var b bytes.Buffer
	w := NewPGN(&b, games.All(), o)
	for _, g := range list {
		if err := w.Write(g); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func moves(text string) []arena.MoveRecord {
	var list []arena.MoveRecord
	for _, m := range strings.Fields(text) {
		list = append(list, arena.MoveRecord{Move: m, Time: 1500 * time.Microsecond})
	}
	return list
}

func TestPGNOfChess(t *testing.T) {
	g := &Game{Game: arena.Game{
		Event: `The "best" \ event`, Number: 7, Round: 2, Game: "chess", First: "Änne", Second: "b\nc\xff",
		Opening: arena.Opening{Moves: []string{"f2f3", "e7e5"}},
		Result:  arena.SecondWins, Reason: arena.WinByRule, Detail: "checkmate", Moves: moves("g2g4 d8h4"),
		Start: time.Date(2026, 3, 1, 23, 0, 0, 0, time.FixedZone("", -2*3600)),
	}}
	clocks := [2]arena.TimeControl{{Base: time.Minute, Increment: 500 * time.Millisecond}, {Nodes: 100}}
	g.Moves[1].HasScore, g.Moves[1].Mate, g.Moves[1].Score, g.Moves[1].Depth = true, true, 1, 3
	g.Moves[0].HasScore, g.Moves[0].Score, g.Moves[0].Nodes = true, -35, 1234
	g.Describe(&arena.Event{Bots: []arena.Bot{
		{Name: "Änne", Command: []string{"/opt/engines/stockfish"}, Version: "16", Options: []arena.Option{{Name: "Hash", Value: "64"}, {Name: "EvalFile", Value: "/home/me/x.nnue"}}},
		{Name: "b\nc\xff", Builtin: "minimax"},
	}})
	g.Clocks = clocks
	tags := `[Event "The \"best\" \\ event"]
[Site "?"]
[Date "2026.03.02"]
[Round "2"]
[White "Änne"]
[Black "b\\nc\\xff"]
[Result "0-1"]
[TimeControl "?"]
[WhiteTimeControl "60+0.5"]
[BlackTimeControl "-"]
[Termination "normal"]
[PlyCount "4"]
[WhiteEngine "stockfish 16"]
[WhiteOptions "Hash=64; EvalFile=x.nnue"]
[BlackEngine "minimax"]
[GameId "The \"best\" \\ event/7"]

`
	if got, want := pgnOf(t, PGNOptions{}, g), tags+"1. f3 e5 2. g4 Qh4# 0-1\n\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	want := tags + "1. f3 {book} e5 {book} 2. g4 {-0.35/0 0.002s n=1234} Qh4# {+M1/3 0.002s} {win\nby rule: checkmate} 0-1\n\n"
	if got := pgnOf(t, PGNOptions{Comments: true}, g); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// A position with Black to move, and its own number.
	g.Opening = arena.Opening{Position: "4k3/8/8/8/8/8/4P3/4K3 b - - 0 37"}
	g.Moves, g.Result, g.Reason = moves("e8e7 e2e4"), arena.FirstWins, arena.TimeForfeit
	got := pgnOf(t, PGNOptions{}, g)
	for _, want := range []string{
		"\n37... Ke7 38. e4 1-0\n\n", "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 37\"]\n", "[Termination \"time forfeit\"]", "[PlyCount \"2\"]",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	g.Moves = moves("e8e6")
	if err := NewPGN(&bytes.Buffer{}, games.All(), PGNOptions{}).Write(g); err == nil || !strings.Contains(err.Error(), "ply 1: e8e6") {
		t.Errorf("an illegal move is written: %v", err)
	}
	g.Result = arena.Unplayed
	if err := NewPGN(&bytes.Buffer{}, games.All(), PGNOptions{}).Write(g); err == nil {
		t.Error("an unplayed game is written")
	}
}

func TestPGNOfOtherGames(t *testing.T) {
	g := &Game{Game: arena.Game{
		Event: "e", Number: 1, Round: 1, Game: "breakthrough:2x5", First: "a", Second: "b",
		Opening: arena.Opening{Position: "pp/pp/2/PP/PP b"},
		Result:  arena.FirstWins, Reason: arena.IllegalMove, Blame: "b", Moves: moves("a4a3 a2b3"),
	}, Clocks: [2]arena.TimeControl{{Move: 100 * time.Millisecond}, {Move: 100 * time.Millisecond}}}
	got := pgnOf(t, PGNOptions{}, g)
	for _, want := range []string{
		"[Date \"????.??.??\"]", "[Variant \"breakthrough:2x5\"]\n[SetUp \"1\"]\n[FEN \"pp/pp/2/PP/PP b\"]\n[TimeControl \"1/0.1\"]\n[Termination \"rules infraction\"]\n",
		"\n1... a4a3 2. a2b3 1-0\n\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := pgnOf(t, PGNOptions{Tags: true}, g); strings.Contains(got, "FEN") || !strings.HasSuffix(got, "]\n\n1-0\n\n") {
		t.Errorf("tags only:\n%s", got)
	}
}

func TestTimeControl(t *testing.T) {
	for want, c := range map[string]arena.TimeControl{
		"40/9000":     {Moves: 40, Base: 9000 * time.Second},
		"300+2":       {Base: 5 * time.Minute, Increment: 2 * time.Second},
		"40/60.5+0.1": {Moves: 40, Base: 60500 * time.Millisecond, Increment: 100 * time.Millisecond},
		"10":          {Base: 10 * time.Second, Nodes: 5},
		"1/2":         {Move: 2 * time.Second},
		"-":           {Depth: 4},
		"?":           {},
	} {
		if got := timeControl(c); got != want {
			t.Errorf("%+v is %s, want %s", c, got, want)
		}
	}
}

// Chess games of any kind read back as the moves and results that were played,
// and no line of moves is too long.
func TestPGNReadsBack(t *testing.T) {
	chessGame, err := games.All().Lookup("chess")
	must(err)
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		g := played(source(seed), "chess", 1)
		if g.Reason == arena.WinByRule || g.Reason == arena.DrawByRule {
			if len(g.Moves) == 0 {
				return
			}
			g.Moves = g.Moves[:len(g.Moves)-1] // the reader of books wants games that go on
		}
		if len(g.Moves)+len(g.Opening.Moves) == 0 {
			return
		}
		var b bytes.Buffer
		w := NewPGN(&b, games.All(), PGNOptions{Comments: rapid.Bool().Draw(t, "comments")})
		must(w.Write(g))
		must(w.Flush())
		_, text, _ := strings.Cut(b.String(), "\n\n")
		for line := range strings.Lines(text) {
			if len(line) > 80 {
				t.Fatalf("a line of %d columns: %s", len(line)-1, line)
			}
		}
		book, err := openings.ReadBook(b.Bytes(), "x.pgn", chessGame)
		if err != nil || len(book) != 1 {
			t.Fatalf("%v, %d games in\n%s", err, len(book), b.String())
		}
		want := slices.Clone(g.Opening.Moves)
		for _, m := range g.Moves {
			want = append(want, m.Move)
		}
		if !slices.Equal(book[0].Moves, want) || book[0].Position != g.Opening.Position {
			t.Fatalf("read %+v, want %v", book[0], want)
		}
		if !strings.HasSuffix(text, string(g.Result)+"\n\n") {
			t.Fatalf("no result at the end of\n%s", text)
		}
	})
}

func TestSANStaysOutOfOtherGames(t *testing.T) {
	for _, name := range gameNames() {
		g := played(source(3), name, 1)
		game, err := games.All().Lookup(name)
		must(err)
		_, isChess := game.Start().(*chess.Position)
		if got := strings.Contains(pgnOf(t, PGNOptions{}, g), "[Variant"); got == isChess {
			t.Errorf("%s: Variant tag %v", name, got)
		}
	}
}

// FuzzTagValue: any name is a PGN string of one line, from which a reader gets
// the printable name back.
func FuzzTagValue(f *testing.F) {
	for _, s := range []string{"", `a"b`, `\`, `\\"`, "a\nb", "\xff", "ä\u2028", `"]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tag := append(appendTagValue([]byte(`[White "`), s), "\"]\n"...)
		token, err := pgn.NewScanner(bytes.NewReader(tag)).Next()
		if err != nil || token.Kind != pgn.Tag {
			t.Fatalf("%q is written %s, and read as %+v, %v", s, tag, token, err)
		}
		if back := pgn.Text(token.Value); back != text.Escape(s) {
			t.Fatalf("%q is written %s, and reads back as %q", s, tag, back)
		}
	})
}
