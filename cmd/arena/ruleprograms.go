package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"botarena/arena/rules"
	"botarena/arena/store"
)

// rulePrograms holds the running rules programs of a database's games, each started as its
// event is configured. They run until it is closed.
type rulePrograms struct {
	*rules.Catalog
	app      *app
	store    *store.Store
	programs programs
}

// newRulePrograms returns the rules programs of a database; warnings about those that do not run go to warn.
func (a *app) newRulePrograms(ctx context.Context, s *store.Store, warn io.Writer) *rulePrograms {
	programs := &rulePrograms{app: a, store: s}
	programs.Catalog = &rules.Catalog{Start: programs.start, Now: a.now, Ctx: ctx, Warn: func(game string, err error) {
		fmt.Fprintf(warn, "warning: no boards of %s on the pages: %v\n", game, err)
	}}
	return programs
}

func (s *rulePrograms) start(ctx context.Context, game string) (*rules.Game, error) {
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
func (s *rulePrograms) Close() error { return s.programs.Close() }
