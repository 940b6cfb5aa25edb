// Package listing writes tables as text, Markdown and CSV.
package listing

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"botarena/arena/text"
)

// A Table is text in columns with a title above and notes below it.
type Table struct {
	Title   string
	Columns []Column
	Rows    [][]string // one cell a column
	Notes   []string   // printed below the table, one a line
	// Full has the notes in full where Notes leaves out some of what they say, else
	// it is nil.
	Full []string
}

// InFull returns the table with its notes in full.
func (t Table) InFull() Table {
	if t.Full != nil {
		t.Notes, t.Full = t.Full, nil
	}
	return t
}

// A Column is a heading and the way its cells are set.
type Column struct {
	Name string
	Left bool // text; numbers are set to the right
}

// A Format is a way to print a table.
type Format string

// The formats.
const (
	Text     Format = "text"
	Markdown Format = "markdown"
	CSV      Format = "csv"
)

// Write prints the table. CSV carries the headings and the rows only. What a
// terminal, Markdown or a spreadsheet would take for more than text is escaped.
func (t Table) Write(w io.Writer, f Format) error {
	t = t.escaped(f.escape())
	switch f {
	case CSV:
		return t.writeCSV(w)
	case Markdown:
		return t.render(w, renderer.NewMarkdown(), "**%s**\n\n")
	case Text:
		return t.render(w, renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Settings: tw.Settings{Separators: tw.Separators{BetweenColumns: tw.Off}},
			Symbols:  tw.NewSymbols(tw.StyleLight),
		}), "%s\n\n")
	}
	return fmt.Errorf("unknown table format %q", f)
}

// escape returns what escapes a piece of a table.
func (f Format) escape() func(string) string {
	switch f {
	case CSV:
		return text.Cell
	case Markdown:
		return text.Markdown
	}
	return text.Escape
}

func (t Table) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	if err := out.Write(names); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	if err := out.WriteAll(t.Rows); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	return nil
}

func (t Table) render(w io.Writer, r tw.Renderer, title string) error {
	var b strings.Builder
	if t.Title != "" {
		fmt.Fprintf(&b, title, t.Title)
	}
	names := make([]string, len(t.Columns))
	align := make(tw.Alignment, len(t.Columns))
	for i, c := range t.Columns {
		names[i], align[i] = c.Name, tw.AlignRight
		if c.Left {
			align[i] = tw.AlignLeft
		}
	}
	table := tablewriter.NewTable(
		&b,
		tablewriter.WithRenderer(r),
		tablewriter.WithAlignment(align),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithTrimSpace(tw.Off),
	)
	table.Header(names)
	if err := table.Bulk(t.Rows); err != nil {
		return fmt.Errorf("lay out table: %w", err)
	}
	if err := table.Render(); err != nil {
		return fmt.Errorf("lay out table: %w", err)
	}
	if len(t.Notes) > 0 {
		b.WriteString("\n")
		for _, note := range t.Notes {
			b.WriteString(note + "\n")
		}
	}
	_, err := io.WriteString(w, trimLines(b.String()))
	return err
}

// escaped returns the table with its texts escaped, before it is laid out.
func (t Table) escaped(escape func(string) string) Table {
	t.Title = escape(t.Title)
	rows, notes := make([][]string, len(t.Rows)), make([]string, len(t.Notes))
	for i, row := range t.Rows {
		rows[i] = make([]string, len(row))
		for j, cell := range row {
			rows[i][j] = escape(cell)
		}
	}
	columns := make([]Column, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = Column{escape(c.Name), c.Left}
	}
	for i, note := range t.Notes {
		lines := strings.Split(note, "\n")
		for j := range lines {
			lines[j] = escape(lines[j])
		}
		notes[i] = strings.Join(lines, "\n")
	}
	t.Rows, t.Notes, t.Columns = rows, notes, columns
	return t
}

// trimLines cuts the blanks at the ends of lines that right-aligned layout leaves.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
