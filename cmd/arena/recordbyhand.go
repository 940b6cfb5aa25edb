package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"botarena/arena"
	"botarena/arena/casual"
	"botarena/arena/config"
	"botarena/arena/process"
	"botarena/arena/store"
)

// recordByHand returns what records visitors' games in the database at path, in an
// event for each game and clock, since an event has one of each: "NAME chess 1s".
func (a *app) recordByHand(path, name string) (func(*arena.Game, arena.Bot, [2]arena.TimeControl) error, error) {
	trial := eventByHand(name, "breakthrough", arena.TimeControl{Move: time.Second}, nil)
	if err := trial.Validate(arena.Known{}); err != nil {
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
			err = errors.Join(recordGame(ctx, s, self, a.getenv("PATH"), name, g, bot, clocks), s.Close())
		}
		if err != nil {
			return fmt.Errorf("record the game of a visitor against %s: %w", bot.Name, err)
		}
		return nil
	}, nil
}

// recordGame records one game, and what it needs.
func recordGame(ctx context.Context, s *store.Store, self process.Identity, path, name string, g *arena.Game, bot arena.Bot, clocks [2]arena.TimeControl) (err error) {
	side := 0 // of the person
	if g.Second == casual.PersonName {
		side = 1
	}
	if len(bot.Options) > 0 { // a level makes it another player
		var words []string
		for _, o := range bot.Options {
			words = append(words, o.Name+" "+o.Value)
		}
		named := bot.Name + " (" + strings.Join(words, ", ") + ")"
		if g.First == bot.Name {
			g.First = named
		} else {
			g.Second = named
		}
		if g.Blame == bot.Name {
			g.Blame = named
		}
		bot.Name = named
	}
	version := ""
	if bot.Builtin != "" {
		version = builtinVersion(bot.Builtin)
	}
	if bot.Fingerprint, _, err = process.Fingerprint(bot, path, version); err != nil {
		return err
	}
	own := clocks[side]
	if !own.Timed() {
		own = arena.TimeControl{Move: 24 * time.Hour} // as long as it takes
	}
	e := eventByHand(name, g.Game, clocks[1-side], &own)
	e.Bots[1] = bot
	hold, number, err := holdByHand(ctx, s, self, e)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hold.Release(ctx)) }()
	g.Number, g.Round, g.Pair = number, 1, number
	plan := *g
	plan.Result, plan.Reason, plan.Detail, plan.Blame, plan.Plies, plan.Moves = arena.Unplayed, "", "", "", 0, nil
	if err := hold.Append(ctx, []arena.Game{plan}); err != nil {
		return err
	}
	if err := hold.Finish(ctx, g); err != nil {
		return err
	}
	return hold.Done(ctx)
}

// eventByHand is the event of visitors' games of one kind, with a bot in the place
// of the one that they play against.
func eventByHand(name, game string, clock arena.TimeControl, own *arena.TimeControl) arena.Event {
	e := config.Default()
	e.Name = fmt.Sprintf("%s %s %s", name, strings.ReplaceAll(game, ":", " "), config.FormatClock(clock))
	e.Game, e.Format, e.Swap, e.Clock = game, arena.FormatRoundRobin, false, clock
	person, bot := config.DefaultBot(), config.DefaultBot()
	person.Name, person.Command, person.Fingerprint, person.Clock = casual.PersonName, []string{casual.PersonName}, casual.PersonName, own
	bot.Name, bot.Command = "bot", []string{"bot"}
	e.Bots = []arena.Bot{person, bot}
	return e
}

// holdByHand makes the event, or goes on with it, and returns the number of its
// next game.
func holdByHand(ctx context.Context, s *store.Store, self process.Identity, e arena.Event) (*store.Hold, int, error) {
	known, err := s.Event(ctx, e.Name)
	var unknown *store.UnknownEventError
	if errors.As(err, &unknown) {
		text, err := config.Encode(e)
		if err != nil {
			return nil, 0, err
		}
		hold, err := s.Create(ctx, e, text, self)
		return hold, 1, err
	}
	if err != nil {
		return nil, 0, err
	}
	hold, err := s.Acquire(ctx, e.Name, self)
	if err != nil {
		return nil, 0, err
	}
	all, err := config.Decode(known.Config)
	if err != nil {
		return nil, 0, errors.Join(err, hold.Release(ctx))
	}
	bot := e.Bots[1]
	if i := slices.IndexFunc(all.Bots, func(b arena.Bot) bool { return b.Name == bot.Name }); i < 0 {
		all.Bots = append(all.Bots, bot)
	}
	for i := range all.Bots {
		b := &all.Bots[i]
		if j := slices.IndexFunc(known.Entries, func(x store.Entry) bool { return x.Name == b.Name }); j >= 0 {
			b.Fingerprint = known.Entries[j].Fingerprint
		}
		if b.Name == bot.Name {
			b.Fingerprint = bot.Fingerprint
		}
	}
	text, err := config.Encode(all)
	if err == nil {
		err = hold.Extend(ctx, all, text)
	}
	if err != nil {
		return nil, 0, errors.Join(err, hold.Release(ctx))
	}
	return hold, known.Games + 1, nil
}
