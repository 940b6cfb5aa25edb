package listing

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// streamHead is how many rows of a stream decide on the width of its columns.
const streamHead = 100

// A Stream writes a table of any length row by row. It holds the first rows, to
// learn how wide the columns are; what is wider below pushes its line out.
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
func (s *Stream) Add(row []string) error {
	if s.widths == nil {
		s.head.Rows = append(s.head.Rows, row)
		if len(s.head.Rows) < streamHead {
			return nil
		}
		return s.begin()
	}
	cells := make([]string, len(row))
	for i, cell := range row {
		cells[i] = s.format.escape()(cell)
	}
	line := ""
	switch s.format {
	case CSV:
		return s.csv.Write(cells)
	case Markdown:
		line = "|" + s.line(cells, "|")
	case Text:
		line = strings.TrimRight(s.line(cells, ""), " ")
	}
	_, err := io.WriteString(s.w, line+"\n")
	return err
}

// begin writes the head.
func (s *Stream) begin() error {
	escape := s.format.escape()
	s.widths = make([]int, len(s.head.Columns))
	for i, c := range s.head.Columns {
		s.widths[i] = twwidth.Width(escape(c.Name))
		for _, row := range s.head.Rows {
			s.widths[i] = max(s.widths[i], twwidth.Width(escape(row[i])))
		}
	}
	if s.format == CSV {
		s.csv = csv.NewWriter(s.w)
	}
	err := s.head.Write(s.w, s.format)
	s.head.Rows = nil
	return err
}

// line sets escaped cells as the table above them is set.
func (s *Stream) line(cells []string, separator string) string {
	var b strings.Builder
	for i, cell := range cells {
		blanks := strings.Repeat(" ", max(0, s.widths[i]-twwidth.Width(cell)))
		if s.head.Columns[i].Left {
			cell += blanks
		} else {
			cell = blanks + cell
		}
		b.WriteString(" " + cell + " " + separator)
	}
	return b.String()
}

// Close writes what is still held, and below the table the notes; CSV has none.
func (s *Stream) Close(notes ...string) error {
	if s.widths == nil {
		if s.format != CSV {
			s.head.Notes = notes
		}
		return s.head.Write(s.w, s.format)
	}
	if s.format == CSV {
		s.csv.Flush()
		return s.csv.Error()
	}
	if len(notes) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(s.w, "\n%s\n", strings.Join(notes, "\n"))
	return err
}
