package web

import (
	"context"
	"slices"

	"botarena/arena/standings"
)

// eventLines lists the events of the record, in the order in which they were
// created.
func (r *request) eventLines(ctx context.Context) ([]standings.EventLine, error) {
	events, err := r.events(ctx)
	if err != nil {
		return nil, err
	}
	lines := make([]standings.EventLine, len(events))
	for i := range events {
		lines[i] = standings.NewEventLine(&events[i], r.config.Self, r.now)
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
