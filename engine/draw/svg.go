package draw

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"botarena/engine"
)

// The measures of a picture, in its own units.
const (
	square = 40
	margin = 20 // for files and ranks
	frame  = 3  // around the squares
)

// A Picture configures how SVG draws a board.
type Picture struct {
	// Game is the canonical name of the game, which chooses the shapes of the
	// pieces. Pieces of a game without shapes are discs with their letters.
	Game string
	// Title is the picture's name for people who cannot see it, Desc its description;
	// both may be any text.
	Title, Desc string
	// Flip turns the board round, so that the second side sits at the bottom.
	Flip bool
	// Bare omits files and ranks.
	Bare bool
	// Embedded draws for a page that has the Style and the Symbols of the game;
	// otherwise the picture is a document of its own.
	Embedded bool
}

// Style returns the stylesheet of embedded pictures. It is the one that
// standalone ones carry.
func Style() string {
	// What a symbol contains is matched where it is defined, not where it is used:
	// the classes in it stand alone. What has no colour of its own takes its side's.
	return `.board .plain{fill:#ebe0ca}.board .alternate{fill:#bb9c76}.board .off{fill:#6f7a62}.board-tree{fill:#5a6650}
.board .frame{fill:none;stroke:#5b4a37;stroke-width:3}.board .grid{fill:none;stroke:#8d7a60;stroke-width:1}
.board .first-goal{fill:#e69f00;fill-opacity:.38}.board .second-goal{fill:#0072b2;fill-opacity:.38}
.board .first-edge{fill:none;stroke:#9a5b00;stroke-width:2.5}.board .second-edge{fill:none;stroke:#00456e;stroke-width:2.5;stroke-dasharray:7 3}
.board .sign{fill:none;stroke:#3d3122;stroke-width:2;stroke-linejoin:round;stroke-opacity:.75}
.board .last{fill:#009e73;fill-opacity:.36;stroke:#00543c;stroke-width:3}
.board .first{fill:#fffdf6;stroke:#2b2520;color:#2b2520}.board .second{fill:#2e2a2b;stroke:#151213;color:#efe7d8}
.board .pieces{stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}.piece-mark{fill:none;stroke:currentColor}.piece-dot{fill:currentColor;stroke:none}
.board text{font:600 13px system-ui,sans-serif;text-anchor:middle;fill:#777}.board .pieces text{font-size:20px;fill:currentColor;stroke:none}
`
}

// SVG draws b as an SVG picture: squares in their shades, goals and the last move
// marked by colour and by outline, pieces in the shapes of their game, files and ranks
// at the edges. It carries no style attributes. The error is w's, or reports that b
// does not have Cols*Rows cells.
func SVG(w io.Writer, b engine.Board, p Picture) error {
	if len(b.Text) > 0 {
		return svgText(w, b.Text)
	}
	last, err := lastOf(b)
	if err != nil {
		return err
	}
	d := drawing{b: b, p: p, set: setOf(p.Game), left: frame, below: frame}
	if !p.Bare {
		d.left, d.below = margin, margin
	}
	d.open()
	d.board()
	d.goals()
	d.marks(last)
	d.pieces()
	if !p.Bare {
		d.coordinates()
	}
	d.out.WriteString("</svg>\n")
	_, err = w.Write(d.out.Bytes())
	return err
}

// svgText draws a board that is text.
func svgText(w io.Writer, rows []string) error {
	const high, wide = 18, 9
	columns := 0
	for _, row := range rows {
		columns = max(columns, utf8.RuneCountInString(row))
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"board\" viewBox=\"0 0 %d %d\" width=\"%[1]d\" height=\"%[2]d\" role=\"img\" aria-label=\"board\">\n<g class=\"text\" font-family=\"monospace\" font-size=\"15\" fill=\"currentColor\" xml:space=\"preserve\">\n",
		columns*wide+2*frame, len(rows)*high+2*frame)
	for i, row := range rows {
		fmt.Fprintf(&out, "<text x=\"%d\" y=\"%d\" text-anchor=\"start\">%s</text>\n", frame, frame+(i+1)*high-4, xmlText(row))
	}
	out.WriteString("</g>\n</svg>\n")
	_, err := w.Write(out.Bytes())
	return err
}

// Symbols writes the symbols that embedded pictures of a game refer to: once a page,
// before them. A game without shapes has none.
func Symbols(w io.Writer, game string) error {
	set := setOf(game)
	var out bytes.Buffer
	out.WriteString(`<svg class="symbols" width="0" height="0" aria-hidden="true"><defs>`)
	for i := range len(set.letters) {
		set.define(&out, set.letters[i])
	}
	if set.tree != "" {
		fmt.Fprintf(&out, "<path id=\"tree\" class=\"board-tree\" d=%q/>", set.tree)
	}
	out.WriteString("</defs></svg>\n")
	_, err := w.Write(out.Bytes())
	return err
}

// A drawing is the state of one SVG call.
type drawing struct {
	out         bytes.Buffer
	b           engine.Board
	p           Picture
	set         set
	left, below int // margins
}

// at returns the upper left corner of a cell.
func (d *drawing) at(i int) (x, y int) {
	col, row := i%d.b.Cols, i/d.b.Cols
	shift := d.shift(row)
	if d.p.Flip {
		col, row = d.b.Cols-1-col, d.b.Rows-1-row
	}
	return d.left + col*square + shift, frame + row*square
}

// shift returns the indentation of a row, as in Hex.
func (d *drawing) shift(row int) int {
	switch {
	case d.b.Indent == nil:
		return 0
	case d.p.Flip:
		return (slices.Max(d.b.Indent) - d.b.Indent[row]) * square / 2
	}
	return d.b.Indent[row] * square / 2
}

// widest returns how much wider the board is than a row of it.
func (d *drawing) widest() int {
	if d.b.Indent == nil {
		return 0
	}
	return slices.Max(d.b.Indent) * square / 2
}

// sideClass returns the CSS class of a side.
func sideClass(side engine.Side) string {
	if side == engine.Second {
		return "second"
	}
	return "first"
}

func (d *drawing) open() {
	width, height := d.left+d.b.Cols*square+d.widest()+frame, frame+d.b.Rows*square+d.below
	xmlns := ""
	if !d.p.Embedded {
		xmlns = ` xmlns="http://www.w3.org/2000/svg"`
	}
	fmt.Fprintf(&d.out, `<svg%s class="board" viewBox="0 0 %d %d" width="%[2]d" height="%[3]d" role="img" data-cols="%d" data-rows="%d" data-left="%d"`,
		xmlns, width, height, d.b.Cols, d.b.Rows, d.left)
	if d.p.Flip {
		d.out.WriteString(` data-flip="1"`)
	}
	if d.b.Indent != nil {
		fmt.Fprintf(&d.out, ` data-indent="%s"`, strings.Trim(fmt.Sprint(d.b.Indent), "[]"))
	}
	title := d.p.Title
	if title == "" {
		title = "board"
	}
	fmt.Fprintf(&d.out, ">\n<title>%s</title>\n", xmlText(title))
	if d.p.Desc != "" {
		fmt.Fprintf(&d.out, "<desc>%s</desc>\n", xmlText(d.p.Desc))
	}
	if d.p.Embedded {
		return
	}
	fmt.Fprintf(&d.out, "<style>\n%s</style>\n<defs>", Style())
	defined := map[byte]bool{}
	for _, c := range d.b.Cells {
		if c.Piece != 0 && !defined[c.Piece] && d.set.has(c.Piece) {
			defined[c.Piece] = true
			d.set.define(&d.out, c.Piece)
		}
	}
	if d.set.tree != "" {
		fmt.Fprintf(&d.out, "<path id=\"tree\" class=\"board-tree\" d=%q/>", d.set.tree)
	}
	d.out.WriteString("</defs>\n")
}

// xmlText returns a text as XML takes it: markup escaped, and letters that no document
// may have, such as control characters, as U+FFFD.
func xmlText(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0xFFFE || r == 0xFFFF || r >= 0x7F && r < 0xA0 {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD")))
}

// board draws the squares, one path for each shade.
func (d *drawing) board() {
	if d.b.Indent != nil { // each cell touches six others
		d.squares("plain", func(int, engine.Cell) bool { return true })
		d.squares("alternate", func(_ int, c engine.Cell) bool { return c.Shade == engine.Alternate })
		d.squares("off", func(_ int, c engine.Cell) bool { return c.Shade == engine.Off })
		d.squares("grid", func(int, engine.Cell) bool { return true })
		return
	}
	width, height := d.b.Cols*square, d.b.Rows*square
	fmt.Fprintf(&d.out, "<path class=\"plain\" d=\"M%d %dh%dv%dh-%[3]dz\"/>\n", d.left, frame, width, height)
	chequered := false
	for _, c := range d.b.Cells {
		chequered = chequered || c.Shade == engine.Alternate
	}
	d.squares("alternate", func(i int, c engine.Cell) bool {
		odd := (i/d.b.Cols+i%d.b.Cols)%2 != d.dark()
		return c.Shade == engine.Alternate || chequered && c.Shade != engine.Plain && c.Shade != engine.Off && odd
	})
	d.squares("off", func(_ int, c engine.Cell) bool { return c.Shade == engine.Off })
	off := false
	for i, c := range d.b.Cells {
		if c.Shade == engine.Off {
			off = true
			if d.set.tree != "" {
				x, y := d.at(i)
				fmt.Fprintf(&d.out, "<use href=\"#tree\" x=\"%d\" y=\"%d\"/>", x, y)
			}
		}
	}
	if !chequered && !off {
		d.out.WriteString(`<path class="grid" d="`)
		for col := 1; col < d.b.Cols; col++ {
			fmt.Fprintf(&d.out, "M%d %dv%d", d.left+col*square, frame, height)
		}
		for row := 1; row < d.b.Rows; row++ {
			fmt.Fprintf(&d.out, "M%d %dh%d", d.left, frame+row*square, width)
		}
		d.out.WriteString("\"/>\n")
	}
}

// dark returns the parity of the alternate squares.
func (d *drawing) dark() int {
	for i, c := range d.b.Cells {
		if c.Shade == engine.Alternate {
			return 1 - (i/d.b.Cols+i%d.b.Cols)%2
		}
	}
	return 0
}

// squares draws the chosen cells as one path.
func (d *drawing) squares(class string, chosen func(int, engine.Cell) bool) {
	begun := false
	for i, c := range d.b.Cells {
		if !chosen(i, c) {
			continue
		}
		if !begun {
			fmt.Fprintf(&d.out, "<path class=%q d=\"", class)
			begun = true
		}
		x, y := d.at(i)
		fmt.Fprintf(&d.out, "M%d %dh%dv%[3]dh-%[3]dz", x, y, square)
	}
	if begun {
		d.out.WriteString("\"/>\n")
	}
}

// goals marks the goals: tinted, with a line round each region (whole for the
// first side, broken for the second), and with the game's own sign.
func (d *drawing) goals() {
	for side, shade := range []engine.Shade{engine.FirstGoal, engine.SecondGoal} {
		is := func(col, row int) bool {
			if col < 0 || row < 0 || col >= d.b.Cols || row >= d.b.Rows {
				return false
			}
			if d.set.homeRows {
				// The row where the opponent begins is the goal.
				return side == 0 && row == 0 || side == 1 && row == d.b.Rows-1
			}
			return d.b.Cells[row*d.b.Cols+col].Shade == shade
		}
		class := sideClass(engine.Side(side))
		if !d.set.homeRows {
			d.squares(class+"-goal", func(i int, _ engine.Cell) bool { return is(i%d.b.Cols, i/d.b.Cols) })
		}
		var edges strings.Builder
		for i := range d.b.Cells {
			col, row := i%d.b.Cols, i/d.b.Cols
			if !is(col, row) {
				continue
			}
			x, y := d.at(i)
			step := 1
			if d.p.Flip {
				step = -1
			}
			const in = 2 // inside the goal, so that neighbours' lines do not meet
			if !is(col-step, row) {
				fmt.Fprintf(&edges, "M%d %dv%d", x+in, y, square)
			}
			if !is(col+step, row) {
				fmt.Fprintf(&edges, "M%d %dv%d", x+square-in, y, square)
			}
			if !is(col, row-step) {
				fmt.Fprintf(&edges, "M%d %dh%d", x, y+in, square)
			}
			if !is(col, row+step) {
				fmt.Fprintf(&edges, "M%d %dh%d", x, y+square-in, square)
			}
		}
		if edges.Len() > 0 {
			fmt.Fprintf(&d.out, "<path class=\"%s-edge\" d=\"%s\"/>\n", class, edges.String())
		}
		if sign := d.set.signs[side]; sign != "" {
			for i, c := range d.b.Cells {
				if c.Shade == shade {
					x, y := d.at(i)
					fmt.Fprintf(&d.out, "<path class=\"sign\" transform=\"translate(%d %d)\" d=%q/>\n", x, y, sign)
				}
			}
		}
	}
	if d.b.Indent != nil {
		return // the cells have lines of their own
	}
	fmt.Fprintf(&d.out, "<path class=\"frame\" d=\"M%g %gh%dv%dh-%[3]dz\"/>\n",
		float64(d.left)-1.5, frame-1.5, d.b.Cols*square+3, d.b.Rows*square+3)
}

// marks draws the squares that the last move touched.
func (d *drawing) marks(last []bool) {
	d.out.WriteString(`<g class="marks">`)
	for i, touched := range last {
		if touched {
			x, y := d.at(i)
			fmt.Fprintf(&d.out, "<path class=\"last\" d=\"M%g %gh%dv%[3]dh-%[3]dz\"/>", float64(x)+1.5, float64(y)+1.5, square-3)
		}
	}
	d.out.WriteString("</g>\n")
}

func (d *drawing) pieces() {
	d.out.WriteString(`<g class="pieces">`)
	for i, c := range d.b.Cells {
		if c.Piece == 0 {
			continue
		}
		x, y := d.at(i)
		if d.set.has(c.Piece) {
			fmt.Fprintf(&d.out, "<use class=%q href=\"#%s\" x=\"%d\" y=\"%d\"/>", sideClass(c.Side), symbol(c.Piece), x, y)
			continue
		}
		fmt.Fprintf(&d.out, `<g class=%q><circle cx="%d" cy="%d" r="15"/><text x="%[2]d" y="%[4]d">%[5]s</text></g>`,
			sideClass(c.Side), x+square/2, y+square/2, y+square/2+7, xmlText(string(rune(c.Piece))))
	}
	d.out.WriteString("</g>\n")
}

func (d *drawing) coordinates() {
	d.out.WriteString(`<g class="coordinates">`)
	lowest := (d.b.Rows - 1) * d.b.Cols
	if d.p.Flip {
		lowest = 0
	}
	for file := range d.b.Cols {
		x, _ := d.at(lowest + file)
		fmt.Fprintf(&d.out, "<text x=\"%d\" y=\"%d\">%s</text>", x+square/2, 2*frame+d.b.Rows*square+12, fileName(file))
	}
	for row := range d.b.Rows {
		_, y := d.at(row * d.b.Cols)
		fmt.Fprintf(&d.out, "<text x=\"%d\" y=\"%d\">%s</text>", d.shift(row)+margin/2-1, y+square/2+5, strconv.Itoa(d.b.Rows-row))
	}
	d.out.WriteString("</g>\n")
}
