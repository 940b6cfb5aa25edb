package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/rating"
	"botarena/arena/standings"
	"botarena/arena/store"
)

func (a *app) leaderboardCommand() *cobra.Command {
	var of selectFlags
	var anchor string
	var rated standings.Rated
	var links string
	var charts chartFlags
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "leaderboard",
		Short: "Rank the bots of an event or of a game",
		Long: `Rank the bots of an event, or of the events of a game that are rated together; of
the latest event where neither is named. In an event its format decides the places
(points and tie-breaks, or how far a bot came), with Elo beside them; over several
events Elo decides. Earlier versions of a bot stand below it.

Events of a game are rated together that name the same league in their files, or
none and have the same clock; --league chooses one. Sequential tests and tunings stay out.

Elo is the maximum-likelihood rating with 95 % intervals from pairs of games. Of two
bots alone it is the difference between them, by their score against each other, or
by their test. Where a bot won or lost everything, a prior of 400 Elo rates it with
the others, which is said below the table; --prior 0 gives it a bound instead. Bots
that no game links are rated apart, in pools.

--link-versions takes a bot's next version to be about as strong as the last: a prior
N(0, s^2) on the difference between them, in the same fit, so that a new version has
a fair rating after few games. s is estimated from the results of all versions, or
given: --link-versions=30. It costs where a version leaps by far more than s: until
some 50 games say so, and it is linked no more, its rating lags behind. In leagues it
is on (link_versions: off in the league's file turns it off), else off.

--nash adds the maximum-entropy Nash average, which copies of a bot do not move
and which suits pools where a beats b beats c beats a.`,
		Example: `  arena leaderboard
  arena leaderboard --event spring --markdown
  arena leaderboard --game breakthrough:6x6 --anchor random=1000
  arena leaderboard --chart
  arena leaderboard --game breakthrough:6x6 --link-versions
  arena leaderboard --event spring --link-versions=30
  arena leaderboard --nash --svg ratings.svg
  arena leaderboard --json`,
		PreRunE: func(cmd *cobra.Command, _ []string) (err error) { // before the database is looked for
			if rated.Anchor, err = parseAnchor(anchor); err == nil {
				rated.Prior, rated.PriorIfApart, err = priorOf(cmd)
			}
			if err == nil {
				rated.LinkVersions, err = linksOf(links)
			}
			return err
		},
		RunE: a.reads(func(cmd *cobra.Command, _ []string, s *store.Store) error {
			sel, err := of.choose(cmd.Context(), s)
			if err != nil {
				return err
			}
			sel.Rated = rated
			lb, err := sel.Leaderboard()
			if err != nil {
				return anchorError(err)
			}
			chart := output.chart(lb.Chart())
			return charts.print(a, &chart, func() error { return output.print(a, lb, lb.Table) })
		}),
	}
	of.register(cmd)
	cmd.Flags().StringVar(&anchor, "anchor", "", "give a bot a fixed rating: `BOT=1500`")
	cmd.Flags().BoolVar(&rated.Nash, "nash", false, "add the maximum-entropy Nash average")
	registerLinks(cmd, &links, "as the event says, on in leagues")
	registerPrior(cmd)
	charts.register(cmd)
	output.register(cmd)
	output.registerNotes(cmd)
	cmd.MarkFlagsMutuallyExclusive("chart", "json", "csv", "markdown")
	return cmd
}

func registerLinks(cmd *cobra.Command, links *string, usual string) {
	cmd.Flags().StringVar(links, "link-versions", "", "draw each version of a bot to the one before it: on, off, or by how many `Elo` they differ (default: "+usual+")")
	cmd.Flags().Lookup("link-versions").NoOptDefVal = string(arena.LinksOn)
}

// linksOf checks the value of --link-versions.
func linksOf(value string) (arena.LinkVersions, error) {
	links := arena.LinkVersions(value)
	if _, _, err := links.Parse(); err != nil {
		return "", usagef("--link-versions=%w", err)
	}
	return links, nil
}

func registerPrior(cmd *cobra.Command) {
	cmd.Flags().Float64("prior", 0, fmt.Sprintf(
		"standard deviation in `Elo` of a prior on each rating; 0 is none (default: none, but %d where the results alone cannot compare all)", rating.UsualPrior))
}

// priorOf returns the requested prior; without one, the prior for results that alone
// cannot compare all bots.
func priorOf(cmd *cobra.Command) (prior, ifApart float64, err error) {
	if !cmd.Flags().Changed("prior") {
		return 0, rating.UsualPrior, nil
	}
	if prior, err = cmd.Flags().GetFloat64("prior"); err != nil {
		return 0, 0, err
	}
	// Not "prior < 0", which lets NaN pass. A prior narrower than 1 Elo says that
	// nobody differs, and one wider than 10,000 is none.
	if prior != 0 && !(prior >= 1 && prior <= 10_000) {
		err = usagef("--prior %g: give a standard deviation in Elo from 1 to 10000; 400 is usual", prior)
	}
	return prior, 0, err
}

// anchorError makes a usage error of an error about the anchor.
func anchorError(err error) error {
	if is[*rating.UnknownBotError](err) || is[*rating.UnratedBotError](err) {
		return fmt.Errorf("--anchor: %w", err)
	}
	return err
}

// parseAnchor parses BOT=ELO; a bot's name may contain "=".
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
