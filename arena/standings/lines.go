package standings

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/listing"
	"botarena/arena/process"
	"botarena/arena/schedule"
	"botarena/arena/store"
)

// An EventLine is one event in a list of them.
type EventLine struct {
	Name    string    `json:"event"`
	Game    string    `json:"game"`
	Format  string    `json:"format"`
	Test    bool      `json:"test,omitempty"` // an SPRT may end it
	State   string    `json:"state"`          // planned, running, interrupted, finished
	Bots    []string  `json:"bots"`
	Games   int       `json:"games"` // in progress: to be expected, of a test at most; planned if nobody knows
	Played  int       `json:"played"`
	Void    int       `json:"void"` // attempts that did not count
	Created time.Time `json:"created"`
	Holder  string    `json:"holder,omitempty"`
	// Archived reports that the event is left out of tables over several events.
	Archived bool `json:"archived,omitempty"`
}

// NewEventLine describes an event as seen by process me.
func NewEventLine(e *store.Event, me process.Identity, now time.Time) EventLine {
	return EventLineOf(e, func() arena.Event {
		settings, _ := config.Decode(e.Config) // one of an older version is shown as far as it goes
		return settings
	}, me, now)
}

// EventLineOf is NewEventLine for who remembers what the event's configuration says, which
// takes a while to parse.
func EventLineOf(e *store.Event, settings func() arena.Event, me process.Identity, now time.Time) EventLine {
	line := EventLine{
		Name: e.Name, Game: e.Game, Format: string(e.Format), State: string(e.State),
		Games: e.Games, Played: e.Played, Void: e.Voids, Created: e.Created, Bots: []string{}, Archived: e.Archived,
		Test: bytes.Contains(e.Config, []byte("\nsprt: ")), // a key of the canonical text
	}
	if e.State != store.Finished { // most formats plan their games as they are wanted
		if games, _ := schedule.TotalAfter(settings(), e.Games, e.Round); games > 0 {
			line.Games = games
		}
	}
	for _, b := range e.Entries {
		line.Bots = append(line.Bots, b.Name)
	}
	switch {
	case e.Holder != nil && e.Holder.Alive(me, now):
		line.Holder = HolderText(e.Holder)
	case e.State == store.Running: // nobody goes on with it
		line.State = "interrupted"
	}
	return line
}

// HolderText names a process that runs an event.
func HolderText(h *store.Holder) string { return fmt.Sprintf("process %d on %s", h.PID, h.Host) }

// EventsTable lists events.
func EventsTable(lines []EventLine) listing.Table {
	t := listing.Table{Columns: []listing.Column{
		{Name: "Event", Left: true},
		{Name: "Game", Left: true},
		{Name: "Format", Left: true},
		{Name: "Bots"},
		{Name: "Played"},
		{Name: "Games", Data: true},
		{Name: "State", Left: true},
		{Name: "Created", Left: true},
	}}
	for _, l := range lines {
		format := l.Format
		if l.Test {
			format += ", test"
		}
		state := l.State
		if l.Archived {
			state += ", archived"
		}
		if l.Holder != "" {
			state += ", held by " + l.Holder
		}
		t.Rows = append(t.Rows, []any{
			l.Name, l.Game, format, len(l.Bots),
			listing.Cell{Text: fmt.Sprintf("%d/%d", l.Played, l.Games), Value: l.Played},
			l.Games, state, l.Created.Format(time.DateTime),
		})
	}
	return t
}

// A GameLine is one game in a list of them.
type GameLine struct {
	ID            int64          `json:"id"`
	Event         string         `json:"event"`
	Number        int            `json:"number"`
	Round         int            `json:"round"`
	Pair          int            `json:"pair"`
	Stage         string         `json:"stage,omitempty"`
	Game          string         `json:"game"`
	First         string         `json:"first"`
	Second        string         `json:"second"`
	FirstVersion  int            `json:"first_version"`
	SecondVersion int            `json:"second_version"`
	Opening       *arena.Opening `json:"opening,omitempty"` // nil is the game's own start
	Result        string         `json:"result"`
	Reason        string         `json:"reason"`
	Detail        string         `json:"detail"`
	Blame         string         `json:"blame"`
	Plies         int            `json:"plies"`
	Moves         []string       `json:"moves"`
	Seconds       float64        `json:"seconds"`
	FirstCPU      float64        `json:"first_cpu_seconds"`
	SecondCPU     float64        `json:"second_cpu_seconds"`
	FirstOffTurn  float64        `json:"first_off_turn_cpu_seconds"`
	SecondOffTurn float64        `json:"second_off_turn_cpu_seconds"`
	Void          int            `json:"void"`             // attempts that did not count
	Worker        string         `json:"worker,omitempty"` // of a fleet, that played it; "" is the event's own machine
	Factor        float64        `json:"factor,omitempty"` // how much slower that one is, where it was measured
}

// NewGameLine describes a game.
func NewGameLine(r *store.Game) GameLine {
	moves := make([]string, len(r.Moves))
	for i, m := range r.Moves {
		moves[i] = m.Move
	}
	l := GameLine{
		ID: r.ID, Event: r.Event, Number: r.Number, Round: r.Round, Pair: r.Pair, Stage: r.Stage, Game: r.Game.Game,
		First: r.First, Second: r.Second, FirstVersion: r.FirstVersion, SecondVersion: r.SecondVersion,
		Result: string(r.Result), Reason: string(r.Reason), Detail: r.Detail, Blame: r.Blame,
		Plies: r.Plies, Moves: moves, Seconds: r.Wall.Seconds(),
		FirstCPU: r.CPU[0].Seconds(), SecondCPU: r.CPU[1].Seconds(),
		FirstOffTurn: r.OffTurn[0].Seconds(), SecondOffTurn: r.OffTurn[1].Seconds(), Void: r.Attempts,
		Worker: r.Worker, Factor: r.Factor,
	}
	if o := r.Opening; OpeningName(o) != "" {
		l.Opening = &o
	}
	return l
}

// OpeningText writes an opening on one line: its position, its moves, or both.
func OpeningText(o arena.Opening) string {
	moves := strings.Join(o.Moves, " ")
	switch {
	case o.Position == "":
		return moves
	case moves == "":
		return o.Position
	}
	return o.Position + " moves " + moves
}

// GameColumns returns the columns of [GameLine.Row].
func GameColumns(moves bool) []listing.Column {
	columns := []listing.Column{
		{Name: "ID"},
		{Name: "Event", Left: true},
		{Name: "No", Key: "number"},
		{Name: "Round"},
		{Name: "Pair"},
		{Name: "First", Left: true},
		{Name: "Second", Left: true},
		{Name: "Result"},
		{Name: "Reason", Left: true},
		{Name: "Detail", Data: true},
		{Name: "Blame", Data: true},
		{Name: "Plies"},
	}
	if moves {
		columns = append(columns, listing.Column{Name: "Opening", Left: true}, listing.Column{Name: "Moves", Left: true},
			listing.Column{Name: "Worker", Left: true}, listing.Column{Name: "Factor"})
	}
	return columns
}

// EndingText describes how a game ended: the rule, else the reason, the bot at fault
// and the detail.
func EndingText(reason arena.Reason, blame, detail string) string {
	if detail != "" && (reason == arena.WinByRule || reason == arena.DrawByRule) {
		return detail
	}
	line := string(reason)
	if blame != "" {
		line += " of " + blame
	}
	if detail != "" {
		line += ": " + detail
	}
	return line
}

// Ending describes how the game ended: the reason, the bot at fault and the detail.
func (l *GameLine) Ending() string {
	reason := EndingText(arena.Reason(l.Reason), l.Blame, l.Detail)
	if l.Void > 0 {
		reason = strings.TrimSpace(fmt.Sprintf("%s (void %d times before)", reason, l.Void))
	}
	return reason
}

// Row returns the game's cells, with its opening and moves on request.
func (l *GameLine) Row(moves bool) []any {
	row := []any{
		l.ID, l.Event, l.Number, l.Round, l.Pair,
		l.First, l.Second, l.Result,
		listing.Cell{Text: l.Ending(), Value: l.Reason},
		l.Detail, l.Blame, l.Plies,
	}
	if moves {
		opening, factor := "", ""
		if l.Opening != nil {
			opening = OpeningText(*l.Opening)
		}
		if l.Factor > 0 {
			factor = strconv.FormatFloat(l.Factor, 'g', -1, 64)
		}
		row = append(row, opening, strings.Join(l.Moves, " "), l.Worker, factor)
	}
	return row
}
