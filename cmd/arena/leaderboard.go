package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"botarena/arena/rating"
	"botarena/arena/report"
)

func (a *app) leaderboardCommand() *cobra.Command {
	var event, game, anchor string
	var nash bool
	var prior float64
	var charts chartFlags
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "leaderboard",
		Short: "Rank the bots of an event or of a game",
		Long: `Rank the bots of an event, or of all events of a game; of the latest event where
neither is named. Ratings are maximum-likelihood Elo with 95 % intervals from
pairs of games. Bots that cannot be compared by results are rated in pieces, and
those that won or lost everything get a bound instead; --prior rates all of them
together, at the price that the prior then moves the numbers.

--nash adds the maximum-entropy Nash average, which copies of a bot do not move
and which suits pools where a beats b beats c beats a.`,
		Example: `  arena leaderboard
  arena leaderboard --event spring --markdown
  arena leaderboard --game breakthrough:6x6 --anchor random=1000
  arena leaderboard --chart
  arena leaderboard --nash --svg ratings.svg
  arena leaderboard --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.openRead(cmd)
			if err != nil {
				return err
			}
			defer func() { _ = s.Close() }() // nothing was written
			at, err := parseAnchor(anchor)
			if err != nil {
				return err
			}
			if err := checkPrior(prior); err != nil {
				return err
			}
			sel, err := choose(cmd.Context(), s, event, game)
			if err != nil {
				return err
			}
			o := sel.options()
			o.Anchor, o.Prior, o.Nash = at, prior, nash
			lb, err := report.NewLeaderboard(&sel.counts, o)
			if err != nil {
				return anchorError(err)
			}
			chart := lb.Chart()
			return charts.print(a, &chart, func() error { return output.print(a, lb, lb.Table) })
		},
	}
	cmd.Flags().StringVar(&event, "event", "", "the `event`")
	cmd.Flags().StringVar(&game, "game", "", "all events of this `game`")
	cmd.Flags().StringVar(&anchor, "anchor", "", "give a bot a fixed rating: `BOT=1500`")
	cmd.Flags().BoolVar(&nash, "nash", false, "add the maximum-entropy Nash average")
	registerPrior(cmd, &prior)
	charts.register(cmd)
	output.register(cmd)
	cmd.MarkFlagsMutuallyExclusive("chart", "json", "csv", "markdown")
	return cmd
}

func registerPrior(cmd *cobra.Command, prior *float64) {
	cmd.Flags().Float64Var(prior, "prior", 0, "standard deviation in `Elo` of a prior on each rating (400 is usual; default: none)")
}

func checkPrior(prior float64) error {
	// Not "prior < 0", which lets NaN pass. A prior narrower than 1 Elo says that
	// nobody differs, and one wider than 10,000 is none.
	if prior != 0 && !(prior >= 1 && prior <= 10_000) {
		return usagef("--prior %g: give a standard deviation in Elo from 1 to 10000; 400 is usual", prior)
	}
	return nil
}

// leaderboard rates the selected games.
func (s *selection) leaderboard(anchor *rating.Anchor) (*report.Leaderboard, error) {
	o := s.options()
	o.Anchor = anchor
	return report.NewLeaderboard(&s.counts, o)
}

// options are those of a leaderboard of the selected games.
func (s *selection) options() report.Options {
	o := report.Options{Game: s.game, Sides: s.sides()}
	if s.event != nil {
		o.Event = s.event.Name
		o.Incremental = map[string]float64{}
		for _, e := range s.event.Entries {
			o.Incremental[e.Name] = e.Rating
		}
	}
	return o
}

// anchorError tells wrong anchors from what is wrong with the results.
func anchorError(err error) error {
	var unknown *rating.UnknownBotError
	var unrated *rating.UnratedBotError
	if errors.As(err, &unknown) || errors.As(err, &unrated) {
		return usageError(fmt.Errorf("--anchor: %w", err))
	}
	return err
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
	if err != nil || !(elo >= -1e6 && elo <= 1e6) {
		return nil, usagef("--anchor %q: %q is not a rating; write BOT=ELO, such as random=1000", text, text[i+1:])
	}
	return &rating.Anchor{Name: text[:i], Elo: elo}, nil
}
