package exchange

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"botarena/arena/rating"
	"botarena/arena/text"
)

// scores summarises what was read: "a-b 1" and so on are not kept by Results, so
// the table's counts stand for them.
func scores(t *testing.T, r *ResultsReader) string {
	t.Helper()
	results, err := r.Results()
	if err != nil {
		t.Fatal(err)
	}
	table, err := rating.Rate(results, rating.Options{})
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]string{}
	for _, p := range table.Players {
		byName[p.Name] = fmt.Sprintf("%s +%d=%d-%d", p.Name, p.Wins, p.Draws, p.Losses)
	}
	var out []string
	for _, name := range results.Names() {
		out = append(out, byName[name])
	}
	return strings.Join(out, ", ")
}

func TestResults(t *testing.T) {
	for _, c := range []struct {
		name, file, text, want string
		unfinished, self       int
	}{
		{"csv", "x.csv", "a,b,1-0\nb,a,1/2-1/2\na,b,*\n", "a +1=1-0, b +0=1-1", 1, 0},
		{"csv with header", "x.csv", "Result,black,when,White\n1-0,b,today,a\n0-1,a,,b\n", "a +2=0-0, b +0=0-2", 0, 0},
		{"csv points, pair, comment", "x.csv", "# mine\nfirst,second,result,pair\na,b,1,7\nb,a,0.5,7\n\"x, y\",a,0,\n", "a +2=1-0, b +0=1-1, x, y +0=0-1", 0, 0},
		{"csv self-play", "x.csv", "a,a,1-0\na,b,1-0\n", "a +1=0-0, b +0=0-1", 0, 1},
		{"jsonl", "x.jsonl", `{"first":"a","second":"b","result":"1-0","pair":1,"more":[1]}` + "\n\n" + `{"white":"b","black":"a","result":0.5,"pair":"1"}`, "a +1=1-0, b +0=1-1", 0, 0},
		{"sniffed json", "results", ` {"first":"a","second":"b","result":"0-1"}`, "a +0=0-1, b +1=0-0", 0, 0},
		{"bom", "x.csv", "\ufefffirst,second,result\na,b,1-0\n", "a +1=0-0, b +0=0-1", 0, 0},
		{"pgn", "x.pgn", "[Event \"e\"]\n[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 e5 {[White \"c\"]\n[White \"d\"]\n} 2. Nf3 ; {open\n% [White \"x\"]\n( 2. f4 ) 1-0\n\n" +
			"[White \"b\"]\n[Black \"a\"]\n[Result \"*\"]\n\n*\n", "a +1=0-0, b +0=0-1", 1, 0},
		{"pgn tags only", "x.pgn", "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n[White \"b\"] [Black \"a\"] [Result \"1/2-1/2\"]\r\n", "a +1=1-0, b +0=1-1", 0, 0},
		{"pgn result from the moves", "x", "[Black \"q\\\"b\"]\n[White \"a\"]\n\n1. e4 {good} 0-1 {bye}\n\n", "a +0=0-1, q\"b +1=0-0", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r ResultsReader
			if err := r.Read(c.file, strings.NewReader(c.text)); err != nil {
				t.Fatal(err)
			}
			if got := scores(t, &r); got != c.want {
				t.Errorf("read %s, want %s", got, c.want)
			}
			if r.Unfinished != c.unfinished || r.SelfPlay != c.self {
				t.Errorf("skipped %d unfinished, %d self-play", r.Unfinished, r.SelfPlay)
			}
		})
	}
}

func TestResultsErrors(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"x.csv", "a,b,1-0\na,b,won\n", `x.csv:2:5: result "won": want`},
		{"x.csv", "a,b\n", "x.csv:1:1: 2 fields: want first,second,result"},
		{"x.csv", "a,b,1-0,1,2\n", "x.csv:1:1: 5 fields"},
		{"x.csv", "a, ,1-0\n", "x.csv:1:4: a player without a name"},
		{"x.csv", "a,\"b,1-0\n", "x.csv:1:10: "},
		{"x.jsonl", "{\"first\":\"a\"}\n", `x.jsonl:1:1: no member "second"`},
		{"x.jsonl", "\n{\"first\":\"a\",}\n", "x.jsonl:2:14: "},
		{"x.jsonl", `{"first":"a","white":"c","second":"b","result":"1-0"}`, "want one of them"},
		{"x.pgn", "1. e4 e5\n", "x.pgn:1:1: moves without tags"},
		{"x.pgn", "[White \"a\"]\n[Black b]\n", "x.pgn:2:8: not a tag"},
		{"x.pgn", "[White \"a\"]\n[Result \"1-0\"]\n\n1-0\n", `x.pgn:1:1: the game that begins here has no tag [Black`},
		{"x.pgn", "[White \"a\"]\n[Black \"b\"]\n[Result \"won\"]\n", `x.pgn:3:10: result "won"`},
		{"x.pgn", "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 {\n", "x.pgn:5:7: a comment without"},
	} {
		var r ResultsReader
		err := r.Read(c.file, strings.NewReader(c.text))
		var parse *ParseError
		if !errors.As(err, &parse) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %s", c.text, err, c.want)
		}
	}
}

// errorWith returns the first player's error bar with games as pairs or not.
func errorWith(t *testing.T, r *ResultsReader, pairs bool) float64 {
	t.Helper()
	results, err := r.Results()
	if err != nil {
		t.Fatal(err)
	}
	table, err := rating.Rate(results, rating.Options{Pairs: pairs})
	if err != nil {
		t.Fatal(err)
	}
	return *table.Players[0].Error
}

// Games of a pair that always share a point say less or more than two single
// games, so the clustered error shows which games were joined.
func TestPairsAreJoined(t *testing.T) {
	var csv, pgn strings.Builder
	add := func(white, black, result, pair string) {
		fmt.Fprintf(&csv, "%s,%s,%s,%s\n", white, black, result, pair)
		fmt.Fprintf(&pgn, "[White %q]\n[Black %q]\n[FEN %q]\n[Result %q]\n\n%s\n\n", white, black, "opening "+pair, result, result)
	}
	for i, results := range []string{"1-0 1-0", "0-1 0-1", "1-0 0-1", "1-0 1-0", "0-1 0-1", "1/2-1/2 1-0"} {
		one, two, _ := strings.Cut(results, " ")
		add("a", "b", one, fmt.Sprint(i))
		add("b", "a", two, fmt.Sprint(i))
	}
	var fromCSV, fromPGN, plain ResultsReader
	fromCSV.Pairs, fromPGN.Pairs = true, true
	for _, x := range []struct {
		r          *ResultsReader
		name, text string
	}{{&fromCSV, "x.csv", csv.String()}, {&fromPGN, "x.pgn", pgn.String()}, {&plain, "x.pgn", pgn.String()}} {
		if err := x.r.Read(x.name, strings.NewReader(x.text)); err != nil {
			t.Fatal(err)
		}
	}
	joined := errorWith(t, &fromCSV, true)
	if got := errorWith(t, &fromPGN, true); got != joined {
		t.Errorf("pairs from PGN give an error of %g, from CSV %g", got, joined)
	}
	if alone := errorWith(t, &plain, true); alone == joined {
		t.Errorf("pairs change nothing: %g", alone)
	}
}

// fuzzed reads a text as a format, and checks what holds whatever it is: an error
// has a place in the text, and games that read can be rated.
func fuzzed(t *testing.T, format Format, text string, pairs, strict bool) *ResultsReader {
	t.Helper()
	lines := strings.Count(text, "\n") + 1
	placed := func(e *ParseError) {
		if e.Line < 1 || e.Line > lines || e.Column < 0 {
			t.Fatalf("%q: an error without a place: %v", text, e)
		}
	}
	skipped := 0
	r := &ResultsReader{Format: format, Pairs: pairs, Strict: strict, Skip: func(e *ParseError) { placed(e); skipped++ }}
	err := r.Read("x", strings.NewReader(text))
	var parse *ParseError
	if errors.As(err, &parse) {
		placed(parse)
	}
	if skipped != r.Skipped || strict && skipped > 0 {
		t.Fatalf("%q: %d games skipped, %d said", text, r.Skipped, skipped)
	}
	if err != nil {
		return nil
	}
	results, err := r.Results()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rating.Rate(results, rating.Options{Pairs: pairs}); err != nil {
		t.Fatalf("games that read cannot be rated: %v", err)
	}
	return r
}

func FuzzResultsPGN(f *testing.F) {
	f.Add("[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 {x} 1-0\n", true, false)
	f.Add("[White \"a\n[Black b]\n\n1. e4 1-0 0-1", false, true)
	f.Fuzz(func(t *testing.T, text string, pairs, strict bool) { fuzzed(t, FormatPGN, text, pairs, strict) })
}

func FuzzResultsCSV(f *testing.F) {
	f.Add("white,black,result\na,b,1-0\n", true)
	f.Add("event,first,second,first_version,result\n#x,a,\"b\nc\",2,0.5\n", false)
	f.Fuzz(func(t *testing.T, text string, pairs bool) { fuzzed(t, FormatCSV, text, pairs, false) })
}

// What is JSON is read as encoding/json reads it.
func FuzzResultsJSONL(f *testing.F) {
	f.Add(`{"first":"a","second":"b","result":1,"moves":[{"a":"]}\\""}]}`, true)
	f.Add(`{"f\u0069rst":"a", "SECOND" : "\u001b", "result":"1/2", "pair":null}`, false)
	f.Add("{\"first\":\"a\"\n}", false)
	f.Fuzz(func(t *testing.T, text string, pairs bool) {
		fuzzed(t, FormatJSONL, text, pairs, false)
		line := []byte(text)
		if !utf8.Valid(line) || !json.Valid(line) || bytes.TrimLeft(line, " \t\r\n")[0] != '{' {
			return
		}
		want, got := map[string]any{}, map[string]any{}
		must(json.Unmarshal(line, &want))
		if !members(text, func(name, value string) {
			var v any
			must(json.Unmarshal([]byte(value), &v))
			got[name] = v
		}) {
			t.Fatalf("%s: JSON, and not read", line)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: read as %v, want %v", line, got, want)
		}
	})
}

// The same games say the same in every format, and JSON Lines come back as they
// were, whatever their texts hold.
func TestFormatsAgree(t *testing.T) {
	hostile := rapid.OneOf(rapid.StringMatching(`['=@+\-]?[a-c"\\{}|#\x1b\x{9b}\x{202e}\n]{0,6}`), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		rng := source(rapid.Uint64().Draw(t, "seed"))
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[='#@+\-]?[a-d"\\{}|\x1b\x{202e}]{0,5}[a-d]`), 2, 5, text.Escape).Draw(t, "names")
		var list []*Game
		for i := range rapid.IntRange(1, 8).Draw(t, "games") {
			g := played(rng, "breakthrough:6x6", i+1)
			g.First = names[rng.IntN(len(names))]
			for g.Second = g.First; g.Second == g.First; {
				g.Second = names[rng.IntN(len(names))]
			}
			g.Versions = [2]Version{{Number: 1, Fingerprint: "f" + g.First}, {Number: 1, Fingerprint: "f" + g.Second}}
			if g.Blame != "" {
				g.Blame = g.First
			}
			g.Detail, g.Stage, g.Opening.Name = hostile.Draw(t, "detail"), hostile.Draw(t, "stage"), hostile.Draw(t, "opening")
			list = append(list, g)
		}
		want := ""
		for _, format := range formats() {
			out := writtenBy(func(w io.Writer) Writer { return writerOf(format, w) }, list...)
			for i, line := range strings.Split(out, "\n") {
				if text.Escape(line) != line {
					t.Fatalf("%s:%d: %q", format, i+1, line)
				}
			}
			r := ResultsReader{Strict: true, Format: format}
			if err := r.Read("x", strings.NewReader(out)); err != nil {
				t.Fatalf("%s: %v", format, err)
			}
			results, err := r.Results()
			must(err)
			table, err := rating.Rate(results, rating.Options{})
			must(err)
			var lines []string
			for _, p := range table.Players {
				lines = append(lines, fmt.Sprintf("%s +%d=%d-%d", text.Escape(p.Name), p.Wins, p.Draws, p.Losses))
			}
			slices.Sort(lines)
			if got := strings.Join(lines, "\n"); want == "" {
				want = got
			} else if got != want {
				t.Fatalf("%s says\n%s\nanother\n%s", format, got, want)
			}
		}
		for _, g := range list {
			back, err := ParseLine(bytes.TrimSpace(jsonlOf(g)))
			must(err)
			if back.Detail != g.Detail || back.Stage != g.Stage || back.Opening.Name != g.Opening.Name || back.First != g.First {
				t.Fatalf("%+v came back as %+v", g, back)
			}
		}
	})
}

// Files of other programs: with a byte order mark, compressed, or in UTF-16.
func TestFilesOfOthers(t *testing.T) {
	g := mated()
	g.Config = configured("e", "chess")
	other := mated()
	other.Event, other.Config = "f", configured("f", "chess")
	marked := append([]byte("\ufeff"), jsonlOf(g, other)...)
	file := inspect(marked)
	if len(file.Problems) > 0 || len(file.Events) != 2 {
		t.Fatalf("%+v", file)
	}
	for i := range file.Events {
		for g, err := range file.Events[i].Records() {
			if err != nil || g.Event != []string{"e", "f"}[i] {
				t.Errorf("%+v, %v", g, err)
			}
		}
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(marked)
	must(errors.Join(err, w.Close()))
	for _, in := range [][]byte{marked, packed.Bytes()} {
		var r ResultsReader
		if err := r.Read("games.jsonl.gz", bytes.NewReader(in)); err != nil {
			t.Error(err)
		} else if got := scores(t, &r); got != "a +0=0-2, b +2=0-0" {
			t.Error(got)
		}
	}
	var r ResultsReader
	if err := r.Read("x.csv", strings.NewReader("\xff\xfea\x00,\x00")); err == nil || !strings.Contains(err.Error(), "read x.csv: it is UTF-16; save it as UTF-8") {
		t.Error(err)
	}
	if p := inspect([]byte("\xff\xfe{\x00")).Problems; len(p) != 1 || !strings.Contains(p[0].Error(), "UTF-16") {
		t.Error(p)
	}
}
