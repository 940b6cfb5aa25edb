package exchange

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"botarena/arena/text"
)

// columns returns the place in e of each field of a CSV record, nil for those that rating
// does not need. ok is false if the record does not name players and result.
func columns(names []string, e *entry) (into []*string, ok bool) {
	for _, name := range names {
		into = append(into, e.field(strings.ToLower(strings.TrimSpace(name))))
	}
	for _, needed := range []*string{&e.who[0].name, &e.who[1].name, &e.result} {
		if !slices.Contains(into, needed) {
			return into, false
		}
	}
	return into, true
}

func (s *sink) csv(in *bufio.Reader) error {
	bounded := &budget{Reader: in}
	r := csv.NewReader(bounded)
	r.FieldsPerRecord, r.Comment, r.TrimLeadingSpace, r.ReuseRecord = -1, '#', true, true
	var e entry
	into, _ := columns([]string{"first", "second", "result", "pair"}, &e)
	named := false
	for n := 0; ; n++ {
		bounded.renew()
		record, err := r.Read()
		var parse *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &parse):
			return s.fail(parse.Line, parse.Column, "%w", parse.Err)
		case err != nil:
			return err
		}
		if n == 0 {
			if header, ok := columns(record, &e); ok {
				into, named = header, true
				if slices.Contains(into, &e.event) {
					r.Comment = 0 // an event may be named so
				}
				continue
			}
		}
		if err := s.record(r, record, &e, into, named); err != nil {
			return err
		}
	}
}

// record adds the game of a record, whose fields go into e.
func (s *sink) record(r *csv.Reader, record []string, e *entry, into []*string, named bool) error {
	fail := func(field *string, format string, args ...any) error {
		line, column := r.FieldPos(slices.Index(into, field))
		return s.fail(line, column, format, args...)
	}
	need := 1 + max(slices.Index(into, &e.who[0].name), slices.Index(into, &e.who[1].name), slices.Index(into, &e.result))
	if len(record) < need || !named && len(record) > len(into) {
		line, _ := r.FieldPos(0)
		return s.fail(line, 1, "%d fields: want first,second,result[,pair], or a header that names the columns", len(record))
	}
	*e = entry{}
	for i, to := range into {
		if to != nil && i < len(record) {
			*to = strings.TrimSpace(record[i])
		}
	}
	for side := range e.who {
		p := &e.who[side]
		if p.name == "" {
			return fail(&p.name, "a player without a name")
		}
		p.name = text.UTF8(text.Uncell(p.name))
		if p.version == "0" { // not known
			p.version = ""
		}
	}
	if err := s.take(e); err != nil {
		return fail(&e.result, "%w", err)
	}
	return nil
}
