package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/store"
	"botarena/engine/games"
)

// openRead opens the database that the settings name, for reading.
func (a *app) openRead(cmd *cobra.Command) (*store.Store, error) {
	v, err := a.settings(cmd)
	if err != nil {
		return nil, err
	}
	return store.OpenRead(cmd.Context(), v.GetString("db"), a.now)
}

// selection is which games a reading command is about: those of one event, or
// all of one game.
type selection struct {
	event *store.Event // nil where several events are taken together
	game  string
	games []arena.Game // in schedule order; bots of several versions are named "bot v2"
}

// sides are the names of the sides of the selection's game.
func (s *selection) sides() [2]string {
	game, err := games.All().Lookup(s.game)
	if err != nil { // a record of a game that this arena does not know any more
		return [2]string{"first", "second"}
	}
	return game.SideNames()
}

// choose reads the games of the event, or of the game; of the latest event where
// neither is given.
func choose(ctx context.Context, s *store.Store, event, game string, moves bool) (*selection, error) {
	if game != "" {
		g, err := games.All().Lookup(game)
		if err != nil {
			return nil, usageError(err)
		}
		game = g.Name()
	}
	if event == "" && game == "" {
		events, err := s.Events(ctx)
		if err != nil {
			return nil, err
		}
		if len(events) == 0 {
			return nil, fmt.Errorf("%s has no events yet; run one with `arena run CONFIG`", s.Path())
		}
		event = events[len(events)-1].Name
	}
	sel := &selection{game: game}
	if event != "" {
		e, err := s.Event(ctx, event)
		if err != nil {
			return nil, err
		}
		if game != "" && game != e.Game {
			return nil, usagef("event %q is of %s, not of %s; leave out --game", e.Name, e.Game, game)
		}
		sel.event, sel.game = e, e.Game
	}
	records, err := s.Games(ctx, store.Filter{Event: event, Game: game, Moves: moves})
	if err != nil {
		return nil, err
	}
	if len(records) == 0 && sel.event == nil {
		return nil, fmt.Errorf("%s has no games of %s; `arena events` lists what it has", s.Path(), game)
	}
	sel.games = apart(records)
	return sel, nil
}

// apart gives each version of a bot a name of its own where there are several.
func apart(records []store.Game) []arena.Game {
	versions := map[string]map[int]bool{}
	note := func(bot string, version int) {
		if versions[bot] == nil {
			versions[bot] = map[int]bool{}
		}
		versions[bot][version] = true
	}
	for i := range records {
		note(records[i].First, records[i].FirstVersion)
		note(records[i].Second, records[i].SecondVersion)
	}
	name := func(bot string, version int) string {
		if len(versions[bot]) < 2 {
			return bot
		}
		return fmt.Sprintf("%s v%d", bot, version)
	}
	list := make([]arena.Game, len(records))
	for i := range records {
		r := &records[i]
		g := r.Game
		blame := &g.Blame
		switch g.Blame {
		case g.First:
			blame = &g.First
		case g.Second:
			blame = &g.Second
		}
		g.First, g.Second = name(r.First, r.FirstVersion), name(r.Second, r.SecondVersion)
		g.Blame = *blame
		list[i] = g
	}
	return list
}
