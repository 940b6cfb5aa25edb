package standings

import (
	"time"

	"botarena/arena/listing"
	"botarena/arena/store"
)

// A VoidedLine is one result that was taken back, as `arena games voided` lists it.
type VoidedLine struct {
	Event  string    `json:"event"`
	Number int       `json:"number"`
	At     time.Time `json:"at"`
	Why    string    `json:"why"`
	First  string    `json:"first"`
	Second string    `json:"second"`
	Result string    `json:"result"`
	Reason string    `json:"reason"`
	Detail string    `json:"detail"`
	Moves  []string  `json:"moves"`
}

// NewVoidedLine describes a result that was taken back.
func NewVoidedLine(v *store.VoidedResult) VoidedLine {
	line := VoidedLine{v.Event, v.Number, v.At, v.Why, v.First, v.Second, string(v.Result), string(v.Reason), v.Detail, []string{}}
	for _, m := range v.Moves {
		line.Moves = append(line.Moves, m.Move)
	}
	return line
}

// VoidedTable lists results that were taken back.
func VoidedTable(lines []VoidedLine) listing.Table {
	t := listing.Table{Columns: []listing.Column{
		{Name: "Event", Left: true},
		{Name: "No"},
		{Name: "First", Left: true},
		{Name: "Second", Left: true},
		{Name: "Result"},
		{Name: "Reason", Left: true},
		{Name: "Voided", Left: true},
		{Name: "Why", Left: true},
	}}
	for _, l := range lines {
		t.Rows = append(t.Rows, []any{
			l.Event, l.Number, l.First, l.Second, l.Result, l.Reason, l.At.Format(time.DateTime), l.Why,
		})
	}
	if len(lines) == 0 {
		t.Notes = []string{"None."}
	}
	return t
}
