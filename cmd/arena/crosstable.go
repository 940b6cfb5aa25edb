package main

import (
	"github.com/spf13/cobra"

	"botarena/arena/standings"
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
			lb, err := sel.Leaderboard(nil)
			if err != nil {
				return err
			}
			table := sel.Crosstable(lb, standings.Ranking(lb))
			return output.print(a, table, table.Table)
		},
	}
	cmd.Flags().StringVar(&event, "event", "", "the `event`")
	cmd.Flags().StringVar(&game, "game", "", "all events of this `game`")
	output.register(cmd)
	return cmd
}
