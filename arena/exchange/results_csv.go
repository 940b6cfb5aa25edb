package exchange

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"botarena/arena/text"
)

// columns are the places of the fields of a CSV record, -1 where missing.
type columns struct {
	result, event, pair int
	name                [2]int // first and second, as in all that follows
	fingerprint         [2]int
	version             [2]int
}

// header reads a record as names of columns; ok is false if it is none.
func header(record []string) (c columns, ok bool) {
	c = columns{-1, -1, -1, [2]int{-1, -1}, [2]int{-1, -1}, [2]int{-1, -1}}
	for i, name := range record {
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "first", "white":
			c.name[0] = i
		case "second", "black":
			c.name[1] = i
		case "result":
			c.result = i
		case "pair":
			c.pair = i
		case "event":
			c.event = i
		case "first_fingerprint":
			c.fingerprint[0] = i
		case "second_fingerprint":
			c.fingerprint[1] = i
		case "first_version":
			c.version[0] = i
		case "second_version":
			c.version[1] = i
		}
	}
	return c, c.name[0] >= 0 && c.name[1] >= 0 && c.result >= 0
}

// csvReader is the state between records.
type csvReader struct {
	*sink
	csv    *csv.Reader
	c      columns
	named  bool
	record []string
	known  map[player]int32
}

func (s *sink) csv(in *bufio.Reader) error {
	bounded := &budget{Reader: in}
	r := csvReader{
		sink: s, csv: csv.NewReader(bounded), known: map[player]int32{},
		c: columns{2, -1, 3, [2]int{0, 1}, [2]int{-1, -1}, [2]int{-1, -1}},
	}
	r.csv.FieldsPerRecord, r.csv.Comment, r.csv.TrimLeadingSpace, r.csv.ReuseRecord = -1, '#', true, true
	for n := 0; ; n++ {
		var err error
		bounded.renew()
		r.record, err = r.csv.Read()
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
			if c, ok := header(r.record); ok {
				r.c, r.named = c, true
				if c.event >= 0 { // a record may begin with an event "#1 cup"
					r.csv.Comment = 0
				}
				continue
			}
		}
		if err := r.game(); err != nil {
			return err
		}
	}
}

// field returns a field of the record, "" if it has none.
func (r *csvReader) field(i int) string {
	if i < 0 || i >= len(r.record) {
		return ""
	}
	return strings.TrimSpace(r.record[i])
}

// at returns an error that names the place of a field.
func (r *csvReader) at(i int, format string, args ...any) error {
	line, column := r.csv.FieldPos(i)
	return r.fail(line, column, format, args...)
}

// game takes a record.
func (r *csvReader) game() error {
	if need := max(r.c.name[0], r.c.name[1], r.c.result) + 1; len(r.record) < need || !r.named && len(r.record) > 4 {
		line, _ := r.csv.FieldPos(0)
		return r.fail(line, 1, "%d fields: want first,second,result[,pair], or a header that names the columns", len(r.record))
	}
	var who [2]int32
	for side := range who {
		p := player{r.field(r.c.name[side]), r.field(r.c.fingerprint[side]), r.field(r.c.version[side])}
		if p.name == "" {
			return r.at(r.c.name[side], "a player without a name")
		}
		var ok bool
		if who[side], ok = r.known[p]; !ok {
			own := p
			if own.version == "0" { // not known
				own.version = ""
			}
			own.name = text.UTF8(text.Uncell(own.name))
			who[side] = r.reader.players.of(own)
			r.known[player{strings.Clone(p.name), strings.Clone(p.fingerprint), strings.Clone(p.version)}] = who[side]
		}
	}
	score, played, err := result(r.field(r.c.result), true)
	switch {
	case err != nil:
		return r.at(r.c.result, "%w", err)
	case !played:
		r.reader.Unfinished++
	case r.reader.Pairs && r.field(r.c.pair) != "":
		r.addTo(fmt.Sprintf("%s\x00%s", r.field(r.c.event), r.field(r.c.pair)), who[0], who[1], score)
	default:
		r.add(who[0], who[1], score)
	}
	return nil
}
