package exchange

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"botarena/arena/rating"
	"botarena/arena/text"
)

// A Format is a way to write games down.
type Format string

// The formats.
const (
	FormatPGN   Format = "pgn"
	FormatCSV   Format = "csv"
	FormatJSONL Format = "jsonl"
)

// A ResultsReader gathers the results of the games of one or more files, as the
// package comment says. The zero value is ready to use.
type ResultsReader struct {
	// Pairs joins games of PGN files to pairs, as the package comment says.
	Pairs bool
	// Format is that of all files; where it is "", each file tells its own.
	Format Format

	Results    rating.Results
	Unfinished int // games skipped: the result is *
	SelfPlay   int // games skipped: a player against itself

	lastPair int64
}

// Read reads one file, whose name is for messages and tells the format by its
// ending (.pgn, .csv, .jsonl, .ndjson or .json); with another ending the first
// character does: "[", ";" and "%" begin PGN, "{" JSON Lines, others CSV. The error
// is a *ParseError or one of the file's own.
func (r *ResultsReader) Read(name string, from io.Reader) error {
	in := bufio.NewReaderSize(from, 1<<18)
	if bom, err := in.Peek(3); err == nil && string(bom) == "\ufeff" {
		if _, err := in.Discard(3); err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
	}
	format := r.Format
	if format == "" {
		format = formatOf(name)
	}
	if format == "" {
		format = sniff(in)
	}
	pairs := map[string]int64{}
	s := sink{reader: r, name: name, pair: func(key string) int64 {
		if _, ok := pairs[key]; !ok {
			r.lastPair++
			pairs[key] = r.lastPair
		}
		return pairs[key]
	}}
	var err error
	switch format {
	case FormatPGN:
		err = s.pgn(in)
	case FormatJSONL:
		err = s.jsonl(in)
	case FormatCSV:
		err = s.csv(in)
	}
	var parse *ParseError
	if err != nil && !errors.As(err, &parse) {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return err
}

func formatOf(name string) Format {
	switch strings.ToLower(path.Ext(name)) {
	case ".pgn":
		return FormatPGN
	case ".csv":
		return FormatCSV
	case ".jsonl", ".ndjson", ".json":
		return FormatJSONL
	}
	return ""
}

func sniff(in *bufio.Reader) Format {
	start, _ := in.Peek(4096) // what there is of it
	start = bytes.TrimLeft(start, " \t\r\n")
	if len(start) > 0 {
		switch start[0] {
		case '[', '%', ';':
			return FormatPGN
		case '{':
			return FormatJSONL
		}
	}
	return FormatCSV
}

// sink is where the formats put their games.
type sink struct {
	reader *ResultsReader
	name   string
	pair   func(key string) int64
}

func (s *sink) fail(line, column int, format string, args ...any) error {
	return &ParseError{File: s.name, Line: line, Column: column, Err: fmt.Errorf(format, args...)}
}

// add takes a game; pair "" is a game of its own.
func (s *sink) add(first, second string, score rating.Score, pair int64) {
	err := s.reader.Results.Add(rating.Game{First: first, Second: second, Score: score, Pair: pair})
	if err != nil {
		s.reader.SelfPlay++ // the only reason there is
	}
}

// result reads a result; ok is false for an unfinished game.
func result(word string, points bool) (score rating.Score, ok bool, err error) {
	switch word {
	case "1-0":
		return rating.Win, true, nil
	case "0-1":
		return rating.Loss, true, nil
	case "1/2-1/2", "1/2", "\u00bd-\u00bd":
		return rating.Draw, true, nil
	case "*":
		return 0, false, nil
	}
	if points {
		switch word {
		case "1", "1.0":
			return rating.Win, true, nil
		case "0", "0.0":
			return rating.Loss, true, nil
		case "0.5", ".5":
			return rating.Draw, true, nil
		}
	}
	return 0, false, fmt.Errorf("result %q: want 1-0, 0-1, 1/2-1/2 or *", text.Clip(word, 60))
}
