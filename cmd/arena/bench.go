package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/bench"
	"botarena/arena/listing"
	"botarena/arena/process"
	"botarena/arena/session"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/engine/games"
)

// benchFlags holds the flags of `arena bots bench`.
type benchFlags struct {
	game, rules        string
	positions, replace bool
	nodes, expect      int64
	hello, limit       time.Duration
	output             outputFlags
}

func (a *app) botsBenchCommand() *cobra.Command {
	var x benchFlags
	cmd := &cobra.Command{
		Use:   "bench BOT",
		Short: "Count the nodes that a version of a bot searches, and compare",
		Long: `Count the nodes that a bot searches in a task that is always the same, and record the
number with the bot's version. A build of that version on another machine must search
exactly as many: if it does not, it was built wrong, from other sources or with other
files, and the command fails with both numbers.

The task is the bot's own command bench, where it speaks UCI and has one, else sixteen
positions of its game at so many nodes each; then the moves found are compared, too.
Nodes a second are told beside, and not compared.

A version is the same program (by its contents, arguments and options), or a build of
the version of the same name (arena bots add --version). The counts are in the
database: take it along, or give the number with --expect.

` + botHelp + `

Exit codes: 0 it is the same or new, 1 it differs or failed, 2 wrong usage.`,
		Example: `  arena bots bench minimax
  arena bots bench minimax --game owlman --nodes 2000
  arena bots bench ./mybot --game breakthrough:5x5 --json
  arena bots bench stockfish --expect 1484730`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case x.nodes < 1 || x.nodes > arena.MaxNodes:
				return usagef("--nodes %d: give a number from 1", x.nodes)
			case cmd.Flags().Changed("expect") && x.expect < 1:
				return usagef("--expect %d: give the number of nodes, from 1", x.expect)
			case x.limit <= 0:
				return usagef("--limit %v: give a time above 0", x.limit)
			}
			if err := checkHello(x.hello); err != nil {
				return err
			}
			bot, err := a.resolveArgs(cmd, args)
			if err != nil {
				return err
			}
			if err := checkBot(bot); err != nil {
				return err
			}
			return a.writes(func(cmd *cobra.Command, _ []string, s *store.Store) error {
				return a.bench(cmd.Context(), s, bot, &x)
			})(cmd, args)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&x.game, "game", "g", "", "the `game` of the positions; by default what the bot declares, chess for a UCI bot that declares none, else breakthrough")
	rulesFlag(cmd, &x.rules)
	f.BoolVar(&x.positions, "positions", false, "search the positions even where the bot has a bench of its own")
	f.Int64Var(&x.nodes, "nodes", 5000, "the `number` of nodes for each position")
	f.Int64Var(&x.expect, "expect", 0, "fail unless it is this `number` of nodes")
	f.BoolVar(&x.replace, "replace", false, "forget what was recorded of this version, and record this")
	f.DurationVar(&x.limit, "limit", 10*time.Minute, "the `time` that the whole may take")
	helloFlag(cmd, &x.hello)
	x.output.register(cmd)
	return cmd
}

// bench counts, compares with what is recorded, and records.
func (a *app) bench(ctx context.Context, s *store.Store, bot arena.Bot, x *benchFlags) error {
	now := store.Bench{Bot: bot.Name, Label: bot.Version}
	var err error
	if now.Fingerprint, err = process.Fingerprint(bot, a.getenv("PATH"), builtinVersion(bot.Builtin)); err != nil {
		return err
	}
	if now.Machine, err = os.Hostname(); err != nil {
		return fmt.Errorf("name of this machine: %w", err)
	}
	result, err := a.counted(ctx, bot, x)
	if err != nil {
		return err
	}
	now.Game, now.Task, now.Nodes, now.Moves, now.Speed = result.Game, result.Task, result.Nodes, result.Moves, result.Speed
	if x.expect > 0 && x.expect != now.Nodes {
		return fmt.Errorf("%s searched %d nodes in %s, not %d: it is another build or version than the one expected", bot.Name, now.Nodes, now.Task, x.expect)
	}
	list, err := s.Benches(ctx, bot.Name)
	if err != nil {
		return err
	}
	note := "The first of this version in this task: later ones are compared with it."
	for i := range list {
		old := &list[i]
		if !old.Of(&now) || x.replace {
			continue
		}
		if !result.Same(old.Nodes, old.Moves) {
			return a.differs(ctx, bot, x, old, &now)
		}
		note = fmt.Sprintf("The same as on %s, %s.", old.Machine, old.Created.Format(time.DateOnly))
		break
	}
	if err := s.AddBench(ctx, now, x.replace); err != nil {
		return err
	}
	if list, err = s.Benches(ctx, bot.Name); err != nil {
		return err
	}
	return x.output.print(a, list, func() listing.Table { return standings.BenchTable(list, note) })
}

// counted runs a bench.
func (a *app) counted(ctx context.Context, bot arena.Bot, x *benchFlags) (result bench.Result, err error) {
	game, err := a.wanted(ctx, x.game, x.rules)
	if err != nil {
		return result, err
	}
	starter, err := a.newStarter()
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, starter.Close()) }()
	result, err = bench.Run(ctx, bench.Config{
		Bot: bot, Start: a.startOf(starter, a.asking(bot, game)), Now: a.now, Game: game, Catalog: games.All(),
		Positions: x.positions, Nodes: x.nodes, Handshake: cmp.Or(x.hello, session.DefaultHello), Limit: x.limit,
	})
	if err != nil {
		err = fmt.Errorf("%s: %w", bot.Name, err)
	}
	return result, err
}

// differs returns the error of a bench that is not what was recorded. It counts again, to
// tell a wrong build from a bot that never searches the same.
func (a *app) differs(ctx context.Context, bot arena.Bot, x *benchFlags, old, now *store.Bench) error {
	why := "and again so: it is another build than that, with other sources, files or a faulty compiler; --replace records it where the old one was wrong"
	again, err := a.counted(ctx, bot, x)
	switch {
	case err != nil:
		return err
	case !again.Same(now.Nodes, now.Moves):
		why = fmt.Sprintf("then %s: it never searches the same, so that this tells nothing of its build; set its threads to 1, or a fixed seed",
			benchText(again.Nodes, again.Moves))
	}
	return fmt.Errorf("%s differs from its bench on %s, %s, in %s: that was %s, this is %s, %s",
		bot.Name, old.Machine, old.Created.Format(time.DateOnly), old.Task, benchText(old.Nodes, old.Moves), benchText(now.Nodes, now.Moves), why)
}

// benchText describes a count.
func benchText(nodes int64, moves string) string {
	s := fmt.Sprintf("%d nodes", nodes)
	if moves != "" {
		s += " and moves " + moves
	}
	return s
}
