package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena/process"
	"botarena/arena/report"
	"botarena/arena/store"
)

// eventLine is one event as `arena events` lists it.
type eventLine struct {
	Name    string    `json:"event"`
	Game    string    `json:"game"`
	Format  string    `json:"format"`
	State   string    `json:"state"` // planned, running, interrupted, finished
	Bots    []string  `json:"bots"`
	Games   int       `json:"games"`
	Played  int       `json:"played"`
	Void    int       `json:"void"` // attempts that did not count
	Created time.Time `json:"created"`
	Holder  string    `json:"holder,omitempty"`
	// Archived events stand in no table over several events.
	Archived bool `json:"archived,omitempty"`
}

func (a *app) eventsCommand() *cobra.Command {
	var output outputFlags
	var all bool
	cmd := &cobra.Command{
		Use:   "events",
		Short: "List the events of the database",
		Example: `  arena events
  arena events --all                         archived ones as well
  arena events --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.openRead(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			events, err := s.Events(cmd.Context())
			if err != nil {
				return err
			}
			me, err := process.Self()
			if err != nil {
				return err
			}
			lines := []eventLine{}
			for i := range events {
				if all || !events[i].Archived {
					lines = append(lines, newEventLine(&events[i], me, a.now()))
				}
			}
			return output.print(a, lines, func() report.Table { return eventsTable(lines) })
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "archived ones as well")
	output.register(cmd)
	cmd.AddCommand(a.eventsArchiveCommand(), a.eventsRemoveCommand())
	return cmd
}

func newEventLine(e *store.Event, me process.Identity, now time.Time) eventLine {
	line := eventLine{
		Name: e.Name, Game: e.Game, Format: string(e.Format), State: string(e.State),
		Games: e.Games, Played: e.Played, Void: e.Voids, Created: e.Created, Bots: []string{}, Archived: e.Archived,
	}
	for _, b := range e.Entries {
		line.Bots = append(line.Bots, b.Name)
	}
	switch {
	case e.Holder != nil && e.Holder.Alive(me, now):
		line.Holder = holderText(e.Holder)
	case e.State == store.Running: // nobody goes on with it
		line.State = "interrupted"
	}
	return line
}

func eventsTable(lines []eventLine) report.Table {
	t := report.Table{Columns: []report.Column{
		{Name: "Event", Left: true},
		{Name: "Game", Left: true},
		{Name: "Format", Left: true},
		{Name: "Bots"},
		{Name: "Played"},
		{Name: "State", Left: true},
		{Name: "Created", Left: true},
	}}
	for _, l := range lines {
		state := l.State
		if l.Archived {
			state += ", archived"
		}
		if l.Holder != "" {
			state += ", held by " + l.Holder
		}
		t.Rows = append(t.Rows, []string{
			l.Name, l.Game, l.Format, strconv.Itoa(len(l.Bots)),
			fmt.Sprintf("%d/%d", l.Played, l.Games), state, l.Created.Format(time.DateTime),
		})
	}
	return t
}

func holderText(h *store.Holder) string { return fmt.Sprintf("process %d on %s", h.PID, h.Host) }
