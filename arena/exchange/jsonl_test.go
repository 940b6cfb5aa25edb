package exchange

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botarena/arena"
	"botarena/engine/games"
)

func jsonlOf(list ...*Game) []byte {
	return []byte(writtenBy(func(w io.Writer) Writer { return NewJSONL(w) }, list...))
}

func inspect(text []byte) *File {
	return Inspect("f.jsonl", bytes.NewReader(text), int64(len(text)), NewChecker(games.All()), nil)
}

// What is written is accepted, and read back whole.
func TestJSONLReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := source(rapid.Uint64().Draw(t, "seed"))
		var list []*Game
		for i, name := range gameNames() {
			for n := range 3 {
				g := played(rng, name, 1+n*(1+rng.IntN(3)))
				if g.Number = 1 + 5*n + rng.IntN(5); n == 0 {
					g.Config = configured(fmt.Sprint("e", i), name)
				}
				g.Event = fmt.Sprint("e", i)
				list = append(list, g)
			}
		}
		text := jsonlOf(list...)
		file := inspect(text)
		if len(file.Problems) > 0 || len(file.Events) != len(gameNames()) {
			t.Fatalf("%d events; %v", len(file.Events), file.Problems)
		}
		var again []*Game
		for i := range file.Events {
			e := &file.Events[i]
			for g, err := range e.Records() {
				must(err)
				r := *list[len(again)]
				r.Game = *g
				again = append(again, &r)
			}
			if c, err := e.Config(); err != nil || string(c) != configured(e.Event.Name, e.Event.Game) {
				t.Fatalf("config became %s, %v", c, err)
			}
			if b := e.Entered().Bots; len(b) != 2 || b[0].Name != "a" || b[1].Fingerprint != "fb" || b[0].Version != "1.0" {
				t.Fatalf("entered %+v", b)
			}
		}
		if !bytes.Equal(jsonlOf(again...), text) {
			t.Fatal("written again, the file differs")
		}
		for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
			g, err := ParseLine(line)
			must(err)
			want := *list[i]
			if len(want.Moves) == 0 {
				want.Moves = g.Moves
			}
			if want.Opening.Moves == nil {
				g.Opening.Moves = nil
			}
			if !reflect.DeepEqual(g.Game, want.Game) {
				t.Fatalf("read\n%+v\nwant\n%+v", g.Game, want.Game)
			}
		}
	})
}

// mated is a game that the rules end: the fool's mate.
func mated() *Game {
	return &Game{
		Game: arena.Game{
			Event: "e", Number: 1, Round: 1, Pair: 1, Game: "chess", First: "a", Second: "b",
			Result: arena.SecondWins, Reason: arena.WinByRule, Detail: "checkmate", Plies: 4, Moves: moves("f2f3 e7e5 g2g4 d8h4"),
		},
		Versions: [2]Version{{Fingerprint: "fa"}, {Fingerprint: "fb"}},
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*Game)
	}{
		{"", func(*Game) {}},
		{"plies is 3, but there are 4 moves", func(g *Game) { g.Plies = 3 }},
		{"ply 2: e7e4: ", func(g *Game) { g.Moves[1].Move = "e7e4" }},
		{`ply 2: "e5" is written e7e5 here`, func(g *Game) { g.Moves[1].Move = "e5" }},
		{"opening, move 1: e2e5: ", func(g *Game) { g.Opening.Moves = []string{"e2e5"} }},
		{"opening: chess position", func(g *Game) { g.Opening.Position = "8/8 w" }},
		{`the rules end this game with 0-1 (checkmate), not with "1-0"`, func(g *Game) { g.Result = arena.FirstWins }},
		{`the rules end this game (checkmate), but the reason is "resign"`, func(g *Game) { g.Reason = arena.Resign }},
		{"ply 5: a2a3: the game was over before it (checkmate)", func(g *Game) { g.Moves, g.Plies = moves("f2f3 e7e5 g2g4 d8h4 a2a3"), 5 }},
		{"the rules do not end the game", func(g *Game) { g.Moves, g.Plies = g.Moves[:3], 3 }},
		{"cannot be 1/2-1/2", func(g *Game) { g.Result = arena.Draw }},
		{"can only have resigned", func(g *Game) { g.Moves, g.Plies, g.Reason = g.Moves[:3], 3, arena.Resign }},
		{`unknown reason "resigns"; did you mean "resign"?`, func(g *Game) { g.Reason = "resigns" }},
		{`result "2-0" is none of`, func(g *Game) { g.Result = "2-0" }},
		{"only games with a result", func(g *Game) { g.Result, g.Reason = "", arena.Void }},
		{`needs a blame, "a" or "b", not ""`, func(g *Game) { g.Reason = arena.Crash }},
		{`crash of "b", but the result is 0-1`, func(g *Game) { g.Reason, g.Blame = arena.Crash, "b" }},
		{`is nobody's fault, but "b" is blamed`, func(g *Game) { g.Blame = "b" }},
		{`unknown game "ches"; did you mean "chess"?`, func(g *Game) { g.Game.Game = "ches" }},
		{`"a" plays against itself`, func(g *Game) { g.Second = "a" }},
		{"second_fingerprint has 0 letters", func(g *Game) { g.Versions[1].Fingerprint = "" }},
		{"number, round and pair count from 1", func(g *Game) { g.Number = 0 }},
		{"no number is beyond", func(g *Game) { g.Pair = math.MaxInt }},
		{"no number is beyond", func(g *Game) { g.Attempts = -1 }},
		{"the year 10000", func(g *Game) {
			g.Start = time.Date(9999, 12, 31, 23, 0, 0, 0, time.FixedZone("west of the date line", -12*60*60))
		}},
		{"ply 1: 9223372036854775807 nodes", func(g *Game) { g.Moves[0].Nodes = math.MaxInt64 }},
		{"ply 2: a depth of -4611686018427387904", func(g *Game) { g.Moves[1].Depth = -1 << 62 }},
		{"ply 3: a score of", func(g *Game) { g.Moves[2].Score = 1 << 60 }},
		{"have 100009 bytes", func(g *Game) { g.Stage = strings.Repeat("x", 100_000) }},
	} {
		g := mated()
		c.change(g)
		err := errors.Join(NewChecker(games.All()).Check(g)...)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("a good game is refused: %v", err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("want %q, got %v", c.want, err)
		}
	}
}

func TestInspectNamesLines(t *testing.T) {
	first, second, third := mated(), mated(), mated()
	first.Config = configured("e", "chess")
	second.Number, third.Number = 3, 3
	other := mated()
	other.Event, other.Config = "f", configured("e", "chess")
	changed := mated()
	changed.Number, changed.Versions[0].Fingerprint = 4, "another"
	text := string(jsonlOf(first, second, third, other, changed)) +
		"\n{\"event\":\"e\",\"nummer\":1}\n{\"event\":\"e\"} {}\n{\"event\":1}\n[]\nnull\n{\"seconds\":-1}\n{\"eve"
	want := `f.jsonl:3: game 3 of event "e" stands after game 3: each once, in ascending order
f.jsonl:4: config is of event "e" of chess, the game of event "f" of chess
f.jsonl:5: event "e" begins in line 1 and ended before this line; keep an event's games together
f.jsonl:7: not the JSON object of a game: unknown field "nummer"
f.jsonl:8: text after the JSON object; write one game a line
f.jsonl:9: event cannot be a number
f.jsonl:10: not the JSON object of a game: it is a JSON array
f.jsonl:11: not the JSON object of a game
f.jsonl:12: not the JSON object of a game: -1 is no time in seconds, 0 to 1e+09
f.jsonl:13: the line ends in the middle of its JSON object; was the file cut off?
`
	var got strings.Builder
	for _, p := range inspect([]byte(text)).Problems {
		fmt.Fprintln(&got, p)
	}
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
	for text, want := range map[string]string{
		"":                       "no games in it",
		"\n":                     "no games in it",
		string(jsonlOf(mated())): `the first game of event "e" has no config`,
		strings.Replace(string(jsonlOf(first)), `"config":"event`, `"config":"evnt`, 1): "config: ",
	} {
		if p := inspect([]byte(text)).Problems; len(p) != 1 || !strings.Contains(p[0].Error(), want) {
			t.Errorf("want %q, got %v", want, p)
		}
	}
}

func TestCSV(t *testing.T) {
	var b bytes.Buffer
	w := NewCSV(&b, true)
	g := mated()
	g.First = "a, \"b\"\nc"
	must(w.Write(g))
	must(w.Flush())
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 2 || len(rows[0]) != len(rows[1]) {
		t.Fatalf("%v, %v", rows, err)
	}
	row := map[string]string{}
	for i, name := range rows[0] {
		row[name] = rows[1][i]
	}
	if row["first"] != `a, "b"\nc` || row["result"] != "0-1" || row["moves"] != "f2f3 e7e5 g2g4 d8h4" || row["second_fingerprint"] != "fb" || row["start"] != "" {
		t.Errorf("%v", row)
	}
	b.Reset()
	must(NewCSV(&b, false).Flush())
	if !strings.HasPrefix(b.String(), "event,number,") {
		t.Errorf("no names without games: %q", b.String())
	}
}

// FuzzParseLine: whatever is accepted is written so that it reads back the same.
func FuzzParseLine(f *testing.F) {
	g := mated()
	g.Config = configured("e", "chess")
	f.Add(bytes.TrimSpace(jsonlOf(g)))
	f.Add(bytes.TrimSpace(jsonlOf(played(source(1), "owlman", 2))))
	f.Add([]byte(`{"event":"e","start":"2026-01-01T00:00:00+02:00","seconds":1e-6,"moves":[{"move":"a","mate":-3}]}`))
	c := NewChecker(games.All())
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := ParseLine(text)
		if err != nil {
			return
		}
		once := jsonlOf(g)
		again, err := ParseLine(bytes.TrimSpace(once))
		if err != nil {
			t.Fatalf("%s: %v", once, err)
		}
		if twice := jsonlOf(again); !bytes.Equal(once, twice) {
			t.Fatalf("%s became %s", once, twice)
		}
		if found := c.Check(g); len(found) == 0 {
			w := NewPGN(&bytes.Buffer{}, games.All(), PGNOptions{Comments: true})
			if err := w.Write(g); err != nil {
				t.Fatalf("%s passes the check, but: %v", once, err)
			}
		}
		Inspect("f", bytes.NewReader(text), int64(len(text)), c, nil)
	})
}
