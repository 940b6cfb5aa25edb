package main

import (
	"context"
	"fmt"

	"botarena/arena/exchange"
	"botarena/arena/store"
	"botarena/engine"
)

// openPGN begins to append the games of an event to a file; nil for no path.
func (a *app) openPGN(ctx context.Context, s *store.Store, event, path string) (*exchange.Appender, error) {
	if path == "" {
		return nil, nil
	}
	p, err := exchange.NewAppender(ctx, s, event, path, func(ctx context.Context) (engine.Catalog, error) { return a.catalog(ctx, s, "", "") })
	if err != nil {
		return nil, usageError(fmt.Errorf("--pgn: %w", err))
	}
	return p, nil
}

// closePGN ends what openPGN began.
func closePGN(ctx context.Context, p *exchange.Appender, path string) error {
	if p == nil {
		return nil
	}
	if err := p.Close(ctx); err != nil {
		return fmt.Errorf("--pgn %s: %w; the games are recorded, and the same command appends what is missing", path, err)
	}
	return nil
}
