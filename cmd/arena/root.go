package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"botarena/engine/nearest"
)

// rootCommand builds the whole command tree afresh, so that runs share nothing.
func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "arena",
		Short: "Pit game-playing programs against each other",
		Long: `arena starts bots that anyone wrote in any language, referees their games of
Breakthrough, Outwit, Owlman and chess, records everything in SQLite and rates
the bots with error bars.

Settings come from flags, then ARENA_* variables (ARENA_DB for --db), then
arena.yaml in the current folder, then defaults; --help marks their flags with
[ARENA_...].

Exit codes of all commands: 0 done; 1 failed while doing it; 2 wrong usage or
configuration, or a name or file was given that does not exist or cannot be read;
130 interrupted. Commands whose outcome is a verdict (sprt, check) say more.`,
		Example: `  arena run configs/quickstart.yaml    a tournament, ending in a leaderboard
  arena match minimax mcts --game breakthrough:6x6
  arena leaderboard --event quickstart`,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			var names []string
			for _, c := range cmd.Commands() {
				names = append(names, c.Name())
			}
			if near := nearest.Of(args[0], names); near != "" {
				return usagef("unknown command %q; did you mean %q?", args[0], near)
			}
			return usagef("unknown command %q; see 'arena --help'", args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.PersistentFlags().String("db", defaultDB(), "the database `file`")
	asSettings(root.PersistentFlags(), "db")
	root.PersistentFlags().BoolVar(&a.trustRules, "trust-rules", false, "start rules programs that the database names, though they were never played by on this machine")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w; see '%s --help'", suggestFlag(cmd, err), cmd.CommandPath())
	})
	root.AddCommand(
		a.manualCommand(), a.movesCommand(), a.perftCommand(), a.solveCommand(), a.analyseCommand(), a.botCommand(), a.versionCommand(),
		a.runCommand(), a.workerCommand(), a.fleetCommand(), a.watchdogProcess(),
		a.matchCommand(), a.sprtCommand(),
		a.openingsCommand(), a.exportCommand(), a.importCommand(),
		a.checkCommand(),
		a.debugCommand(),
		a.playCommand(),
		a.rateCommand(), a.historyCommand(),
		a.serveCommand(), a.siteCommand(), a.watchCommand(),
		a.botsCommand(),
		a.configCommand(), a.leaderboardCommand(), a.crosstableCommand(), a.eventsCommand(), a.gamesCommand(), a.showCommand(),
	)
	for _, cmd := range root.Commands() {
		usageArgs(cmd)
	}
	return root
}

// usageArgs makes wrong arguments of a command and its subcommands usage errors.
func usageArgs(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usagef("%w; usage: %s", err, cmd.UseLine())
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		usageArgs(sub)
	}
}

// suggestFlag adds the nearest flag's name to pflag's complaint of an unknown one.
func suggestFlag(cmd *cobra.Command, err error) error {
	_, name, found := strings.Cut(err.Error(), "unknown flag: --")
	if !found {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := nearest.Of(name, names); near != "" {
		return fmt.Errorf("%w; did you mean --%s?", err, near)
	}
	return err
}
