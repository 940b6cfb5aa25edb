package main

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/event"
	"botarena/arena/listing"
	"botarena/arena/process"
	"botarena/arena/store"
	"botarena/bots/builtin"
	"botarena/engine/games"
)

func (a *app) botsCommand() *cobra.Command {
	var output outputFlags
	var game string
	cmd := &cobra.Command{
		Use:   "bots",
		Short: "List the built-in bots and their strength; keep a registry of others",
		Long: `List the bots that come with arena and play a game, and what they were rated in a
pool of arena's own: Elo by maximum likelihood, with the 95 % interval. Those above
the pool's strongest are not rated: how strong they are depends on the clock. Numbers
of different games have nothing to do with each other.

A level is so many positions that minimax may look at for a move, and at the bottom a
share of random moves: it plays alike on every machine and clock. --level or the
option Level sets it.

The subcommands keep a registry of other bots in the database. Wherever a command
takes a bot, the name of a registered one will do; an event file enters one as
- {registered: NAME}. Events remember the bots that entered them as they were:
changing or retiring a registered bot touches no event and no game.`,
		Example: `  arena bots
  arena bots --game owlman --json
  arena bots add mine -- python3 my_bot.py --deep
  arena bots list
  arena match mine minimax
  arena play minimax --level 4`,
		RunE: func(*cobra.Command, []string) error {
			g, err := games.All().Lookup(game)
			if err != nil {
				return usageError(err)
			}
			lines, err := builtinLines(g.Name())
			if err != nil {
				return err
			}
			return output.print(a, lines, func() listing.Table { return builtinTable(g.Name(), lines) })
		},
	}
	cmd.Flags().StringVarP(&game, "game", "g", "breakthrough", "the `game`")
	output.register(cmd)
	checking := a.checkCommand()
	checking.Use = "check NAME"
	checking.Short += " (as arena check)"
	checking.Example = "  arena bots check mine"
	cmd.AddCommand(a.botsAddCommand(), a.botsListCommand(), checking, a.botsRenameCommand(), a.botsRetireCommand(),
		a.botsBenchCommand(), a.botsUpdateCommand(), a.botsWithdrawCommand(), a.botsDisqualifyCommand())
	return cmd
}

// registration holds the flags of `arena bots add` and `arena bots update`.
type registration struct {
	bot     arena.Bot // as the flags say it
	flags   settingFlags
	dir     string
	replace bool
}

// register adds the flags to a command.
func (r *registration) register(cmd *cobra.Command) {
	r.bot, r.flags = config.DefaultBot(), settingFlags{}
	r.flags.add(cmd, &r.bot,
		settingFlag{"builtin", "", "register a built-in `bot` with settings of its own, instead of a command"},
		settingFlag{"options", "option", "an option to set, `NAME=VALUE`; may be given again"},
		settingFlag{"protocol", "", "the `protocol` it speaks: ugi, uci, xboard, or auto: each is tried in this order"},
		settingFlag{"env", "", "an addition to its environment, `NAME=VALUE`; may be given again"},
		settingFlag{"build", "", "a `command` to run there once before each event"},
		settingFlag{"threads", "", "`cores` that it uses"},
		settingFlag{"clock", "", "a `clock` of its own: " + config.ClockHelp},
		settingFlag{"sandbox", "", "the `mode` of shutting it in: none, limits or strict"},
		settingFlag{"sandbox_read", "", "a `path` that a strict sandbox shows, beside the program and what its arguments name; may be given again"},
		settingFlag{"restart", "", "the `mode` of starting it anew: never, on-fault or every-game"},
		settingFlag{"version", "", "its version, free `text`: another one is another bot to the ratings"},
	)
	cmd.Flags().StringVar(&r.dir, "dir", "", "the `folder` to start it in (default: the current one)")
}

func (a *app) botsAddCommand() *cobra.Command {
	var r registration
	cmd := &cobra.Command{
		Use:   "add NAME -- COMMAND...",
		Short: "Register a bot",
		Long: `Register a bot under a name: the command that starts it, as it would be typed in
the current folder, after a double dash. It will be started there (or in --dir),
wherever arena is called from.`,
		Example: `  arena bots add mine -- ./mybot
  arena bots add deep --option Hash=64 --option Threads=1 -- stockfish
  arena bots add shallow --builtin minimax --clock depth=2
  arena bots add guest --sandbox strict --env PYTHONDONTWRITEBYTECODE=1 -- python3 guest.py`,
		RunE: func(cmd *cobra.Command, args []string) error {
			bot, err := a.describedBot(args[0], args[1:], &r)
			if err != nil {
				return err
			}
			err = a.writes(func(cmd *cobra.Command, _ []string, s *store.Store) error {
				_, err := s.RegisteredBot(cmd.Context(), bot.Name)
				switch {
				case err == nil && !r.replace:
					return usagef("a bot %q is registered already; --replace puts this one in its place", bot.Name)
				case err != nil && !is[*store.UnknownBotError](err):
					return err
				}
				return event.Register(cmd.Context(), s, bot)
			})(cmd, args)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s: %s\n", bot.Name, commandText(bot))
			fmt.Fprintf(a.err, "registered; `arena bots check %s` tests whether it keeps the protocol\n", bot.Name)
			return nil
		},
	}
	r.register(cmd)
	cmd.Flags().Lookup("sandbox-read").Usage += " (default: --dir)"
	cmd.Flags().BoolVar(&r.replace, "replace", false, "replace the bot that has this name")
	return cmd
}

// describedBot returns the bot that the flags and the command describe. Its errors are
// those of a bot in an event file.
func (a *app) describedBot(name string, command []string, r *registration) (arena.Bot, error) {
	b, err := a.program(name, command, r)
	if err != nil {
		return b, err
	}
	b.Name = name
	r.flags.apply(&b)
	if r.dir != "" && r.bot.SandboxRead == nil {
		b.SandboxRead = []string{"."}
	}
	return b, checkBot(b)
}

// program returns a bot with the program that the flags and the command name.
func (a *app) program(name string, command []string, r *registration) (arena.Bot, error) {
	b := config.DefaultBot()
	if err := checkRegistered(name); err != nil {
		return b, err
	}
	var err error
	switch {
	case r.bot.Builtin != "" && len(command) > 0:
		return b, usagef("a bot is either --builtin or a command, not both")
	case r.bot.Builtin != "":
		return b, nil
	case len(command) == 0:
		return b, usagef("which program is %q? Write the command that starts it after two dashes: arena bots add %s -- python3 my_bot.py", name, name)
	case r.dir == "":
		return a.resolveCommand(command)
	}
	b.Command = slices.Clone(command)
	if b.Dir, err = filepath.Abs(r.dir); err != nil {
		return b, fmt.Errorf("find %s: %w", r.dir, err)
	}
	if c := command[0]; filepath.Base(c) != c && isFile(c) {
		if b.Command[0], err = filepath.Abs(c); err != nil {
			return b, fmt.Errorf("find %s: %w", c, err)
		}
	}
	_, err = process.ProgramOf(&b, a.getenv("PATH"))
	return b, usageError(err)
}

// checkRegistered refuses names that a registered bot cannot have.
func checkRegistered(name string) error {
	if slices.Contains(builtin.Names(), name) || strings.ContainsAny(name, `=/\"'`) {
		return usagef("%q cannot be the name of a registered bot: leave out = / \\ and quotes, and the names of built-in bots", name)
	}
	return nil
}

// checkBot validates a bot by itself; its errors are usage errors.
func checkBot(b arena.Bot) error {
	err := b.Validate(known().Names())
	if err == nil {
		return nil
	}
	return usagef("bot %q: %w", b.Name, err)
}

// registeredLine is one bot as `arena bots list` prints it.
type registeredLine struct {
	Name    string    `json:"name"`
	Bot     arena.Bot `json:"bot"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
}

func (a *app) botsListCommand() *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the registered bots",
		Example: "  arena bots list\n  arena bots list --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.openRegistry(cmd)
			if err != nil {
				return err
			}
			lines := []registeredLine{}
			if s != nil {
				defer func() { _ = s.Close() }()
				list, err := s.Registry(cmd.Context())
				if err != nil {
					return err
				}
				for _, r := range list {
					bot, err := event.Registered(cmd.Context(), s, r.Name)
					if err != nil {
						return err
					}
					lines = append(lines, registeredLine{r.Name, bot, r.Created, r.Updated})
				}
			}
			return output.print(a, lines, func() listing.Table { return registryTable(lines) })
		},
	}
	output.register(cmd)
	return cmd
}

func registryTable(lines []registeredLine) listing.Table {
	t := listing.Table{
		Title: "registered bots",
		Columns: []listing.Column{
			{Name: "Bot", Left: true},
			{Name: "Command", Left: true},
			{Name: "Folder", Left: true},
			{Name: "Settings", Left: true},
		},
	}
	for _, l := range lines {
		t.Rows = append(t.Rows, []any{l.Name, commandText(l.Bot), l.Bot.Dir, settingsText(l.Bot)})
	}
	if len(lines) == 0 {
		t.Notes = []string{"None yet: `arena bots add NAME -- COMMAND...` registers one."}
	}
	return t
}

// settingsText lists the settings of a bot that differ from the defaults.
func settingsText(b arena.Bot) string {
	var parts []string
	for _, o := range b.Options {
		parts = append(parts, strings.TrimSuffix(o.Name+"="+o.Value, "="))
	}
	usual := config.DefaultBot()
	defaults := arena.Settings(&usual)
	for i, s := range arena.Settings(&b) {
		text := fmt.Sprint(s.Value)
		switch list, isList := s.Value.Interface().([]string); {
		case slices.Contains([]string{"name", "builtin", "command", "args", "dir", "options", "limits"}, s.Key):
			continue
		case s.Key == "sandbox_read" && b.Sandbox != arena.SandboxStrict:
			continue
		case s.Key == "replaces":
			text = strings.Join(list, ", ")
		case isList:
			text = strings.Join(list, " ")
		case s.Key == "clock" && b.Clock != nil:
			text = config.FormatClock(*b.Clock)
		}
		if !reflect.DeepEqual(s.Value.Interface(), defaults[i].Value.Interface()) {
			parts = append(parts, strings.ReplaceAll(s.Key, "_", " ")+" "+text)
		}
	}
	return strings.Join(parts, ", ")
}

func (a *app) botsRenameCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "rename OLD NEW",
		Short:   "Give a registered bot another name",
		Long:    "Give a registered bot another name. Games that it has played keep the old one.",
		Example: "  arena bots rename mine mine-v1",
		RunE: a.changes(func(cmd *cobra.Command, args []string, s *store.Store) error {
			bot, err := event.Registered(cmd.Context(), s, args[0])
			if err != nil {
				return usageError(err)
			}
			if err := checkRegistered(args[1]); err != nil {
				return err
			}
			bot.Name = args[1]
			if err := checkBot(bot); err != nil {
				return err
			}
			if err := s.RenameRegistered(cmd.Context(), args[0], args[1]); err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s is %s now; games that it has played keep the old name\n", args[0], args[1])
			return nil
		}),
	}
}

func (a *app) botsRetireCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "retire NAME...",
		Short:   "Take bots out of the registry",
		Long:    "Take bots out of the registry. Their games and ratings stay, and events that they have entered can still be gone on with.",
		Example: "  arena bots retire mine",
		RunE: a.changes(func(cmd *cobra.Command, args []string, s *store.Store) error {
			for _, name := range args { // all or none
				if _, err := s.RegisteredBot(cmd.Context(), name); err != nil {
					return err
				}
			}
			for _, name := range args {
				if err := s.Unregister(cmd.Context(), name); err != nil {
					return err
				}
				fmt.Fprintf(a.out, "%s is retired; its games stay\n", name)
			}
			return nil
		}),
	}
}
