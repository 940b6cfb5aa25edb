package listing

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/tw"
)

// streamHead is the number of rows that the library lays out, which takes it long for
// each. In a stream they decide the width of the columns.
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
	_, align, cells := one.shown(s.format.escape())
	_, err := io.WriteString(s.w, s.format.line(cells[0], s.widths, align))
	return err
}

// begin writes the head.
func (s *Stream) begin() error {
	if s.format == CSV {
		s.csv = csv.NewWriter(s.w)
	} else {
		names, _, rows := s.head.shown(s.format.escape())
		s.widths = widths(names, rows)
	}
	err := s.head.Write(s.w, s.format)
	s.head.Rows = nil
	return err
}

// widths returns the width of each column in a terminal.
func widths(names []string, rows [][]string) []int {
	wide := make([]int, len(names))
	for i, name := range names {
		wide[i] = twwidth.Width(name)
		for _, row := range rows {
			wide[i] = max(wide[i], twwidth.Width(row[i]))
		}
	}
	return wide
}

// line formats escaped cells below a table with columns of these widths.
func (f Format) line(cells []string, widths []int, align tw.Alignment) string {
	var b strings.Builder
	separator := ""
	if f == Markdown {
		separator = "|"
	}
	b.WriteString(separator)
	for i, cell := range cells {
		b.WriteString(" " + padded(cell, widths[i], align[i]) + " " + separator)
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}

// padded fills up a cell with blanks.
func padded(cell string, width int, side tw.Align) string {
	blanks := strings.Repeat(" ", max(0, width-twwidth.Width(cell)))
	if side == tw.AlignLeft {
		return cell + blanks
	}
	return blanks + cell
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
