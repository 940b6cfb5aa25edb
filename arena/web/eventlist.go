package web

import (
	"context"
	"slices"

	"botarena/arena/standings"
	"botarena/arena/store"
)

// events lists the events of pages: all, or those of the site.
func (r *request) events(ctx context.Context) ([]store.Event, error) {
	events, err := r.config.Store.Events(ctx)
	if err != nil || r.scope == nil {
		return events, err
	}
	return slices.DeleteFunc(events, func(e store.Event) bool { return !slices.Contains(r.scope, e.Name) }), nil
}

// versions lists the versions of the bots of pages.
func (r *request) versions(ctx context.Context) ([]store.Version, error) {
	list, err := r.config.Store.Versions(ctx)
	if err != nil || r.scope == nil {
		return list, err
	}
	events, err := r.events(ctx)
	if err != nil {
		return nil, err
	}
	entered := map[string]bool{}
	for i := range events {
		for _, b := range events[i].Entries {
			entered[b.Name] = true
		}
	}
	return slices.DeleteFunc(list, func(v store.Version) bool { return !entered[v.Bot] }), nil
}

// eventLines lists the events of the record, in the order in which they were
// created.
func (r *request) eventLines(ctx context.Context) ([]standings.EventLine, error) {
	events, err := r.events(ctx)
	if err != nil {
		return nil, err
	}
	lines := make([]standings.EventLine, len(events))
	for i := range events {
		lines[i] = r.line(&events[i])
	}
	return lines, nil
}

func loadEvents(ctx context.Context, r *request) (*content, error) {
	all := r.query.Get("all") != ""
	lines, err := r.eventLines(ctx)
	if err != nil {
		return nil, err
	}
	listed := []standings.EventLine{}
	archived := 0
	for _, l := range lines {
		if l.Archived {
			archived++
		}
		if all || !l.Archived {
			listed = append(listed, l)
		}
	}
	table := standings.EventsTable(listed)
	latestFirst := slices.Clone(listed)
	slices.Reverse(latestFirst)
	return &content{
		Title: "Events", JSON: listed, CSV: &table,
		Data: map[string]any{"Events": latestFirst, "Archived": archived, "All": all},
	}, nil
}
