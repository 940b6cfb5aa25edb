// Package listing writes tables as text, Markdown and CSV.
//
// A cell is a text or a number. Text and Markdown show numbers as their column says,
// "+53" or "52.3%"; CSV has them plain, 53.2 or 0.523, under the column's key, for programs.
// Keys are the names of the fields in JSON.
package listing

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"botarena/arena/text"
)

// A Table has cells in columns, a title above and notes below.
type Table struct {
	Title   string
	Columns []Column
	Rows    [][]any  // one cell a column: see [Column.Text]
	Notes   []string // printed below the table, one a line
	// More holds notes that are printed only by InFull.
	More []string
}

// InFull returns the table with all of its notes.
func (t Table) InFull() Table {
	t.Notes, t.More = append(t.Notes[:len(t.Notes):len(t.Notes)], t.More...), nil
	return t
}

// Hinted returns the table with a hint for people if it has more notes.
func (t Table) Hinted(hint string) Table {
	if len(t.More) > 0 {
		t.Notes = append(t.Notes[:len(t.Notes):len(t.Notes)], hint)
	}
	return t
}

// A Column is a heading and the formatting of its cells.
type Column struct {
	Name string
	// Key is the heading in CSV; "" is Name in small letters without
	// commas and with "_" for blanks.
	Key  string
	Left bool // text; numbers are set to the right
	As   Style
	Data bool // for programs: in CSV alone
}

// A Style selects how a column shows its numbers to people.
type Style int

// The styles.
const (
	Plain   Style = iota // 1.5
	Whole                // 2
	Tenths               // 1.5, and 2.0
	Signed               // +2
	Percent              // 52.3%
)

// A Cell is a number with its own text for people.
type Cell struct {
	Text  string
	Value any // for programs; nil for none
}

// Text formats a cell of the column for people. Cells are texts, whole numbers,
// float64s, pointers to these (nil is "-"), and Cells.
func (c Column) Text(cell any) string {
	switch v := cell.(type) {
	case Cell:
		return v.Text
	case *float64:
		if v == nil {
			return "-"
		}
		return c.number(*v)
	case float64:
		return c.number(v)
	case nil:
		return ""
	}
	return fmt.Sprint(cell)
}

func (c Column) number(x float64) string {
	switch c.As {
	case Whole:
		return strconv.FormatFloat(math.Round(x)+0, 'f', 0, 64) // + 0: no -0
	case Tenths:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case Signed:
		return fmt.Sprintf("%+.0f", math.Round(x)+0)
	case Percent:
		return strconv.FormatFloat(100*x, 'f', 1, 64) + "%"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// field formats a cell for CSV.
func field(cell any) string {
	switch v := cell.(type) {
	case Cell:
		return field(v.Value)
	case *float64:
		if v == nil {
			return ""
		}
		return field(*v)
	case float64:
		return strconv.FormatFloat(math.Round(v*1e4)/1e4+0, 'f', -1, 64)
	case nil:
		return ""
	case string:
		return text.Cell(v)
	}
	return fmt.Sprint(cell)
}

func (c Column) key() string {
	if c.Key != "" {
		return c.Key
	}
	return strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(c.Name), ",", ""), " ", "_")
}

// A Format is an output format of a table.
type Format string

// The formats.
const (
	Text     Format = "text"
	Markdown Format = "markdown"
	CSV      Format = "csv"
)

// Write prints the table. CSV carries the headings and the rows only. What a terminal,
// Markdown or a spreadsheet would interpret is escaped.
func (t Table) Write(w io.Writer, f Format) error {
	switch f {
	case CSV:
		return t.writeCSV(w)
	case Markdown:
		return t.render(w, f, renderer.NewMarkdown(), "**%s**\n\n")
	case Text:
		return t.render(w, f, renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Settings: tw.Settings{Separators: tw.Separators{BetweenColumns: tw.Off}},
			Symbols:  tw.NewSymbols(tw.StyleLight),
		}), "%s\n\n")
	}
	return fmt.Errorf("unknown table format %q", f)
}

// escape returns the function that escapes cells and headings for the format.
func (f Format) escape() func(string) string {
	if f == Markdown {
		return text.Markdown
	}
	return text.Escape
}

func keys(columns []Column) []string {
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].key()
	}
	return names
}

func fields(row []any) []string {
	list := make([]string, len(row))
	for i, cell := range row {
		list[i] = field(cell)
	}
	return list
}

func (t Table) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	lines := [][]string{keys(t.Columns)}
	for _, row := range t.Rows {
		lines = append(lines, fields(row))
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	return nil
}

// shown returns the table's headings and cells, formatted for people and escaped.
func (t Table) shown(escape func(string) string) (names []string, align tw.Alignment, rows [][]string) {
	rows = make([][]string, len(t.Rows))
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Data {
			continue
		}
		side := tw.AlignRight
		if c.Left {
			side = tw.AlignLeft
		}
		names, align = append(names, escape(c.Name)), append(align, side)
		for k, row := range t.Rows {
			rows[k] = append(rows[k], escape(c.Text(row[i])))
		}
	}
	return names, align, rows
}

func (t Table) render(w io.Writer, f Format, r tw.Renderer, title string) error {
	var b strings.Builder
	escape := f.escape()
	if t.Title != "" {
		fmt.Fprintf(&b, title, escape(t.Title))
	}
	names, align, rows := t.shown(escape)
	var rest [][]string
	var wide []int
	if len(rows) > streamHead {
		rows, rest, wide = rows[:streamHead], rows[streamHead:], widths(names, rows)
		for i := range names {
			names[i] = padded(names[i], wide[i], align[i])
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
	if err := table.Bulk(rows); err != nil {
		return fmt.Errorf("lay out table: %w", err)
	}
	if err := table.Render(); err != nil {
		return fmt.Errorf("lay out table: %w", err)
	}
	for _, cells := range rest {
		b.WriteString(f.line(cells, wide, align))
	}
	if len(t.Notes) > 0 {
		b.WriteString("\n")
		for _, note := range t.Notes {
			for line := range strings.SplitSeq(note, "\n") {
				b.WriteString(escape(line) + "\n")
			}
		}
	}
	_, err := io.WriteString(w, trimLines(b.String()))
	return err
}

// trimLines cuts the blanks at the ends of lines that right-aligned layout leaves.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
