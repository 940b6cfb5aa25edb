package web

import (
	"context"
	"errors"
	"strings"

	"botarena/engine"
)

// errNoRules says that nothing here knows the rules of a game that are a program.
var errNoRules = errors.New("no program that knows the rules of this game is to be had")

// rules returns the rules of a game: arena's own, or those of a program.
func (s *Server) rules(ctx context.Context, game string) (engine.Game, error) {
	if !strings.Contains(game, "@") {
		return s.config.Catalog.Lookup(game)
	}
	if s.config.Rules == nil {
		return nil, errNoRules
	}
	g, err := s.config.Rules(ctx, game)
	if err != nil {
		return nil, errors.Join(errNoRules, err)
	}
	return g, nil
}

// catalog has the games that arena knows, and those whose rules are programs.
func (s *Server) catalog(ctx context.Context) engine.Catalog {
	return append(engine.Catalog{&ruled{ctx: ctx, server: s}}, s.config.Catalog...)
}

// ruled are all games whose rules are programs.
type ruled struct {
	ctx    context.Context //nolint:containedctx // of the request
	server *Server
	asked  string // as Has was
}

// Name is nobody's: programs have names of their own.
func (*ruled) Name() string { return "" }

// Names is none, since nobody knows them all.
func (*ruled) Names() []string { return nil }

// Has reports whether the rules of a game are a program.
func (r *ruled) Has(game string) bool {
	r.asked = game
	return strings.Contains(game, "@")
}

// Open returns the game that was asked for.
func (r *ruled) Open(string) (engine.Game, error) { return r.server.rules(r.ctx, r.asked) }
