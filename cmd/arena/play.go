package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/casual"
	"botarena/arena/casual/console"
	"botarena/arena/config"
	"botarena/arena/session"
	"botarena/bots/builtin"
	"botarena/engine"
	"botarena/engine/nearest"
)

func (a *app) playCommand() *cobra.Command {
	var p struct {
		game, rules, side, position, clock, mine string
		seed                                     uint64
		level                                    int
		hello                                    time.Duration
	}
	cmd := &cobra.Command{
		Use:   "play BOT [ARGUMENT...]",
		Short: "Play a game against a bot",
		Long: `Play a game against a bot, in the terminal. Moves are typed in any spelling that
the game knows.

  ` + console.PlayHelp[:strings.IndexByte(console.PlayHelp, '\n')] + strings.ReplaceAll(console.PlayHelp[strings.IndexByte(console.PlayHelp, '\n'):], "\n", "\n  ") + `

` + botHelp + `

Exit codes: 0 the game ended or was left, 1 the bot failed, 2 wrong usage,
130 interrupted.`,
		Example: `  arena play minimax --clock 1s
  arena play minimax --level 4
  arena play mcts --game outwit --side second
  arena play ./mybot --clock 60s+1s --my-clock 5m+5s
  arena play minimax --game owlman --side owlman --clock "depth 4"`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			clocks := [2]arena.TimeControl{} // the person's and the bot's
			if p.mine != "" {
				if clocks[0], err = parseClock(p.mine); err != nil {
					return err
				}
				if !clocks[0].Timed() {
					return usagef("--my-clock %q: give a time", p.mine)
				}
			}
			if clocks[1], err = parseClock(p.clock); err != nil {
				return err
			}
			if p.seed == 0 {
				p.seed = uint64(a.now().UnixNano())>>10 | 1
			}
			if err := checkLevel(p.level); err != nil {
				return err
			}
			ctx, stop := a.untilInterrupt(cmd.Context())
			defer stop()
			wanted, err := a.wanted(ctx, p.game, p.rules)
			if err != nil {
				return err
			}
			t, err := a.openTable(ctx, cmd, args, console.Setup{Game: wanted, Hello: p.hello, Options: func(d *session.Declared) []arena.Option {
				options := seedOption(d, p.seed)
				if p.level > 0 { // also where none is declared: the error names the option
					options = append(options, arena.Option{Name: builtin.OptionLevel, Value: strconv.Itoa(p.level)})
				}
				return options
			}})
			if err != nil && ctx.Err() != nil {
				return a.leftUnfinished()
			}
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, t.Close()) }()
			if p.position != "" {
				pos, err := t.Game.Parse(p.position)
				if err != nil {
					return usageError(err)
				}
				t.Path = session.PathFrom(pos)
			}
			person, err := chooseSide(t.Game, p.side, p.seed)
			if err != nil {
				return err
			}
			err = t.Play(ctx, casual.New(t.Session, casual.Setup{Path: t.Path, Person: person, Clocks: clocks, Builtin: t.Bot.Builtin != ""}))
			if errors.Is(err, console.ErrInterrupted) {
				return a.leftUnfinished()
			}
			return err
		},
	}
	cmd.Flags().StringVar(&p.game, "game", "", "the `game` to play; by default what the bot declares, else breakthrough")
	rulesFlag(cmd, &p.rules)
	helloFlag(cmd, &p.hello)
	cmd.Flags().IntVar(&p.level, "level", 0, levelHelp)
	cmd.Flags().StringVar(&p.side, "side", "first", "your `side`: first, second, its name (white, owlman, ...) or random")
	cmd.Flags().StringVar(&p.clock, "clock", "1s", "the bot's `clock`: "+config.ClockHelp)
	cmd.Flags().StringVar(&p.mine, "my-clock", "", "your own `clock`; none by default")
	cmd.Flags().StringVar(&p.position, "position", "", "start from this `position` instead of the game's own start")
	cmd.Flags().Uint64Var(&p.seed, "seed", 0, "seed of a random side and of the bot's option Seed, a `number`; 0 takes one from the clock")
	return cmd
}

// seedOption sets the option Seed, if declared, within its bounds.
func seedOption(d *session.Declared, seed uint64) []arena.Option {
	o, ok := d.SeedOption()
	if !ok {
		return nil
	}
	value := max(o.Min, min(o.Max, int64(seed>>1)))
	if seed < 1<<31 {
		value = max(o.Min, min(o.Max, int64(seed)))
	}
	return []arena.Option{{Name: o.Name, Value: strconv.FormatInt(value, 10)}}
}

// chooseSide reads --side.
func chooseSide(game engine.Game, text string, seed uint64) (engine.Side, error) {
	names := game.SideNames()
	switch strings.ToLower(text) {
	case "first", strings.ToLower(names[0]):
		return engine.First, nil
	case "second", strings.ToLower(names[1]):
		return engine.Second, nil
	case "random":
		return engine.Side(rand.New(rand.NewPCG(seed, 0)).IntN(2)), nil
	}
	hint := nearest.Hint(text, []string{"first", "second", "random", names[0], names[1]}, "write first, second, random, "+names[0]+" or "+names[1])
	return 0, usagef("--side %q; %s", text, hint)
}

// untilInterrupt returns a context that ends with the first interrupt.
func (a *app) untilInterrupt(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	interrupts, release := a.signals()
	go func() {
		select {
		case <-interrupts:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() { release(); cancel() }
}

// leftUnfinished returns the error of an interrupt.
func (a *app) leftUnfinished() error {
	fmt.Fprintln(a.err, "\ninterrupted: the game is left unfinished")
	return &exitError{code: exitInterrupted}
}
