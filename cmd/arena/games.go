package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/report"
	"botarena/arena/store"
	"botarena/engine/games"
)

// gameLine is one game as `arena games` lists it.
type gameLine struct {
	ID            int64    `json:"id"`
	Event         string   `json:"event"`
	Number        int      `json:"number"`
	Round         int      `json:"round"`
	Pair          int      `json:"pair"`
	Stage         string   `json:"stage,omitempty"`
	Game          string   `json:"game"`
	First         string   `json:"first"`
	Second        string   `json:"second"`
	FirstVersion  int      `json:"first_version"`
	SecondVersion int      `json:"second_version"`
	Opening       string   `json:"opening"` // position text, or moves from the start; "" for the start itself
	Result        string   `json:"result"`
	Reason        string   `json:"reason"`
	Detail        string   `json:"detail"`
	Blame         string   `json:"blame"`
	Plies         int      `json:"plies"`
	Moves         []string `json:"moves"`
	Seconds       float64  `json:"seconds"`
	FirstCPU      float64  `json:"first_cpu_seconds"`
	SecondCPU     float64  `json:"second_cpu_seconds"`
	Void          int      `json:"void"` // attempts that did not count
}

func (a *app) gamesCommand() *cobra.Command {
	var filter store.Filter
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "games",
		Short: "List games",
		Long: `List the games of an event, of a game, or of a bot; all games without a filter,
those still to be played included. "arena show ID" replays one.`,
		Example: `  arena games --event spring
  arena games --bot mine --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.openRead(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			if filter.Event != "" { // a misspelt name must not look like an empty event
				if _, err := s.Event(cmd.Context(), filter.Event); err != nil {
					return err
				}
			}
			if filter.Game != "" {
				g, err := games.All().Lookup(filter.Game)
				if err != nil {
					return usageError(err)
				}
				filter.Game = g.Name()
			}
			filter.Moves = output.json || output.csv
			if output.json {
				return a.streamGames(cmd, s, filter)
			}
			records, err := s.Games(cmd.Context(), filter)
			if err != nil {
				return err
			}
			return output.print(a, nil, func() report.Table { return gamesTable(records, output.csv) })
		},
	}
	cmd.Flags().StringVar(&filter.Event, "event", "", "only games of this `event`")
	cmd.Flags().StringVar(&filter.Game, "game", "", "only games of this `game`")
	cmd.Flags().StringVar(&filter.Bot, "bot", "", "only games of this `bot`")
	output.register(cmd)
	return cmd
}

// streamGames prints the games as one JSON array without holding them all.
func (a *app) streamGames(cmd *cobra.Command, s *store.Store, filter store.Filter) error {
	w := bufio.NewWriter(a.data())
	separator := "[\n"
	err := s.Scan(cmd.Context(), filter, func(r *store.Game) error {
		line, err := json.Marshal(newGameLine(r))
		if err != nil {
			return fmt.Errorf("game %d: %w", r.ID, err)
		}
		_, err = w.WriteString(separator + string(line))
		separator = ",\n"
		return err
	})
	if err != nil {
		return err
	}
	if separator == "[\n" {
		separator = "["
	} else {
		separator = "\n"
	}
	if _, err := w.WriteString(separator + "]\n"); err != nil {
		return err
	}
	return w.Flush()
}

func newGameLine(r *store.Game) gameLine {
	moves := make([]string, len(r.Moves))
	for i, m := range r.Moves {
		moves[i] = m.Move
	}
	return gameLine{
		ID: r.ID, Event: r.Event, Number: r.Number, Round: r.Round, Pair: r.Pair, Stage: r.Stage, Game: r.Game.Game,
		First: r.First, Second: r.Second, FirstVersion: r.FirstVersion, SecondVersion: r.SecondVersion,
		Opening: openingText(r.Opening), Result: string(r.Result), Reason: string(r.Reason), Detail: r.Detail, Blame: r.Blame,
		Plies: r.Plies, Moves: moves, Seconds: r.Wall.Seconds(),
		FirstCPU: r.CPU[0].Seconds(), SecondCPU: r.CPU[1].Seconds(), Void: r.Attempts,
	}
}

// openingText writes an opening on one line: its position, its moves, or both.
func openingText(o arena.Opening) string {
	moves := strings.Join(o.Moves, " ")
	switch {
	case o.Position == "":
		return moves
	case moves == "":
		return o.Position
	}
	return o.Position + " moves " + moves
}

func gamesTable(records []store.Game, withMoves bool) report.Table {
	t := report.Table{Columns: []report.Column{
		{Name: "ID"},
		{Name: "Event", Left: true},
		{Name: "No"},
		{Name: "Round"},
		{Name: "Pair"},
		{Name: "First", Left: true},
		{Name: "Second", Left: true},
		{Name: "Result"},
		{Name: "Reason", Left: true},
		{Name: "Plies"},
	}}
	if withMoves {
		t.Columns = append(t.Columns, report.Column{Name: "Opening", Left: true}, report.Column{Name: "Moves", Left: true})
	}
	for i := range records {
		l := newGameLine(&records[i])
		reason := l.Reason
		if l.Blame != "" {
			reason += " of " + l.Blame
		}
		if l.Detail != "" {
			reason += ": " + l.Detail
		}
		if l.Void > 0 {
			reason = strings.TrimSpace(fmt.Sprintf("%s (void %d times before)", reason, l.Void))
		}
		row := []string{
			strconv.FormatInt(l.ID, 10), l.Event, strconv.Itoa(l.Number), strconv.Itoa(l.Round), strconv.Itoa(l.Pair),
			l.First, l.Second, l.Result, reason, strconv.Itoa(l.Plies),
		}
		if withMoves {
			row = append(row, l.Opening, strings.Join(l.Moves, " "))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
