package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/report"
	"botarena/arena/store"
	"botarena/engine/games"
)

// duel is what the flags of a command that plays two bots against each other
// say: match and sprt.
type duel struct {
	event  string
	game   string
	clock  string
	clocks [2]string
	random int
	book   string
	seed   uint64
	plies  int
	hello  time.Duration
	quiet  bool
}

func (d *duel) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&d.event, "event", "", "record it under this `name`, and go on with it where it exists (default: a new name)")
	f.StringVarP(&d.game, "game", "g", "breakthrough", "the `game`")
	f.StringVarP(&d.clock, "clock", "c", "100ms", "the `clock`: "+clockHelp)
	f.StringVar(&d.clocks[0], "clock-a", "", "a `clock` for the first bot named, instead")
	f.StringVar(&d.clocks[1], "clock-b", "", "a `clock` for the second bot named, instead")
	f.IntVar(&d.random, "random", 4, "start each pair from so many random `plies`; 0 is the game's own start")
	f.StringVar(&d.book, "book", "", "start each pair from a line of this opening `file` instead")
	f.Uint64Var(&d.seed, "seed", 1, "of openings and bots: the same `number`, the same match")
	f.IntVar(&d.plies, "max-plies", 0, "move limit in `plies` (default: the game's own)")
	f.DurationVar(&d.hello, "handshake", config.Default().Handshake, "how `long` a bot has for the handshake")
	f.String("concurrency", "", "games at once: a `number` or auto")
	f.BoolVarP(&d.quiet, "quiet", "q", false, "no progress, only the outcome")
	cmd.MarkFlagsMutuallyExclusive("random", "book")
	if err := cmd.RegisterFlagCompletionFunc("game", completeGames); err != nil {
		panic(err) // the flag was registered above
	}
}

// matchEvent returns the event of a match of so many pairs between two bots, as
// the flags describe it; a test, where not nil, may end it early. Its name is
// d.event, or prefix and the next free number.
func (a *app) matchEvent(cmd *cobra.Command, d *duel, prefix string, bots [2]string, pairs int, test *arena.SPRT) (arena.Event, error) {
	event := config.Default()
	event.Format, event.Rounds, event.Seed, event.MaxPlies, event.SPRT = arena.FormatMatch, pairs, d.seed, d.plies, test
	game, err := games.All().Lookup(d.game)
	if err != nil {
		return event, usageError(err)
	}
	event.Game, event.Handshake = game.Name(), d.hello
	if event.Clock, err = parseClock(d.clock); err != nil {
		return event, err
	}
	event.Openings.Random = d.random
	if d.book != "" {
		event.Openings.Random = 0
		if event.Openings.File, err = filepath.Abs(d.book); err != nil {
			return event, fmt.Errorf("find %s: %w", d.book, err)
		}
	}
	v, err := a.settings(cmd)
	if err != nil {
		return event, err
	}
	if err := setConcurrency(&event, v.GetString("concurrency")); err != nil {
		return event, err
	}
	s, err := a.openRegistry(cmd)
	if err != nil {
		return event, err
	}
	if s != nil {
		defer s.Close()
	}
	for i, arg := range bots {
		b, err := a.resolveBot(cmd.Context(), s, arg)
		if err != nil {
			return event, err
		}
		if d.clocks[i] != "" {
			c, err := parseClock(d.clocks[i])
			if err != nil {
				return event, err
			}
			b.Clock = &c
		}
		event.Bots = append(event.Bots, b)
	}
	apartNames(&event.Bots[0], &event.Bots[1], bots[1])
	if event.Name = d.event; !cmd.Flags().Changed("event") {
		if event.Name, err = freeName(cmd.Context(), s, prefix); err != nil {
			return event, err
		}
	}
	return event, flagProblems(event.Validate(known().Names()), func(field string) string {
		if field == "rounds" && test != nil {
			return "--max-pairs"
		}
		return duelFlag(field, bots)
	})
}

// apartNames gives the second of two bots of one name another, unless arg names it.
func apartNames(first, second *arena.Bot, arg string) {
	_, _, named := namedBot(arg)
	if first.Name != second.Name && (named || !strings.EqualFold(first.Name, second.Name)) {
		return
	}
	const suffix = " 2"
	letters := []rune(second.Name)
	second.Name = strings.TrimSpace(string(letters[:min(len(letters), arena.MaxName-len(suffix))])) + suffix
}

// duelFlag names the flag or the argument from which a field of a match's event
// comes; "" where none does.
func duelFlag(field string, bots [2]string) string {
	for i, arg := range bots {
		own, ok := strings.CutPrefix(field, fmt.Sprintf("bots[%d]", i))
		switch {
		case !ok:
		case own == ".clock" || strings.HasPrefix(own, ".clock."):
			return [2]string{"--clock-a", "--clock-b"}[i]
		default:
			return fmt.Sprintf("bot %q", arg)
		}
	}
	top, below, _ := strings.Cut(field, ".")
	switch {
	case field == "openings.file":
		return "--book"
	case field == "sprt":
		return "--elo0"
	case top == "openings" || top == "sprt":
		return "--" + below
	case top == "rounds":
		return "--pairs"
	}
	return "--" + strings.ReplaceAll(top, "_", "-")
}

// flagProblems makes a usage error of an *arena.InvalidError, its problems named
// by the flags that they come from.
func flagProblems(err error, flag func(field string) string) error {
	var invalid *arena.InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	renamed := make([]arena.Problem, len(invalid.Problems))
	for i, p := range invalid.Problems {
		if from := flag(p.Field); from != "" {
			p.Field = from
		}
		renamed[i] = p
	}
	return usageError(&arena.InvalidError{Problems: renamed})
}

// freeName returns the first of "PREFIX-1", "PREFIX-2", ... that no event of s,
// which may be nil, has.
func freeName(ctx context.Context, s *store.Store, prefix string) (string, error) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s-%d", prefix, n)
		if s == nil {
			return name, nil
		}
		_, err := s.Event(ctx, name)
		var unknown *store.UnknownEventError
		if errors.As(err, &unknown) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
	}
}

func (a *app) matchCommand() *cobra.Command {
	var d duel
	var pairs int
	var extend bool
	cmd := &cobra.Command{
		Use:   "match A B",
		Short: "Play two bots against each other",
		Long: `Play pairs of games between two bots, sides swapped and each pair from one
opening, and say what the result means.

` + botHelp + `

The match is recorded as an event; --event with the name of one goes on with it,
and --extend with more pairs than were recorded.`,
		Example: `  arena match minimax mcts
  arena match minimax ./mybot --game owlman --pairs 50 --clock 10s+100ms
  arena match deep=minimax shallow=minimax --clock-a depth=4 --clock-b depth=2
  arena match minimax "python3 my_bot.py" --book openings.txt --concurrency 2`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			event, err := a.matchEvent(cmd, &d, "match", [2]string{args[0], args[1]}, pairs, nil)
			if err != nil {
				return err
			}
			v, err := a.settings(cmd)
			if err != nil {
				return err
			}
			return a.playEvent(cmd.Context(), event, play{
				db: v.GetString("db"), quiet: d.quiet, extend: extend, resume: "the same command and --event " + event.Name,
				after: func(ctx context.Context, s *store.Store, sel *selection) error {
					return a.printMatch(ctx, s, event, sel)
				},
			})
		},
	}
	cmd.Flags().IntVarP(&pairs, "pairs", "n", 10, "`pairs` of games to play")
	cmd.Flags().BoolVar(&extend, "extend", false, "accept more pairs than were recorded, and play what is missing")
	d.register(cmd)
	return cmd
}

// printMatch prints the leaderboard of a match and what it says of its two bots.
func (a *app) printMatch(ctx context.Context, s *store.Store, event arena.Event, sel *selection) error {
	if err := a.printStandings(ctx, s, event, sel); err != nil {
		return err
	}
	fmt.Fprintln(a.out)
	var err error
	if sel.counts.Openings, err = s.Openings(ctx, event.Name); err != nil {
		return err
	}
	head, err := report.NewHeadToHead(&sel.counts, event.Bots[0].Name, event.Bots[1].Name, event.Game, sel.sides())
	if err != nil {
		return err
	}
	return head.Table().Write(a.out, report.Text)
}
