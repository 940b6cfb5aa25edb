package web

import (
	"bytes"
	"context"
	"fmt"
	"html/template"
	"math"
	"net/http"

	"botarena/arena/config"
	"botarena/arena/listing"
	"botarena/arena/rating/sprt"
	"botarena/arena/standings"
	"botarena/arena/store"
)

// mostPath is the maximum number of points in the drawn path of a test's ratio.
const mostPath = 400

// testData is the page of a sequential test.
type testData struct {
	Event   string
	Bots    [2]string
	Outcome *standings.SPRTOutcome
	Lines   []string
	Table   listing.Table
	Verdict string
	Decided bool
	H1      bool
	Left    *sprt.Plan // nil if the test has stopped or nothing tells
	Path    template.HTML
	At      float64 // of the ratio between its bounds, in percent
	Line    standings.EventLine
}

// testJSON is a test as `arena sprt --json` prints it, and what is left of it.
type testJSON struct {
	*standings.SPRTOutcome
	Left *sprt.Plan `json:"left,omitempty"`
}

// selectEvent returns the event that the address names, and what is recorded of it.
func (r *request) selectEvent(ctx context.Context) (name string, sel *standings.Selection, err error) {
	if name, err = r.name("event"); err != nil {
		return "", nil, err
	}
	sel, err = standings.Choose(ctx, r.config.Store, r.config.Catalog, name, "", "", &r.memory.recall("event "+name).Follower)
	return name, sel, err
}

func loadTest(ctx context.Context, r *request) (*content, error) {
	name, sel, err := r.selectEvent(ctx)
	if err != nil {
		return nil, err
	}
	event, o := sel.Config, sel.Test
	if o == nil {
		return nil, &failure{status: http.StatusNotFound, what: "This event has no sequential test.", next: &crumb{"To the event " + name, eventURL(name)}}
	}
	test := o.Test
	d := &testData{
		Event: name, Bots: [2]string{event.Bots[0].Name, event.Bots[1].Name}, Outcome: o, Table: o.HeadToHead.Tallies(),
		Lines: standings.SPRTLines(test, o.Report, true), Decided: o.Verdict != sprt.Continue, H1: o.Verdict == sprt.AcceptH1,
		Line: r.line(sel.Event),
	}
	d.Lines = append(d.Lines, o.HeadToHead.Facts()...)
	if o.After > 0 {
		d.Lines = append(d.Lines, fmt.Sprintf("Games in progress when the test was decided, and not counted: %d.", o.After))
	}
	unit := "nElo"
	if test.Model == sprt.Logistic {
		unit = "Elo"
	}
	switch o.Verdict {
	case sprt.AcceptH1:
		d.Verdict = fmt.Sprintf("H1 is accepted: %s is %g %s stronger rather than %g.", clipName(d.Bots[0]), test.Elo1, unit, test.Elo0)
	case sprt.AcceptH0:
		d.Verdict = fmt.Sprintf("H0 is accepted: %s is %g %s stronger rather than %g.", clipName(d.Bots[0]), test.Elo0, unit, test.Elo1)
	case sprt.Continue:
		d.Verdict = "Not decided yet. Whatever the numbers below look like, they are no result."
	}
	if left, ok := test.Left(o.HeadToHead.Pairs); ok {
		d.Left = &left
	}
	d.At = math.Round(10*100*(min(max(o.LLR, o.Lower), o.Upper)-o.Lower)/(o.Upper-o.Lower)) / 10
	if len(o.Path) > 1 {
		if d.Path, err = drawn(pathChart(o.Path, o)); err != nil {
			return nil, err
		}
	}
	table := o.Table()
	return &content{Title: "Test " + name, Crumbs: eventCrumbs(name), Data: d, JSON: testJSON{o, d.Left}, CSV: &table, Follow: followEvent(name)}, nil
}

// pathChart draws how the ratio went, between its bounds.
func pathChart(path []float64, o *standings.SPRTOutcome) *standings.LineChart {
	s := standings.Series{Name: "log-likelihood ratio"}
	step := max(1, (len(path)+mostPath-1)/mostPath)
	for i := range path {
		if i%step == 0 || i == len(path)-1 {
			s.Ratings, s.At = append(s.Ratings, path[i]), append(s.At, i+1)
		}
	}
	return &standings.LineChart{
		Title: fmt.Sprintf("Log-likelihood ratio after each of %d pairs", len(path)), Unit: "pairs", Series: []standings.Series{s},
		Marks: []standings.Mark{{Name: fmt.Sprintf("accept H1 at %+.2f", o.Upper), At: o.Upper}, {Name: fmt.Sprintf("accept H0 at %+.2f", o.Lower), At: o.Lower}},
	}
}

// hasTest reports whether an event has a sequential test.
func hasTest(e *store.Event) bool {
	if !bytes.Contains(e.Config, []byte("sprt")) {
		return false // reading a configuration of a thousand bots takes a while
	}
	event, _ := config.Decode(e.Config)
	return event.SPRT != nil && len(event.Bots) >= 2
}
