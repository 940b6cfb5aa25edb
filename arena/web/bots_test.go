package web

import (
	"strings"
	"testing"

	"botarena/arena/store"
)

// Incremental Elo begins anew in each event: the chart draws each from its own start, apart
// from the one before, and names it.
func TestRatingBeginsAnew(t *testing.T) {
	points := func(ratings ...float64) (list []store.RatingPoint) {
		for i, r := range ratings {
			list = append(list, store.RatingPoint{Games: i + 1, Rating: r})
		}
		return list
	}
	d := &botJSON{Bot: "ann", lines: []store.RatingLine{
		{Event: "spring", Game: "outwit", Start: 1500, Points: points(1510, 1530)},
		{Event: "cup", Game: "chess", Start: 1500, Points: points(1490)},
		{Event: "autumn", Game: "outwit", Start: 1400, Points: points(1490, 1505)},
	}}
	c := d.chart()
	if len(c.Series) != 3 {
		t.Fatalf("%+v", c.Series)
	}
	last := -1
	for i, s := range c.Series {
		l := d.lines[i]
		if s.Label != l.Event || s.Name != l.Game || s.Start != l.Start || s.Ratings[0] != l.Points[0].Rating || s.From <= last || s.At[0] != s.From+1 {
			t.Errorf("%+v of %+v, after step %d", s, l, last)
		}
		last = s.At[len(s.At)-1]
	}
	var svg strings.Builder
	if err := c.WriteInPage(&svg); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(svg.String(), "<polyline"); n != 3 || strings.Count(svg.String(), ">outwit<") != 1 || !strings.Contains(svg.String(), ">autumn<") {
		t.Errorf("%d lines, or a legend or a label is missing:\n%s", n, svg.String())
	}
}
