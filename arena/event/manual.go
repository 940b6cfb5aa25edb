package event

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/schedule"
	"botarena/arena/store"
)

// A Manual is a game that was not played by a Runner, such as a person's game against a
// bot.
type Manual struct {
	Person string // the person's name, as it stands in Game
	Bot    arena.Bot
	Clocks [2]arena.TimeControl // of the first and the second player
	Game   *arena.Game
}

// RecordManual records a game in the event for its game and clock, since an event has
// one of each: "NAME chess 1s". It makes the event if there is none. A bot with options
// is recorded as another player, named by them. It sets the game's number.
func (t *Runner) RecordManual(ctx context.Context, name string, m Manual) (err error) {
	g, bot := m.Game, m.Bot
	if len(bot.Options) > 0 {
		var words []string
		for _, o := range bot.Options {
			words = append(words, o.Name+" "+o.Value)
		}
		bot.Name += " (" + strings.Join(words, ", ") + ")"
		for _, field := range []*string{&g.First, &g.Second, &g.Blame} {
			if *field == m.Bot.Name {
				*field = bot.Name
			}
		}
	}
	side := 0 // of the person
	if g.Second == m.Person {
		side = 1
	}
	own := m.Clocks[side]
	if !own.Timed() {
		own = arena.TimeControl{Move: 24 * time.Hour} // as long as it takes
	}
	person := config.DefaultBot()
	person.Name, person.Command, person.Fingerprint, person.Clock = m.Person, []string{m.Person}, m.Person, &own
	bots := []arena.Bot{bot}
	if err := t.fingerprint(bots); err != nil {
		return err
	}
	e := manualEvent(name, g.Game, m.Clocks[1-side], person, bots[0])
	hold, number, err := t.holdManual(ctx, name, e)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hold.Release(ctx)) }()
	g.Number, g.Round, g.Pair = number, 1, number
	if err := hold.Append(ctx, []arena.Game{unplayed(*g)}); err != nil {
		return err
	}
	if err := hold.Finish(ctx, g); err != nil {
		return err
	}
	return hold.Done(ctx)
}

// CheckManual reports whether games can be recorded under a name.
func CheckManual(name string) error {
	a, b := config.DefaultBot(), config.DefaultBot()
	a.Name, a.Builtin, b.Name, b.Builtin = "a", "a", "b", "b"
	e := manualEvent(name, "breakthrough", arena.TimeControl{Move: time.Second}, a, b)
	return schedule.Validate(&e, arena.Known{})
}

// manualEvent returns the event of manual games of one kind.
func manualEvent(name, game string, clock arena.TimeControl, person, bot arena.Bot) arena.Event {
	e := config.Default()
	e.Name = fmt.Sprintf("%s %s %s", name, strings.ReplaceAll(game, ":", " "), config.FormatClock(clock))
	e.Game, e.Format, e.Swap, e.Clock = game, schedule.FormatRoundRobin, false, clock
	e.Bots = []arena.Bot{person, bot}
	return e
}

// mostManual is the maximum number of manual events under one name: each new clock
// makes one.
const mostManual = 32

// roomForManual returns an error if a name has mostManual events.
func (t *Runner) roomForManual(ctx context.Context, name string) error {
	events, err := t.Store.Events(ctx)
	if err != nil {
		return err
	}
	n := 0
	for i := range events {
		if strings.HasPrefix(events[i].Name, name+" ") {
			n++
		}
	}
	if n >= mostManual {
		return fmt.Errorf("%d events of manual games begin with %q already, one for each game and clock; record under another name", n, name)
	}
	return nil
}

// holdManual makes the event, or lets the bot enter it, and returns the number of its
// next game.
func (t *Runner) holdManual(ctx context.Context, name string, e arena.Event) (hold *store.Hold, number int, err error) {
	hold, err = t.Store.Acquire(ctx, e.Name, t.Self)
	var unknown *store.UnknownEventError
	if errors.As(err, &unknown) {
		if err := t.roomForManual(ctx, name); err != nil {
			return nil, 0, err
		}
		text, err := config.Encode(e)
		if err != nil {
			return nil, 0, err
		}
		hold, err := t.Store.Create(ctx, e, text, t.Self)
		return hold, 1, err
	}
	if err != nil {
		return nil, 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, hold.Release(ctx))
		}
	}()
	stored, err := t.Store.Event(ctx, e.Name)
	if err != nil {
		return nil, 0, err
	}
	all, err := Recorded(stored)
	if err != nil {
		return nil, 0, err
	}
	bot := e.Bots[1]
	if i := arena.BotIndex(all.Bots, bot.Name); i >= 0 {
		all.Bots[i].Fingerprint = bot.Fingerprint
	} else {
		all.Bots = append(slices.Clone(all.Bots), bot)
	}
	text, err := config.Encode(all)
	if err != nil {
		return nil, 0, err
	}
	return hold, stored.Games + 1, hold.Extend(ctx, all, text)
}
