package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"botarena/arena"
	"botarena/arena/text"
	"botarena/engine/nearest"
)

// commands returns the functions that build the commands, by name.
func (a *app) commands() map[string]func() *cobra.Command {
	return map[string]func() *cobra.Command{
		"rules": a.manualCommand, "moves": a.movesCommand, "perft": a.perftCommand, "solve": a.solveCommand, "analyse": a.analyseCommand,
		"bot": a.botCommand, "version": a.versionCommand, "run": a.runCommand, "worker": a.workerCommand, "fleet": a.fleetCommand,
		watchdogCommand: a.watchdogProcess, manPagesName: a.manPagesCommand, "match": a.matchCommand, "sprt": a.sprtCommand,
		"race": a.raceCommand, "regress": a.regressCommand, "tune": a.tuneCommand, "submit": a.submitCommand, "queue": a.queueCommand,
		"openings": a.openingsCommand, "export": a.exportCommand, "import": a.importCommand, "datagen": a.datagenCommand,
		"check": a.checkCommand, "doctor": a.doctorCommand, "debug": a.debugCommand, "play": a.playCommand, "rate": a.rateCommand,
		"history": a.historyCommand, "host": a.hostCommand, "serve": a.serveCommand, "site": a.siteCommand, "watch": a.watchCommand,
		"bots": a.botsCommand, "fastchess": foreignCommand, "config": a.configCommand, "leaderboard": a.leaderboardCommand,
		"crosstable": a.crosstableCommand, "events": a.eventsCommand, "games": a.gamesCommand, "show": a.showCommand,
	}
}

// rootCommand builds a new tree of all commands, so that runs share nothing.
func (a *app) rootCommand() *cobra.Command { return a.rootOf(a.commands()) }

// commandOf is rootCommand with the command alone that args name, if they name one:
// building all of them costs more than many commands take.
func (a *app) commandOf(args []string) *cobra.Command {
	all, name := a.commands(), ""
	for i := 0; i < len(args) && name == ""; i++ {
		switch arg := args[i]; {
		case arg == "--db":
			i++
		case arg == "--trust-rules" || strings.HasPrefix(arg, "--db="):
		default:
			name = arg
		}
	}
	if build := all[name]; build != nil && name != manPagesName { // which is about all commands
		all = map[string]func() *cobra.Command{name: build}
	}
	return a.rootOf(all)
}

func (a *app) rootOf(commands map[string]func() *cobra.Command) *cobra.Command {
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
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetVersionTemplate(versionLine() + "\n")
	root.SetHelpFunc(optionalValues(root.HelpFunc()))
	root.PersistentFlags().String("db", defaultDB(), "the database `file`")
	asSettings(root.PersistentFlags(), "db")
	root.PersistentFlags().BoolVar(&a.trustRules, "trust-rules", false, "start rules programs that the database names, though they were never played by on this machine")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w; see '%s --help'", flagError(cmd, err), cmd.CommandPath())
	})
	for _, build := range commands {
		root.AddCommand(build())
	}
	usageArgs(root)
	completions(root, a.completed())
	return root
}

// usageArgs checks the arguments of a command and its subcommands, by their usage unless
// they have a check of their own, and turns wrong ones, and conflicting flags, into usage
// errors. A command that only has subcommands prints its help.
func usageArgs(cmd *cobra.Command) {
	check := cmd.Args
	if check == nil {
		check = takes(argumentsOf(cmd.Use))
	}
	if cmd.HasSubCommands() && !cmd.Runnable() {
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := checkFlags(cmd)
		if err == nil {
			err = check(cmd, args)
		}
		if said := (*exitError)(nil); err == nil || errors.As(err, &said) {
			return err
		}
		return usagef("%w; usage: %s", err, cmd.UseLine())
	}
	for _, sub := range cmd.Commands() {
		usageArgs(sub)
	}
}

// anyNumber stands for no limit in takes.
const anyNumber = math.MaxInt

// argumentsOf returns how many arguments a usage tells of: "match A B [C...]" of two or
// more. A flag in it has one value; what follows "--", and what only looks like an
// argument, is left to the command.
func argumentsOf(usage string) (least, most int) {
	words := strings.Fields(usage)[1:]
	for i := 0; i < len(words); i++ {
		switch word := words[i]; {
		case word == "--":
			return least, anyNumber
		case word == "..." || word == "<":
			return least, most
		case word[0] == '-':
			i++
			continue
		case word[0] != '[':
			least++
		}
		if most++; strings.Contains(words[i], "...") {
			return least, anyNumber
		}
	}
	return least, most
}

// withAddresses joins --serve and --fleet, whose values are optional, to a following
// address, which pflag would take for an argument.
func withAddresses(args []string) []string {
	isAddress := func(arg string) bool { return regexp.MustCompile(`^[^/\\ =]*:[0-9]+$`).MatchString(arg) }
	var joined []string
	for _, arg := range args {
		last := len(joined) - 1
		if last >= 0 && (joined[last] == "--serve" || joined[last] == "--fleet") && isAddress(arg) {
			joined[last] += "=" + arg
			continue
		}
		joined = append(joined, arg)
	}
	return joined
}

// takes returns a check of the number of arguments. A command with subcommands and
// without arguments treats an argument as a misspelt subcommand.
func takes(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) >= least && len(args) <= most:
			return nil
		case most == 0 && cmd.HasSubCommands():
			var names []string
			for _, c := range cmd.Commands() {
				names = append(names, c.Name())
			}
			return usagef("unknown command %q; %s", args[0], nearest.Hint(args[0], names, "see '"+cmd.CommandPath()+" --help'"))
		case most == 0:
			hint := ""
			if cmd.Flags().Lookup("event") != nil {
				hint = "; name an event with --event"
			}
			if cmd.Flags().Lookup("game") != nil && hint != "" {
				hint += ", a game with --game"
			}
			return fmt.Errorf("%s takes no arguments, such as %q%s", cmd.CommandPath(), args[0], hint)
		}
		limit, n := "", least
		switch {
		case least == most:
		case len(args) < least:
			limit = "at least "
		default:
			limit, n = "at most ", most
		}
		return fmt.Errorf("%s takes %s%s, not %d", cmd.CommandPath(), limit, text.Plural(n, "argument"), len(args))
	}
}

// The annotations of cobra's flag groups: each value is a group, the names of its flags
// separated by blanks.
const (
	exclusive   = "cobra_annotation_mutually_exclusive"
	oneRequired = "cobra_annotation_one_required"
)

// checkFlags returns an error for conflicting or missing flags. Cobra would do so
// later, with errors that name its groups.
func checkFlags(cmd *cobra.Command) error {
	var err error
	fail := func(format string, args ...any) {
		if err == nil {
			err = fmt.Errorf(format, args...)
		}
	}
	flags := func(group string) (all, given []string) {
		for _, name := range strings.Fields(group) {
			all = append(all, "--"+name)
			if cmd.Flags().Changed(name) {
				given = append(given, "--"+name)
			}
		}
		return all, given
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Annotations[cobra.BashCompOneRequiredFlag] != nil && !f.Changed {
			fail("--%s is missing", f.Name)
		}
		for _, group := range f.Annotations[oneRequired] {
			if all, given := flags(group); len(given) == 0 {
				fail("%s is missing", strings.Join(all, " or "))
			}
		}
		for _, group := range f.Annotations[exclusive] {
			if _, given := flags(group); len(given) > 1 {
				fail("%s exclude each other: give one of them", strings.Join(given, " and "))
			}
		}
	})
	return err
}

// optionalValues shows an optional value of a flag as --log[=mode], which pflag shows
// as --log mode[="protocol"].
func optionalValues(help func(*cobra.Command, []string)) func(*cobra.Command, []string) {
	return func(cmd *cobra.Command, args []string) {
		optional := regexp.MustCompile(`( --[\w-]+) ([\w:]+)\[=[^\]\n]*\]`)
		out := cmd.OutOrStdout()
		var shown bytes.Buffer
		cmd.SetOut(&shown)
		help(cmd, args)
		cmd.SetOut(out)
		_, _ = io.WriteString(out, optional.ReplaceAllStringFunc(shown.String(), func(flag string) string { // run tells what is lost
			m := optional.FindStringSubmatch(flag)
			return fmt.Sprintf("%-*s", len(flag), m[1]+"[="+m[2]+"]")
		}))
	}
}

// flagError rewords pflag's errors, and suggests the nearest name for an unknown flag.
func flagError(cmd *cobra.Command, err error) error {
	var wrong *pflag.InvalidValueError
	var invalid *arena.InvalidError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &invalid) && errors.As(err, &wrong):
		return flagProblems(invalid, func(field string) string { return strings.TrimSpace("--" + wrong.GetFlag().Name + " " + field) })
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("--%s: %s is out of range", wrong.GetFlag().Name, wrong.GetValue())
	case errors.As(err, &wrong):
		kinds := map[string]string{"bool": "true or false", "float64": "a number", "int": "a whole number", "uint64": "a whole number", "duration": "a time such as 10s"}
		if kind := kinds[wrong.GetFlag().Value.Type()]; kind != "" {
			return fmt.Errorf("--%s: must be %s, not %q", wrong.GetFlag().Name, kind, wrong.GetValue())
		}
		return fmt.Errorf("--%s: %w", wrong.GetFlag().Name, wrong.Unwrap())
	case !errors.As(err, &unknown):
		return err
	}
	name, typed := unknown.GetSpecifiedName(), "--"+unknown.GetSpecifiedName()
	if letters := unknown.GetSpecifiedShortnames(); letters != "" {
		name, typed = letters, "-"+letters
		if strings.Trim(letters, "0123456789.") == "" {
			return fmt.Errorf("unknown flag: %s; a number below 0 goes last, behind --: -- %s", typed, typed)
		}
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := nearest.Of(name, names); near != "" {
		return fmt.Errorf("unknown flag: %s; did you mean --%s?", typed, near)
	}
	if hint := foreignHint(name); hint != "" {
		return fmt.Errorf("unknown flag: %s; %s", typed, hint)
	}
	return fmt.Errorf("unknown flag: %s", typed)
}
