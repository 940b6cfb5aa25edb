package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"botarena/arena"
	"botarena/arena/event"
	"botarena/arena/listing"
	"botarena/arena/process"
	"botarena/arena/standings"
	"botarena/arena/store"
)

// dryRun prints the schedule of an event and plays nothing.
func (a *app) dryRun(ctx context.Context, e arena.Event, db string, extend bool) error {
	st := &machine{logs: logDir(db), books: bookDir(db)}
	var err error
	if st.store, err = store.OpenRead(ctx, db, a.now, a.tellStore()); err != nil && !errors.Is(err, store.ErrNoDatabase) {
		return err
	}
	defer func() { _ = st.Close() }()
	if e.Rules != nil {
		if st.starter, err = a.newStarter(); err != nil {
			return err
		}
	}
	if st.cpus, err = process.CPUs(); err != nil {
		st.cpus = nil // as run does where the platform does not tell
	}
	t := a.runner(st)
	t.Observe = func(u event.Update) {
		switch u.Kind {
		case event.Searching:
			tellSearch(a.err, *u.Search)
		case event.Notice:
			fmt.Fprintln(a.err, u.Text)
		default:
		}
	}
	preview, err := t.Preview(ctx, e, event.Options{Extend: extend})
	if err != nil {
		return err
	}
	table := listing.Table{
		Title: fmt.Sprintf("%s · %s · %s", e.Name, e.Game, e.Format),
		Columns: []listing.Column{
			{Name: "No"},
			{Name: "Round"},
			{Name: "Pair"},
			{Name: "First", Left: true},
			{Name: "Second", Left: true},
			{Name: "Opening", Left: true},
		},
	}
	for i := range preview.Games {
		g := &preview.Games[i]
		table.Rows = append(table.Rows, []any{
			fmt.Sprint(g.Number), fmt.Sprint(g.Round), fmt.Sprint(g.Pair), g.First, g.Second,
			strings.TrimSpace(g.Opening.Name + " " + standings.OpeningText(g.Opening)),
		})
	}
	if more := preview.Left - len(preview.Games); more > 0 {
		table.Notes = append(table.Notes, fmt.Sprintf("Only the next %d games are listed; %d follow.", len(preview.Games), more))
	}
	table.Notes = append(table.Notes, preview.Notes()...)
	return table.Write(a.out, listing.Text)
}
