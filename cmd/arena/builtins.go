package main

import (
	"fmt"
	"slices"

	"botarena/arena/listing"
	"botarena/bots/builtin"
	"botarena/engine/games"
)

// builtinLine is a built-in bot or one of its levels, as `arena bots --json` prints it.
type builtinLine struct {
	Bot    string   `json:"bot"`
	Level  int      `json:"level,omitempty"`
	Nodes  int64    `json:"nodes,omitempty"`
	Random int      `json:"random_percent,omitempty"`
	Elo    *float64 `json:"elo,omitempty"`
	Error  *float64 `json:"elo_error,omitempty"`
	Games  int      `json:"games,omitempty"`
}

// builtinLines lists the bots of a game: those without a rating, the strongest first,
// and then the rated pool, or the levels if none was rated.
func builtinLines(game string) ([]builtinLine, error) {
	levels := builtin.LevelsOf(game)
	pool, err := builtin.Ratings(game)
	if err != nil {
		return nil, err
	}
	var lines []builtinLine
	add := func(bot string, level int) *builtinLine {
		line := builtinLine{Bot: bot, Level: level}
		if level > 0 {
			line.Nodes, line.Random = levels[level-1].Nodes, levels[level-1].Random
		}
		lines = append(lines, line)
		return &lines[len(lines)-1]
	}
	for _, r := range pool {
		line := add(r.Bot, r.Level)
		line.Elo, line.Error, line.Games = &r.Elo, &r.Error, r.Games
	}
	if len(pool) == 0 {
		for level := builtin.Levels; level > 0; level-- {
			add("minimax", level)
		}
	}
	for _, b := range builtin.All() {
		inPool := func(l builtinLine) bool { return l.Bot == b.Name && l.Level == 0 }
		if _, err := b.New(games.All()).Games.Lookup(game); err == nil && !slices.ContainsFunc(lines, inPool) {
			lines = slices.Insert(lines, 0, builtinLine{Bot: b.Name})
		}
	}
	return lines, nil
}

func builtinTable(game string, lines []builtinLine) listing.Table {
	t := listing.Table{
		Title:   "built-in bots · " + game,
		Columns: []listing.Column{{Name: "Bot", Left: true}, {Name: "Level"}, {Name: "Nodes"}, {Name: "Random", As: listing.Percent}, {Name: "Elo", As: listing.Signed}, {Name: "±", Key: "elo_error", As: listing.Whole}, {Name: "Games"}},
	}
	rated := false
	for _, l := range lines {
		row := []any{l.Bot, "", "", "", "", "", ""}
		if l.Level > 0 {
			row[1], row[2] = fmt.Sprint(l.Level), fmt.Sprint(l.Nodes)
		}
		if l.Random > 0 {
			row[3] = listing.Cell{Text: fmt.Sprintf("%d%%", l.Random), Value: float64(l.Random) / 100}
		}
		if l.Elo != nil {
			rated = true
			row[4], row[5], row[6] = l.Elo, l.Error, l.Games
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{"Elo: in a pool of these bots at this game; ±: 95 % interval. Nodes: positions looked at for a move; Random: share of moves."}
	if !rated {
		t.Notes = []string{"The levels of this game have not been calibrated."}
	}
	t.Notes = append(t.Notes, "A level: arena play minimax --level 4. Bots of your own: arena bots list.")
	return t
}
