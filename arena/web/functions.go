package web

import (
	"fmt"
	"html/template"
	"math"
	"time"

	"github.com/dustin/go-humanize"

	"botarena/arena/text"
)

// functions are those that templates call.
func (s *Server) functions() template.FuncMap {
	return template.FuncMap{
		"asset":      s.assets.url,
		"seg":        segment,
		"eventURL":   eventURL,
		"gamesURL":   gamesURL,
		"botURL":     botURL,
		"boardURL":   boardURL,
		"compareURL": compareURL,
		"testURL":    testURL,
		"gameURL":    func(id int64) string { return fmt.Sprintf("/games/%d", id) },
		"clip":       text.Line,
		"escape":     text.Escape,
		"plural":     text.Plural,
		"comma":      func(n int) string { return humanize.Comma(int64(n)) },
		"percent":    func(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) },
		"signed":     func(x float64) string { return fmt.Sprintf("%+.0f", math.Round(x)+0) },
		"day":        func(t time.Time) string { return t.UTC().Format(time.DateOnly) },
		"stamp":      func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
		"iso":        func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"span":       span,
		"add":        func(a, b int) int { return a + b },
		"tileSide":   gridTile.side,
		"emptyTile":  func(board template.HTML) gridTile { return gridTile{Board: board, Expected: 50, BarTop: 50} },
	}
}

// span writes a duration as people say it: 3 h 20 min, 41 s.
func span(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + span(-d)
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
