package web

import (
	"context"

	"botarena/arena/lookup"
)

// latestEvents is how many events the first page lists.
const latestEvents = 10

func loadHome(ctx context.Context, r *request) (*content, error) {
	lines, err := r.eventLines(ctx)
	if err != nil {
		return nil, err
	}
	running, latest := []lookup.EventLine{}, []lookup.EventLine{}
	for i := range lines {
		l := lines[len(lines)-1-i]
		switch {
		case l.Holder != "":
			running = append(running, l)
		case !l.Archived && len(latest) < latestEvents:
			latest = append(latest, l)
		}
	}
	return &content{
		Title: "",
		JSON:  map[string]any{"running": running, "events": latest},
		Data:  map[string]any{"Running": running, "Events": latest},
	}, nil
}
