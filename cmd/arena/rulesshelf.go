package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"botarena/arena/rules"
	"botarena/arena/store"
)

// A rulesShelf has the programs that know the rules of a database's games, each as its
// event is configured. They run until it is closed.
type rulesShelf struct {
	*rules.Catalog
	app      *app
	store    *store.Store
	programs programs
}

// newRulesShelf returns those of a database; warn is told why a program does not run.
func (a *app) newRulesShelf(ctx context.Context, s *store.Store, warn io.Writer) *rulesShelf {
	shelf := &rulesShelf{app: a, store: s}
	shelf.Catalog = &rules.Catalog{Start: shelf.start, Now: a.now, Ctx: ctx, Warn: func(game string, err error) {
		fmt.Fprintf(warn, "warning: no boards of %s on the pages: %v\n", game, err)
	}}
	return shelf
}

func (s *rulesShelf) start(ctx context.Context, game string) (*rules.Game, error) {
	events, err := s.store.Events(ctx)
	if err != nil {
		return nil, err
	}
	var failed error
	for i := range events {
		e := &events[len(events)-1-i] // the latest one knows best where the program is
		if e.Game != game || !strings.Contains(game, "@") {
			continue
		}
		b, err := s.app.programOf(e)
		if err == nil && b != nil {
			var g *rules.Game
			if g, err = s.programs.start(ctx, s.app, game, b); err == nil {
				return g, nil
			}
		}
		if failed == nil {
			failed = err
		}
	}
	if failed == nil {
		failed = fmt.Errorf("no event of the record tells which program knows the rules of %s", game)
	}
	return nil, failed
}

// Close ends the programs.
func (s *rulesShelf) Close() error { return s.programs.Close() }
