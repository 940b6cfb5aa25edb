package standings

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/rating"
	"botarena/arena/store"
	"botarena/engine"
)

// ErrNoEvents is reported by [Choose] where there is no event to choose.
var ErrNoEvents = errors.New("there are no events yet")

// An OtherGameError says that an event is not of the game that was named.
type OtherGameError struct{ Event, Of, Not string }

// Error names both games.
func (e *OtherGameError) Error() string {
	return fmt.Sprintf("event %q is of %s, not of %s", e.Event, e.Of, e.Not)
}

// A Selection is which games an answer is about: those of one event, or all of
// one game.
type Selection struct {
	Event  *store.Event // nil where several events are taken together
	Game   string       // canonical name
	Sides  [2]string    // names of the game's sides
	Counts arena.Counts
}

// Choose reads the counts of an event, or of a game; of the latest event where
// neither is named. The error is an *engine.UnknownGameError, a *SeveralRulesError, a
// *store.UnknownEventError, an *OtherGameError or ErrNoEvents.
func Choose(ctx context.Context, s *store.Store, catalog engine.Catalog, event, game string) (*Selection, error) {
	if game != "" {
		name, err := GameName(ctx, s, catalog, game)
		if err != nil {
			return nil, err
		}
		game = name
	}
	if event == "" && game == "" {
		events, err := s.Events(ctx)
		if err != nil {
			return nil, err
		}
		events = slices.DeleteFunc(events, func(e store.Event) bool { return e.Archived })
		if len(events) == 0 {
			return nil, ErrNoEvents
		}
		event = events[len(events)-1].Name
	}
	c, err := s.Counts(ctx, event, game)
	if err != nil {
		return nil, err
	}
	sel := &Selection{Game: game, Counts: c.Counts}
	if event != "" {
		e := &c.Events[0]
		if game != "" && game != e.Game {
			return nil, &OtherGameError{Event: e.Name, Of: e.Game, Not: game}
		}
		sel.Event, sel.Game = e, e.Game
	}
	sel.Sides = SideNames(catalog, sel.Game)
	return sel, nil
}

// SideNames are the names of the sides of a game; "first" and "second" of one
// that is not known any more.
func SideNames(catalog engine.Catalog, game string) [2]string {
	g, err := catalog.Lookup(game)
	if err != nil {
		return [2]string{"first", "second"}
	}
	return g.SideNames()
}

// Leaderboard rates the selected games.
func (s *Selection) Leaderboard(anchor *rating.Anchor) (*Leaderboard, error) {
	o := s.Options()
	o.Anchor = anchor
	return NewLeaderboard(&s.Counts, o)
}

// Options are those of a leaderboard of the selected games.
func (s *Selection) Options() Options {
	o := Options{Game: s.Game, Sides: s.Sides, PriorIfApart: rating.UsualPrior}
	if s.Event != nil {
		o.Event = s.Event.Name
		o.Incremental = map[string]float64{}
		for _, e := range s.Event.Entries {
			o.Incremental[e.Name] = e.Rating
		}
		// An event of an older version may not be valid, and is read all the same.
		e, _ := config.Decode(s.Event.Config)
		for _, b := range e.Bots {
			if b.Withdrawn {
				o.Withdrawn = append(o.Withdrawn, b.Name)
			}
		}
	}
	return o
}

// Ranking is the order of a leaderboard.
func Ranking(lb *Leaderboard) []string {
	bots := make([]string, len(lb.Bots))
	for i := range lb.Bots {
		bots[i] = lb.Bots[i].Bot
	}
	return bots
}

// Crosstable is that of the leaderboard's games, with the bots in the order given.
func (s *Selection) Crosstable(lb *Leaderboard, bots []string) *Crosstable {
	table := NewCrosstable(&s.Counts, bots)
	table.Event, table.Game = lb.Event, lb.Game
	return table
}

// EventGames reads the games of an event for what needs them one by one: brackets
// and rounds. They come without their moves.
func EventGames(ctx context.Context, s *store.Store, event string) ([]arena.Game, error) {
	var list []arena.Game
	err := s.Scan(ctx, store.Filter{Event: event}, func(r *store.Game) error {
		list = append(list, r.Game)
		return nil
	})
	return list, err
}
