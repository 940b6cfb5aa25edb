package standings

import (
	"fmt"
	"strings"
	"time"

	"botarena/arena/listing"
	"botarena/arena/store"
)

// A WorkerLine is a worker's row of `arena fleet list`.
type WorkerLine struct {
	Worker   string     `json:"worker"`
	State    string     `json:"state"` // there, away, invited, revoked
	Host     string     `json:"host,omitempty"`
	Platform string     `json:"platform,omitempty"`
	Slots    int        `json:"slots"`
	Speed    float64    `json:"speed,omitempty"` // positions a second of one slot under full load
	Spread   float64    `json:"spread,omitempty"`
	Games    int        `json:"games"`
	Voided   int        `json:"voided"`
	Faults   int        `json:"faults"`
	Invited  time.Time  `json:"invited"`
	Seen     *time.Time `json:"seen,omitempty"`
	Revoked  *time.Time `json:"revoked,omitempty"`
	Why      string     `json:"why,omitempty"`
}

// AliveFor is how long after its last sign of life a worker counts as present.
const AliveFor = 40 * time.Second

// NewWorkerLine describes the state of a worker.
func NewWorkerLine(w *store.Worker, now time.Time) WorkerLine {
	l := WorkerLine{
		Worker: w.Name, State: "invited", Host: w.Host, Platform: w.Platform, Slots: w.Slots, Speed: w.Speed, Spread: w.Spread,
		Games: w.Games, Voided: w.Voided, Faults: w.Faults, Invited: w.Created, Why: w.Why,
	}
	if !w.Seen.IsZero() {
		l.Seen, l.State = &w.Seen, "away"
		if now.Sub(w.Seen) < AliveFor && w.Slots > 0 { // one that left has none
			l.State = "there"
		}
	}
	if !w.Revoked.IsZero() {
		l.Revoked, l.State = &w.Revoked, "revoked"
	}
	return l
}

// Rate returns the speed in words.
func (l *WorkerLine) Rate() string {
	const percent = 100
	if l.Speed <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.2fM/s ±%.0f%%", l.Speed/1e6, percent*l.Spread)
}

// measured returns nil for what was not measured.
func measured(x float64) *float64 {
	if x <= 0 {
		return nil
	}
	return &x
}

// Heard returns the last sign of life in words.
func (l *WorkerLine) Heard(now time.Time) string {
	if l.Seen == nil {
		return "never"
	}
	return Ago(now.Sub(*l.Seen))
}

// WorkerTable returns the table of workers.
func WorkerTable(lines []WorkerLine, now time.Time) listing.Table {
	t := listing.Table{Columns: []listing.Column{
		{Name: "Worker", Left: true},
		{Name: "State", Left: true},
		{Name: "Machine", Left: true},
		{Name: "Slots"},
		{Name: "Speed"},
		{Name: "Spread", Data: true},
		{Name: "Games"},
		{Name: "Voided"},
		{Name: "Faults"},
		{Name: "Last seen", Left: true},
	}}
	for _, l := range lines {
		t.Rows = append(t.Rows, []any{
			l.Worker, l.State, strings.TrimSpace(l.Host + " " + l.Platform), l.Slots,
			listing.Cell{Text: l.Rate(), Value: measured(l.Speed)},
			measured(l.Spread), l.Games,
			l.Voided, l.Faults, l.Heard(now),
		})
	}
	if len(lines) == 0 {
		t.Notes = []string{"None yet: `arena fleet invite NAME` lets a machine join."}
	}
	return t
}

// Ago formats how long ago something was.
func Ago(d time.Duration) string {
	switch {
	case d < 2*time.Second:
		return "now"
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}
