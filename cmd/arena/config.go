package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/process"
	"botarena/arena/store"
	"botarena/bots/builtin"
	"botarena/engine/games"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "config",
		Short:   "Check and show event files",
		Example: "  arena config validate configs/quickstart.yaml\n  arena config show configs/quickstart.yaml",
		Args:    takes(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use:     "validate FILE...",
			Short:   "Check event files and name every mistake",
			Example: "  arena config validate configs/*.yaml",
			Args:    takes(1, anyNumber),
			RunE: func(cmd *cobra.Command, args []string) error {
				failed := false
				for _, path := range args {
					k := known()
					k.Problems = func(e *arena.Event) []arena.Problem {
						return process.Problems(e, a.getenv("PATH"), a.getenv("HOME"))
					}
					event, err := a.loadKnown(cmd, path, k)
					if err != nil {
						fmt.Fprintln(a.err, err)
						failed = true
						continue
					}
					count, exact := event.Total()
					about := ""
					if !exact {
						about = "at most "
						if count == 0 {
							about, count = "any number of ", 0
						}
					}
					fmt.Fprintf(a.out, "%s: ok: event %q, %s, %s, %d bots, %s\n", path, event.Name, event.Game, event.Format, len(event.Bots), gamesText(about, count))
				}
				if failed {
					return &exitError{code: exitUsage}
				}
				return nil
			},
		},
		&cobra.Command{
			Use:     "show FILE",
			Short:   "Print an event file with all defaults filled in",
			Example: "  arena config show configs/quickstart.yaml",
			Args:    takes(1, 1),
			RunE: func(cmd *cobra.Command, args []string) error {
				event, err := a.loadEvent(cmd, args[0])
				if err != nil {
					return err
				}
				text, err := config.Encode(event)
				if err != nil {
					return err
				}
				_, err = a.out.Write(text)
				return err
			},
		},
	)
	return cmd
}

func gamesText(about string, count int) string {
	if count == 0 {
		return about + "games"
	}
	return fmt.Sprintf("%s%d games", about, count)
}

// known returns what names in event files are checked against.
func known() config.Known {
	return config.Known{
		Catalog:  games.All(),
		Builtins: builtin.Names(),
		IsFile: func(path string) bool {
			info, err := os.Stat(path)
			return err == nil && !info.IsDir()
		},
	}
}

// loadEvent reads an event file; its errors are usage errors. Registered bots
// come from the database that the settings name.
func (a *app) loadEvent(cmd *cobra.Command, path string) (arena.Event, error) {
	return a.loadKnown(cmd, path, known())
}

// loadKnown is loadEvent that checks an event against k.
func (a *app) loadKnown(cmd *cobra.Command, path string, k config.Known) (arena.Event, error) {
	k.Registered = func(bot string) (arena.Bot, error) { // anything valid: only the event's name counts
		b := config.DefaultBot()
		b.Name, b.Builtin = bot, builtin.Names()[0]
		return b, nil
	}
	name, problems := "", k.Problems
	k.Problems = nil
	if e, err := config.Load(path, k); err == nil {
		name = e.Name
	}
	k.Registered = func(bot string) (arena.Bot, error) {
		s, err := a.openRegistry(cmd)
		if err != nil {
			return arena.Bot{}, err
		}
		if s == nil {
			return arena.Bot{}, fmt.Errorf("no bot %q is registered: `arena bots add %s -- COMMAND...` does it", bot, bot)
		}
		defer func() { _ = s.Close() }()
		bots, err := registered(cmd.Context(), s)
		if err != nil {
			return arena.Bot{}, err
		}
		if b := newest(bots, arena.Bot{Name: bot}); b.Name != bot {
			return b, nil
		}
		b, err := registeredBot(cmd.Context(), s, bot)
		if unknown := (*store.UnknownBotError)(nil); errors.As(err, &unknown) { // retired since, perhaps
			if entered, ok := enteredBot(cmd.Context(), s, name, bot); ok {
				return entered, nil
			}
		}
		return b, err
	}
	k.Problems = problems
	event, err := config.Load(path, k)
	return event, usageError(err)
}

// enteredBot returns a bot as it entered a recorded event.
func enteredBot(ctx context.Context, s *store.Store, event, bot string) (arena.Bot, bool) {
	stored, err := s.Event(ctx, event)
	if err != nil {
		return arena.Bot{}, false
	}
	e, err := config.Decode(stored.Config)
	i := arena.BotIndex(e.Bots, bot)
	if err != nil || i < 0 {
		return arena.Bot{}, false
	}
	b := e.Bots[i]
	b.Withdrawn = false
	return b, true
}
