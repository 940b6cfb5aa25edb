package standings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/rating"
	"botarena/arena/schedule"
	"botarena/arena/store"
	"botarena/engine"
)

// ErrNoEvents is reported by [Choose] if there is no event to choose.
var ErrNoEvents = errors.New("there are no events yet")

// A ChoiceError reports names of an event, a game or a league that select no games
// together.
type ChoiceError struct{ text string }

// Error says why, and what to name instead.
func (e *ChoiceError) Error() string { return e.text }

// A Selection holds the counts of the games to be ranked: those of one event, or of the
// events of one game that are rated together.
type Selection struct {
	Event  *store.Event // nil if several events are taken together
	Config arena.Event  // of the event, whose format decides the places; without a name for several
	Game   string       // canonical name
	Scope  Scope        // of several events
	Sides  [2]string    // names of the game's sides
	Counts arena.Counts
	Games  []arena.Game   // of an event that PairsByResults, else nil
	Test   *SPRTOutcome   // of an event that has one
	Tuning *TuningOutcome // of an event that is one
	// Failing is the bot of a match or a test whose faults have stopped it; "" if none.
	Failing string
	// Replaced maps a bot to the one that replaced it in an event.
	Replaced map[string]string
	Rated
}

// Rated holds the options for rating a selection.
type Rated struct {
	Anchor *rating.Anchor
	Prior  float64 // standard deviation in Elo of a prior on each rating; 0: none
	// PriorIfApart is the prior that is used if the results leave bots that cannot be
	// compared; 0 rates these in pieces.
	PriorIfApart float64
	Nash         bool // with the Nash average
	// LinkVersions links the ratings of versions of a bot; "" is as the event says.
	LinkVersions arena.LinkVersions
}

// usually returns the default options for rating.
func usually() Rated { return Rated{PriorIfApart: rating.UsualPrior} }

// Choose reads the counts of an event, or of the events of a game that are rated
// together; of the latest event if neither is named. league names one of several such
// groups of events; "" is the one with the most games. The error is an
// *engine.UnknownGameError, a *ChoiceError, a *store.UnknownEventError or ErrNoEvents.
func Choose(ctx context.Context, s *store.Store, catalog engine.Catalog, event, game, league string, f *Follower) (*Selection, error) {
	if game != "" {
		name, err := GameName(ctx, s, catalog, game)
		if err != nil {
			return nil, err
		}
		game = name
	}
	if event == "" {
		events, err := s.Events(ctx)
		switch {
		case err != nil:
			return nil, err
		case game != "":
			return Together(ctx, s, catalog, events, game, league)
		}
		events = slices.DeleteFunc(events, func(e store.Event) bool { return e.Archived })
		if len(events) == 0 {
			return nil, ErrNoEvents
		}
		event = events[len(events)-1].Name
	}
	c, err := s.Counts(ctx, event, "")
	if err != nil {
		return nil, err
	}
	e := &c.Events[0]
	if game != "" && game != e.Game {
		return nil, &ChoiceError{fmt.Sprintf("event %q is of %s, not of %s; name the event alone", e.Name, e.Game, game)}
	}
	sel := &Selection{Event: e, Game: e.Game, Counts: c.Counts, Sides: SideNames(catalog, e.Game), Replaced: map[string]string{}, Rated: usually()}
	sel.Config = decode(e)
	sel.replaced(sel.Config)
	if f == nil {
		f = &Follower{}
	}
	if schedule.PairsByResults(sel.Config) {
		if sel.Games, err = f.all(ctx, s, e); err != nil {
			return nil, err
		}
	}
	if sel.Failing, err = failing(ctx, s, sel); err != nil {
		return nil, err
	}
	if sel.Config.SPRT != nil && schedule.Compares(sel.Config.Format) && len(sel.Config.Bots) == 2 {
		if sel.Test, err = f.test(ctx, s, sel); err != nil {
			return nil, err
		}
	}
	if sel.Config.Format == schedule.FormatTune && len(sel.Config.Tune.Params) > 0 && len(sel.Config.Bots) == 2 {
		if sel.Tuning, err = f.tuning(ctx, s, sel); err != nil {
			return nil, err
		}
	}
	return sel, nil
}

// failing returns the bot that was at fault in all of the last games of an event of two
// that is not finished: in as many as stop it, or in all.
func failing(ctx context.Context, s *store.Store, sel *Selection) (string, error) {
	most := sel.Config.MaxFaults
	if most == 0 || len(sel.Config.Bots) != 2 || sel.Event.State == store.Finished {
		return "", nil
	}
	games, faults, bots := 0, 0, map[string]bool{}
	err := s.Scan(ctx, store.Filter{Event: sel.Event.Name, Played: true, Last: most}, func(g *store.Game) error {
		games++
		if g.Blame != "" && g.Reason != arena.TimeForfeit {
			faults++
			bots[g.Blame] = true
		}
		return nil
	})
	if err != nil || games < 2 || faults < games || len(bots) != 1 {
		return "", err
	}
	return slices.Collect(maps.Keys(bots))[0], nil
}

// decode decodes the configuration of an event. One of an older version may be invalid,
// and is shown all the same.
func decode(e *store.Event) arena.Event {
	event, _ := config.Decode(e.Config)
	event.Name, event.Format = e.Name, e.Format
	if len(event.Bots) == 0 {
		for _, b := range e.Entries {
			event.Bots = append(event.Bots, arena.Bot{Name: b.Name})
		}
	}
	return event
}

// replaced notes for each bot of an event which one replaced it. Of several that name it
// the first one did, which replaced the fewest.
func (s *Selection) replaced(e arena.Event) {
	bots := slices.Clone(e.Bots)
	slices.SortStableFunc(bots, func(a, b arena.Bot) int { return len(b.Replaces) - len(a.Replaces) })
	for _, b := range bots {
		for _, old := range b.Replaces {
			s.Replaced[old] = b.Name
		}
	}
}

// SideNames returns the names of the sides of a game; "first" and "second" for an
// unknown one.
func SideNames(catalog engine.Catalog, game string) [2]string {
	g, err := catalog.Lookup(game)
	if err != nil {
		return [2]string{"first", "second"}
	}
	return g.SideNames()
}

// Crosstable returns the crosstable of the leaderboard's games, in its order.
func (s *Selection) Crosstable(lb *Leaderboard) *Crosstable {
	var bots []string
	var ranks []int
	rows := lb.All()
	slices.SortStableFunc(rows, func(a, b *Row) int { // earlier versions behind
		return cmp.Compare(min(1, b.Rank), min(1, a.Rank))
	})
	for _, r := range rows {
		bots, ranks = append(bots, r.Bot), append(ranks, r.Rank)
	}
	table := NewCrosstable(&s.Counts, bots)
	table.Event, table.Game, table.Ranks, table.byes = lb.Event, lb.Game, ranks, lb.byes
	return table
}
