package main

import (
	"github.com/spf13/cobra"

	"botarena/arena/listing"
	"botarena/arena/process"
	"botarena/arena/standings"
	"botarena/arena/store"
)

func (a *app) eventsCommand() *cobra.Command {
	var output outputFlags
	var all bool
	cmd := &cobra.Command{
		Use:   "events",
		Short: "List the events of the database",
		Example: `  arena events
  arena events --all                         archived ones as well
  arena events --json`,
		RunE: a.reads(func(cmd *cobra.Command, _ []string, s *store.Store) error {
			events, err := s.Events(cmd.Context())
			if err != nil {
				return err
			}
			me, err := process.Self()
			if err != nil {
				return err
			}
			lines := []standings.EventLine{}
			for i := range events {
				if all || !events[i].Archived {
					lines = append(lines, standings.NewEventLine(&events[i], me, a.now()))
				}
			}
			return output.print(a, lines, func() listing.Table { return standings.EventsTable(lines) })
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "archived ones as well")
	output.register(cmd)
	cmd.AddCommand(a.eventsArchiveCommand(), a.eventsRemoveCommand())
	return cmd
}
