package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/kballard/go-shellquote"
	"github.com/spf13/cobra"

	"botarena/arena/event"
	"botarena/arena/process"
	"botarena/arena/standings"
	"botarena/arena/store"

	"botarena/engine"
	"botarena/engine/games"
)

// A databaseCommand is the RunE of a command that works on a database.
type databaseCommand func(cmd *cobra.Command, args []string, s *store.Store) error

// reads returns the RunE of a command that reads the database as it is now.
func (a *app) reads(read databaseCommand) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		s, err := a.openRead(cmd)
		if err != nil {
			return err
		}
		defer func() { _ = s.Close() }() // nothing was written
		return read(cmd, args, s)
	}
}

// changes returns the RunE of a command that changes an existing database.
func (a *app) changes(change databaseCommand) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		read, err := a.openRead(cmd) // says if there is none
		if err != nil {
			return err
		}
		if err := read.Close(); err != nil {
			return err
		}
		return a.writes(change)(cmd, args)
	}
}

// writes is changes for a command that makes the database if there is none.
func (a *app) writes(write databaseCommand) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		db, err := a.settings(cmd)
		if err != nil {
			return err
		}
		s, err := store.Open(cmd.Context(), db, a.now, a.tellStore())
		if err != nil {
			return err
		}
		return errors.Join(write(cmd, args, s), s.Close())
	}
}

// stewards returns the RunE of a command that changes the event of its first argument,
// which must not be running.
func (a *app) stewards(change func(ctx context.Context, t *event.Runner, args []string) error) func(*cobra.Command, []string) error {
	return a.changes(func(cmd *cobra.Command, args []string, s *store.Store) error {
		if _, err := s.Event(cmd.Context(), args[0]); err != nil {
			return err
		}
		self, err := process.Self()
		if err != nil {
			return err
		}
		return change(cmd.Context(), &event.Runner{Store: s, Self: self}, args)
	})
}

// openRead opens the configured database and freezes it for reading.
func (a *app) openRead(cmd *cobra.Command) (*store.Store, error) {
	db, err := a.settings(cmd)
	if err != nil {
		return nil, err
	}
	s, err := store.OpenRead(cmd.Context(), db, a.now, a.tellStore())
	if err != nil {
		return nil, err
	}
	if err := s.Snapshot(cmd.Context()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// tellStore returns the option that reports slow steps of the database on stderr.
func (a *app) tellStore() store.Option {
	return store.Notice(func(line string) { fmt.Fprintf(a.err, "arena: %s\n", line) })
}

// selectFlags selects the games of a table.
type selectFlags struct{ event, game, league string }

func (f *selectFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.event, "event", "", "the `event`")
	cmd.Flags().StringVar(&f.game, "game", "", "the events of this `game` that are rated together")
	cmd.Flags().StringVar(&f.league, "league", "", "with --game: the events rated together under this `name` (default: those with the most games)")
}

// choose reads the counts of the event, or of a league of the game; of the latest event
// if neither is given.
func (f selectFlags) choose(ctx context.Context, s *store.Store) (*standings.Selection, error) {
	sel, err := standings.Choose(ctx, s, games.All(), f.event, f.game, f.league, nil)
	switch {
	case errors.Is(err, standings.ErrNoEvents):
		return nil, fmt.Errorf("%s has no events yet; run one with `arena run CONFIG`", s.Path())
	case errors.As(err, new(*engine.UnknownGameError)):
		if _, none := s.Event(ctx, f.game); none == nil {
			return nil, usagef("%q is an event, not a game: name it with --event %s", f.game, shellquote.Join(f.game))
		}
		return nil, err
	case err != nil:
		return nil, err
	}
	if len(sel.Counts.Endings) == 0 && sel.Event == nil {
		if left := sel.Scope.LeftOut; len(left) > 0 {
			return nil, fmt.Errorf("%s has only sequential tests of %s, which are not rated together; --event %s shows one", s.Path(), sel.Game, left[0])
		}
		return nil, fmt.Errorf("%s has no games of %s; `arena events` lists what it has", s.Path(), sel.Game)
	}
	return sel, nil
}
