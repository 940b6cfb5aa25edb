package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/session"
	"botarena/engine/games"
)

// commonGame returns the game for bots if the user names none: the first of all games
// if all of them play it, else one that a bot declares and the others play, which is
// reported on stderr. Built-in bots play every game. A bot that cannot be asked, since
// it must be built first or fails the handshake, is left to the event, which reports
// what is wrong with it.
func (a *app) commonGame(ctx context.Context, bots []arena.Bot, hello time.Duration) (string, error) {
	asked := map[string]*session.Declared{}
	for _, b := range bots {
		if b.Builtin != "" || len(b.Build) > 0 {
			continue
		}
		d, err := a.declared(ctx, b, hello)
		if err != nil {
			return "", err
		}
		if d != nil {
			asked[b.Name] = d
		}
	}
	all := func(game string) bool {
		for _, d := range asked {
			if !d.Plays(game) {
				return false
			}
		}
		return true
	}
	usual := games.All().Names()[0]
	if all(usual) {
		return usual, nil
	}
	var each []string
	for _, b := range bots {
		d := asked[b.Name]
		if d == nil {
			continue
		}
		game, why, err := session.ChooseGame(d, games.All())
		if err != nil {
			return "", usagef("%s: %w; choose a game with --game", b.Name, err)
		}
		if all(game.Name()) {
			fmt.Fprintf(a.err, "the game is %s (%s: %s); --game chooses another\n", game.Name(), b.Name, why)
			return game.Name(), nil
		}
		each = append(each, fmt.Sprintf("%s would play %s (%s)", b.Name, game.Name(), why))
	}
	return "", usagef("which game? %s; choose with --game", strings.Join(each, ", "))
}

// declared returns a bot's declarations in the handshake, nil if it fails.
func (a *app) declared(ctx context.Context, b arena.Bot, hello time.Duration) (d *session.Declared, err error) {
	starter, err := a.newStarter()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, starter.Close()) }()
	if d, err = a.hello(ctx, b, hello, a.startOf(starter, b)); err != nil {
		return nil, nil //nolint:nilerr // the event starts it again, and says so
	}
	return d, nil
}

// hello starts a bot for the handshake alone, and returns its declarations.
func (a *app) hello(ctx context.Context, b arena.Bot, within time.Duration, start session.Start) (*session.Declared, error) {
	s, err := session.Open(ctx, session.Config{Bot: b, Start: start, Now: a.now, Hello: within})
	if s == nil {
		return nil, err
	}
	_ = s.End(time.Second) // whatever it does then, it does in its games as well
	if err != nil {
		return nil, fmt.Errorf("%w; `arena check` tests it step by step", err)
	}
	return &s.Declared, nil
}
