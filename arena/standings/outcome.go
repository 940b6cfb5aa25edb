package standings

import (
	"context"
	"fmt"
	"io"
	"slices"

	"botarena/arena/listing"
	"botarena/arena/rating/sprt"
	"botarena/arena/schedule"
	"botarena/arena/store"
	"botarena/engine"
)

// An Outcome is the outcome of an event: the tables of its format, or where its test
// stands.
type Outcome struct {
	Event       string         `json:"event"`
	Leaderboard *Leaderboard   `json:"leaderboard"`
	HeadToHead  *HeadToHead    `json:"head_to_head,omitempty"` // of the two bots of a match
	Test        *SPRTOutcome   `json:"-"`                      // of an event with a test, instead of the others
	Tuning      *TuningOutcome `json:"-"`                      // of a tuning, instead of the others
	Games       int            `json:"-"`                      // of the event

	tables []listing.Table // that people expect before the leaderboard
}

// NewOutcome reads the outcome of an event. The errors are those of [Choose].
func NewOutcome(ctx context.Context, s *store.Store, catalog engine.Catalog, event string) (*Outcome, error) {
	sel, err := Choose(ctx, s, catalog, event, "", "", nil)
	if err != nil {
		return nil, err
	}
	o := &Outcome{Event: event, Test: sel.Test, Tuning: sel.Tuning, Games: sel.Event.Games}
	if o.Test != nil || o.Tuning != nil {
		return o, nil
	}
	if o.Leaderboard, err = sel.Leaderboard(); err != nil {
		return nil, err
	}
	o.tables = sel.Tables(o.Leaderboard)
	if !schedule.Compares(sel.Config.Format) {
		return o, nil
	}
	if sel.Counts.Openings, err = s.Openings(ctx, event, "", ""); err != nil {
		return nil, err
	}
	bots := sel.Config.Bots
	if o.HeadToHead, err = NewHeadToHead(&sel.Counts, bots[0].Name, bots[1].Name, sel.Game, sel.Sides); err == nil {
		o.HeadToHead.Withhold(sel.Failing)
	}
	return o, err
}

// Verdict returns the verdict of the event's test or race; "" if it has none.
func (o *Outcome) Verdict() sprt.Verdict {
	switch {
	case o.Test != nil:
		return o.Test.Verdict
	case o.Leaderboard != nil && o.Leaderboard.Race != nil:
		return o.Leaderboard.Race.Verdict()
	}
	return ""
}

// Data returns what is to be printed as JSON: the outcome, or that of the test or the
// tuning alone.
func (o *Outcome) Data() any {
	if o.Tuning != nil {
		return o.Tuning
	}
	if o.Test != nil {
		return o.Test
	}
	return o
}

// Write writes the outcome as text, the leaderboard with a hint if it has more notes.
func (o *Outcome) Write(w io.Writer, hint string) error {
	if o.Test != nil {
		return o.Test.Table().Write(w, listing.Text)
	}
	if o.Tuning != nil {
		return o.Tuning.Table().Write(w, listing.Text)
	}
	drawBracket(w, o.Leaderboard.Bracket)
	tables := append(slices.Clip(o.tables), o.Leaderboard.Table().Hinted(hint))
	if o.HeadToHead != nil {
		tables = append(tables, o.HeadToHead.Table())
	}
	for i, t := range tables {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := t.Write(w, listing.Text); err != nil {
			return err
		}
	}
	return nil
}
