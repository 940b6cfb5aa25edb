package standings

import (
	"cmp"
	"time"

	"botarena/arena/listing"
	"botarena/arena/store"
)

// A BenchLine is one bench as `arena bots bench` prints it.
type BenchLine struct {
	Bot         string    `json:"bot"`
	Version     string    `json:"version"` // its own name of the version, "" if it has none
	Fingerprint string    `json:"fingerprint"`
	Game        string    `json:"game"`
	Task        string    `json:"task"`
	Nodes       int64     `json:"nodes"`            // 0 if the bot reports none
	Moves       string    `json:"moves"`            // identifies the moves found; "" of the bot's own bench
	Speed       int64     `json:"nodes_per_second"` // 0 if unknown
	Machine     string    `json:"machine"`
	Created     time.Time `json:"created"`
}

// NewBenchLine describes a bench.
func NewBenchLine(b *store.Bench) BenchLine {
	return BenchLine{b.Bot, b.Label, b.Fingerprint, b.Game, b.Task, b.Nodes, b.Moves, b.Speed, b.Machine, b.Created.UTC().Truncate(time.Second)}
}

// BenchTable lists the benches of a bot, with a note about the last one.
func BenchTable(lines []BenchLine, note string) listing.Table {
	last := lines[len(lines)-1]
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
	for i := range lines {
		l := &lines[i]
		t.Rows = append(t.Rows, []any{cmp.Or(l.Version, l.Fingerprint[:8]), l.Created.Format(time.DateOnly), l.Machine, l.Game, l.Task, l.Nodes, l.Moves, l.Speed})
	}
	if last.Nodes == 0 {
		t.Notes = append(t.Notes, "It reports no nodes: only its moves are compared.")
	}
	return t
}
