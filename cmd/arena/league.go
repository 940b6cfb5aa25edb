package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"botarena/arena"
	"botarena/arena/event"
	"botarena/arena/listing"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/arena/text"
)

func (a *app) botsUpdateCommand() *cobra.Command {
	var r registration
	var as string
	cmd := &cobra.Command{
		Use:   "update NAME --as NEW -- COMMAND...",
		Short: "Register a new version of a bot, which takes its place",
		Long: `Register a new version of a registered bot, under a name of its own. What is not
said of it is as with the old one. Event files that enter the old one by name,
{registered: NAME}, enter the newest version from then on: in an event that has
begun it takes the old one's place with "arena run FILE --extend", and the old one
keeps its games.`,
		Example: `  arena bots update emil --as "emil 2" -- python3 emil2.py
  arena bots update "emil 2" --as "emil 3" --option Depth=4
  arena run league.yaml --extend`,
		RunE: a.changes(func(cmd *cobra.Command, args []string, s *store.Store) error {
			if as == "" {
				return usagef("which name is the new version to have? Give --as, such as --as %q", args[0]+" 2")
			}
			old, err := event.Registered(cmd.Context(), s, args[0])
			if err != nil {
				return usageError(err)
			}
			bots, err := event.Registry(cmd.Context(), s)
			if err != nil {
				return err
			}
			for _, b := range bots {
				switch {
				case b.Name == as:
					return usagef("a bot %q is registered already; choose another name", as)
				case slices.Contains(b.Replaces, old.Name):
					return usagef("%q is replaced by %q already: update that one", old.Name, event.Newest(bots, b).Name)
				}
			}
			bot, err := a.updatedBot(old, as, args[1:], &r)
			if err != nil {
				return err
			}
			if err := event.Register(cmd.Context(), s, bot); err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s: %s, in the place of %s\n", bot.Name, commandText(bot), old.Name)
			fmt.Fprintf(a.err, "events that have begun let it enter with `arena run FILE --extend`\n")
			return nil
		}),
	}
	r.register(cmd)
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.DefValue = "" }) // it is the old one's
	cmd.Flags().StringVar(&as, "as", "", "the new version's `name` (required)")
	return cmd
}

// updatedBot returns a new version of old, with the changes by the flags and the
// command.
func (a *app) updatedBot(old arena.Bot, name string, command []string, r *registration) (arena.Bot, error) {
	bot := old
	bot.Name = name
	switch {
	case len(command) > 0 || r.bot.Builtin != "":
		said, err := a.program(name, command, r)
		if err != nil {
			return old, err
		}
		bot.Builtin, bot.Command, bot.Dir, bot.Args = said.Builtin, said.Command, said.Dir, nil
		if r.bot.Builtin != "" {
			bot.Build = nil
		}
	case r.dir != "":
		return old, usagef("--dir goes with a command: write it after two dashes, as it would be typed in that folder")
	default:
		if err := checkRegistered(name); err != nil {
			return old, err
		}
	}
	r.flags.apply(&bot)
	bot.Replaces = append(slices.Clone(old.Replaces), old.Name)
	return bot, checkBot(bot)
}

func (a *app) botsWithdrawCommand() *cobra.Command {
	var undo bool
	cmd := &cobra.Command{
		Use:   "withdraw EVENT BOT...",
		Short: "Take bots out of an event that has begun",
		Long: `Take bots out of an event that has begun: they play no more games, and what they
have played stays. The event's file need not list them any more.

Rounds of a Swiss event that are paired already give their opponents a bye. The
bracket of a knockout is fixed: no bot can be withdrawn.`,
		Example: `  arena bots withdraw league emil
  arena bots withdraw league emil --undo     let it play again`,
		RunE: a.stewards(func(ctx context.Context, t *event.Runner, args []string) error {
			if err := t.Withdraw(ctx, args[0], args[1:], undo); err != nil {
				return err
			}
			what := "plays no more games of"
			if undo {
				what = "plays on in"
			}
			for _, bot := range args[1:] {
				fmt.Fprintf(a.out, "%s %s %s; its games stay\n", bot, what, args[0])
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&undo, "undo", false, "let them play again")
	return cmd
}

func (a *app) botsDisqualifyCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "disqualify EVENT BOT",
		Short: "Take a bot out of an event, and take all of its results back",
		Long: `Take a bot out of an event that has begun: it plays no more games, and those that
it has played count nowhere any more. They stay in "arena games voided", with the
reason. In a Swiss event whose later rounds were paired by them, and in a knockout,
this cannot be done.`,
		Example: `  arena bots disqualify league gus --reason "played with finn's code"`,
		RunE: a.stewards(func(ctx context.Context, t *event.Runner, args []string) error {
			if strings.TrimSpace(reason) == "" {
				return usagef("say why with --reason: it is kept beside the results")
			}
			n, err := t.Disqualify(ctx, args[0], args[1], reason)
			if err == nil {
				fmt.Fprintf(a.out, "%s is out of %s, %s voided: %s\n", args[1], args[0], text.Plural(n, "game"), reason)
			}
			return err
		}),
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, a `text` that is kept (required)")
	return cmd
}

func (a *app) gamesVoidCommand() *cobra.Command {
	var name, bot, reason string
	cmd := &cobra.Command{
		Use:   "void [EVENT/NUMBER...]",
		Short: "Take back the results of games, with a reason",
		Long: `Take back the results of games, by EVENT/NUMBER or by the id that "arena games"
prints, or all games of a bot in an event. They count nowhere any more and are
played again when the event is gone on with; those of a bot that was withdrawn are
not ("arena bots disqualify" takes a bot out and its games back). What was recorded
of them stays in "arena games voided", with the reason.`,
		Example: `  arena games void league/15 --reason "the machine was suspended"
  arena games void --event league --bot emil --reason "played with finn's code"
  arena games voided league`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case strings.TrimSpace(reason) == "":
				return usagef("say why with --reason: it is kept beside the results")
			case (len(args) == 0) != (name != "" && bot != ""):
				return usagef("name the games, such as league/17, or --event and --bot for all games of a bot")
			}
			numbers, err := a.namedGames(cmd, args, &name)
			if err != nil {
				return err
			}
			return a.stewards(func(ctx context.Context, t *event.Runner, _ []string) error {
				n, err := t.VoidGames(ctx, name, numbers, bot, reason)
				if err == nil {
					fmt.Fprintf(a.out, "%s of %s voided: %s\n", text.Plural(n, "game"), name, reason)
				}
				return err
			})(cmd, []string{name})
		},
	}
	cmd.Flags().StringVar(&name, "event", "", "with --bot: the `event`")
	cmd.Flags().StringVar(&bot, "bot", "", "with --event: all games of this `bot`")
	cmd.Flags().StringVar(&reason, "reason", "", "why, a `text` that is kept (required)")
	return cmd
}

// namedGames returns the numbers of the games that the arguments name, and sets their
// common event.
func (a *app) namedGames(cmd *cobra.Command, args []string, event *string) (numbers []int, err error) {
	if len(args) == 0 {
		return nil, nil
	}
	s, err := a.openRead(cmd)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }()
	for _, name := range args {
		g, err := findGame(cmd.Context(), s, name)
		if err != nil {
			return nil, err
		}
		if g.Result == arena.Unplayed {
			return nil, usagef("game %s has no result to void", name)
		}
		if len(numbers) > 0 && *event != g.Event {
			return nil, usagef("name games of one event at a time")
		}
		*event, numbers = g.Event, append(numbers, g.Number)
	}
	return numbers, nil
}

func (a *app) gamesVoidedCommand() *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:     "voided [EVENT]",
		Short:   "List the results that were taken back, and why",
		Example: "  arena games voided league\n  arena games voided --json",
		RunE: a.reads(func(cmd *cobra.Command, args []string, s *store.Store) error {
			list, err := s.Voided(cmd.Context(), strings.Join(args, ""))
			if err != nil {
				return err
			}
			lines := make([]standings.VoidedLine, len(list))
			for i := range list {
				lines[i] = standings.NewVoidedLine(&list[i])
			}
			return output.print(a, lines, func() listing.Table { return standings.VoidedTable(lines) })
		}),
	}
	output.register(cmd)
	return cmd
}

func (a *app) eventsArchiveCommand() *cobra.Command {
	var undo bool
	cmd := &cobra.Command{
		Use:   "archive EVENT...",
		Short: "Leave events out of the tables over several events",
		Long: `Leave events out of the leaderboards, cross-tables and lists over several events,
and out of "arena events". They keep all that is recorded, and are there when they
are named.`,
		Example: `  arena events archive spring
  arena events archive spring --undo
  arena events --all                         archived ones as well`,
		RunE: a.changes(func(cmd *cobra.Command, args []string, s *store.Store) error {
			for _, event := range args { // all or none
				if _, err := s.Event(cmd.Context(), event); err != nil {
					return err
				}
			}
			for _, event := range args {
				if err := s.Archive(cmd.Context(), event, !undo); err != nil {
					return err
				}
				if undo {
					fmt.Fprintf(a.out, "%s counts in tables over several events again\n", event)
				} else {
					fmt.Fprintf(a.out, "%s is archived: it counts only where it is named\n", event)
				}
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&undo, "undo", false, "let them count again")
	return cmd
}

func (a *app) eventsRemoveCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "remove EVENT",
		Short: "Delete an event with all its games",
		Long: `Delete an event with all its games, for good. Its logs stay where they are.
"arena events archive" only leaves it out of tables; "arena export" keeps a copy.`,
		Example: `  arena export --event trial -o trial.jsonl
  arena events remove trial --yes`,
		RunE: a.stewards(func(ctx context.Context, t *event.Runner, args []string) error {
			e, err := t.Store.Event(ctx, args[0])
			if err != nil {
				return err
			}
			if !yes {
				return usagef("%s has %s with a result, which nothing brings back: add --yes, or leave it out of tables with `arena events archive %s`",
					e.Name, text.Plural(e.Played, "game"), e.Name)
			}
			if err := t.Remove(ctx, e.Name); err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s is removed, with %s\n", e.Name, text.Plural(e.Games, "game"))
			return nil
		}),
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "delete it")
	return cmd
}
