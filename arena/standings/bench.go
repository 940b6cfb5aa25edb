package standings

import (
	"cmp"
	"time"

	"botarena/arena/listing"
	"botarena/arena/store"
)

// BenchTable lists the benches of a bot, with a note about the last one.
func BenchTable(list []store.Bench, note string) listing.Table {
	last := list[len(list)-1]
	t := listing.Table{
		Title: "benches of " + last.Bot,
		Columns: []listing.Column{
			{Name: "Version", Left: true},
			{Name: "Date", Left: true},
			{Name: "Machine", Left: true},
			{Name: "Game", Left: true},
			{Name: "Task", Left: true},
			{Name: "Nodes"},
			{Name: "Moves", Left: true},
			{Name: "Nodes/s", Key: "nodes_per_second"},
		},
		Notes: []string{note},
	}
	for i := range list {
		l := &list[i]
		t.Rows = append(t.Rows, []any{cmp.Or(l.Label, l.Fingerprint[:8]), l.Created.Format(time.DateOnly), l.Machine, l.Game, l.Task, l.Nodes, l.Moves, l.Speed})
	}
	if last.Nodes == 0 {
		t.Notes = append(t.Notes, "It reports no nodes: only its moves are compared.")
	}
	return t
}
