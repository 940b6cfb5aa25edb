package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/casual"
	"botarena/arena/event"
	"botarena/arena/process"
	"botarena/arena/store"
	"botarena/engine"
)

// playFlags selects the bots that visitors may play against.
type playFlags struct {
	bots   []string
	tables int
	flags  settingFlags // of each bot: limits and sandbox
	record string
}

func (x *playFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&x.bots, "play", nil, "let visitors play against this `BOT`, and against those named behind the flags; may be given again")
	f.IntVar(&x.tables, "play-games", casual.DefaultTables, "so many `games` may visitors play at once")
	x.flags = settingFlags{}
	x.flags.add(cmd, new(arena.Bot),
		settingFlag{"limits", "", "`limits` of each bot that visitors play against, as in event files: memory=512MB,processes=8,cpu_time=1h"},
		settingFlag{"sandbox", "", "the `mode` of shutting those bots in: none, limits or strict (default: as registered, else none)"},
	)
	f.StringVar(&x.record, "record", "", "record the visitors' games in events whose names begin with this `name`")
}

// openLobby starts each bot once, to find out what it plays, and returns the lobby; nil
// if no bot is named. more holds bots named after the flags. The function ends the
// bots.
func (a *app) openLobby(cmd *cobra.Command, x playFlags, more []string, db string, rules engine.Game) (lobby *casual.Lobby, end func() error, err error) {
	if len(x.bots) == 0 {
		for _, name := range []string{"play-games", "limits", "sandbox", "record"} {
			if cmd.Flags().Changed(name) {
				return nil, nil, usagef("--%s is about bots that visitors play against: name one with --play", name)
			}
		}
		if len(more) > 0 {
			return nil, nil, usagef("%q: serve takes no arguments but further bots behind --play BOT", more[0])
		}
		return nil, func() error { return nil }, nil
	}
	if x.tables < 1 {
		return nil, nil, usagef("--play-games %d: give a number from 1", x.tables)
	}
	starter, err := a.newStarter()
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, starter.Close())
		}
	}()
	lobby = &casual.Lobby{Now: a.now, Tables: x.tables}
	names := map[string]bool{casual.PersonName: true}
	for _, arg := range append(x.bots, more...) {
		bot, err := a.resolveArgs(cmd, []string{arg})
		if err != nil {
			return nil, nil, err
		}
		if names[bot.Name] {
			return nil, nil, usagef("--play %s: another one is called %q; give it a name, such as %s2=%s", arg, bot.Name, bot.Name, arg)
		}
		names[bot.Name] = true
		x.flags.apply(&bot)
		if err := flagProblems(bot.Validate(known().Names()), x.flags.named); err != nil {
			return nil, nil, fmt.Errorf("--play %s: %w", bot.Name, err)
		}
		start := a.startOf(starter, a.asking(bot, rules))
		d, err := a.hello(cmd.Context(), bot, 0, start)
		if err != nil {
			return nil, nil, fmt.Errorf("--play %s: %w", bot.Name, err)
		}
		lobby.Offers = append(lobby.Offers, casual.Offer{Bot: bot, Declared: *d, Start: start})
	}
	if x.record != "" {
		if lobby.Record, err = a.recordManual(db, x.record); err != nil {
			return nil, nil, err
		}
	}
	return lobby, func() error { lobby.Close(); return starter.Close() }, nil
}

// recordManual returns a function that records visitors' games in the database at path,
// in events whose names begin with name.
func (a *app) recordManual(path, name string) (func(*arena.Game, arena.Bot, [2]arena.TimeControl) error, error) {
	if err := event.CheckManual(name); err != nil {
		return nil, usageError(fmt.Errorf("--record %q: %w", name, err))
	}
	self, err := process.Self()
	if err != nil {
		return nil, fmt.Errorf("find out about this process: %w", err)
	}
	var turn sync.Mutex
	return func(g *arena.Game, bot arena.Bot, clocks [2]arena.TimeControl) error {
		turn.Lock()
		defer turn.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		s, err := store.Open(ctx, path, a.now)
		if err == nil {
			t := &event.Runner{Store: s, Self: self, Path: a.getenv("PATH"), BuiltinVersion: builtinVersion}
			err = errors.Join(t.RecordManual(ctx, name, event.Manual{Person: casual.PersonName, Bot: bot, Clocks: clocks, Game: g}), s.Close())
		}
		if err != nil {
			return fmt.Errorf("record the game of a visitor against %s: %w", bot.Name, err)
		}
		return nil
	}, nil
}
