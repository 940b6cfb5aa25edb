package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"botarena/arena/report"
	"botarena/arena/store"
	"botarena/engine"
	"botarena/engine/nearest"
)

// historyJSON is one game in a bot's history.
type historyJSON struct {
	Event    string  `json:"event"`
	Game     string  `json:"game"`
	Number   int     `json:"number"` // of the game in its event
	Version  int     `json:"version"`
	At       string  `json:"at"` // RFC 3339
	Opponent string  `json:"opponent"`
	Side     string  `json:"side"`
	Result   string  `json:"result"` // from the first side's view
	Score    float64 `json:"score"`  // of the bot
	Rating   float64 `json:"rating"`
	Change   float64 `json:"change"`
	Games    int     `json:"games"` // rated games in this event, this one included
}

func (a *app) historyCommand() *cobra.Command {
	var event string
	var charts chartFlags
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "history BOT",
		Short: "Show how a bot's incremental Elo went, game by game",
		Long: `Show how a bot's incremental Elo went, game by game. It is updated after each
game in the order of the schedule and begins anew with each event, so it tells
how the bot did on the way; how strong it is says the leaderboard.`,
		Example: `  arena history minimax
  arena history minimax --event spring --csv
  arena history minimax --svg minimax.svg`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.openRead(cmd)
			if err != nil {
				return err
			}
			defer func() { _ = s.Close() }() // nothing was written
			steps, err := s.History(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			events, err := s.Events(cmd.Context())
			if err != nil {
				return err
			}
			if steps, err = historyOf(steps, args[0], event, events); err != nil {
				return err
			}
			lines := historyLines(args[0], steps, events)
			if only, err := charts.save(a, lines.WriteSVG); err != nil || only {
				return err
			}
			list := make([]historyJSON, len(steps))
			for i := range steps {
				list[i] = historyStep(&steps[i])
			}
			return output.print(a, list, func() report.Table { return historyTable(args[0], list) })
		},
	}
	cmd.Flags().StringVar(&event, "event", "", "this `event` only")
	charts.registerSVG(cmd, "draw the rating over games to this SVG `file` as well (- is stdout, and then nothing else)")
	output.register(cmd)
	return cmd
}

// historyOf picks the steps of one event, of all where none is named.
func historyOf(steps []store.Step, bot, event string, events []store.Event) ([]store.Step, error) {
	if event == "" {
		return steps, nil
	}
	names := make([]string, len(events))
	for i := range events {
		names[i] = events[i].Name
		if names[i] != event {
			continue
		}
		var picked []store.Step
		for _, st := range steps {
			if st.Event == event {
				picked = append(picked, st)
			}
		}
		if picked == nil {
			return nil, fmt.Errorf("%s has no rated game in event %q; leave out --event for its other games", bot, event)
		}
		return picked, nil
	}
	err := &store.UnknownEventError{Name: event, Nearest: nearest.Of(event, names), Known: len(names)}
	return nil, err
}

// historyLines is a line for each event and version.
func historyLines(bot string, steps []store.Step, events []store.Event) *report.LineChart {
	start := map[string]float64{}
	for i := range events {
		start[events[i].Name] = events[i].Elo.Start
	}
	type key struct {
		event   string
		version int
	}
	at := map[key]int{}
	c := &report.LineChart{Title: bot + " · incremental Elo over games"}
	for i := range steps {
		st := &steps[i]
		k := key{st.Event, st.Version}
		if _, ok := at[k]; !ok {
			at[k] = len(c.Series)
			c.Series = append(c.Series, report.Series{Name: fmt.Sprintf("%s · %s · v%d", st.Event, st.Game, st.Version), Start: start[st.Event]})
		}
		line := &c.Series[at[k]]
		line.Ratings = append(line.Ratings, st.Rating)
	}
	return c
}

func historyStep(st *store.Step) historyJSON {
	score, _ := st.Result.Score()
	if st.Side == engine.Second {
		score = 1 - score
	}
	side := "first"
	if st.Side == engine.Second {
		side = "second"
	}
	return historyJSON{
		Event: st.Event, Game: st.Game, Number: st.Number, Version: st.Version, At: st.At.UTC().Format("2006-01-02T15:04:05Z"),
		Opponent: st.Opponent, Side: side, Result: string(st.Result), Score: score,
		Rating: st.Rating, Change: st.Change, Games: st.Games,
	}
}

func historyTable(bot string, list []historyJSON) report.Table {
	t := report.Table{
		Title: fmt.Sprintf("%s · %s", bot, counted(len(list), "game")),
		Columns: []report.Column{
			{Name: "Event", Left: true},
			{Name: "Game"},
			{Name: "Version"},
			{Name: "Opponent", Left: true},
			{Name: "Side", Left: true},
			{Name: "Result"},
			{Name: "Change"},
			{Name: "Elo"},
		},
	}
	for i := range list {
		h := &list[i]
		t.Rows = append(t.Rows, []string{
			h.Event, strconv.Itoa(h.Number), strconv.Itoa(h.Version), h.Opponent, h.Side, h.Result,
			fmt.Sprintf("%+.1f", h.Change), fmt.Sprintf("%.1f", h.Rating),
		})
	}
	if len(list) == 0 {
		t.Notes = []string{"No rated game yet."}
	}
	return t
}
