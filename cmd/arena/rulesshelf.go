package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"botarena/arena/rules"
	"botarena/arena/store"
	"botarena/engine"
)

// A rulesShelf has the programs that know the rules of recorded games run for pages: each
// is started when a page needs it first, once for all visitors, as its event is
// configured, and ends with the pages.
type rulesShelf struct {
	app   *app
	warn  io.Writer // is told why a program does not run
	store *store.Store
	ctx   context.Context //nolint:containedctx // of the server: programs outlive a request

	mu       sync.Mutex
	programs programs
	known    map[string]*shelved
}

// A shelved is a program, or why it does not run.
type shelved struct {
	game *rules.Game
	err  error
	at   time.Time // of the try
}

// A program that failed is tried again after a while, and no more than so many run.
const (
	rulesRetry = 30 * time.Second
	mostRules  = 16
)

func (a *app) newRulesShelf(ctx context.Context, s *store.Store, warn io.Writer) *rulesShelf {
	return &rulesShelf{app: a, warn: warn, store: s, ctx: ctx, known: map[string]*shelved{}}
}

// rules returns a recorded game whose rules are a program.
func (s *rulesShelf) rules(ctx context.Context, game string) (engine.Game, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.known[game]
	if k != nil && k.game != nil && k.game.Broken() != nil {
		k.err, k.game, k.at = k.game.Broken(), nil, s.app.now()
	}
	if k == nil || k.game == nil && s.app.now().Sub(k.at) > rulesRetry {
		k = &shelved{at: s.app.now()}
		k.game, k.err = s.start(ctx, game)
		s.known[game] = k
		if k.err != nil {
			fmt.Fprintf(s.warn, "warning: no boards of %s on the pages: %v\n", game, k.err)
		}
	}
	if k.err != nil {
		return nil, k.err
	}
	return k.game.Several(), nil
}

func (s *rulesShelf) start(ctx context.Context, game string) (*rules.Game, error) {
	if _, known := s.known[game]; !known && len(s.known) >= mostRules {
		return nil, fmt.Errorf("%d programs that know rules run already", mostRules)
	}
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
			if g, err = s.programs.start(s.ctx, s.app, game, b); err == nil {
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
func (s *rulesShelf) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.programs.Close()
}
