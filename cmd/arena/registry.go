package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/config"
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
		Args: takes(0, 0),
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
	complete(cmd, "game", completeGames)
	output.register(cmd)
	checking := a.checkCommand()
	checking.Use, checking.Args = "check NAME", takes(1, 1)
	checking.Short += " (as arena check)"
	checking.Example = "  arena bots check mine"
	cmd.AddCommand(a.botsAddCommand(), a.botsListCommand(), checking, a.botsRenameCommand(), a.botsRetireCommand(),
		a.botsUpdateCommand(), a.botsWithdrawCommand(), a.botsDisqualifyCommand())
	return cmd
}

// registration is what the flags of `arena bots add` say.
type registration struct {
	builtin, dir, build, protocol, sandbox, restart, version, clock string
	options, env                                                    []string
	read                                                            []string
	threads                                                         int
	replace                                                         bool
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
		Args: takes(1, anyNumber),
		RunE: func(cmd *cobra.Command, args []string) error {
			bot, err := a.describedBot(args[0], args[1:], &r)
			if err != nil {
				return err
			}
			v, err := a.settings(cmd)
			if err != nil {
				return err
			}
			s, err := store.Open(cmd.Context(), v.GetString("db"), a.now, a.tellStore())
			if err != nil {
				return err
			}
			defer func() { _ = s.Close() }()
			_, err = s.RegisteredBot(cmd.Context(), bot.Name)
			var unknown *store.UnknownBotError
			switch {
			case err == nil && !r.replace:
				return usagef("a bot %q is registered already; --replace puts this one in its place", bot.Name)
			case err != nil && !errors.As(err, &unknown):
				return err
			}
			if err := keep(cmd.Context(), s, bot); err != nil {
				return err
			}
			fmt.Fprintf(a.out, "%s: %s\n", bot.Name, commandText(bot))
			fmt.Fprintf(a.err, "registered; `arena bots check %s` tests whether it keeps the protocol\n", bot.Name)
			return nil
		},
	}
	r.register(cmd)
	cmd.Flags().BoolVar(&r.replace, "replace", false, "replace the bot that has this name")
	return cmd
}

// register adds the flags to a command.
func (r *registration) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&r.builtin, "builtin", "", "register a built-in `bot` with settings of its own, instead of a command")
	f.StringArrayVar(&r.options, "option", nil, "an option to set, `NAME=VALUE`; may be given again")
	f.StringVar(&r.protocol, "protocol", string(arena.ProtocolAuto), "the `protocol` it speaks: ugi, uci, xboard, or auto: each is tried in this order")
	f.StringVar(&r.dir, "dir", "", "the `folder` to start it in (default: the current one)")
	f.StringArrayVar(&r.env, "env", nil, "an addition to its environment, `NAME=VALUE`; may be given again")
	f.StringVar(&r.build, "build", "", "a `command` to run there once before each event")
	f.IntVar(&r.threads, "threads", 1, "`cores` that it uses")
	f.StringVar(&r.clock, "clock", "", "a `clock` of its own: "+clockHelp)
	f.StringVar(&r.sandbox, "sandbox", string(arena.SandboxNone), "the `mode` of shutting it in: none, limits or strict")
	f.StringArrayVar(&r.read, "sandbox-read", nil, "a `path` that a strict sandbox shows, beside the program and what its arguments name; may be given again (default: --dir)")
	f.StringVar(&r.restart, "restart", string(arena.RestartOnFault), "the `mode` of starting it anew: never, on-fault or every-game")
	f.StringVar(&r.version, "version", "", "its version, free `text`: another one is another bot to the ratings")
}

// describedBot returns the bot that the flags and the command describe. What is
// wrong is said as for a bot of an event file.
func (a *app) describedBot(name string, command []string, r *registration) (arena.Bot, error) {
	b := config.DefaultBot()
	var err error
	switch {
	case strings.ContainsAny(name, `=/\"'`):
		return b, usagef("%q cannot be the name of a registered bot: leave out = / \\ and quotes", name)
	case slices.Contains(builtin.Names(), name):
		return b, usagef("%q is a built-in bot's name; choose another", name)
	case r.builtin != "" && len(command) > 0:
		return b, usagef("a bot is either --builtin or a command, not both")
	case r.builtin != "":
		if _, err := builtin.Find(r.builtin); err != nil {
			return b, usageError(err)
		}
		b.Builtin = r.builtin
	case len(command) == 0:
		return b, usagef("which program is %q? Write the command that starts it after two dashes: arena bots add %s -- python3 my_bot.py", name, name)
	case r.dir != "":
		b.Command = slices.Clone(command)
		if b.Dir, err = filepath.Abs(r.dir); err != nil {
			return b, fmt.Errorf("find %s: %w", r.dir, err)
		}
		if c := command[0]; filepath.Base(c) != c && !filepath.IsAbs(c) && isFile(c) {
			if b.Command[0], err = filepath.Abs(c); err != nil {
				return b, fmt.Errorf("find %s: %w", c, err)
			}
		}
		if _, err := process.ProgramOf(&b, a.getenv("PATH")); err != nil {
			return b, usageError(err)
		}
	default:
		if b, err = a.resolveCommand(command); err != nil {
			return b, err
		}
	}
	b.Name, b.Env, b.Threads, b.Version = name, r.env, r.threads, r.version
	b.SandboxRead = slices.Clone(r.read)
	if r.dir != "" && r.read == nil {
		b.SandboxRead = []string{"."}
	}
	b.Protocol, b.Sandbox, b.Restart = arena.Protocol(r.protocol), arena.Sandbox(r.sandbox), arena.Restart(r.restart)
	for _, text := range r.options {
		o, err := optionOf("--option", text)
		if err != nil {
			return b, err
		}
		b.Options = append(b.Options, o)
	}
	if r.build != "" {
		if b.Build, err = splitCommand(r.build); err != nil {
			return b, err
		}
	}
	if r.clock != "" {
		c, err := parseClock(r.clock)
		if err != nil {
			return b, err
		}
		b.Clock = &c
	}
	return b, checkBot(b)
}

// checkBot checks a bot by itself; what is wrong is a usage error.
func checkBot(b arena.Bot) error {
	err := b.Validate(known().Names())
	if err == nil {
		return nil
	}
	return usagef("bot %q: %w", b.Name, err)
}

// keep registers a bot.
func keep(ctx context.Context, s *store.Store, bot arena.Bot) error {
	spec, err := config.EncodeBot(bot)
	if err != nil {
		return err
	}
	return s.Register(ctx, bot.Name, spec)
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
		Args:    takes(0, 0),
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
					bot, err := registeredBot(cmd.Context(), s, r.Name)
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

// settingsText lists what of a bot is not as by default.
func settingsText(b arena.Bot) string {
	usual := config.DefaultBot()
	var parts []string
	for _, o := range b.Options {
		parts = append(parts, strings.TrimSuffix(o.Name+"="+o.Value, "="))
	}
	add := func(name, value, usual string) {
		if value != usual {
			parts = append(parts, name+" "+value)
		}
	}
	add("protocol", string(b.Protocol), string(usual.Protocol))
	add("threads", strconv.Itoa(b.Threads), strconv.Itoa(usual.Threads))
	add("sandbox", string(b.Sandbox), string(usual.Sandbox))
	if b.Sandbox == arena.SandboxStrict {
		add("reads", strings.Join(b.SandboxRead, " "), "")
	}
	add("restart", string(b.Restart), string(usual.Restart))
	add("version", b.Version, "")
	add("env", strings.Join(b.Env, " "), "")
	add("build", strings.Join(b.Build, " "), "")
	add("replaces", strings.Join(b.Replaces, ", "), "")
	if b.Clock != nil {
		parts = append(parts, "clock "+config.FormatClock(*b.Clock))
	}
	return strings.Join(parts, ", ")
}

func (a *app) botsRenameCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "rename OLD NEW",
		Short:   "Give a registered bot another name",
		Long:    "Give a registered bot another name. Games that it has played keep the old one.",
		Example: "  arena bots rename mine mine-v1",
		Args:    takes(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withRegistry(cmd, func(s *store.Store) error {
				bot, err := registeredBot(cmd.Context(), s, args[0])
				if err != nil {
					return usageError(err)
				}
				if slices.Contains(builtin.Names(), args[1]) || strings.ContainsAny(args[1], `=/\"'`) {
					return usagef("%q cannot be the name of a registered bot: leave out = / \\ and quotes, and the names of built-in bots", args[1])
				}
				bot.Name = args[1]
				if err := checkBot(bot); err != nil {
					return err
				}
				err = s.RenameRegistered(cmd.Context(), args[0], args[1])
				if errors.Is(err, store.ErrRegistered) {
					return usageError(err)
				}
				if err != nil {
					return err
				}
				fmt.Fprintf(a.out, "%s is %s now; games that it has played keep the old name\n", args[0], args[1])
				return nil
			})
		},
	}
}

func (a *app) botsRetireCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "retire NAME...",
		Short:   "Take bots out of the registry",
		Long:    "Take bots out of the registry. Their games and ratings stay, and events that they have entered can still be gone on with.",
		Example: "  arena bots retire mine",
		Args:    takes(1, anyNumber),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withRegistry(cmd, func(s *store.Store) error {
				for _, name := range args { // all or none
					if _, err := s.RegisteredBot(cmd.Context(), name); err != nil {
						return usageError(err)
					}
				}
				for _, name := range args {
					if err := s.Unregister(cmd.Context(), name); err != nil {
						return err
					}
					fmt.Fprintf(a.out, "%s is retired; its games stay\n", name)
				}
				return nil
			})
		},
	}
}

// withRegistry opens an existing database for changes of what a person keeps in it.
func (a *app) withRegistry(cmd *cobra.Command, change func(*store.Store) error) error {
	read, err := a.openRead(cmd) // says if there is none
	if err != nil {
		return err
	}
	path := read.Path()
	if err := read.Close(); err != nil {
		return err
	}
	s, err := store.Open(cmd.Context(), path, a.now, a.tellStore())
	if err != nil {
		return err
	}
	return errors.Join(change(s), s.Close())
}
