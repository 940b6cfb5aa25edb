package web

import (
	"context"
	"time"

	"botarena/arena/standings"
)

// fleetData holds what the page of the fleet shows.
type fleetData struct {
	Workers []fleetWorker
	Slots   int // of those that are there
	There   int
	Site    bool
}

// fleetWorker is a row of the fleet's table.
type fleetWorker struct {
	standings.WorkerLine
	Rate, Heard string // in words
}

func loadFleet(ctx context.Context, r *request) (*content, error) {
	list, err := r.config.Store.Workers(ctx)
	if err != nil {
		return nil, err
	}
	d := &fleetData{Site: r.site}
	lines := make([]standings.WorkerLine, len(list))
	for i := range list {
		l := standings.NewWorkerLine(&list[i], r.now)
		if r.site && l.State == "there" {
			l.State = "away" // by the time that somebody reads it
		}
		lines[i] = l
		if l.State == "there" {
			d.There++
			d.Slots += l.Slots
		}
		heard := l.Heard(r.now)
		if r.site && l.Seen != nil {
			heard = l.Seen.UTC().Format(time.DateTime) + " UTC"
		}
		d.Workers = append(d.Workers, fleetWorker{l, l.Rate(), heard})
	}
	table := standings.WorkerTable(lines, r.now)
	return &content{Title: "Fleet", Data: d, JSON: lines, CSV: &table, Follow: "every"}, nil
}
