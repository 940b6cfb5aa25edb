package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"botarena/arena/listing"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/arena/text"
)

// historyFlags holds the flags of `arena history`.
type historyFlags struct {
	selectFlags
	by, anchor          string
	prior, priorIfApart float64
	last                int
	charts              chartFlags
	output              outputFlags
}

// mostHistoryDays is the number of days beyond which a history goes by weeks.
const mostHistoryDays = 60

func (a *app) historyCommand() *cobra.Command {
	var x historyFlags
	cmd := &cobra.Command{
		Use:   "history [BOT]",
		Short: "Show how the ratings went over time, or one bot's game by game",
		Long: `Show how the ratings of all bots went, over days and events: the
maximum-likelihood rating at the end of each day (or week, or event) over all
games until then, in one chart. It is of the events of a game that are rated
together, as the leaderboard says: those of --game, or of the latest event; --event
takes one event alone. --csv and --json have every rating at every point.

With the name of a bot, show how its incremental Elo went, game by game. It is
updated after each game in the order of the schedule and begins anew with each
event, so it tells how the bot did on the way; how strong it is says the
leaderboard.`,
		Example: `  arena history
  arena history --game outwit --by event --anchor random=0
  arena history --csv > ratings.csv
  arena history --svg ratings.svg
  arena history minimax --event spring
  arena history minimax --last 20 --csv`,
		RunE: a.reads(func(cmd *cobra.Command, args []string, s *store.Store) error {
			own := []string{"last"}
			if len(args) == 1 {
				own = []string{"game", "league", "by", "anchor", "prior"}
			}
			for _, flag := range own {
				if cmd.Flags().Changed(flag) {
					return usagef("--%s goes %s the name of a bot", flag, map[bool]string{true: "without", false: "with"}[len(args) == 1])
				}
			}
			var err error
			if x.prior, x.priorIfApart, err = priorOf(cmd); err != nil {
				return err
			}
			if len(args) == 1 {
				return a.botHistory(cmd.Context(), s, args[0], &x)
			}
			return a.history(cmd.Context(), s, &x)
		}),
	}
	f := cmd.Flags()
	x.register(cmd)
	f.StringVar(&x.by, "by", "", "`period` of which each rating is the end: day, week or event (default: day, or week after 60 days)")
	f.StringVar(&x.anchor, "anchor", "", "give a bot a fixed rating: `BOT=1500`")
	registerPrior(cmd)
	f.IntVar(&x.last, "last", 0, "with BOT: only the last games, by `number` (default: all; on a terminal 40)")
	x.charts.registerSVG(cmd, "draw the ratings to this SVG `file` as well (- is stdout, and then nothing else)")
	x.output.register(cmd)
	return cmd
}

// history shows the ratings of all bots over time.
func (a *app) history(ctx context.Context, s *store.Store, x *historyFlags) error {
	at, err := parseAnchor(x.anchor)
	if err != nil {
		return err
	}
	periods := []string{string(store.ByDay), string(store.ByWeek), string(store.ByEvent)}
	if x.by != "" && !slices.Contains(periods, x.by) {
		return usagef("--by %q: give %s", x.by, strings.Join(periods, ", "))
	}
	sel, err := x.choose(ctx, s)
	if err != nil {
		return err
	}
	if league := standings.LeagueOf(&sel.Config); x.event == "" && sel.Event != nil && league != "" { // of the latest event
		of := selectFlags{game: sel.Game, league: cmp.Or(x.league, league)}
		if sel, err = of.choose(ctx, s); err != nil {
			return err
		}
	}
	events := sel.Scope.Events
	sel.Anchor, sel.Prior, sel.PriorIfApart = at, x.prior, x.priorIfApart
	if sel.Event != nil {
		events = []string{sel.Event.Name}
	}
	counts, by, err := s.Periods(ctx, events, store.Period(x.by), mostHistoryDays)
	if err != nil {
		return err
	}
	if len(counts) == 0 {
		return fmt.Errorf("%s has no finished games of %s; `arena events` lists what it has", s.Path(), sel.Game)
	}
	h, err := sel.History(counts, string(by))
	if err != nil {
		return anchorError(err)
	}
	if only, err := x.charts.save(a, h.WriteSVG); err != nil || only {
		return err
	}
	switch {
	case x.output.json:
		return a.printJSON(h)
	case x.output.csv:
		return h.Long().Write(a.out, listing.CSV)
	case x.output.markdown:
		return h.Table().Write(a.out, listing.Markdown)
	}
	width, ok := a.terminal(a.out)
	if !ok {
		width = 80
	}
	_, err = io.WriteString(a.out, h.Text(width))
	return err
}

// botHistory shows the incremental Elo of one bot.
func (a *app) botHistory(ctx context.Context, s *store.Store, bot string, x *historyFlags) error {
	if x.last < 0 {
		return usagef("--last %d: give a number from 1", x.last)
	}
	steps, err := s.History(ctx, bot, x.event)
	if err != nil {
		return err
	}
	if x.event != "" && len(steps) == 0 {
		return fmt.Errorf("%s has no rated game in event %q; leave out --event for its other games", bot, x.event)
	}
	events, err := s.Events(ctx)
	if err != nil {
		return err
	}
	lines := standings.BotHistoryChart(bot, steps, events)
	if only, err := x.charts.save(a, lines.WriteSVG); err != nil || only {
		return err
	}
	last := x.last
	if _, terminal := a.terminal(a.out); terminal && last == 0 && !x.output.json && !x.output.csv {
		last = gamesOnTerminal
	}
	more := 0
	if last > 0 {
		more = max(0, len(steps)-last)
		steps = steps[more:]
	}
	list := make([]standings.EloLine, len(steps))
	for i := range steps {
		list[i] = standings.NewEloLine(&steps[i])
	}
	return x.output.print(a, list, func() listing.Table {
		t := standings.BotHistoryTable(bot, list)
		if more > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("Not shown: %s before these; --last %d shows the last %d.", text.Plural(more, "game"), 10*last, 10*last))
		}
		return t
	})
}
