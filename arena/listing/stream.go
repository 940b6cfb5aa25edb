package listing

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
)

// streamHead is the number of rows that decide the width of a stream's columns.
const streamHead = 100

// A Stream writes a table of any length row by row, as text, Markdown or CSV. It
// buffers the first rows to find the widths of the columns; wider cells below make
// their line longer.
type Stream struct {
	w      io.Writer
	format Format
	head   Table
	widths []int // 0 long until the head is written
	csv    *csv.Writer
}

// NewStream returns a stream of a table with these columns.
func NewStream(w io.Writer, f Format, columns []Column) *Stream {
	return &Stream{w: w, format: f, head: Table{Columns: columns}}
}

// Add writes a row, one cell a column.
func (s *Stream) Add(row []any) error {
	if s.csv != nil {
		return s.csv.Write(fields(row))
	}
	if s.widths == nil {
		s.head.Rows = append(s.head.Rows, row)
		if len(s.head.Rows) < streamHead {
			return nil
		}
		return s.begin()
	}
	one := Table{Columns: s.head.Columns, Rows: [][]any{row}}
	_, cells := one.shown(s.format.escape())
	_, err := s.w.Write(s.format.appendLine(nil, s.head.columnsShown(), s.widths, cells[0]))
	return err
}

// begin writes the head.
func (s *Stream) begin() error {
	if s.format == CSV {
		s.csv = csv.NewWriter(s.w)
	} else {
		s.widths = s.format.widths(s.head.shown(s.format.escape()))
	}
	err := s.head.Write(s.w, s.format)
	s.head.Rows = nil
	return err
}

// Close writes the buffered rows, and the notes below the table; CSV has none.
func (s *Stream) Close(notes ...string) error {
	switch {
	case s.csv != nil:
		s.csv.Flush()
		return s.csv.Error()
	case s.widths == nil:
		s.head.Notes = notes
		return s.head.Write(s.w, s.format)
	case len(notes) == 0:
		return nil
	}
	_, err := fmt.Fprintf(s.w, "\n%s\n", strings.Join(notes, "\n"))
	return err
}
