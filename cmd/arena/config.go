package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/schedule"
	"botarena/bots/builtin"
	"botarena/engine/games"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "config",
		Short:   "Check and show event files",
		Example: "  arena config validate configs/quickstart.yaml\n  arena config show configs/quickstart.yaml",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use:     "validate FILE...",
			Short:   "Check event files and name every mistake",
			Example: "  arena config validate configs/*.yaml",
			Args:    cobra.MinimumNArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error {
				failed := false
				for _, path := range args {
					event, err := a.loadEvent(cmd, path)
					if err != nil {
						fmt.Fprintln(a.err, err)
						failed = true
						continue
					}
					count, exact := schedule.Total(event)
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
			Args:    cobra.ExactArgs(1),
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

// known is what names in event files are checked against.
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
	k := known()
	k.Registered = func(name string) (arena.Bot, error) {
		s, err := a.openRegistry(cmd)
		if err != nil {
			return arena.Bot{}, err
		}
		if s == nil {
			return arena.Bot{}, fmt.Errorf("no bot %q is registered: `arena bots add %s -- COMMAND...` does it", name, name)
		}
		defer func() { _ = s.Close() }()
		bots, err := registered(cmd.Context(), s)
		if err != nil {
			return arena.Bot{}, err
		}
		if b := newest(bots, arena.Bot{Name: name}); b.Name != name {
			return b, nil
		}
		return registeredBot(cmd.Context(), s, name)
	}
	event, err := config.Load(path, k)
	return event, usageError(err)
}
