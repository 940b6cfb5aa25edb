package main

import (
	"github.com/spf13/cobra"

	"botarena/arena/report"
)

func (a *app) crosstableCommand() *cobra.Command {
	var event, game string
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "crosstable",
		Short: "Show how each bot did against each other",
		Long: `Show the points of each bot against each other, in the order of the leaderboard:
of an event, or of all events of a game; of the latest event where neither is
named.`,
		Example: `  arena crosstable
  arena crosstable --event spring --csv`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.openRead(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			sel, err := choose(cmd.Context(), s, event, game)
			if err != nil {
				return err
			}
			lb, err := sel.leaderboard(nil)
			if err != nil {
				return err
			}
			table := sel.crosstable(lb, ranking(lb))
			return output.print(a, table, table.Table)
		},
	}
	cmd.Flags().StringVar(&event, "event", "", "the `event`")
	cmd.Flags().StringVar(&game, "game", "", "all events of this `game`")
	output.register(cmd)
	return cmd
}

// ranking is the order of a leaderboard.
func ranking(lb *report.Leaderboard) []string {
	bots := make([]string, len(lb.Bots))
	for i := range lb.Bots {
		bots[i] = lb.Bots[i].Bot
	}
	return bots
}

// crosstable is that of the leaderboard's games, with the bots in the order given.
func (s *selection) crosstable(lb *report.Leaderboard, bots []string) *report.Crosstable {
	table := report.NewCrosstable(&s.counts, bots)
	table.Event, table.Game = lb.Event, lb.Game
	return table
}
