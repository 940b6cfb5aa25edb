package main

import (
	"github.com/spf13/cobra"

	"botarena/arena/listing"
	"botarena/arena/store"
)

func (a *app) crosstableCommand() *cobra.Command {
	var of selectFlags
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "crosstable",
		Short: "Show how each bot did against each other",
		Long: `Show the points of each bot against each other, in the order of the leaderboard:
of an event, or of the events of a game that are rated together; of the latest
event where neither is named. --csv has a row of numbers for each two bots.`,
		Example: `  arena crosstable
  arena crosstable --event spring --csv`,
		RunE: a.reads(func(cmd *cobra.Command, _ []string, s *store.Store) error {
			sel, err := of.choose(cmd.Context(), s)
			if err != nil {
				return err
			}
			lb, err := sel.Leaderboard()
			if err != nil {
				return err
			}
			table := sel.Crosstable(lb)
			if output.csv {
				return table.Long().Write(a.out, listing.CSV)
			}
			return output.print(a, table, table.Table)
		}),
	}
	of.register(cmd)
	output.register(cmd)
	return cmd
}
