package web

import (
	"context"
	"html/template"
	"net/http"

	"botarena/arena/listing"
	"botarena/arena/schedule"
	"botarena/arena/standings"
	"botarena/arena/store"
)

// tuningData is the page of a tuning.
type tuningData struct {
	Event   string
	Outcome *standings.TuningOutcome
	Percent int
	Table   listing.Table
	Curves  []curve
	Line    standings.EventLine
}

// A curve is the path of one parameter.
type curve struct {
	Name    string
	Drawing template.HTML
}

func loadTuning(ctx context.Context, r *request) (*content, error) {
	name, sel, err := r.selectEvent(ctx)
	if err != nil {
		return nil, err
	}
	o := sel.Tuning
	if o == nil {
		return nil, &failure{status: http.StatusNotFound, what: "This event is no tuning.", next: &crumb{"To the event " + name, eventURL(name)}}
	}
	table := o.Table()
	d := &tuningData{
		Event: name, Outcome: o, Table: table, Line: r.line(sel.Event),
		Percent: 100 * o.Iterations / max(1, o.Of),
	}
	for i := range o.Params {
		c := curve{Name: o.Params[i].Name}
		if len(o.Path) > 1 {
			if c.Drawing, err = drawn(o.Curve(i)); err != nil {
				return nil, err
			}
		}
		d.Curves = append(d.Curves, c)
	}
	return &content{Title: "Tuning " + name, Crumbs: eventCrumbs(name), Data: d, JSON: o, CSV: &table, Follow: followEvent(name)}, nil
}

func isTuning(e *store.Event) bool { return e.Format == schedule.FormatTune }
