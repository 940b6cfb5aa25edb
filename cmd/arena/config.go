package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/event"
	"botarena/arena/host"
	"botarena/arena/process"
	"botarena/arena/schedule"
	"botarena/bots/builtin"
	"botarena/engine/games"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "config",
		Short:   "Check and show event files",
		Example: "  arena config validate configs/quickstart.yaml\n  arena config show configs/quickstart.yaml",
	}
	cmd.AddCommand(
		&cobra.Command{
			Use:     "validate FILE...",
			Short:   "Check event files, and those of leagues, and name every mistake",
			Example: "  arena config validate configs/*.yaml",
			RunE: func(cmd *cobra.Command, args []string) error {
				failed := false
				for _, path := range args {
					k := known()
					var notes []arena.Problem
					k.Problems = func(e *arena.Event) (problems []arena.Problem) {
						problems, notes = process.Problems(e, a.getenv("PATH"), a.getenv("HOME"))
						return problems
					}
					k = a.withRegistry(cmd, k)
					e, err := config.Load(path, k)
					if isLeague(err) {
						var l host.League
						l, err = host.Load(path, k)
						e = l.Event
					}
					for _, p := range notes {
						fmt.Fprintf(a.err, "%s: note: %s: %s\n", path, p.Field, p.Why)
					}
					if err != nil {
						fmt.Fprintln(a.err, err)
						failed = true
						continue
					}
					games, exact := schedule.Total(e)
					about := fmt.Sprintf("%d games", games)
					switch {
					case !exact && games == 0:
						about = "any number of games"
					case !exact:
						about = "at most " + about
					}
					fmt.Fprintf(a.out, "%s: ok: event %q, %s, %s, %d bots, %s\n", path, e.Name, e.Game, e.Format, len(e.Bots), about)
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
			RunE: func(cmd *cobra.Command, args []string) error {
				e, err := a.loadEvent(cmd, args[0])
				if err != nil {
					return err
				}
				text, err := config.Encode(e)
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

// known returns the names that event files are checked against.
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

// isLeague reports whether an event file has an error because it is a league's.
func isLeague(err error) bool {
	var bad *config.Errors
	return errors.As(err, &bad) && slices.ContainsFunc(bad.Problems, func(p config.Problem) bool { return p.Key == "host" })
}

// loadEvent reads an event file; its errors are usage errors. Registered bots
// come from the database that the settings name.
func (a *app) loadEvent(cmd *cobra.Command, path string) (arena.Event, error) {
	e, err := config.Load(path, a.withRegistry(cmd, known()))
	return e, usageError(err)
}

// withRegistry adds the registered bots to what events are checked against.
func (a *app) withRegistry(cmd *cobra.Command, k config.Known) config.Known {
	k.Registered = func(name, bot string) (arena.Bot, error) {
		s, err := a.openRegistry(cmd)
		if err != nil {
			return arena.Bot{}, err
		}
		if s == nil {
			return arena.Bot{}, fmt.Errorf("no bot %q is registered: `arena bots add %s -- COMMAND...` does it", bot, bot)
		}
		defer func() { _ = s.Close() }()
		return event.Enters(cmd.Context(), s, name, bot)
	}
	return k
}
