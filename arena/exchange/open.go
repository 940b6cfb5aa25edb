package exchange

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// A Format is a file format for games.
type Format string

// The formats.
const (
	FormatPGN   Format = "pgn"
	FormatCSV   Format = "csv"
	FormatJSONL Format = "jsonl"
)

// open returns a file's contents, without gzip and byte order mark, and its format: the
// given one, else that of [formatOf] or [sniff].
func open(name string, from io.Reader, format Format) (*bufio.Reader, Format, error) {
	packed := bufio.NewReader(from)
	from = packed
	if start, _ := packed.Peek(2); string(start) == "\x1f\x8b" {
		unpacked, err := gzip.NewReader(packed)
		if err != nil {
			return nil, "", err
		}
		from = unpacked
	}
	in, _, err := input(from)
	if err != nil {
		return nil, "", err
	}
	if format == "" {
		format = formatOf(name)
	}
	if format == "" {
		format = sniff(in)
	}
	return in, format, nil
}

// maxRecord bounds a record of CSV, in bytes, so that a small compressed file of one
// huge line cannot exhaust memory.
const maxRecord = 1 << 20

// A budget is a reader that fails after too many bytes since it was last renewed.
type budget struct {
	io.Reader
	left int
}

func (b *budget) renew() { b.left = maxRecord }

func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("a record is longer than %d MiB", maxRecord>>20)
	}
	n, err := b.Reader.Read(p)
	b.left -= n
	return n, err
}

// input returns a buffered reader of a text file, and the length of the byte order mark
// that it skipped.
func input(from io.Reader) (in *bufio.Reader, mark int, err error) {
	in = bufio.NewReaderSize(from, 1<<18)
	start, _ := in.Peek(3) // what there is of it
	switch {
	case bytes.HasPrefix(start, []byte("\ufeff")):
		mark, err = in.Discard(3)
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")):
		err = errors.New("it is UTF-16; save it as UTF-8")
	}
	return in, mark, err
}

// formatOf returns the format by the extension of a file's name, "" if unknown.
func formatOf(name string) Format {
	switch name = strings.TrimSuffix(strings.ToLower(name), ".gz"); path.Ext(name) {
	case ".pgn":
		return FormatPGN
	case ".csv":
		return FormatCSV
	case ".jsonl", ".ndjson", ".json":
		return FormatJSONL
	}
	return ""
}

// sniff returns the format by how a file begins. A "[" begins a tag of PGN, or else
// JSON that is no object.
func sniff(in *bufio.Reader) Format {
	start, _ := in.Peek(4096) // what there is of it
	start = bytes.TrimLeft(start, " \t\r\n")
	if len(start) == 0 {
		return FormatCSV
	}
	switch start[0] {
	case '%', ';':
		return FormatPGN
	case '{':
		return FormatJSONL
	case '[':
		name := bytes.TrimLeft(start[1:], " \t\r\n")
		if len(name) > 0 && (name[0] >= 'A' && name[0] <= 'Z' || name[0] >= 'a' && name[0] <= 'z') {
			return FormatPGN
		}
		return FormatJSONL
	}
	return FormatCSV
}
