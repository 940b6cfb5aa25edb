package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/listing"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/arena/text"
	"botarena/engine/nearest"
)

// gamesFlags selects the games that `arena games` lists.
type gamesFlags struct {
	store.Filter
	result, reason, since string
	lost, all             bool
	output                outputFlags
}

// gamesOnTerminal is the default number of games listed on a terminal.
const gamesOnTerminal = 40

func (a *app) gamesCommand() *cobra.Command {
	var x gamesFlags
	cmd := &cobra.Command{
		Use:   "games",
		Short: "List games",
		Long: `List the games of an event, of a game, or of a bot; all games without a filter,
those still to be played included. "arena show ID" replays one.

A terminal is shown the last 40, unless --all or --last says otherwise; a file or
another program gets all. --json and --csv have the moves as well.`,
		Example: `  arena games --event spring
  arena games --bot mine --lost                 its losses, and why
  arena games --reason "time forfeit" --since 7d
  arena games --bot mine --against other --result won --last 5
  arena games --bot mine --json`,
		PreRunE: func(*cobra.Command, []string) error { return x.parse(a.now()) }, // before the database is looked for
		RunE: a.reads(func(cmd *cobra.Command, _ []string, s *store.Store) error {
			if err := checkFilter(cmd.Context(), s, &x.Filter); err != nil {
				return err
			}
			if _, terminal := a.terminal(a.out); terminal && !x.all && x.Last == 0 && !x.output.json && !x.output.csv {
				x.Last = gamesOnTerminal
			}
			x.Current = x.Event == ""
			x.Moves = x.output.json || x.output.csv
			if x.output.json {
				return a.streamGames(cmd, s, x.Filter)
			}
			return a.gamesTable(cmd.Context(), s, &x)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&x.Event, "event", "", "only games of this `event`")
	f.StringVar(&x.Game, "game", "", "only games of this `game`")
	f.StringVar(&x.Bot, "bot", "", "only games of this `bot`")
	f.StringVar(&x.Against, "against", "", "with --bot: only games against this `bot`")
	f.StringVar(&x.result, "result", "", "only games with this `result`: 1-0, 0-1 or 1/2-1/2; with --bot also won, drawn or lost")
	f.BoolVar(&x.lost, "lost", false, "with --bot: only games that it lost")
	f.StringVar(&x.reason, "reason", "", "only games that ended for this `reason`, such as \"time forfeit\"")
	f.StringVar(&x.since, "since", "", "only games begun since a `day` (2026-01-31, UTC), or so long ago (36h, 7d)")
	f.IntVar(&x.Last, "last", 0, "only the last games, by `number`")
	f.BoolVar(&x.all, "all", false, "all games, on a terminal too")
	cmd.MarkFlagsMutuallyExclusive("all", "last")
	cmd.MarkFlagsMutuallyExclusive("lost", "result")
	x.output.register(cmd)
	cmd.AddCommand(a.gamesVoidCommand(), a.gamesVoidedCommand())
	return cmd
}

// parse parses the flags whose values are words.
func (x *gamesFlags) parse(now time.Time) error {
	if x.Last < 0 {
		return usagef("--last %d: give a number from 1", x.Last)
	}
	if x.lost {
		x.result = "lost"
	}
	outcomes := map[string]store.Outcome{"won": store.Won, "drawn": store.Drawn, "lost": store.Lost}
	switch outcome, ofBot := outcomes[x.result]; {
	case x.Bot == "" && (x.Against != "" || x.lost || ofBot):
		flag := "--against"
		if x.Against == "" {
			flag = "--" + x.result
			if !x.lost {
				flag = "--result " + x.result
			}
		}
		return usagef("%s: name whose games with --bot", flag)
	case ofBot:
		x.Outcome = outcome
	case x.result == "" || slices.Contains([]arena.Result{arena.FirstWins, arena.SecondWins, arena.Draw}, arena.Result(x.result)):
		x.Result = arena.Result(x.result)
	default:
		return usagef("--result %q: give 1-0, 0-1 or 1/2-1/2, or with --bot won, drawn or lost", x.result)
	}
	if x.reason != "" {
		var names []string
		for _, r := range arena.Reasons() {
			names = append(names, string(r))
		}
		if !slices.Contains(names, x.reason) {
			return usagef("--reason %q: %s", x.reason, nearest.Hint(x.reason, names, "give one of "+strings.Join(names, ", ")))
		}
		x.Reason = arena.Reason(x.reason)
	}
	var err error
	x.Since, err = parseSince(x.since, now)
	return err
}

// parseSince parses a day, or a duration before now.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return now.AddDate(0, 0, -int(n)), nil
		}
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	return time.Time{}, usagef("--since %q: give a day such as 2026-01-31, or how long ago: 36h, 7d", text)
}

// streamGames prints the games as one JSON array without holding them all.
func (a *app) streamGames(cmd *cobra.Command, s *store.Store, filter store.Filter) error {
	w := bufio.NewWriter(a.out)
	separator := "[\n"
	err := s.Scan(cmd.Context(), filter, func(r *store.Game) error {
		line, err := json.Marshal(standings.NewGameLine(r))
		if err != nil {
			return fmt.Errorf("game %d: %w", r.ID, err)
		}
		if _, err := w.WriteString(separator + string(line)); err != nil {
			return err
		}
		if separator == "[\n" { // the first lines are to be seen at once
			separator = ",\n"
			return w.Flush()
		}
		return nil
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

// gamesTable prints the games as a table, without holding them all.
func (a *app) gamesTable(ctx context.Context, s *store.Store, x *gamesFlags) error {
	w := bufio.NewWriter(a.out)
	table := listing.NewStream(w, x.output.format(), standings.GameColumns(x.Moves))
	listed := 0
	err := s.Scan(ctx, x.Filter, func(r *store.Game) error {
		if listed++; listed%100 == 1 { // the first lines are to be seen at once
			if err := w.Flush(); err != nil {
				return err
			}
		}
		line := standings.NewGameLine(r)
		return table.Add(line.Row(x.Moves))
	})
	if err != nil {
		return err
	}
	notes, err := x.notes(ctx, s, listed)
	if err != nil {
		return err
	}
	if err := table.Close(notes...); err != nil {
		return err
	}
	return w.Flush()
}

// notes returns the lines below the list: the number of further games, and a bot's
// reasons of losses.
func (x *gamesFlags) notes(ctx context.Context, s *store.Store, listed int) (notes []string, err error) {
	if x.Last == 0 && x.Outcome != store.Lost {
		return nil, nil
	}
	counts, err := s.CountGames(ctx, x.Filter)
	if err != nil {
		return nil, err
	}
	total := 0
	var why []string
	for _, n := range counts {
		total += n.Games
		why = append(why, fmt.Sprintf("%s %d", n.Reason, n.Games))
	}
	if x.Outcome == store.Lost && total > 0 {
		notes = append(notes, fmt.Sprintf("%s lost %s: %s.", x.Bot, text.Plural(total, "game"), strings.Join(why, ", ")))
	}
	if more := total - listed; more > 0 {
		notes = append(notes, fmt.Sprintf("Not shown: %s before these; --all shows all, --last %d the last %d.", text.Plural(more, "game"), 10*x.Last, 10*x.Last))
	}
	return notes, nil
}
