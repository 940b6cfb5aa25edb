package roster

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"botarena/arena/fleet/audit"
	"botarena/arena/listing"
	"botarena/arena/store"
)

// Audit compares the workers of an event, or of all events where event is "". An event
// that one machine played alone has no findings.
func Audit(ctx context.Context, s *store.Store, event string) ([]audit.Finding, error) {
	events := []string{event}
	if event == "" {
		list, err := s.Events(ctx)
		if err != nil {
			return nil, err
		}
		events = nil
		for _, e := range list {
			events = append(events, e.Name)
		}
	} else if _, err := s.Event(ctx, event); err != nil {
		return nil, err
	}
	workers, err := s.Workers(ctx)
	if err != nil {
		return nil, err
	}
	names := map[int64]string{}
	for _, w := range workers {
		names[w.ID] = w.Name
		if !w.Revoked.IsZero() {
			names[w.ID] += fmt.Sprintf(" (revoked %s)", w.Revoked.Format(time.DateOnly))
		}
	}
	lines := []audit.Finding{}
	for _, name := range events {
		scores, err := s.WorkerScores(ctx, name)
		if err != nil {
			return nil, err
		}
		played := map[int64]bool{}
		var list []audit.Score
		for _, c := range scores {
			played[c.Worker] = true
			list = append(list, audit.Score{Worker: names[c.Worker], A: c.A, B: c.B, Of: c.Of, Counts: c.Counts, Games: c.Games, Late: c.TimeLosses})
		}
		if len(played) < 2 {
			continue
		}
		for _, f := range audit.Residuals(list) {
			f.Event = name
			lines = append(lines, f)
		}
	}
	return lines, nil
}

// AuditTable returns what an audit found as a table.
func AuditTable(lines []audit.Finding) listing.Table {
	t := listing.Table{Columns: []listing.Column{
		{Name: "Event", Left: true},
		{Name: "Worker", Left: true},
		{Name: "Bot", Left: true},
		{Name: "Games"},
		{Name: "Points"},
		{Name: "Expected"},
		{Name: "P"},
		{Name: "Lost on time"},
		{Name: "P late"},
	}}
	for _, l := range lines {
		worker, points, expected := cmp.Or(l.Worker, "(this machine)"), "", ""
		if l.Bot != "" {
			points, expected = fmt.Sprintf("%.1f of %d", l.Points, l.Pairs), fmt.Sprintf("%.1f", l.Expected)
		}
		t.Rows = append(t.Rows, []any{
			l.Event, worker, l.Bot, strconv.Itoa(l.Games), points, expected, chance(l.P), strconv.Itoa(l.Late), chance(l.PLate),
		})
	}
	if len(t.Rows) == 0 {
		t.Notes = []string{"No event was played by several machines."}
	}
	return t
}

// chance returns a probability in a table.
func chance(p float64) string {
	if p < 0.0001 {
		return "<0.0001"
	}
	return fmt.Sprintf("%.4f", p)
}
