package exchange

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"botarena/arena/rating"
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

func FuzzResults(f *testing.F) {
	f.Add("x.pgn", "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 {x} 1-0\n")
	f.Add("x.csv", "white,black,result\na,b,1-0\n")
	f.Add("x.jsonl", `{"first":"a","second":"b","result":1}`)
	f.Add("x", "[")
	f.Fuzz(func(t *testing.T, name, text string) {
		r := ResultsReader{Pairs: true}
		err := r.Read(name, strings.NewReader(text))
		var parse *ParseError
		if errors.As(err, &parse) && (parse.Line < 1 || parse.Column < 0) {
			t.Fatalf("error without a place: %v", err)
		}
		if err != nil {
			return
		}
		results, err := r.Results()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rating.Rate(results, rating.Options{Pairs: true}); err != nil {
			t.Fatalf("games that read cannot be rated: %v", err)
		}
	})
}
