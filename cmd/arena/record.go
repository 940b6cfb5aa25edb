package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/store"
	"botarena/engine/games"
)

// openRead opens the database that the settings name, for reading it as it is now.
func (a *app) openRead(cmd *cobra.Command) (*store.Store, error) {
	v, err := a.settings(cmd)
	if err != nil {
		return nil, err
	}
	s, err := store.OpenRead(cmd.Context(), v.GetString("db"), a.now, a.tellStore())
	if err != nil {
		return nil, err
	}
	if err := s.Snapshot(cmd.Context()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// tellStore has what takes the database long told on stderr.
func (a *app) tellStore() store.Option {
	return store.Notice(func(line string) { fmt.Fprintf(a.err, "arena: %s\n", line) })
}

// selection is which games a reading command is about: those of one event, or
// all of one game.
type selection struct {
	event  *store.Event // nil where several events are taken together
	game   string
	counts arena.Counts
}

// sides are the names of the sides of the selection's game.
func (s *selection) sides() [2]string {
	game, err := games.All().Lookup(s.game)
	if err != nil { // a record of a game that this arena does not know any more
		return [2]string{"first", "second"}
	}
	return game.SideNames()
}

// choose reads the counts of the event, or of the game; of the latest event where
// neither is given.
func choose(ctx context.Context, s *store.Store, event, game string) (*selection, error) {
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
		events = slices.DeleteFunc(events, func(e store.Event) bool { return e.Archived })
		if len(events) == 0 {
			return nil, fmt.Errorf("%s has no events yet; run one with `arena run CONFIG`", s.Path())
		}
		event = events[len(events)-1].Name
	}
	c, err := s.Counts(ctx, event, game)
	if err != nil {
		return nil, err
	}
	sel := &selection{game: game, counts: c.Counts}
	if event != "" {
		e := &c.Events[0]
		if game != "" && game != e.Game {
			return nil, usagef("event %q is of %s, not of %s; leave out --game", e.Name, e.Game, game)
		}
		sel.event, sel.game = e, e.Game
	}
	if len(c.Endings) == 0 && sel.event == nil {
		return nil, fmt.Errorf("%s has no games of %s; `arena events` lists what it has", s.Path(), game)
	}
	return sel, nil
}

// eventGames reads the games of an event for what needs them one by one: brackets
// and rounds. They come without their moves.
func eventGames(ctx context.Context, s *store.Store, event string) ([]arena.Game, error) {
	var list []arena.Game
	err := s.Scan(ctx, store.Filter{Event: event}, func(r *store.Game) error {
		list = append(list, r.Game)
		return nil
	})
	return list, err
}
