package standings_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"botarena/arena/standings"
	"pgregory.net/rapid"
)

func at(x float64) *float64 { return &x }

func TestChartDrawsIntervals(t *testing.T) {
	c := standings.Chart{Title: "pool", Notes: []string{"A note."}, Bars: []standings.Bar{
		{Name: "top", Low: at(300)},
		{Name: "a", Elo: at(100), Low: at(50), High: at(150), Component: 1},
		{Name: "b", Elo: at(-100), Low: at(-150), High: at(-50), Component: 1},
		{Name: "idle", Component: -1},
	}}
	want := `pool

 top      >+300 ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇├──▶

 a    +100 ± 50 ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇├───●───┤
 b    -100 ± 50 ▇▇▇├───●───┤

 idle         -
                ───────────────┼───────────────┼───────────
                              +0             +200

A note.
`
	if got := c.Text(60); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Charts of any ratings keep to the width and are well-formed images.
func TestChartsOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		elo := rapid.Float64Range(-5000, 5000)
		var c standings.Chart
		var lines standings.LineChart
		c.Title = rapid.StringMatching(`[a-z<&]{0,9}`).Draw(t, "title")
		for range rapid.IntRange(0, 6).Draw(t, "bars") {
			b := standings.Bar{Name: rapid.StringMatching(`[a-zé<&"]{0,40}`).Draw(t, "name"), Component: rapid.IntRange(0, 2).Draw(t, "component")}
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				b.Low = at(elo.Draw(t, "low"))
			case 1:
				b.High = at(elo.Draw(t, "high"))
			case 2:
				b.Elo = at(elo.Draw(t, "elo"))
			case 3:
				x, e := elo.Draw(t, "elo"), rapid.Float64Range(0, 900).Draw(t, "error")
				b.Elo, b.Low, b.High = at(x), at(x-e), at(x+e)
			}
			c.Bars = append(c.Bars, b)
			lines.Series = append(lines.Series, standings.Series{Name: b.Name, Start: 1500, Ratings: rapid.SliceOfN(elo, 0, 5).Draw(t, "ratings")})
		}
		columns := rapid.IntRange(0, 200).Draw(t, "columns")
		_, drawing, _ := strings.Cut(c.Text(columns), "\n\n")
		if c.Title == "" {
			drawing = c.Text(columns)
		}
		most := max(columns, 40)
		for line := range strings.SplitSeq(drawing, "\n") {
			// Long values may leave no room; then the bars have their least width.
			if n := utf8.RuneCountInString(line); n > most && n > 60 {
				t.Fatalf("a line of %d in %d columns: %q", n, columns, line)
			}
		}
		for _, write := range []func(io.Writer) error{c.WriteSVG, lines.WriteSVG} {
			var image bytes.Buffer
			if err := write(&image); err != nil {
				t.Fatal(err)
			}
			wellFormed(t, image.String())
		}
	})
}

func wellFormed(t *rapid.T, image string) {
	d := xml.NewDecoder(strings.NewReader(image))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, image)
		}
		if e, ok := token.(xml.StartElement); ok {
			for _, a := range e.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Fatalf("%s %s=%q", e.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
}

func TestLineChartShowsEveryGame(t *testing.T) {
	c := standings.LineChart{Title: "history", Series: []standings.Series{
		{Name: "one <1>", Start: 1500, Ratings: []float64{1520, 1510, 1530}},
		{Name: "two", Start: 1500, Ratings: []float64{1480}},
	}}
	var image bytes.Buffer
	if err := c.WriteSVG(&image); err != nil {
		t.Fatal(err)
	}
	var points []int
	for _, part := range strings.Split(image.String(), `<polyline points="`)[1:] {
		list, _, _ := strings.Cut(part, `"`)
		points = append(points, len(strings.Fields(list)))
	}
	if len(points) != 2 || points[0] != 4 || points[1] != 2 {
		t.Errorf("points %v, want 4 and 2", points)
	}
	if !strings.Contains(image.String(), "one &lt;1&gt;") {
		t.Error("a name is not escaped")
	}
}
