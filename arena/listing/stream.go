package listing

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
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
	_, _, cells := one.shown(s.format.escape())
	line := strings.TrimRight(s.line(cells[0], ""), " ")
	if s.format == Markdown {
		line = "|" + s.line(cells[0], "|")
	}
	_, err := io.WriteString(s.w, line+"\n")
	return err
}

// begin writes the head.
func (s *Stream) begin() error {
	if s.format == CSV {
		s.csv = csv.NewWriter(s.w)
	} else {
		names, _, rows := s.head.shown(s.format.escape())
		s.widths = make([]int, len(names))
		for i, name := range names {
			s.widths[i] = twwidth.Width(name)
			for _, row := range rows {
				s.widths[i] = max(s.widths[i], twwidth.Width(row[i]))
			}
		}
	}
	err := s.head.Write(s.w, s.format)
	s.head.Rows = nil
	return err
}

// line formats escaped cells with the widths of the table above them.
func (s *Stream) line(cells []string, separator string) string {
	var b strings.Builder
	column := 0
	for i, cell := range cells {
		for s.head.Columns[column].Data {
			column++
		}
		blanks := strings.Repeat(" ", max(0, s.widths[i]-twwidth.Width(cell)))
		if s.head.Columns[column].Left {
			cell += blanks
		} else {
			cell = blanks + cell
		}
		column++
		b.WriteString(" " + cell + " " + separator)
	}
	return b.String()
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
