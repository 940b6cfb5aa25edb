package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/exchange"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/arena/text"
)

// positionsHelp describes the format of positions.
const positionsHelp = `Positions are lines of text, POSITION | SCORE | RESULT, or of JSON. The score is what
the bot that moves there told of it, in centipawns: a mate in n moves is 32000 - n,
being mated -32000 + n (at most 1000 moves are told apart), and any other score is
limited to 30000. The result is 1.0 won, 0.5 drawn or 0.0 lost. Both are of the side
that moves first in the game; --view mover makes them of the side to move. Left out,
and counted on stderr, are positions without a score and games that a fault ended. A
million positions take no more memory than a thousand: what does not fit is put into a
temporary file beside the output.`

// positionFlags selects which positions are written, and how.
type positionFlags struct {
	exchange.PositionOptions
	view   string
	shards int
	names  []string // of the flags
}

func (p *positionFlags) register(cmd *cobra.Command) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.BoolVar(&p.JSON, "jsonl", false, "positions: lines of JSON, with game, event, ply and move")
	f.StringVar(&p.view, "view", "first", "positions: the `side` whose score and result they are, first or mover (who is to move)")
	f.IntVar(&p.SkipFirst, "skip-first", 0, "positions: none of the first `plies` of each game, its opening's among them")
	f.Float64Var(&p.Share, "sample", 1, "positions: a random `share` of them, 0 to 1")
	f.IntVar(&p.MaxScore, "max-score", 0, "positions: none with a score beyond so many `centipawns`; 0 is any")
	f.BoolVar(&p.Quiet, "quiet-only", false, "positions: only those in which nothing is taken or threatened, in breakthrough, chess and owlman")
	f.BoolVar(&p.Unique, "unique", false, "positions: each of them once, with its first score")
	f.BoolVar(&p.Shuffle, "shuffle", false, "positions: in random order")
	f.IntVar(&p.shards, "shards", 1, "positions: deal them to this `number` of files, NAME-1.txt, NAME-2.txt, ... of --output NAME.txt")
	f.VisitAll(func(flag *pflag.Flag) { p.names = append(p.names, flag.Name) })
	cmd.Flags().AddFlagSet(f)
	complete(cmd, "view", cobra.FixedCompletions([]string{"first", "mover"}, cobra.ShellCompDirectiveNoFileComp))
}

func (p *positionFlags) check(output string) error {
	switch {
	case p.view != "first" && p.view != "mover":
		return usagef("--view %q: write first or mover", p.view)
	case !(p.Share > 0 && p.Share <= 1):
		return usagef("--sample %v: it is a share of the positions, above 0 and at most 1", p.Share)
	case p.SkipFirst < 0 || p.MaxScore < 0:
		return usagef("--skip-first and --max-score cannot be negative")
	case p.shards < 1 || p.shards > mostShards:
		return usagef("--shards %d: from 1 to %d files", p.shards, mostShards)
	case p.shards > 1 && (output == "" || output == "-"):
		return usagef("--shards %d needs the name of a file: --output", p.shards)
	}
	p.Mover = p.view == "mover"
	p.Dir = filepath.Dir(output)
	if output == "" || output == "-" {
		p.Dir = os.TempDir()
	}
	return nil
}

// mostShards is the maximum number of files open at once.
const mostShards = 256

// files returns the names of the files over which positions are distributed.
func (p *positionFlags) files(output string) []string {
	if p.shards == 1 {
		return []string{output}
	}
	end := filepath.Ext(output)
	files := make([]string, p.shards)
	for i := range files {
		files[i] = fmt.Sprintf("%s-%0*d%s", strings.TrimSuffix(output, end), len(fmt.Sprint(p.shards)), i+1, end)
	}
	return files
}

// toFiles is toFile for several files, which appear once all are complete.
func (a *app) toFiles(paths []string, write func([]io.Writer) error) error {
	return a.toFile(paths[0], func(w io.Writer) error {
		if len(paths) == 1 {
			return write([]io.Writer{w})
		}
		return a.toFiles(paths[1:], func(rest []io.Writer) error { return write(append([]io.Writer{w}, rest...)) })
	})
}

// positionsWritten counts written positions, as `arena datagen --json` prints them.
type positionsWritten struct {
	Event     string   `json:"event"`
	Files     []string `json:"files"`
	Games     int      `json:"games"`
	Faulty    int      `json:"faulty,omitempty"` // games left out since a fault ended them
	Positions int      `json:"positions"`
	LeftOut   string   `json:"left_out,omitempty"`
	NotQuiet  []string `json:"quiet_unknown,omitempty"` // games whose quiet positions nobody knows
}

// exportPositions writes the positions of the games that x selects.
func (a *app) exportPositions(ctx context.Context, s *store.Store, x *exportFlags) error {
	var p *exchange.Positions
	var games, left int
	files := x.positions.files(x.output)
	err := a.toFiles(files, func(out []io.Writer) (err error) {
		p = exchange.NewPositions(out, x.catalog, x.positions.PositionOptions)
		defer func() { err = errors.Join(err, p.Close()) }()
		filter := x.filter
		filter.Moves = true
		games, left, err = exchange.Export(ctx, s, filter, p, false)
		return err
	})
	if err != nil {
		return err
	}
	counts, unknown := p.LeftOut()
	if x.json {
		return a.printJSON(positionsWritten{x.filter.Event, files, games, p.Faulty, p.Written, counts, unknown})
	}
	fmt.Fprintf(a.err, "%s of %s%s\n", text.Plural(p.Written, "position"), text.Plural(games, "game"), writtenTo(files))
	for _, name := range unknown {
		fmt.Fprintf(a.err, "note: the rules of %s do not say which positions are quiet: --quiet-only kept all of it\n", name)
	}
	if counts != "" {
		fmt.Fprintf(a.err, "positions left out: %s\n", counts)
	}
	if p.Faulty > 0 {
		fmt.Fprintf(a.err, "left out: %s that a fault ended\n", text.Plural(p.Faulty, "game"))
	}
	if left > 0 {
		fmt.Fprintf(a.err, "left out: %s without a result\n", text.Plural(left, "game"))
	}
	return nil
}

func writtenTo(files []string) string {
	switch {
	case len(files) > 1:
		return fmt.Sprintf(": %s to %s", files[0], files[len(files)-1])
	case files[0] != "" && files[0] != "-":
		return ": " + files[0]
	}
	return ""
}

func (a *app) datagenCommand() *cobra.Command {
	d := duel{event: config.Default()}
	x := exportFlags{format: "positions"}
	var extend bool
	cmd := &cobra.Command{
		Use:   "datagen BOT --games N",
		Short: "Let a bot play itself for positions to learn from",
		Long: `Let a bot play games against itself, each from an opening of its own, and write the
positions in them to --output. It is an event like any other: the same command with
--event goes on with it after an interruption, --extend plays more games, --fleet
plays on other machines as well. Once all games are played the event is archived, so
that it stands in no tables but its own; "arena export --format positions --event
NAME" writes its positions again, chosen in another way.

` + positionsHelp + `

` + botHelp,
		Example: `  arena datagen minimax --games 1000 --clock nodes=500 --output data.txt
  arena datagen ./mybot --game owlman --games 20000 -c depth=6 --event data --fleet --output data.txt
  arena datagen minimax --games 5000 --unique --shuffle --shards 8 --jsonl --output data.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := x.positions.check(x.output); err != nil {
				return err
			}
			event, err := a.matchEvent(cmd, &d, "data", []string{args[0], args[0]})
			if err != nil {
				return err
			}
			if d.asJSON && x.output == "" && !d.dryRun {
				return usagef("--json tells of the positions that are written: give --output")
			}
			x.filter.Event, x.positions.Seed, x.json = event.Name, event.Seed, d.asJSON
			return a.playTyped(cmd, &d, event, extend, play{
				extend: extend,
				after: func(ctx context.Context, s *store.Store, _ *standings.Outcome) error {
					return a.generated(ctx, s, &x, event)
				},
			})
		},
	}
	d.event.Clock, d.event.Swap, d.event.League = arena.TimeControl{Nodes: 1000, Margin: d.event.Clock.Margin}, false, "data"
	d.register(cmd)
	d.event.Openings.Random = 8
	cmd.Flags().Lookup("random").DefValue = "8"
	d.flags.add(cmd, &d.event, settingFlag{"rounds", "games n", "`games` to play"})
	cmd.Flags().BoolVar(&extend, "extend", false, "accept more games than were recorded, and play what is missing")
	cmd.Flags().StringVar(&x.output, "output", "", "write the positions to this `file` (default: none are written)")
	x.positions.register(cmd)
	cmd.MarkFlagsOneRequired("games")
	return cmd
}

// generated archives an event that was played for its positions, and writes them.
func (a *app) generated(ctx context.Context, s *store.Store, x *exportFlags, e arena.Event) (err error) {
	if err := s.Archive(ctx, e.Name, true); err != nil {
		return err
	}
	if x.output == "" {
		fmt.Fprintf(a.err, "event %q is played; its positions: arena export --format positions --event %s --output FILE\n", e.Name, e.Name)
		return nil
	}
	if x.catalog, err = a.catalog(ctx, s, e.Game, ""); err != nil {
		return err
	}
	return a.exportPositions(ctx, s, x)
}
