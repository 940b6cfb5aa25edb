package standings

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"botarena/arena/text"
)

// A Chart shows ratings with their intervals, on one axis.
type Chart struct {
	Title string
	Bars  []Bar
	Notes []string // printed below
	More  []string // as a listing.Table's
}

// A Bar is one bot's rating. Low and High are the ends of its interval; if there is
// only a bound instead of a rating, Elo is nil and one end is set.
type Bar struct {
	Name           string
	Elo, Low, High *float64
	Component      int // bars of different components are not comparable
}

// Bar returns the row as a chart shows it.
func (r *Row) Bar() Bar {
	b := Bar{Name: r.Bot, Elo: r.Elo, Component: r.Component}
	switch {
	case r.Elo != nil && r.Error != nil:
		low, high := *r.Elo-*r.Error, *r.Elo+*r.Error
		b.Low, b.High = &low, &high
	case r.Elo != nil || len(r.Bounds) == 0:
	case r.Bounds[0].Kind == "upper":
		b.High = &r.Bounds[0].Elo
	default:
		b.Low = &r.Bounds[0].Elo
	}
	return b
}

// Text formats the rating: +120 ± 31, or its bound.
func (b *Bar) Text() string {
	switch {
	case b.Elo != nil && b.High != nil:
		return fmt.Sprintf("%s ± %.0f", signed(*b.Elo), *b.High-*b.Elo)
	case b.Elo != nil:
		return signed(*b.Elo)
	case b.Low != nil:
		return ">" + signed(*b.Low)
	case b.High != nil:
		return "<" + signed(*b.High)
	}
	return "-"
}

// Span returns the range of Elo that all bars need; ok is false if none has a number.
func (c *Chart) Span() (low, high float64, ok bool) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := range c.Bars {
		b := &c.Bars[i]
		for _, x := range []*float64{b.Elo, b.Low, b.High} {
			if x != nil {
				low, high, ok = min(low, *x), max(high, *x), true
			}
		}
	}
	if !ok {
		return 0, 0, false
	}
	// room at the ends for bounds, which have only one end
	room := max(10, (high-low)/12)
	return low - room, high + room, true
}

// mostName is the maximum length, in letters, of a name in a chart.
const mostName = 24

// Text draws the chart in the given number of columns (at least 40): a bar from the
// left up to the interval, the interval with its ends, and the rating as a dot.
func (c *Chart) Text(columns int) string {
	var out strings.Builder
	if c.Title != "" {
		out.WriteString(c.Title + "\n\n")
	}
	low, high, ok := c.Span()
	names, values := 0, 0
	for i := range c.Bars {
		names = max(names, utf8.RuneCountInString(text.Line(c.Bars[i].Name, mostName)))
		values = max(values, utf8.RuneCountInString(c.Bars[i].Text()))
	}
	width := max(10, max(40, columns)-names-values-4)
	for i := range c.Bars {
		b := &c.Bars[i]
		if i > 0 && b.Component != c.Bars[i-1].Component {
			out.WriteString("\n")
		}
		line := fmt.Sprintf(" %-*s %*s ", names, text.Line(b.Name, mostName), values, b.Text())
		if ok {
			line += b.draw(low, high, width)
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if ok {
		marks, labels := axis(low, high, width)
		indent := strings.Repeat(" ", names+values+3)
		fmt.Fprintf(&out, "%s%s\n%s%s\n", indent, marks, indent, strings.TrimRight(labels, " "))
	}
	if len(c.Notes) > 0 {
		out.WriteString("\n" + strings.Join(c.Notes, "\n") + "\n")
	}
	return out.String()
}

// draw returns the bar in so many columns.
func (b *Bar) draw(low, high float64, width int) string {
	cells := []rune(strings.Repeat(" ", width))
	at := func(x float64) int { return min(width-1, max(0, int((x-low)/(high-low)*float64(width)))) }
	fill := func(from, to int, r rune) {
		for i := from; i <= to; i++ {
			cells[i] = r
		}
	}
	switch {
	case b.Elo != nil && b.Low != nil && b.High != nil:
		l, h := at(*b.Low), at(*b.High)
		fill(0, l-1, '▇')
		fill(l, h, '─')
		if h > l {
			cells[l], cells[h] = '├', '┤'
		}
		cells[at(*b.Elo)] = '●'
	case b.Elo != nil:
		fill(0, at(*b.Elo)-1, '▇')
		cells[at(*b.Elo)] = '●'
	case b.Low != nil:
		l := at(*b.Low)
		fill(0, l-1, '▇')
		fill(l, width-1, '─')
		cells[l], cells[width-1] = '├', '▶'
	case b.High != nil:
		h := at(*b.High)
		fill(0, h, '─')
		cells[0], cells[h] = '◀', '┤'
	}
	return string(cells)
}

// axis returns a line with marks, and the numbers below them.
func axis(low, high float64, width int) (marks, labels string) {
	line, text := []rune(strings.Repeat("─", width)), []rune(strings.Repeat(" ", width))
	free := 0
	for _, x := range ticks(low, high, max(2, width/8)) {
		at := int((x - low) / (high - low) * float64(width))
		if at < 0 || at >= width {
			continue
		}
		label := []rune(signed(x))
		start := at - len(label)/2
		if start < free || start+len(label) > len(text) {
			continue
		}
		line[at] = '┼'
		copy(text[start:], label)
		free = start + len(label) + 1
	}
	return string(line), string(text)
}

// ticks returns round numbers between low and high, about as many as given.
func ticks(low, high float64, about int) []float64 {
	if !(high > low) {
		return []float64{low}
	}
	raw := (high - low) / float64(max(1, about))
	step := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{2, 5, 10} {
		if step >= raw {
			break
		}
		step = m * math.Pow(10, math.Floor(math.Log10(raw)))
	}
	var out []float64
	for k := math.Ceil(low / step); k*step <= high; k++ {
		out = append(out, k*step+0) // no -0
	}
	return out
}
