package standings

import (
	"fmt"

	"botarena/arena/listing"
	"botarena/arena/store"
	"botarena/arena/text"
	"botarena/engine"
)

// An EloLine is one game in a bot's history.
type EloLine struct {
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

// BotHistoryChart draws a line for each event and version of a bot.
func BotHistoryChart(bot string, steps []store.EloStep, events []store.Event) *LineChart {
	start := map[string]float64{}
	for i := range events {
		start[events[i].Name] = events[i].Elo.Start
	}
	type key struct {
		event   string
		version int
	}
	at := map[key]int{}
	c := &LineChart{Title: bot + " · incremental Elo over games", Unit: "games"}
	for i := range steps {
		st := &steps[i]
		k := key{st.Event, st.Version}
		if _, ok := at[k]; !ok {
			at[k] = len(c.Series)
			c.Series = append(c.Series, Series{Name: fmt.Sprintf("%s · %s · v%d", st.Event, st.Game, st.Version), Start: start[st.Event]})
		}
		line := &c.Series[at[k]]
		line.Ratings = append(line.Ratings, st.Rating)
	}
	return c
}

// NewEloLine describes a game in a history.
func NewEloLine(st *store.EloStep) EloLine {
	score, _ := st.Result.Score()
	if st.Side == engine.Second {
		score = 1 - score
	}
	side := "first"
	if st.Side == engine.Second {
		side = "second"
	}
	return EloLine{
		Event: st.Event, Game: st.Game, Number: st.Number, Version: st.Version, At: st.At.UTC().Format("2006-01-02T15:04:05Z"),
		Opponent: st.Opponent, Side: side, Result: string(st.Result), Score: score,
		Rating: st.Rating, Change: st.Change, Games: st.Games,
	}
}

// BotHistoryTable lists the games of a bot.
func BotHistoryTable(bot string, list []EloLine) listing.Table {
	t := listing.Table{
		Title: fmt.Sprintf("%s · %s", bot, text.Plural(len(list), "game")),
		Columns: []listing.Column{
			{Name: "Event", Left: true},
			{Name: "Game"},
			{Name: "Version"},
			{Name: "Opponent", Left: true},
			{Name: "Side", Left: true},
			{Name: "Result"},
			{Name: "Change"},
			{Name: "Elo", As: listing.Tenths},
		},
	}
	for i := range list {
		h := &list[i]
		change := listing.Cell{Text: fmt.Sprintf("%+.1f", h.Change), Value: h.Change}
		t.Rows = append(t.Rows, []any{h.Event, h.Number, h.Version, h.Opponent, h.Side, h.Result, change, h.Rating})
	}
	if len(list) == 0 {
		t.Notes = []string{"No rated game yet."}
	}
	return t
}
