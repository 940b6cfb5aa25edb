package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena/exchange"
	"botarena/arena/rating"
	"botarena/arena/standings"
	"botarena/arena/text"
)

func (a *app) rateCommand() *cobra.Command {
	var format, anchor, linked string
	var o rating.Options
	var verbose, strict bool
	var charts chartFlags
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "rate FILE...",
		Short: "Rate the players of games that were played anywhere",
		Long: `Rate the players of games that were played anywhere, by maximum likelihood with
draws and the advantage of moving first. Files are

  PGN         of any game; the tags White, Black and Result are enough
  CSV         first,second,result[,pair]; a header is optional, white and black
              are other names of first and second
  JSON Lines  {"first":"a","second":"b","result":"1-0"}, pair is optional

with results 1-0, 0-1 and 1/2-1/2. Games with the result * are left out and
counted, and so are games of a PGN file that cannot be read; --strict refuses such
a file. Formats are told by the file's ending, else by its contents; files may be
compressed (gzip). FILE - is stdin.

Files that arena exported tell versions of a bot apart: where there are several,
each is a player of its own, "bot v2"; --link-versions draws each to the one before,
as arena leaderboard does.

Elo is around the mean of the pool. Errors are half-widths of 95 % intervals from
games taken as independent; --pairs takes games of one pair (one opening, sides
swapped) together: those of an event with the same value in the column pair, in PGN
those of the same players and event with sides swapped and the same FEN.

Where the results alone cannot compare all players, since one of them won or lost
everything, a prior of 400 Elo rates them together, which is said below the table;
--prior 0 rates such groups by themselves, and gives sweepers a bound instead of a
rating. Players that no game links are rated apart, in pools.`,
		Example: `  arena rate games.pgn
  arena rate *.pgn --anchor stockfish=3500
  arena rate results.csv --pairs --json
  arena rate games.pgn --link-versions
  arena rate games.pgn.gz --strict
  zcat games.pgn.gz | arena rate - --format pgn
  arena rate results.csv --prior 0        bounds for sweepers instead of a prior`,
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := parseAnchor(anchor)
			if err != nil {
				return err
			}
			o.Anchor = at
			if o.Prior, o.PriorIfApart, err = priorOf(cmd); err != nil {
				return err
			}
			value, err := linksOf(linked)
			if err != nil {
				return err
			}
			in := exchange.ResultsReader{Pairs: o.Pairs, Strict: strict, Skip: a.tellSkipped()}
			switch in.Format = exchange.Format(format); in.Format {
			case "", exchange.FormatPGN, exchange.FormatCSV, exchange.FormatJSONL:
			default:
				return usagef("--format %q: give %s, %s or %s", format, exchange.FormatPGN, exchange.FormatCSV, exchange.FormatJSONL)
			}
			began := a.now()
			results, err := a.readResults(&in, args)
			if err != nil {
				return err
			}
			took := a.now().Sub(began)
			began = a.now()
			link, spread, _ := value.Parse()
			if link {
				o.Links, o.Spread = in.Links, spread
			}
			table, err := rating.Rate(results, o)
			if err != nil {
				return anchorError(err)
			}
			if link && table.Links == nil {
				table.Notes = append([]string{standings.NothingToLink}, table.Notes...)
			}
			if note := standings.CycleNote(results, table); note != "" {
				table.Notes = append(table.Notes, note)
			}
			if verbose {
				fmt.Fprintf(a.err, "%d games of %d players read in %s, rated in %s\n",
					table.Games, len(table.Players), roundMicro(took), roundMicro(a.now().Sub(began)))
			}
			board := standings.Ratings(table, o)
			chart := output.chart(board.Chart())
			return charts.print(a, &chart, func() error { return output.print(a, table, board.Table) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&format, "format", "", "the `format`, whatever the names of the files: pgn, csv or jsonl")
	f.StringVar(&anchor, "anchor", "", "give a player a fixed rating: `PLAYER=1500`")
	f.BoolVar(&o.Pairs, "pairs", false, "errors from pairs of games instead of games")
	f.BoolVar(&o.NoAdvantage, "no-advantage", false, "fit no advantage of moving first")
	registerLinks(cmd, &linked, "off")
	registerPrior(cmd)
	f.BoolVar(&strict, "strict", false, "refuse a PGN file with a game that cannot be read")
	f.BoolVarP(&verbose, "verbose", "v", false, "say on stderr how long reading and rating took")
	charts.register(cmd)
	output.register(cmd)
	output.registerNotes(cmd)
	cmd.MarkFlagsMutuallyExclusive("chart", "json", "csv", "markdown")
	return cmd
}

// tellSkipped returns a function that prints why games are skipped, for the first few.
func (a *app) tellSkipped() func(*exchange.ParseError) {
	const most = 10
	told := 0
	return func(e *exchange.ParseError) {
		if told++; told <= most {
			fmt.Fprintf(a.err, "skipped a game: %v\n", e)
		}
	}
}

// readResults reads the files; "-" is stdin. It reports skipped games on stderr.
func (a *app) readResults(in *exchange.ResultsReader, files []string) (*rating.Results, error) {
	for _, name := range files {
		if err := a.readFile(in, name); err != nil {
			return nil, err
		}
	}
	results, err := in.Results()
	if err != nil {
		return nil, err
	}
	for _, s := range []struct {
		games int
		why   string
	}{
		{in.Skipped, "that cannot be read; --strict refuses such a file"},
		{in.Unfinished, "without a result"},
		{in.SelfPlay, "of a player against itself"},
	} {
		if s.games > 0 {
			fmt.Fprintf(a.err, "skipped %s %s\n", text.Plural(s.games, "game"), s.why)
		}
	}
	return results, nil
}

func (a *app) readFile(in *exchange.ResultsReader, name string) error {
	if name == "-" {
		return in.Read("stdin", a.in)
	}
	f, err := openInput(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return in.Read(name, f)
}

func roundMicro(d time.Duration) string { return d.Round(10 * time.Microsecond).String() }
