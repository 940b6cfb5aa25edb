package web

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"botarena/arena"
	"botarena/arena/listing"
	"botarena/arena/standings"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/engine/draw"
)

// functions returns the functions that templates call. Templates call no methods, since
// release builds leave out methods that only templates would need (see cmd/release).
func (s *Server) functions() template.FuncMap {
	return template.FuncMap{
		"asset":      s.assets.url,
		"eventURL":   eventURL,
		"gamesURL":   gamesURL,
		"botURL":     botURL,
		"boardURL":   boardURL,
		"compareURL": compareURL,
		"testURL":    testURL,
		"tuningURL":  tuningURL,
		"gameURL":    func(id int64) string { return fmt.Sprintf("/games/%d", id) },
		"clip":       text.Line,
		"plural":     text.Plural,
		"comma":      func(n int) string { return humanize.Comma(int64(n)) },
		"percent":    func(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) },
		"signed":     func(x float64) string { return fmt.Sprintf("%+.0f", math.Round(x)+0) },
		"day":        func(t time.Time) string { return t.UTC().Format(time.DateOnly) },
		"stamp":      stamp,
		"iso":        func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"span":       span,
		"tileSide":   gridTile.side,
		"emptyTile":  func(board template.HTML) gridTile { return gridTile{Board: board, Expected: 50, BarTop: 50} },
		"deref":      func(x *float64) float64 { return *x },
		"elo":        eloText,
		"symbols":    symbolsOf,
		"share":      shareText,
		"dict":       dict,
		"manualURL":  manualURL,
		"kitURL":     kitURL,
		"bytes":      byteText,
		"firstLine":  firstLine,
		"hasManual":  func(game string) bool { return hasManual(s.config.Catalog, game) },
		"odd":        func(n int) bool { return n%2 == 1 },
		"after":      afterDot,

		"experimentState": func(d ExperimentReport) string { return d.Result() },
		"experimentTook":  func(d ExperimentReport) string { return d.Took() },
		"experimentCPU":   func(d ExperimentReport) string { return d.Computed() },
		"experimentWhere": func(d ExperimentReport) string { return d.Where() },

		"best":        (*botLine).Best,
		"cell":        listing.Column.Text,
		"ending":      (*standings.GameLine).Ending,
		"faultPlaces": (*gamesData).Faulty,
		"faults":      standings.Forfeits.Total,
		"gameKey":     (*gamesData).Key,
		"gameName":    engine.Game.Name,
		"levels":      (*playOffer).Levels,
		"never":       time.Time.IsZero,
		"numbers":     (*replayView).Numbers,
		"plainBoard":  (*replayView).Plain,
		"plainMoves":  (*replayView).PlainMoves,
		"plyURL":      (*replayView).URL,
		"typed":       (*playOffer).Value,
	}
}

// inPage returns markup drawn into a page; write must escape what strangers wrote.
func inPage(write func(w io.Writer) error) (template.HTML, error) {
	var b bytes.Buffer
	err := write(&b)
	return template.HTML(b.String()), err //nolint:gosec // drawn by packages draw and standings, which escape
}

// boardOf draws a board into a page.
func boardOf(b engine.Board, p draw.Picture) (template.HTML, error) {
	p.Embedded = true
	return inPage(func(w io.Writer) error { return draw.SVG(w, b, p) })
}

// symbolsOf returns the shapes of the pieces of games, which boards in the page use.
func symbolsOf(games ...string) (all template.HTML, err error) {
	for _, game := range games {
		shapes, err := inPage(func(w io.Writer) error { return draw.Symbols(w, game) })
		if err != nil {
			return "", err
		}
		if !strings.Contains(string(all), string(shapes)) {
			all += shapes
		}
	}
	return all, nil
}

// dict returns a map of alternating names and values, for templates with several
// arguments.
func dict(pairs ...any) map[any]any {
	d := map[any]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		d[pairs[i]] = pairs[i+1]
	}
	return d
}

// stamp formats a time to the second.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// span formats a duration for people: 3 h 20 min, 41 s.
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

// firstLine returns the first line of a text, as long as a table has room for.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return text.Line(line, 200)
}

// clipName returns a name for a sentence.
func clipName(name string) string { return text.Line(name, 40) }

// eloText formats a rating, or its bound if there is only that.
func eloText(r standings.Row) string {
	switch {
	case r.Elo != nil:
		return fmt.Sprintf("%+.0f", math.Round(*r.Elo)+0)
	case len(r.Bounds) == 0:
		return "–"
	case r.Bounds[0].Kind == "upper":
		return fmt.Sprintf("<%+.0f", math.Round(r.Bounds[0].Elo)+0)
	}
	return fmt.Sprintf(">%+.0f", math.Round(r.Bounds[0].Elo)+0)
}

// shareText returns the share of points in percent.
func shareText(t arena.Tally) string {
	if t.Games == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f%%", 100*t.Points/float64(t.Games))
}

// afterDot returns the title of a table without the event that it begins with.
func afterDot(title string) string {
	if _, rest, ok := strings.Cut(title, " · "); ok {
		title = rest
	}
	if title == "" {
		return "Table"
	}
	return upperFirst(title)
}
