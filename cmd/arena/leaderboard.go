package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"botarena/arena/rating"
	"botarena/arena/report"
)

func (a *app) leaderboardCommand() *cobra.Command {
	var event, game, anchor string
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "leaderboard",
		Short: "Rank the bots of an event or of a game",
		Long: `Rank the bots of an event, or of all events of a game; of the latest event where
neither is named. Ratings are maximum-likelihood Elo with 95 % intervals.`,
		Example: `  arena leaderboard
  arena leaderboard --event spring --markdown
  arena leaderboard --game breakthrough:6x6 --anchor random=1000
  arena leaderboard --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.openRead(cmd)
			if err != nil {
				return err
			}
			defer s.Close()
			at, err := parseAnchor(anchor)
			if err != nil {
				return err
			}
			sel, err := choose(cmd.Context(), s, event, game, true)
			if err != nil {
				return err
			}
			lb, err := sel.leaderboard(at)
			if err != nil {
				return err
			}
			return output.print(a, lb, lb.Table)
		},
	}
	cmd.Flags().StringVar(&event, "event", "", "the `event`")
	cmd.Flags().StringVar(&game, "game", "", "all events of this `game`")
	cmd.Flags().StringVar(&anchor, "anchor", "", "give a bot a fixed rating: `BOT=1500`")
	output.register(cmd)
	return cmd
}

// leaderboard rates the selected games.
func (s *selection) leaderboard(anchor *rating.Anchor) (*report.Leaderboard, error) {
	o := report.Options{Game: s.game, Sides: s.sides(), Anchor: anchor}
	if s.event != nil {
		o.Event = s.event.Name
		o.Incremental = map[string]float64{}
		for _, e := range s.event.Entries {
			o.Incremental[e.Name] = e.Rating
		}
	}
	return report.NewLeaderboard(s.games, o)
}

// parseAnchor reads BOT=ELO; a bot's name may contain "=".
func parseAnchor(text string) (*rating.Anchor, error) {
	if text == "" {
		return nil, nil
	}
	i := strings.LastIndexByte(text, '=')
	if i <= 0 {
		return nil, usagef("--anchor %q: write BOT=ELO, such as random=1000", text)
	}
	elo, err := strconv.ParseFloat(text[i+1:], 64)
	if err != nil || elo < -1e6 || elo > 1e6 {
		return nil, usagef("--anchor %q: %q is not a rating; write BOT=ELO, such as random=1000", text, text[i+1:])
	}
	return &rating.Anchor{Name: text[:i], Elo: elo}, nil
}
