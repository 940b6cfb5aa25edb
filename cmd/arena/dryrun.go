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

// dryRun prints what is to be played of an event, and plays nothing.
func (a *app) dryRun(ctx context.Context, e arena.Event, db string, extend bool) error {
	st := &machine{logs: logDir(db), books: bookDir(db)}
	var err error
	if st.store, err = store.OpenRead(ctx, db, a.now, a.tellStore()); err != nil && !errors.Is(err, store.ErrNoDatabase) {
		return err
	}
	defer func() { _ = st.Close() }()
	if e.Rules != nil {
		if st.starter, st.watchdog, err = a.newStarter(); err != nil {
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
		return playError(err)
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
	if preview.Played > 0 {
		table.Notes = append(table.Notes, fmt.Sprintf("%d games are played already and stay.", preview.Played))
	}
	if preview.Played > 0 && preview.Complete {
		table.Notes = append(table.Notes, fmt.Sprintf("%d games left.", preview.Left))
	} else {
		table.Notes = append(table.Notes, gamesAhead(preview))
	}
	switch n := preview.Openings; {
	case n == 0 || preview.Pairs <= n:
	case n == 1:
		table.Notes = append(table.Notes, "There is one opening: from pair 2 on it comes again.")
	default:
		table.Notes = append(table.Notes, fmt.Sprintf("There are %d openings: from pair %d on they come again.", n, n+1))
	}
	if preview.Left > 0 || !preview.Complete {
		table.Notes = append(table.Notes, timeEstimate(preview))
	}
	return table.Write(a.out, listing.Text)
}

// gamesAhead reports how many games a schedule has.
func gamesAhead(preview event.Preview) string {
	planned := preview.Played + preview.Left
	total, exact := preview.Total, preview.Exact
	switch {
	case preview.Complete:
		return fmt.Sprintf("%d games.", planned)
	case total == 0:
		return fmt.Sprintf("%d games first; the results decide what follows, without a limit.", planned)
	case exact:
		return fmt.Sprintf("%d games first, %d in all; the results decide who plays.", planned, total)
	}
	return fmt.Sprintf("%d games first, about %d in all; the results decide.", planned, total)
}

// timeEstimate reports how long an event may take at most.
func timeEstimate(preview event.Preview) string {
	if preview.Limit > 0 {
		return fmt.Sprintf("No more games after %s of play.", roundTime(preview.Limit))
	}
	left, why := preview.TimeLeft()
	switch {
	case why != "":
		return why
	case preview.Slots > 1:
		return fmt.Sprintf("Up to about %s, %d games at a time, if a game lasts %d plies.", roundTime(left), preview.Slots, event.PliesAGame)
	}
	return fmt.Sprintf("Up to about %s, one game at a time, if a game lasts %d plies.", roundTime(left), event.PliesAGame)
}
