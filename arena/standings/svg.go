package standings

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"botarena/arena/text"
)

// Sizes of the drawings, in pixels.
const (
	svgWidth  = 900
	svgRow    = 26
	svgLeft   = 230 // names
	svgRight  = 130 // values
	svgTop    = 48
	svgBottom = 44
	svgHeight = 460 // of a line chart
)

// svgStyle suits light and dark pages alike.
const svgStyle = `<style>
text { font: 13px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600; font-size: 15px }
.small { font-size: 11px; fill: #57606a }
.end { text-anchor: end }
.mid { text-anchor: middle }
.page { fill: #fff }
.grid { stroke: #d0d7de; stroke-width: 1 }
.mark { stroke: #57606a; stroke-width: 1.5 }
.line { fill: none; stroke-width: 2; stroke-linejoin: round }
.open { stroke-dasharray: 4 4 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .small { fill: #8d96a0 } .page { fill: #0d1117 } .grid { stroke: #30363d }
}
</style>
`

// lineClass returns the class of a line in the colour of a series.
func lineClass(series int) string { return fmt.Sprintf(`class="line c%d"`, series%len(svgColours())) }

// svgColours returns the colours of a chart's lines (Okabe and Ito's palette, which
// colour-blind people can tell apart).
func svgColours() []string {
	return []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999"}
}

// An svg writes elements and keeps the text short and exact.
type svg struct {
	b strings.Builder
	// inPage leaves out the visible title and the style, which the page has, with the
	// classes of svgStyle and c0, c1, ... for the colours of lines and dots.
	inPage bool
}

func (s *svg) add(format string, args ...any) { fmt.Fprintf(&s.b, format+"\n", args...) }

func (s *svg) text(x, y float64, class, words string) {
	s.add(`<text x="%.1f" y="%.1f" class="%s">%s</text>`, x, y, class, escape(words))
}

func (s *svg) line(x1, y1, x2, y2 float64, attributes string) {
	s.add(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" %s/>`, x1, y1, x2, y2, attributes)
}

func (s *svg) open(title string, height float64) {
	title = text.Line(title, 120)
	if s.inPage {
		const titled = 20 // less room on top
		s.add(`<svg class="chart" viewBox="0 %d %d %.0f" role="img">`, titled, svgWidth, height-titled)
		s.add("<title>%s</title>", escape(title))
		return
	}
	s.add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" width="%d" height="%.0f" role="img">`, svgWidth, height, svgWidth, height)
	s.add("<title>%s</title>", escape(title))
	s.b.WriteString(strings.TrimSuffix(svgStyle, "</style>\n"))
	for i, colour := range svgColours() {
		s.add(".line.c%d { stroke: %s } .dot.c%d { fill: %s }", i, colour, i, colour)
	}
	s.add("</style>")
	s.add(`<rect class="page" width="100%%" height="100%%"/>`)
	s.text(16, 26, "title", title)
}

func (s *svg) write(w io.Writer) error {
	s.b.WriteString("</svg>\n")
	_, err := io.WriteString(w, s.b.String())
	return err
}

func escape(s string) string {
	var b strings.Builder
	// A strings.Builder does not fail.
	_ = xml.EscapeText(&b, []byte(text.Escape(s)))
	return b.String()
}

// WriteSVG draws the chart as a standalone SVG image: ratings as dots with their
// intervals.
func (c *Chart) WriteSVG(w io.Writer) error { return c.write(w, &svg{}) }

// WriteInPage draws the chart as an SVG element of a page, in the page's own colours.
func (c *Chart) WriteInPage(w io.Writer) error { return c.write(w, &svg{inPage: true}) }

func (c *Chart) write(w io.Writer, s *svg) error {
	gaps := 0
	for i := 1; i < len(c.Bars); i++ {
		if c.Bars[i].Component != c.Bars[i-1].Component {
			gaps++
		}
	}
	bottom := float64(svgTop + svgRow*len(c.Bars) + svgRow/2*gaps)
	s.open(c.Title, bottom+svgBottom+float64(16*len(c.Notes)))
	low, high, ok := c.Span()
	x := func(elo float64) float64 { return svgLeft + (elo-low)/(high-low)*(svgWidth-svgLeft-svgRight) }
	if ok {
		for _, t := range ticks(low, high, 8) {
			s.line(x(t), svgTop-6, x(t), bottom+4, `class="grid"`)
			s.text(x(t), bottom+20, "small mid", signed(t))
		}
	}
	y := float64(svgTop)
	for i := range c.Bars {
		b := &c.Bars[i]
		if i > 0 && b.Component != c.Bars[i-1].Component {
			y += svgRow / 2
		}
		mid := y + svgRow/2
		stroke := lineClass(0)
		s.text(svgLeft-14, mid+4, "end", text.Line(b.Name, 30))
		s.text(svgWidth-svgRight+14, mid+4, "", b.Text())
		from, to := svgLeft+0.0, float64(svgWidth-svgRight)
		if b.Low != nil {
			from = x(*b.Low)
			s.line(from, mid-6, from, mid+6, stroke)
		}
		if b.High != nil {
			to = x(*b.High)
			s.line(to, mid-6, to, mid+6, stroke)
		}
		if b.Low != nil || b.High != nil {
			if b.Elo == nil {
				stroke = `class="line c0 open"` // a bound: one end is open
			}
			s.line(from, mid, to, mid, stroke)
		}
		if b.Elo != nil {
			s.add(`<circle class="dot c0" cx="%.1f" cy="%.1f" r="5"/>`, x(*b.Elo), mid)
		}
		y += svgRow
	}
	for i, n := range c.Notes {
		s.text(16, bottom+svgBottom+float64(16*i), "small", n)
	}
	return s.write(w)
}

// A LineChart shows ratings over steps.
type LineChart struct {
	Title  string
	Unit   string // what a step is: games, days
	Series []Series
	// Marks holds reference values, such as the bounds of a test.
	Marks []Mark
}

// A Mark is a value with a name.
type Mark struct {
	Name string
	At   float64
}

// A Series is one line: ratings after step From + 1, From + 2, ...; Start is the
// rating before. Those of one name have one colour.
type Series struct {
	Name    string
	Label   string // is written where the line begins, as far as there is room
	From    int
	Start   float64
	Ratings []float64
	// At holds the steps of Ratings if they are not consecutive.
	At []int
}

// step returns the step of the rating at an index.
func (s *Series) step(i int) int {
	if s.At != nil {
		return s.At[i]
	}
	return s.From + i + 1
}

// WriteSVG draws the lines as a standalone SVG image.
func (c *LineChart) WriteSVG(w io.Writer) error { return c.write(w, &svg{}) }

// WriteInPage draws the lines as an SVG element of a page, in the page's own colours.
func (c *LineChart) WriteInPage(w io.Writer) error { return c.write(w, &svg{inPage: true}) }

func (c *LineChart) write(w io.Writer, s *svg) error {
	low, high, games := math.Inf(1), math.Inf(-1), 1
	for _, line := range c.Series {
		low, high = min(low, line.Start), max(high, line.Start)
		for k, r := range line.Ratings {
			games = max(games, line.step(k))
			low, high = min(low, r), max(high, r)
		}
	}
	for _, m := range c.Marks {
		low, high = min(low, m.At), max(high, m.At)
	}
	if low > high {
		low, high = 0, 1
	}
	room := max(5, (high-low)/20)
	if len(c.Marks) > 0 {
		room = (high - low) / 20
	}
	low, high = low-room, high+room
	const left, right, bottom = 64.0, svgWidth - 24.0, svgHeight - svgBottom
	x := func(game int) float64 { return left + float64(game)/float64(games)*(right-left) }
	y := func(elo float64) float64 { return bottom - (elo-low)/(high-low)*(bottom-svgTop) }
	var names []string
	labelled := false
	for _, line := range c.Series {
		if !slices.Contains(names, line.Name) {
			names = append(names, line.Name)
		}
		labelled = labelled || line.Label != ""
	}
	s.open(c.Title, svgHeight+float64(18*len(names)))
	for _, t := range ticks(low, high, 8) {
		s.line(left, y(t), right, y(t), `class="grid"`)
		s.text(left-8, y(t)+4, "small end", fmt.Sprintf("%g", t))
	}
	for _, t := range ticks(0, float64(games), 8) {
		if t == math.Trunc(t) && !labelled { // steps of several lines, and gaps, count nothing
			s.text(x(int(t)), bottom+18, "small mid", fmt.Sprintf("%g", t))
		}
	}
	s.text((left+right)/2, bottom+34, "small mid", c.Unit)
	for _, m := range c.Marks {
		s.line(left, y(m.At), right, y(m.At), `class="mark open"`)
		s.text(left+6, y(m.At)-6, "small", m.Name)
	}
	for _, line := range c.Series {
		i := slices.Index(names, line.Name)
		var points strings.Builder
		fmt.Fprintf(&points, "%.1f,%.1f", x(line.From), y(line.Start))
		for k, r := range line.Ratings {
			fmt.Fprintf(&points, " %.1f,%.1f", x(line.step(k)), y(r))
		}
		s.add(`<polyline points="%s" %s/>`, points.String(), lineClass(i))
		if n := len(line.Ratings); line.Label != "" && n > 0 {
			const letter = 7.0
			from, to := x(line.From), x(line.step(n-1))
			s.line(from, svgTop, from, bottom, `class="grid"`)
			if room := int((to - from) / letter); room > 2 {
				s.text(from+4, svgTop+10, "small", text.Line(line.Label, room))
			}
		}
	}
	for i, name := range names {
		at := svgHeight + 18*float64(i)
		s.line(left, at-4, left+24, at-4, lineClass(i))
		s.text(left+32, at, "", text.Line(name, 90))
	}
	return s.write(w)
}
