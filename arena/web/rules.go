package web

import (
	"errors"
	"strings"

	"botarena/engine"
)

// errNoRules reports that the rules program of a game is not available.
var errNoRules = errors.New("no program that knows the rules of this game is to be had")

// rules returns the rules of a game: arena's own, or those of a program.
func (s *Server) rules(game string) (engine.Game, error) {
	if !strings.Contains(game, "@") {
		return s.config.Catalog.Lookup(game)
	}
	if s.config.Rules == nil {
		return nil, errNoRules
	}
	g, err := s.config.Rules.Open(game)
	if err != nil {
		err = errors.Join(errNoRules, err)
	}
	return g, err
}

// catalog has the games that arena knows, and those whose rules are programs.
func (s *Server) catalog() engine.Catalog {
	if s.config.Rules == nil {
		return s.config.Catalog
	}
	return append(engine.Catalog{s.config.Rules}, s.config.Catalog...)
}
