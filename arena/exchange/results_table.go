package exchange

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"botarena/arena/text"
)

// columns are the places of the fields of a CSV record, -1 where missing.
type columns struct{ first, second, result, pair int }

// header reads a record as names of columns; ok is false where it is none.
func header(record []string) (c columns, ok bool) {
	c = columns{-1, -1, -1, -1}
	for i, name := range record {
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "first", "white":
			c.first = i
		case "second", "black":
			c.second = i
		case "result":
			c.result = i
		case "pair":
			c.pair = i
		}
	}
	return c, c.first >= 0 && c.second >= 0 && c.result >= 0
}

func (s *sink) csv(in io.Reader) error {
	r := csv.NewReader(in)
	r.FieldsPerRecord, r.Comment, r.TrimLeadingSpace, r.ReuseRecord = -1, '#', true, true
	c, named := columns{0, 1, 2, 3}, false
	for n := 0; ; n++ {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var parse *csv.ParseError
		if errors.As(err, &parse) {
			return s.fail(parse.Line, parse.Column, "%w", parse.Err)
		}
		if err != nil {
			return err
		}
		if n == 0 {
			if h, ok := header(record); ok {
				c, named = h, true
				continue
			}
		}
		line, _ := r.FieldPos(0)
		if need := max(c.first, c.second, c.result) + 1; len(record) < need {
			return s.fail(line, 1, "%d fields: want first,second,result[,pair], or a header that names the columns", len(record))
		}
		if !named && len(record) > 4 {
			return s.fail(line, 1, "%d fields: want first,second,result[,pair], or a header that names the columns", len(record))
		}
		field := func(i int) string { return strings.TrimSpace(record[i]) }
		for _, i := range []int{c.first, c.second} {
			if field(i) == "" {
				line, column := r.FieldPos(i)
				return s.fail(line, column, "a player without a name")
			}
		}
		score, ok, err := result(field(c.result), true)
		if err != nil {
			line, column := r.FieldPos(c.result)
			return s.fail(line, column, "%w", err)
		}
		if !ok {
			s.reader.Unfinished++
			continue
		}
		var pair int64
		if c.pair >= 0 && c.pair < len(record) && field(c.pair) != "" {
			pair = s.pair(field(c.pair))
		}
		s.add(field(c.first), field(c.second), score, pair)
	}
}

// object is a line of JSON Lines. Values that may be text or numbers stay raw.
type object struct {
	First, White  *string
	Second, Black *string
	Result        json.RawMessage
	Pair          json.RawMessage
}

// longestLine bounds a line of JSON: a game with all its moves fits many times.
const longestLine = 64 << 20

func (s *sink) jsonl(in *bufio.Reader) error {
	scan := bufio.NewScanner(in)
	scan.Buffer(make([]byte, 0, 1<<16), longestLine)
	for line := 1; scan.Scan(); line++ {
		text := strings.TrimSpace(scan.Text())
		if text == "" {
			continue
		}
		var o object
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			column := 1
			var syntax *json.SyntaxError
			var kind *json.UnmarshalTypeError
			switch {
			case errors.As(err, &syntax):
				column = max(1, int(syntax.Offset))
			case errors.As(err, &kind):
				column = max(1, int(kind.Offset))
			}
			return s.fail(line, column, "not an object with first, second and result: %w", err)
		}
		first, err := either(o.First, o.White, "first", "white")
		if err != nil {
			return s.fail(line, 1, "%w", err)
		}
		second, err := either(o.Second, o.Black, "second", "black")
		if err != nil {
			return s.fail(line, 1, "%w", err)
		}
		if o.Result == nil {
			return s.fail(line, 1, "no member %q", "result")
		}
		score, ok, err := result(plain(o.Result), true)
		if err != nil {
			return s.fail(line, 1, "%w", err)
		}
		if !ok {
			s.reader.Unfinished++
			continue
		}
		var pair int64
		if key := plain(o.Pair); key != "" && key != "null" {
			pair = s.pair(key)
		}
		s.add(first, second, score, pair)
	}
	if errors.Is(scan.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a line is longer than %d bytes", longestLine)
	}
	return scan.Err()
}

func either(a, b *string, nameA, nameB string) (string, error) {
	switch {
	case a != nil && b != nil && *a != *b:
		return "", fmt.Errorf("%s is %q and %s is %q: want one of them", nameA, text.Clip(*a, 60), nameB, text.Clip(*b, 60))
	case a != nil && *a != "":
		return *a, nil
	case b != nil && *b != "":
		return *b, nil
	}
	return "", fmt.Errorf("no member %q (or %q) with a name", nameA, nameB)
}

// plain is a JSON string's text, or another value as it is written.
func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
