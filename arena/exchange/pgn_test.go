package exchange

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/pgn"
	"botarena/arena/text"
	"botarena/engine/games"
)

func pgnOf(o PGNOptions, list ...*Game) string {
	return writtenBy(func(w io.Writer) Writer { return NewPGN(w, games.All(), o) }, list...)
}

// writtenBy returns what a writer writes of games.
func writtenBy(writer func(io.Writer) Writer, list ...*Game) string {
	var b strings.Builder
	w := writer(&b)
	for _, g := range list {
		must(w.Write(g))
	}
	must(w.Flush())
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
	if got, want := pgnOf(PGNOptions{}, g), tags+"1. f3 e5 2. g4 Qh4# 0-1\n\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	want := tags + "1. f3 {book} e5 {book} 2. g4 {-0.35/0 0.002s n=1234} Qh4# {+M1/3 0.002s} {win\nby rule: checkmate} 0-1\n\n"
	if got := pgnOf(PGNOptions{Comments: true}, g); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// A position with Black to move, and its own number.
	g.Opening = arena.Opening{Position: "4k3/8/8/8/8/8/4P3/4K3 b - - 0 37"}
	g.Moves, g.Result, g.Reason = moves("e8e7 e2e4"), arena.FirstWins, arena.TimeForfeit
	got := pgnOf(PGNOptions{}, g)
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
	got := pgnOf(PGNOptions{}, g)
	for _, want := range []string{
		"[Date \"????.??.??\"]", "[Variant \"breakthrough:2x5\"]\n[SetUp \"1\"]\n[FEN \"pp/pp/2/PP/PP b\"]\n[TimeControl \"1/0.1\"]\n[Termination \"rules infraction\"]\n",
		"\n1... a4a3 2. a2b3 1-0\n\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := pgnOf(PGNOptions{Tags: true}, g); strings.Contains(got, "FEN") || !strings.HasSuffix(got, "]\n\n1-0\n\n") {
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
