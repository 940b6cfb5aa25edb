package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"botarena/arena/report"
	"botarena/bots/builtin"
	"botarena/engine/games"
)

// levelLine is one line of `arena bots levels`.
type levelLine struct {
	Bot    string   `json:"bot"`
	Level  int      `json:"level,omitempty"`
	Nodes  int64    `json:"nodes,omitempty"`
	Random int      `json:"random_percent,omitempty"`
	Elo    *float64 `json:"elo,omitempty"`
	Error  *float64 `json:"error,omitempty"`
	Games  int      `json:"games,omitempty"`
}

func (a *app) botsLevelsCommand() *cobra.Command {
	var output outputFlags
	var game string
	cmd := &cobra.Command{
		Use:   "levels",
		Short: "List the levels of minimax, and how strong they are",
		Long: `List the levels that minimax plays at with --level or the option Level, and what
they were rated in a pool with random and greedy: Elo by maximum likelihood, from
games of arena's own, with the 95 % interval. Numbers of different games have
nothing to do with each other.

A level is so many positions that the bot may look at for a move, and at the
bottom a share of random moves: it plays alike on every machine and clock.`,
		Example: "  arena bots levels\n  arena bots levels --game owlman --json\n  arena play minimax --level 4",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			g, err := games.All().Lookup(game)
			if err != nil {
				return usageError(err)
			}
			lines, err := levelLines(g.Name())
			if err != nil {
				return err
			}
			return output.print(a, lines, func() report.Table { return levelTable(g.Name(), lines) })
		},
	}
	cmd.Flags().StringVarP(&game, "game", "g", "breakthrough", "the `game`")
	complete(cmd, "game", completeGames)
	output.register(cmd)
	return cmd
}

// builtinLines lists the bots of a game: those without a rating, the strongest
// first, and then the pool.
func builtinLines(game string) ([]levelLine, error) {
	lines, err := levelLines(game)
	if err != nil {
		return nil, err
	}
	for _, b := range builtin.All() {
		inPool := func(l levelLine) bool { return l.Bot == b.Name && l.Level == 0 }
		if _, err := b.New(games.All()).Games.Lookup(game); err == nil && !slices.ContainsFunc(lines, inPool) {
			lines = append([]levelLine{{Bot: b.Name}}, lines...)
		}
	}
	return lines, nil
}

func builtinTable(game string, lines []levelLine) report.Table {
	t := levelTable(game, lines)
	t.Title = "built-in bots · " + game
	t.Notes = append(t.Notes, "A level: arena play minimax --level 4. Bots of your own: arena bots list.")
	return t
}

// levelLines lists what was rated, the strongest first, or the levels without ratings
// where the game has not been calibrated.
func levelLines(game string) ([]levelLine, error) {
	levels := builtin.LevelsOf(game)
	pool, err := builtin.Ratings(game)
	if err != nil {
		return nil, err
	}
	var lines []levelLine
	add := func(bot string, level int) *levelLine {
		line := levelLine{Bot: bot, Level: level}
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
	return lines, nil
}

func levelTable(game string, lines []levelLine) report.Table {
	t := report.Table{
		Title:   "levels · " + game,
		Columns: []report.Column{{Name: "Bot", Left: true}, {Name: "Level"}, {Name: "Nodes"}, {Name: "Random"}, {Name: "Elo"}, {Name: "±"}, {Name: "Games"}},
	}
	rated := false
	for _, l := range lines {
		row := []string{l.Bot, "", "", "", "", "", ""}
		if l.Level > 0 {
			row[1], row[2] = fmt.Sprint(l.Level), fmt.Sprint(l.Nodes)
		}
		if l.Random > 0 {
			row[3] = fmt.Sprintf("%d%%", l.Random)
		}
		if l.Elo != nil {
			rated = true
			row[4], row[5], row[6] = fmt.Sprintf("%+.0f", *l.Elo), fmt.Sprintf("%.0f", *l.Error), fmt.Sprint(l.Games)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{"Elo: in a pool of these bots at this game; ±: 95 % interval. Nodes: positions looked at for a move; Random: share of moves."}
	if !rated {
		t.Notes = []string{"The levels of this game have not been calibrated."}
	}
	return t
}
