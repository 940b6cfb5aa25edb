package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/event"
	"botarena/arena/exchange"
	"botarena/arena/process"
	"botarena/arena/rules"
	"botarena/arena/store"
	"botarena/engine"
	"botarena/engine/games"
)

// rulesFlag registers the flag --rules of commands that play a game.
func rulesFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "rules", "", "the `program` that knows the rules of a game that arena does not, such as \"python3 hex_rules.py\"")
}

// programs holds the rules programs that a command has started. They end with it.
type programs struct {
	mu      sync.Mutex
	starter *process.Starter
	open    []*rules.Game
	known   map[string]*arena.Bot // by the names of their games
}

// asking returns a bot as started for a game (nil for none): see rules.Asking.
func (a *app) asking(bot arena.Bot, game engine.Game) arena.Bot {
	if game == nil {
		return bot
	}
	a.programs.mu.Lock()
	defer a.programs.mu.Unlock()
	return rules.Asking(bot, game.Name(), a.programs.known[game.Name()], games.All())
}

// Close ends the programs.
func (p *programs) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, g := range p.open {
		errs = append(errs, g.Close())
	}
	if p.starter != nil {
		errs = append(errs, p.starter.Close())
	}
	return errors.Join(errs...)
}

// rulesProgram parses --rules: a program or script, or a quoted command line.
func (a *app) rulesProgram(text string) (*arena.Bot, error) {
	words, err := splitCommand(text)
	if err != nil {
		return nil, err
	}
	if isFile(text) { // its name may have blanks
		words = []string{text}
	}
	if len(words) == 0 {
		return nil, usagef(`--rules "": name a program, such as --rules "python3 hex_rules.py"`)
	}
	found, err := a.resolveCommand(words)
	if err != nil {
		return nil, err
	}
	b := config.DefaultRules()
	b.Command, b.Dir = found.Command, found.Dir
	return &b, nil
}

// rulesGame returns the name of a game whose rules are a program: the given one, else
// the program's.
func rulesGame(name string, b *arena.Bot) (string, error) {
	if name != "" {
		return name, nil
	}
	if name = strings.TrimSuffix(arena.NameOf(b.Command), "_rules"); name == "" {
		return "", usagef("name the game that --rules is for")
	}
	return name, nil
}

// startRules starts a program that knows the rules of a game.
func (a *app) startRules(ctx context.Context, name string, b *arena.Bot) (*rules.Game, error) {
	full, err := rules.NameOf(name, b, a.getenv("PATH"))
	if err != nil {
		return nil, err
	}
	p := &a.programs
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.starter == nil {
		if p.starter, err = a.newStarter(); err != nil {
			return nil, err
		}
		p.known = map[string]*arena.Bot{}
	}
	g, err := rules.Open(ctx, rules.ConfigOf(p.starter, full, b, nil, a.now))
	if err != nil {
		return nil, err
	}
	p.open, p.known[full] = append(p.open, g), b
	return g, nil
}

// openRules is startRules that returns an engine.Game.
func (a *app) openRules(ctx context.Context, name string, b *arena.Bot) (engine.Game, error) {
	g, err := a.startRules(ctx, name, b)
	if err != nil {
		return nil, err // a nil *rules.Game must not hide in the interface
	}
	return g, nil
}

// lookupGame returns the game of that name: arena's own, or the one of --rules.
func (a *app) lookupGame(ctx context.Context, name, program string) (engine.Game, error) {
	if program == "" {
		g, err := games.All().Lookup(name)
		return g, usageError(err)
	}
	return a.askedGame(ctx, name, program, nil)
}

// askedGame returns a game whose rules are a program, with options, NAME=VALUE each.
func (a *app) askedGame(ctx context.Context, name, program string, options []string) (engine.Game, error) {
	b, err := a.rulesProgram(program)
	if err != nil {
		return nil, err
	}
	for _, text := range options {
		o, err := optionOf("--rules-option", text)
		if err != nil {
			return nil, err
		}
		b.Options = append(b.Options, o)
	}
	if name, err = rulesGame(name, b); err != nil {
		return nil, err
	}
	return a.openRules(ctx, name, b)
}

// optionOf parses NAME=VALUE, an option of a program, from a flag.
func optionOf(flag, text string) (arena.Option, error) {
	name, value, _ := strings.Cut(text, "=")
	if name = strings.TrimSpace(name); name == "" {
		return arena.Option{}, usagef("%s %q: names no option; write NAME=VALUE", flag, text)
	}
	return arena.Option{Name: name, Value: value}, nil
}

// catalog returns the games that arena knows, and those of the database whose rules are
// programs; program, if set, is that of --rules, for the game of that name, or, for "",
// the first that is opened.
func (a *app) catalog(ctx context.Context, s *store.Store, name, program string) (engine.Catalog, error) {
	var c engine.Catalog
	if program != "" {
		b, err := a.rulesProgram(program)
		if err != nil {
			return nil, err
		}
		c = append(c, &rules.Asked{As: arena.PlainName(name), Start: func(name string) (engine.Game, error) { return a.openRules(ctx, name, b) }})
	}
	if s == nil {
		return append(c, games.All()...), nil
	}
	events, err := s.Events(ctx)
	if err != nil {
		return nil, err
	}
	recorded := &rules.Recorded{Own: games.All(), Catalog: a.rulesOf(ctx, func(context.Context) ([]store.Event, error) { return events, nil }, io.Discard)}
	for i := range events {
		if name := events[i].Game; strings.Contains(name, "@") && !slices.Contains(recorded.List, name) {
			recorded.List = append(recorded.List, name)
		}
	}
	return append(append(c, recorded), games.All()...), nil
}

// rulesCatalog returns the games that arena knows, and the one of --rules, if set,
// under the name of its program.
func (a *app) rulesCatalog(ctx context.Context, program string) (engine.Catalog, error) {
	if program == "" {
		return games.All(), nil
	}
	b, err := a.rulesProgram(program)
	if err != nil {
		return nil, err
	}
	name, err := rulesGame("", b)
	if err != nil {
		return nil, err
	}
	return a.catalog(ctx, nil, name, program)
}

// rulesOf returns the games of events whose rules are programs, each started as its event
// is configured. Warnings about those that do not run go to warn.
func (a *app) rulesOf(ctx context.Context, events func(context.Context) ([]store.Event, error), warn io.Writer) *rules.Catalog {
	return &rules.Catalog{
		Now: a.now, Ctx: ctx,
		Start: func(ctx context.Context, game string) (*rules.Game, error) { return a.recordedRules(ctx, events, game) },
		Warn: func(game string, err error) {
			fmt.Fprintf(warn, "warning: no boards of %s on the pages: %v\n", game, err)
		},
	}
}

// recordedRules starts the rules program of a recorded game: that of the latest event
// which has its command.
func (a *app) recordedRules(ctx context.Context, events func(context.Context) ([]store.Event, error), game string) (*rules.Game, error) {
	list, err := events(ctx)
	if err != nil {
		return nil, err
	}
	var failed error
	for i := range list {
		e := &list[len(list)-1-i]
		if e.Game != game {
			continue
		}
		b, err := a.programOf(e)
		if err == nil && b == nil {
			err = fmt.Errorf("the rules of %s are a program that event %q, which was imported, does not tell", e.Game, e.Name)
		}
		if err == nil {
			var g *rules.Game
			if g, err = a.startRules(ctx, game, b); err == nil {
				return g, nil
			}
		}
		failed = cmp.Or(failed, err)
	}
	if failed == nil {
		failed = fmt.Errorf("no event of the record tells which program knows the rules of %s", game)
	}
	return nil, failed
}

// programOf returns the program that knows the rules of an event's game; nil if its
// configuration does not tell.
func (a *app) programOf(e *store.Event) (*arena.Bot, error) {
	settings, err := event.Recorded(e)
	if err != nil {
		return nil, err
	}
	if settings.Rules == nil || slices.Equal(settings.Rules.Command, []string{exchange.NotExported}) {
		return nil, nil
	}
	return settings.Rules, a.checkRemembered(e.Game, settings.Rules)
}
