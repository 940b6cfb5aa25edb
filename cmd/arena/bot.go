package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena/rules"
	"botarena/bots/builtin"
	"botarena/bots/kit"
	"botarena/bots/misbehaving"
	"botarena/engine"
	"botarena/engine/games"
)

func (a *app) botCommand() *cobra.Command {
	long := "Run a built-in bot, speaking UGI (or UCI) on stdin and stdout. arena starts its\nbuilt-in bots this way, as programs like any other. With --rules it plays a game\nwhose rules are a program, which it asks about each position that it looks at.\n\n"
	for _, b := range builtin.All() {
		long += fmt.Sprintf("  %-8s %s\n", b.Name, b.What)
	}
	var game, program string
	var options []string
	var level int
	cmd := &cobra.Command{
		Use:   "bot NAME",
		Short: "Run a built-in bot on stdin and stdout",
		Long:  long,
		Example: `  arena bot minimax
  arena bot minimax --level 3
  printf 'ugi\nposition startpos\ngo depth 4\n' | arena bot minimax
  printf 'ugi\nposition startpos\nquery moves\n' | arena bot random --game owlman
  printf 'ugi\nposition startpos\ngo depth 1\n' | arena bot mcts --rules bots/examples/own_game/connect4_rules.py`,
		ValidArgs: builtin.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := builtin.Find(args[0])
			if err != nil {
				return usageError(err)
			}
			bot := b.New(games.All())
			setTables(&bot)
			switch entry := a.getenv(rules.EntryVariable); {
			case entry != "" && program == "":
				if bot.Own, err = a.entryGame(cmd.Context(), entry); err == nil {
					err = runAsking(bot, a.in, bare(a.out), a.now)
				}
				if err != nil { // also a position of arena's that these rules refuse
					err = &exitError{code: rules.ExitStatus, err: err}
				}
				return err
			case program != "":
				if bot.Own, err = a.askedGame(cmd.Context(), game, program, options); err != nil {
					return err
				}
			case len(options) > 0:
				return usagef("--rules-option is for the program of --rules")
			case game != "":
				g, err := bot.Games.Lookup(game)
				if err != nil {
					return usageError(err)
				}
				bot.Game = g.Name()
			}
			if err := setLevel(&bot, level); err != nil {
				return err
			}
			return kit.Run(bot, a.in, bare(a.out), a.now)
		},
	}
	cmd.Flags().StringVar(&game, "game", "", "the `game` until UGI_Variant names another (default breakthrough)")
	rulesFlag(cmd, &program)
	cmd.Flags().StringArrayVar(&options, "rules-option", nil, "an option of that program, `NAME=VALUE`; repeat for more")
	cmd.Flags().IntVar(&level, "level", 0, levelHelp)
	cmd.AddCommand(a.misbehavingCommand())
	return cmd
}

// runAsking runs a bot whose rules may fail.
func runAsking(bot kit.Bot, in io.Reader, out io.Writer, now func() time.Time) (err error) {
	defer engine.Catch(&err)
	return kit.Run(bot, in, out, now)
}

// entryGame returns the game of a rules.Entry.
func (a *app) entryGame(ctx context.Context, text string) (engine.Game, error) {
	e, err := rules.DecodeEntry(text)
	if err != nil {
		return nil, err
	}
	a.environ = slices.DeleteFunc(slices.Clone(a.environ), func(entry string) bool { // the program may be arena, too
		return strings.HasPrefix(entry, rules.EntryVariable+"=")
	})
	return a.openRules(ctx, e.Game, &e.Program)
}

const levelHelp = "the `level`, 1 to 10, that minimax plays at instead of its full strength; arena bots lists them"

// checkLevel refuses a level that does not exist.
func checkLevel(level int) error {
	if level < 0 || level > builtin.Levels {
		return usagef("--level %d: write 1 to %d, or 0 for full strength", level, builtin.Levels)
	}
	return nil
}

// setLevel sets the default level of a bot.
func setLevel(bot *kit.Bot, level int) error {
	if err := checkLevel(level); err != nil || level == 0 {
		return err
	}
	for i := range bot.Options {
		if o := &bot.Options[i]; o.Name == builtin.OptionLevel {
			o.Default = strconv.Itoa(level)
			return nil
		}
	}
	return usagef("--level: %s has no levels; minimax has", bot.Name)
}

// setTables sets the folder of the user's exact tables for a bot that plays by them.
func setTables(bot *kit.Bot) {
	dir, err := tablesDir("")
	if err != nil {
		return // it says that it has none
	}
	for i := range bot.Options {
		if bot.Options[i].Name == builtin.OptionTables {
			bot.Options[i].Default = string(dir)
		}
	}
}

// misbehavingCommand returns the command of the bot with faults, for testing programs
// that run bots.
func (a *app) misbehavingCommand() *cobra.Command {
	c := misbehaving.Config{}
	var list bool
	cmd := &cobra.Command{
		Use:   "misbehaving",
		Short: "Run a bot that commits a fault, for testing what runs bots",
		Long: `Run a bot that plays the first legal move of any game, but for one fault that it
commits at a chosen move of a chosen game. It ends by itself after --life.`,
		Example: `  arena bot misbehaving --list
  arena check "arena bot misbehaving --fault hang"`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if list {
				for _, f := range misbehaving.Faults() {
					fmt.Fprintf(a.out, "%-18s %s\n", f.Name, f.What)
				}
				return nil
			}
			if c.Game < 1 || c.Move < 1 || c.Life <= 0 || c.Delay <= 0 || c.Memory < 1 || c.Children < 1 {
				return usagef("--in-game, --at-move, --life, --delay, --bytes and --children must be positive")
			}
			in, inOK := a.in.(io.ReadCloser)
			out, outOK := bare(a.out).(io.WriteCloser)
			if !inOK || !outOK {
				return errors.New("this bot needs streams that it can close")
			}
			c.Stdin, c.Stdout, c.Stderr, c.Environ = in, out, bare(a.err), a.environ
			status, err := misbehaving.Run(c)
			if err == nil && status == 0 {
				return nil
			}
			return &exitError{code: max(status, exitFailed), err: err}
		},
	}
	cmd.Flags().StringVar(&c.Fault, "fault", "none", "the `name` of the fault; see --list")
	cmd.Flags().IntVar(&c.Game, "in-game", 1, "commit it in this `game` of the process, counted from 1")
	cmd.Flags().IntVar(&c.Move, "at-move", 1, "commit it at this own `move` of the game, counted from 1")
	cmd.Flags().DurationVar(&c.Life, "life", misbehaving.DefaultLife, "end by itself after this `time`")
	cmd.Flags().DurationVar(&c.Delay, "delay", 5*time.Second, "how late a slow answer comes")
	cmd.Flags().Int64Var(&c.Memory, "bytes", 4<<30, "how many `bytes` the fault memory takes")
	cmd.Flags().IntVar(&c.Children, "children", 64, "the `number` of children that the fault fork-many starts")
	cmd.Flags().BoolVar(&list, "list", false, "list the faults")
	return cmd
}
