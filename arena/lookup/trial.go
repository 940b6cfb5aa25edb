package lookup

import (
	"context"

	"botarena/arena"
	"botarena/arena/report"
	"botarena/arena/schedule"
	"botarena/arena/store"
)

// Trial returns where the test of an event stands after its games. look, where not
// nil, is called after each game that the test has looked at.
func Trial(ctx context.Context, s *store.Store, sel *Selection, event arena.Event, look func(*schedule.Trial)) (*report.SPRTOutcome, error) {
	t, err := schedule.NewTrial(event)
	if err != nil {
		return nil, err
	}
	var counted arena.Counter // the games up to the decision
	after, looking := 0, true
	err = s.Scan(ctx, store.Filter{Event: event.Name}, func(r *store.Game) error {
		switch looking = looking && t.Add(&r.Game); {
		case looking:
			counted.Add(&r.Game, r.FirstVersion, r.SecondVersion, r.Hash)
			if look != nil {
				look(t)
			}
		case r.Result != arena.Unplayed:
			after++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r, err := t.Test.Report(t.Counts())
	if err != nil {
		return nil, err
	}
	h, err := report.NewHeadToHead(counted.Counts(), event.Bots[0].Name, event.Bots[1].Name, event.Game, sel.Sides)
	if err != nil {
		return nil, err
	}
	h.Event = event.Name
	return &report.SPRTOutcome{SPRTReport: r, Test: report.TestOf(t.Test), HeadToHead: h, After: after}, nil
}
