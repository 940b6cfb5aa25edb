package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/listing"
	"botarena/arena/standings"
	"botarena/arena/store"
)

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
  arena match minimax "python3 my_bot.py" --book openings.txt --order shuffled
  arena match new=stockfish old=stockfish -o new:Hash=64 -o Threads=1 -c 8+0.08 --resign score=600,moves=4
  arena match guest.py minimax --sandbox strict --limits memory=256MB --log`,
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
			if d.dryRun {
				return a.dryRun(cmd.Context(), event, v.GetString("db"), extend)
			}
			return a.playEvent(cmd.Context(), event, play{
				db: v.GetString("db"), quiet: d.quiet, extend: extend, resume: "the same command and --event " + event.Name, fleet: &d.fleet, serve: &d.serve,
				after: func(ctx context.Context, s *store.Store, sel *standings.Selection) error {
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
func (a *app) printMatch(ctx context.Context, s *store.Store, event arena.Event, sel *standings.Selection) error {
	if err := a.printStandings(ctx, s, event, sel); err != nil {
		return err
	}
	fmt.Fprintln(a.out)
	var err error
	if sel.Counts.Openings, err = s.Openings(ctx, event.Name); err != nil {
		return err
	}
	head, err := standings.NewHeadToHead(&sel.Counts, event.Bots[0].Name, event.Bots[1].Name, event.Game, sel.Sides)
	if err != nil {
		return err
	}
	return head.Table().Write(a.out, listing.Text)
}
