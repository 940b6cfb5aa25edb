package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"botarena/arena/exchange"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/engine/games"
	"botarena/engine/nearest"
)

// exportFlags holds the flags of `arena export`.
type exportFlags struct {
	filter         store.Filter
	format, output string
	pgn            exchange.PGNOptions
	moves          bool
	positions      positionFlags
	json           bool // what became of positions, on stdout
	rules          string
	catalog        engine.Catalog
}

func (a *app) exportCommand() *cobra.Command {
	var x exportFlags
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write games as PGN, JSON Lines or CSV, or the positions in them",
		Long: `Write the games of an event, of a game or of a bot for other programs; all games
without a filter. Games without a result are left out, and counted on stderr.

  pgn    for tools of chess players and for rating programs. The first side is
         White. Moves of chess are in standard algebraic notation, those of other
         games in their own, with the game's name in the tag Variant; --tags
         leaves moves out, for programs that stumble over them. A bot that played
         in several versions is named "bot v2".
  jsonl  everything, one JSON object a line and game: results, reasons, times, and
         what the bots said of each move. "arena import" reads it back.
  csv    one row a game, for spreadsheets; --moves adds a column of moves.
  positions
         the positions at which a bot told a score, for learning from them.

Without --format, the end of the output's name decides.

` + positionsHelp,
		Example: `  arena export --event spring --output spring.pgn
  arena export --format pgn --game chess --comments > chess.pgn
  arena export --event spring --format jsonl | gzip > spring.jsonl.gz
  arena export --bot mine --format csv > mine.csv
  arena export --event data --format positions --skip-first 8 --unique --shuffle -o data.txt`,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return x.check(cmd) }, // before the database is looked for
		RunE: a.reads(func(cmd *cobra.Command, _ []string, s *store.Store) (err error) {
			if err := checkFilter(cmd.Context(), s, &x.filter); err != nil {
				return err
			}
			if x.catalog, err = a.catalog(cmd.Context(), s, x.filter.Game, x.rules); err != nil {
				return err
			}
			return a.export(cmd.Context(), s, &x)
		}),
	}
	rulesFlag(cmd, &x.rules)
	f := cmd.Flags()
	f.StringVarP(&x.format, "format", "f", "", "the `format`: pgn, jsonl, csv or positions")
	f.StringVarP(&x.output, "output", "o", "", "write to this `file` (default: stdout)")
	f.StringVar(&x.filter.Event, "event", "", "only games of this `event`")
	f.StringVar(&x.filter.Game, "game", "", "only games of this `game`")
	f.StringVar(&x.filter.Bot, "bot", "", "only games of this `bot`")
	f.BoolVar(&x.pgn.Comments, "comments", false, "pgn: scores, depths, times and nodes of the moves, {+0.35/8 0.120s n=5012}")
	f.BoolVar(&x.pgn.Tags, "tags", false, "pgn: only tags and results")
	f.BoolVar(&x.moves, "moves", false, "csv: a column of moves")
	f.Uint64Var(&x.positions.Seed, "seed", 1, "positions: of what --sample and --shuffle draw, a `number`")
	x.positions.register(cmd)
	cmd.MarkFlagsMutuallyExclusive("comments", "tags")
	return cmd
}

func (x *exportFlags) check(cmd *cobra.Command) error {
	formats := []string{"pgn", "jsonl", "csv", "positions"}
	name, from := x.format, "--format"
	if name == "" {
		name, from = strings.TrimPrefix(filepath.Ext(x.output), "."), "the end of --output"
	}
	switch known := "name a --format: " + strings.Join(formats, ", "); {
	case name == "":
		return usagef("%s", known)
	case !slices.Contains(formats, name):
		return usagef("%s is %q; %s", from, name, nearest.Hint(name, formats, known))
	}
	x.format = name
	of := map[string]string{"comments": "pgn", "tags": "pgn", "moves": "csv", "seed": "positions"}
	for _, flag := range x.positions.names {
		of[flag] = "positions"
	}
	for _, flag := range slices.Sorted(maps.Keys(of)) {
		if cmd.Flags().Changed(flag) && x.format != of[flag] {
			return usagef("--%s goes with --format %s", flag, of[flag])
		}
	}
	return x.positions.check(x.output)
}

// checkFilter checks the names of a filter, so that a misspelt one is an error rather
// than an empty list.
func checkFilter(ctx context.Context, s *store.Store, f *store.Filter) error {
	if f.Event != "" {
		if _, err := s.Event(ctx, f.Event); err != nil {
			return err
		}
	}
	if f.Game != "" {
		name, err := standings.GameName(ctx, s, games.All(), f.Game)
		if err != nil {
			return usageError(err)
		}
		f.Game = name
	}
	if f.Bot == "" {
		return nil
	}
	return s.CheckBot(ctx, f.Bot)
}

func (a *app) export(ctx context.Context, s *store.Store, x *exportFlags) error {
	if x.format == "positions" {
		return a.exportPositions(ctx, s, x)
	}
	var written, left int
	err := a.toFile(x.output, func(w io.Writer) (err error) {
		written, left, err = a.writeGames(ctx, s, x, w)
		return err
	})
	if err != nil {
		return err
	}
	if x.output != "" && x.output != "-" {
		fmt.Fprintf(a.err, "%s: %s\n", x.output, text.Plural(written, "game"))
	} else if written == 0 {
		fmt.Fprintln(a.err, "no games to export")
	}
	if left > 0 {
		fmt.Fprintf(a.err, "left out: %s without a result\n", text.Plural(left, "game"))
	}
	return nil
}

func (a *app) writeGames(ctx context.Context, s *store.Store, x *exportFlags, out io.Writer) (written, left int, err error) {
	var w exchange.Writer
	switch x.format {
	case "pgn":
		w = exchange.NewPGN(out, x.catalog, x.pgn)
	case "jsonl":
		w = exchange.NewJSONL(out)
	default:
		w = exchange.NewCSV(out, x.moves)
	}
	filter := x.filter
	filter.Moves = x.format != "csv" || x.moves
	return exchange.Export(ctx, s, filter, w, x.format == "pgn")
}
