package positions_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"botarena/protocol/positions"
)

// Every score that a bot can tell is finite, keeps its order, and changes its sign with
// the side.
func TestCentipawns(t *testing.T) {
	for _, c := range []struct {
		score int
		mate  bool
		want  int
	}{
		{35, false, 35},
		{-35, false, -35},
		{math.MaxInt, false, 30_000},
		{math.MinInt, false, -30_000},
		{1, true, 31_999},
		{-1, true, -31_999},
		{0, true, -32_000}, // mated where it stands
		{500, true, 31_500},
		{math.MaxInt, true, 31_000},
		{math.MinInt, true, -31_000},
	} {
		if got := positions.Centipawns(c.score, c.mate); got != c.want {
			t.Errorf("Centipawns(%d, %v) = %d, want %d", c.score, c.mate, got, c.want)
		}
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		line string
		want positions.Sample
	}{
		{"rnbq/8 w - - 0 1 | -35 | 0.5", positions.Sample{Position: "rnbq/8 w - - 0 1", Score: -35, Result: 0.5}},
		{"a|b | c|7|1\r\n", positions.Sample{Position: "a|b | c", Score: 7, Result: 1}},
		{`{"game":"x","number":3,"ply":9,"position":"{\"","score":1,"result":0}`, positions.Sample{Game: "x", Number: 3, Ply: 9, Position: `{"`, Score: 1}},
	} {
		if got, err := positions.Parse([]byte(c.line)); err != nil || got != c.want {
			t.Errorf("%q: %+v, %v", c.line, got, err)
		}
	}
	for line, want := range map[string]string{
		"":                 "write POSITION | SCORE | RESULT",
		"w | 5":            "write POSITION | SCORE | RESULT",
		" | 5 | 1":         "no position",
		"w | inf | 1":      `score "inf"`,
		"w | 5.5 | 1":      `score "5.5"`,
		"w | 99999 | 1":    "score 99999 is out of range",
		"w | 5 | NaN":      "result NaN is out of range",
		"w | 5 | 1-0":      `result "1-0"`,
		`{"position":1}`:   "no JSON object of a position",
		`{"result":0.5}`:   "no position",
		`{"score":1e9,"p"`: "no JSON object",
	} {
		if got, err := positions.Parse([]byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v; want %q", line, got, err, want)
		}
	}
}

func TestRead(t *testing.T) {
	read := func(text string) (list []positions.Sample, err error) {
		err = positions.Read(strings.NewReader(text), func(s *positions.Sample) error {
			list = append(list, *s)
			return nil
		})
		return list, err
	}
	want := []positions.Sample{{Position: "a", Score: 1, Result: 1}, {Position: "b", Ply: 2, Score: -1}}
	text := string(want[1].AppendJSON(want[0].AppendText(nil)))
	if got, err := read(text); err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := read(text[:len(text)-1]); err == nil || err.Error() != "line 2 is cut short" {
		t.Error(err)
	}
	if _, err := read("a | 1 | 1\n\n"); err == nil || !strings.HasPrefix(err.Error(), "line 2: write POSITION") {
		t.Error(err)
	}
	if _, err := read(strings.Repeat("x", 2<<20)); err == nil || !strings.Contains(err.Error(), "line 1 is longer") {
		t.Error(err)
	}
}

// What is read is written the same, as text and as JSON, and turning twice is nothing.
func FuzzParse(f *testing.F) {
	f.Add([]byte("8/8 w | 12 | 0.5"))
	f.Add([]byte(`{"position":"x","score":-3,"result":1}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		s, err := positions.Parse(line)
		if err != nil {
			return
		}
		if got, err := positions.Parse(s.AppendJSON(nil)); err != nil || got.Score != s.Score || got.Result != s.Result {
			t.Errorf("%q as JSON: %+v, %v", line, got, err)
		}
		if strings.ContainsAny(s.Position, "\r\n") || strings.HasPrefix(s.Position, `{"`) || strings.TrimSpace(s.Position) != s.Position {
			return // of JSON alone
		}
		got, err := positions.Parse(s.AppendText(nil))
		if err != nil || got.Position != s.Position || got.Score != s.Score || got.Result != s.Result {
			t.Errorf("%q as text: %+v, %v", line, got, err)
		}
		if s.Turned().Turned().Score != s.Score {
			t.Errorf("%q turned twice", line)
		}
	})
}
