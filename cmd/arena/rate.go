package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena/exchange"
	"botarena/arena/rating"
	"botarena/arena/report"
)

func (a *app) rateCommand() *cobra.Command {
	var format, anchor string
	var o rating.Options
	var verbose bool
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
counted. Formats are told by the file's ending, else by its contents. FILE - is
stdin.

Elo is around the mean of the pool. Errors are half-widths of 95 % intervals from
games taken as independent; --pairs takes games of one pair (one opening, sides
swapped) together: those with the same value in the column pair, in PGN those of
the same players with sides swapped and the same FEN. Players who won or lost
all their games have a bound instead of a rating, and a pool in which not all
can be compared is rated in pieces, which is said below the table.`,
		Example: `  arena rate games.pgn
  arena rate *.pgn --anchor stockfish=3500
  arena rate results.csv --pairs --json
  zcat games.pgn.gz | arena rate - --format pgn
  arena rate results.csv --prior 400      rates sweepers and pieces together`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			at, err := parseAnchor(anchor)
			if err != nil {
				return err
			}
			o.Anchor = at
			if err := checkPrior(o.Prior); err != nil {
				return err
			}
			in := exchange.ResultsReader{Pairs: o.Pairs}
			switch in.Format = exchange.Format(format); in.Format {
			case "", exchange.FormatPGN, exchange.FormatCSV, exchange.FormatJSONL:
			default:
				return usagef("--format %q: give %s, %s or %s", format, exchange.FormatPGN, exchange.FormatCSV, exchange.FormatJSONL)
			}
			began := a.now()
			if err := a.readResults(&in, args); err != nil {
				return err
			}
			took := a.now().Sub(began)
			began = a.now()
			table, err := rating.Rate(&in.Results, o)
			if err != nil {
				return anchorError(err)
			}
			if note := report.CycleNote(&in.Results, table); note != "" {
				table.Notes = append(table.Notes, note)
			}
			if verbose {
				fmt.Fprintf(a.err, "%d games of %d players read in %s, rated in %s\n",
					table.Games, len(table.Players), roundMicro(took), roundMicro(a.now().Sub(began)))
			}
			chart := report.RatingsChart(table, o)
			return charts.print(a, &chart, func() error {
				decimals := 0
				if output.csv {
					decimals = 3
				}
				return output.print(a, table, func() report.Table { return report.RatingsTable(table, o, decimals) })
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&format, "format", "", "`pgn`, csv or jsonl, whatever the names of the files")
	f.StringVar(&anchor, "anchor", "", "give a player a fixed rating: `PLAYER=1500`")
	f.BoolVar(&o.Pairs, "pairs", false, "errors from pairs of games instead of games")
	f.BoolVar(&o.NoAdvantage, "no-advantage", false, "fit no advantage of moving first")
	registerPrior(cmd, &o.Prior)
	f.BoolVarP(&verbose, "verbose", "v", false, "say on stderr how long reading and rating took")
	charts.register(cmd)
	output.register(cmd)
	cmd.MarkFlagsMutuallyExclusive("chart", "json", "csv", "markdown")
	return cmd
}

// readResults reads the files; "-" is stdin. What is skipped is said on stderr.
func (a *app) readResults(in *exchange.ResultsReader, files []string) error {
	for _, name := range files {
		if err := a.readFile(in, name); err != nil {
			var parse *exchange.ParseError
			if errors.As(err, &parse) {
				return usageError(err)
			}
			return err
		}
	}
	if in.Unfinished > 0 {
		fmt.Fprintf(a.err, "skipped %s without a result\n", gamesOf(in.Unfinished))
	}
	if in.SelfPlay > 0 {
		fmt.Fprintf(a.err, "skipped %s of a player against itself\n", gamesOf(in.SelfPlay))
	}
	return nil
}

func (a *app) readFile(in *exchange.ResultsReader, name string) error {
	if name == "-" {
		return in.Read("stdin", a.in)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return in.Read(name, io.Reader(f))
}

func gamesOf(n int) string {
	if n == 1 {
		return "1 game"
	}
	return fmt.Sprintf("%d games", n)
}

func roundMicro(d time.Duration) string { return d.Round(10 * time.Microsecond).String() }
