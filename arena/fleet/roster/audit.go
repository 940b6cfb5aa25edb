package roster

import (
	"context"
	"fmt"
	"time"

	"botarena/arena/fleet/audit"
	"botarena/arena/store"
)

// An AuditLine compares how a bot fared at a worker with how it fared elsewhere: see
// [audit.Finding].
type AuditLine struct {
	Event    string  `json:"event"`
	Worker   string  `json:"worker"` // "" for the machine that runs the event
	Bot      string  `json:"bot"`    // "" for all bots of the worker together
	Games    int     `json:"games"`
	Pairs    int     `json:"pairs"`
	Points   float64 `json:"points"`
	Expected float64 `json:"expected"`
	P        float64 `json:"p"`
	TimeLoss int     `json:"time_losses"`
	Late     float64 `json:"p_late"`
}

// Audit compares the workers of an event, or of all events where event is "". An event
// that one machine played alone has no lines.
func Audit(ctx context.Context, s *store.Store, event string) ([]AuditLine, error) {
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
	lines := []AuditLine{}
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
			lines = append(lines, AuditLine{
				Event: name, Worker: f.Worker, Bot: f.Bot, Games: f.Games, Pairs: f.Pairs, Points: f.Points, Expected: f.Expected,
				P: f.P, TimeLoss: f.Late, Late: f.PLate,
			})
		}
	}
	return lines, nil
}
