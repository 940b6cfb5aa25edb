package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/event"
	"botarena/arena/listing"
	"botarena/arena/process"
	"botarena/arena/schedule"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/engine/games"
)

// regressFlags holds the flags of `arena regress` that are not a match's.
type regressFlags struct {
	duel
	against, as string
	nothing     bool // is left to be played
	charts      chartFlags
	output      outputFlags
}

func (a *app) regressCommand() *cobra.Command {
	x := regressFlags{duel: duel{event: config.Default()}}
	cmd := &cobra.Command{
		Use:   "regress BOT --against RELEASE",
		Short: "Measure each version of a bot against one that stays",
		Long: `Play a version of a bot against a release that stays the same, a fixed number of pairs
from the same openings for each version, and show how the versions did: Elo with its
interval, and the change from the version before.

The games are an event, "regress BOT" unless --event names it. Once BOT is another
program, the same command enters it as the next version, beside those before: called
after each build, it is a standing test. Flags left out are as they were recorded. A
version that has played all its pairs plays no more, and the table alone is printed;
more --pairs are for versions to come and the last one. A release that is another
program now is refused: the versions could not be compared any more.

` + botHelp,
		Example: `  arena regress ./mybot --against minimax -n 100
  arena regress ./mybot --against minimax --chart
  arena regress ./mybot --against minimax --svg versions.svg --csv
  arena regress ./mybot --against random --event since-random --as "mybot 1.1" -c 5s+50ms`,
		RunE: func(cmd *cobra.Command, args []string) error {
			e, extended, err := a.regression(cmd, &x, args[0])
			if err != nil {
				return err
			}
			if x.nothing { // what is recorded of the last version may be another program by now
				return a.reads(func(cmd *cobra.Command, _ []string, s *store.Store) error {
					return a.printRegression(cmd.Context(), s, &x, e.Name)
				})(cmd, args)
			}
			return a.playTyped(cmd, &x.duel, e, extended, play{
				extend: extended,
				after: func(ctx context.Context, s *store.Store, _ *standings.Outcome) error {
					return a.printRegression(ctx, s, &x, e.Name)
				},
			})
		},
	}
	x.event.Rounds, x.event.Openings.Policy = 50, arena.PolicyPairing
	x.register(cmd)
	x.event.Format = schedule.FormatGauntlet
	x.flags.add(cmd, &x.event, settingFlag{"rounds", "pairs n", "`pairs` of games for each version"})
	f := cmd.Flags()
	f.Lookup("event").Usage = "record it under this `name`, and go on with it where it exists (default: regress BOT)"
	f.StringVar(&x.against, "against", "", "the `bot` that all versions play against")
	f.StringVar(&x.as, "as", "", "the `name` of this version (default: BOT, and its version or a number)")
	f.BoolVar(&x.output.csv, "csv", false, "print CSV")
	f.BoolVar(&x.output.markdown, "markdown", false, "print a Markdown table")
	cmd.MarkFlagsMutuallyExclusive("json", "csv", "markdown")
	x.charts.register(cmd)
	if err := cmd.MarkFlagRequired("against"); err != nil {
		panic(err) // no such flag
	}
	return cmd
}

// regression returns the event of a regression with the bot's version in it: a new one, or
// that recorded as it goes on.
func (a *app) regression(cmd *cobra.Command, x *regressFlags, bot string) (e arena.Event, extended bool, err error) {
	ctx := cmd.Context()
	if _, err := a.settings(cmd); err != nil { // which the flags hold then
		return e, false, err
	}
	s, err := a.openRegistry(cmd)
	if err != nil {
		return e, false, err
	}
	if s != nil {
		defer s.Close()
	}
	version, err := a.resolveBot(ctx, s, bot)
	if err != nil {
		return e, false, err
	}
	base := version.Name
	if len(version.Replaces) > 0 {
		base = version.Replaces[0]
	}
	x.event.Name = cmp.Or(x.event.Name, "regress "+base)
	old, err := recordedRegression(ctx, s, x.event.Name)
	if err != nil {
		return e, false, err
	}
	if old != nil && old.Rules == nil {
		x.event.Game = cmp.Or(x.event.Game, old.Game)
	}
	if !cmd.Flags().Changed("event") {
		if err := cmd.Flags().Set("event", x.event.Name); err != nil {
			return e, false, err
		}
	}
	if e, err = a.matchEvent(cmd, &x.duel, "", []string{x.against, bot}); err != nil {
		return e, false, err
	}
	for i := range e.Bots {
		b := &e.Bots[i]
		if b.Fingerprint, err = process.Fingerprint(*b, a.getenv("PATH"), builtinVersion(b.Builtin)); err != nil {
			return e, false, err
		}
	}
	release, now := e.Bots[0], &e.Bots[1]
	if release.Fingerprint == now.Fingerprint && release.Clock == nil && now.Clock == nil {
		return e, false, usagef("%s is the same program as %s, which it is to be measured against; name another release", bot, x.against)
	}
	if old == nil {
		now.Name = versionName(x.as, *now, e.Bots[:1])
		return e, false, flagProblems(schedule.Validate(&e, known().Names()), func(field string) string { return x.named(field, []string{x.against, bot}) })
	}
	next := *old
	x.flags.apply(&next)
	if cmd.Flags().Changed("game") {
		next.Game = e.Game
	}
	if slices.ContainsFunc([]string{"random", "book", "order", "start", "book-plies"}, cmd.Flags().Changed) {
		next.Openings = e.Openings
	}
	next.Bots = slices.Clone(old.Bots)
	if old.Bots[0].Fingerprint != release.Fingerprint {
		return e, false, fmt.Errorf("event %q measures against %s, which is another program now, or has other options: give it as it was with --against, or another --event for a new release", old.Name, old.Bots[0].Name)
	}
	release.Name = old.Bots[0].Name
	next.Bots[0] = release
	return a.nextVersion(x, next, *now)
}

// nextVersion returns an event of a regression with a version: that recorded of the same
// program, or a new one.
func (a *app) nextVersion(x *regressFlags, e arena.Event, now arena.Bot) (next arena.Event, extended bool, err error) {
	last := len(e.Bots) - 1
	for i := last; i > 0; i-- {
		b := &e.Bots[i]
		if b.Fingerprint != now.Fingerprint {
			continue
		}
		if x.as != "" && x.as != b.Name {
			return e, false, usagef("--as %q: it is the same program as version %q, which has played already", x.as, b.Name)
		}
		if i < last {
			fmt.Fprintf(a.err, "it is the same program as version %q, which a later one has replaced: nothing to play\n", b.Name)
			x.nothing = true
			return e, true, nil
		}
		now.Name, now.Replaces = b.Name, b.Replaces
		e.Bots = []arena.Bot{e.Bots[0], now}
		return e, true, nil
	}
	now.Name = versionName(x.as, now, e.Bots)
	if arena.BotIndex(e.Bots, now.Name) >= 0 {
		return e, false, usagef("--as %q: there is a version of that name already, of another program", now.Name)
	}
	now.Replaces = nil
	for i := range e.Bots[1:] {
		now.Replaces = append(now.Replaces, e.Bots[i+1].Name)
	}
	e.Bots = []arena.Bot{e.Bots[0], now} // those replaced stay in the event
	fmt.Fprintf(a.err, "a new version of it plays as %q\n", now.Name)
	err = flagProblems(schedule.Validate(&e, arena.Known{}), func(string) string { return "" })
	return e, true, err
}

// versionName returns the name of a new version beside the bots of its event: as, or the
// bot's own with its version, or with a number.
func versionName(as string, b arena.Bot, bots []arena.Bot) string {
	name := b.Name
	switch {
	case as != "":
		return as
	case b.Version != "":
		name += " " + b.Version
	}
	if arena.BotIndex(bots, name) < 0 {
		return name
	}
	return event.NextName(bots, name)
}

// recordedRegression returns the event of that name, nil if there is none. One that is no
// regression is an error.
func recordedRegression(ctx context.Context, s *store.Store, name string) (*arena.Event, error) {
	if s == nil {
		return nil, nil
	}
	stored, err := s.Event(ctx, name)
	if is[*store.UnknownEventError](err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	e, err := event.Recorded(stored)
	if err != nil {
		return nil, err
	}
	if sel := (&standings.Selection{Event: stored, Config: e}); !sel.Regresses() {
		return nil, usagef("event %q is not the versions of a bot against one that stays; give another name with --event", name)
	}
	return &e, nil
}

// printRegression prints the versions of a regression.
func (a *app) printRegression(ctx context.Context, s *store.Store, x *regressFlags, name string) error {
	sel, err := standings.Choose(ctx, s, games.All(), name, "", "", nil)
	if err != nil {
		return err
	}
	r, err := sel.Regression()
	if err != nil {
		return err
	}
	x.output.json = x.asJSON
	chart := r.Chart()
	return x.charts.print(a, chart, func() error {
		return x.output.print(a, r, func() listing.Table { return r.Table() })
	})
}
