package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"botarena/arena/listing"
	"botarena/engine"
	"botarena/engine/breakthrough"
	bt "botarena/engine/breakthrough/exact"
	"botarena/engine/games"
	"botarena/engine/owlman/exact"
	"botarena/engine/solve"
)

// solveFlags holds the flags of `arena solve`.
type solveFlags struct {
	dir     string
	probe   string
	pieces  int
	forced  int
	threads int
	verify  int
	proof   bool
	nodes   uint64
	keep    time.Duration
	hash    int
	output  outputFlags
}

func (a *app) solveCommand() *cobra.Command {
	var x solveFlags
	cmd := &cobra.Command{
		Use:   "solve GAME",
		Short: "Compute who wins each position of a game, and look it up",
		Long: `Compute who wins each position of a game, exactly, and keep it in tables; look
positions up in them with --probe, and hold them to the rules with --verify.

Breakthrough is solved on boards up to 5x5, 7x4, 4x6, 3x7 and 2x10: one file a
board, seconds to minutes, 57 MB for 5x5.

On larger boards, up to 35 squares, or with --proof, a proof-number search finds who
wins from the start, and writes a proof: the winner's answer to every line of the
other side's. --verify replays it by the rules alone. 6x5 takes minutes of one core
and the memory that --hash says; a column more takes some 15 times as long.

--probe POSITION says who wins and what each move comes to; --probe - reads positions
from stdin, one a line, and answers each with one line, thousands a second. With --json,
"value" is the side to move's. A line that is no position is answered with an error that
names it, and the exit code is 2 at the end. Positions of boards of breakthrough up to
40 squares that no table or proof has are searched, at most --nodes for the position and
for each move: it may not find out.

Owlman (the rules of 2010) is solved by the number of helpers, from 1 on: those up
to 6 take minutes, all 12 an hour or two and 19 GB of memory, 11 GB with --forced 0.
--pieces stops before. Each number of helpers is one file, there once it is complete.

A computation keeps what it knows after each --keep of time, and the same command goes
on from there when it was ended, also by kill -9.

A second file for each number of helpers up to 8 says in how many moves Doc can
force his win; --forced stops before, and --forced 0 asks only who wins. Where he
cannot, and Owlman cannot catch him either, the game is Doc's by the demand to vary
alone. They decide owlman:daybreak, too, as far as they go; from its start that is not
known. The whole of it would take twelve such files.`,
		Example: `  arena solve breakthrough:4x4
  arena solve breakthrough:4x4 --probe "2pp/1p2/2P1/PP2 w"
  arena solve breakthrough:5x4 --proof
  arena solve breakthrough:5x4 --proof --verify
  arena solve breakthrough:6x5 --probe "p5/1p1p2/6/2P1P1/P5 w"
  arena solve owlman --pieces 3
  arena solve owlman --probe "D7/8/8/1H6/2H5/8/8/7O b"
  echo "D7/8/8/1H6/2H5/8/8/7O b" | arena solve owlman --probe - --json
  arena solve owlman --pieces 3 --verify 10000
  arena moves owlman --position "8/8/2H5/8/8/8/8/1D5O w" --values`,
		Args: func(cmd *cobra.Command, args []string) error {
			args = x.counted(cmd, args)
			if len(args) > 1 || len(args) == 0 && x.probe == "" {
				return errors.New("name one game: owlman, or breakthrough on a small board, such as breakthrough:5x5")
			}
			return nil
		},
		ValidArgs: []string{"owlman", "breakthrough:5x5"},
		RunE: func(cmd *cobra.Command, args []string) error {
			game, err := games.All().Lookup(cmp.Or(strings.Join(x.counted(cmd, args), ""), "owlman"))
			if err != nil {
				return usageError(err)
			}
			if err := x.check(cmd, game); err != nil {
				return err
			}
			dir, err := tablesDir(x.dir)
			if err != nil {
				return err
			}
			ctx, cancel := a.untilInterrupt(cmd.Context())
			defer cancel()
			if x.probe != "" {
				return a.probe(ctx, dir, game, &x)
			}
			return a.solve(ctx, dir, game, &x, cmd.Flags().Changed("verify"))
		},
	}
	cmd.Flags().StringVar(&x.dir, "tables", "", "the `folder` of the tables (default: in the user's folder of caches)")
	cmd.Flags().StringVar(&x.probe, "probe", "", "look up this `position` instead; - reads them from stdin, one a line")
	cmd.Flags().IntVar(&x.verify, "verify", 100_000, "compare so many `positions` of each table with what the rules say instead, or replay the proof (--verify alone: 100000)")
	cmd.Flags().Lookup("verify").NoOptDefVal = "100000"
	cmd.Flags().BoolVar(&x.proof, "proof", false, "prove who wins a board of breakthrough from its start; with --probe, search the position")
	cmd.Flags().Uint64Var(&x.nodes, "nodes", 1_000_000, "with --probe where there is no table: search so many `nodes` a position at most")
	cmd.Flags().DurationVar(&x.keep, "keep", 2*time.Minute, "keep what is known of the table at hand after each such `time`")
	cmd.Flags().IntVar(&x.hash, "hash", 512, "the search's table has so many `megabytes`")
	cmd.Flags().IntVar(&x.forced, "forced", mostForced, "Doc's forced wins with this `number` of helpers at most")
	cmd.Flags().IntVar(&x.pieces, "pieces", exact.Most, "only positions with this `number` of helpers at most")
	cmd.Flags().IntVar(&x.threads, "threads", runtime.NumCPU(), "work on so many `cores`")
	x.output.register(cmd)
	return cmd
}

// counted returns the arguments without the optional count of --verify.
func (x *solveFlags) counted(cmd *cobra.Command, args []string) []string {
	if !cmd.Flags().Changed("verify") {
		return args
	}
	var rest []string
	for _, arg := range args {
		n, err := strconv.Atoi(arg)
		if err != nil {
			rest = append(rest, arg)
			continue
		}
		x.verify = n
	}
	return rest
}

// mostForced is the maximum number of helpers for which Doc's forced wins can be
// computed, a byte a state.
const mostForced = 8

// check refuses flags that are invalid, or invalid for the game.
func (x *solveFlags) check(cmd *cobra.Command, game engine.Game) error {
	board, small := game.(*breakthrough.Game)
	given := cmd.Flags().Changed
	switch {
	case x.hash < 1 || x.hash > 1<<16:
		return usagef("--hash %d: a search needs a table of 1 to %d megabytes", x.hash, 1<<16)
	case x.pieces < 1 || x.pieces > exact.Most:
		return usagef("--pieces %d: Owlman has 1 to %d helpers", x.pieces, exact.Most)
	case x.forced < 0 || x.forced > mostForced:
		return usagef("--forced %d: Doc's forced wins are computed for 0 to %d helpers", x.forced, mostForced)
	case x.keep <= 0:
		return usagef("--keep %v: after how long is it to keep what it knows?", x.keep)
	case given("verify") && x.verify < 1:
		return usagef("--verify %d: how many positions of each table are to be drawn?", x.verify)
	case x.probe != "" && (x.output.csv || x.output.markdown):
		return usagef("--probe prints text, or --json")
	case x.probe != "" && small && bt.Searchable(board) == nil:
		return nil
	case x.proof && !small:
		return usagef("--proof is breakthrough's: %s has none", game.Name())
	}
	err := solve.Has(game)
	if small && err != nil {
		err = fmt.Errorf("%w; --probe searches single positions of boards up to 40 squares", err)
	}
	switch {
	case err != nil:
		return usageError(err)
	case x.probe != "" || !small:
		return nil
	case given("pieces"):
		return usagef("--pieces is owlman's: a board of breakthrough is solved whole")
	case given("threads") && (x.proof || bt.Solvable(board) != nil):
		return usagef("--threads: a proof is searched for and replayed by one core")
	}
	return nil
}

// solve computes what is missing and prints the report, or verifies it.
func (a *app) solve(ctx context.Context, dir solve.Dir, game engine.Game, x *solveFlags, verify bool) error {
	s, err := dir.Solver(game, x.pieces, x.proof)
	if err != nil {
		return lacking(err)
	}
	defer s.Close()
	options := solve.Options{
		Threads: x.threads, Bytes: int64(x.hash) << 20, Forced: x.forced, Draws: x.verify,
		Keep: x.keep, Now: a.now, Log: a.err,
	}
	if verify {
		err = s.Verify(ctx, options, func(line string) { fmt.Fprintln(a.out, line) })
	} else {
		err = s.Solve(ctx, options)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return &exitError{code: exitInterrupted}
	case err != nil || verify:
		return lacking(err)
	}
	r, err := s.Report()
	if err != nil {
		return err
	}
	err = x.output.print(a, r.JSON, func() listing.Table { return reportTable(r) })
	if err == nil && !x.output.json && !x.output.csv {
		fmt.Fprint(a.out, r.Answer)
	}
	return err
}

// reportTable returns the report as a table, with plain numbers for programs.
func reportTable(r solve.Report) listing.Table {
	t := listing.Table{Title: r.Title, Notes: r.Notes}
	for i, name := range r.Columns {
		_, words := r.Rows[0][i].(string)
		t.Columns = append(t.Columns, listing.Column{Name: name, Left: words})
	}
	for _, cells := range r.Rows {
		row := slices.Clone(cells)
		for i, cell := range cells {
			switch n := cell.(type) {
			case uint64:
				row[i] = listing.Cell{Text: humanize.Comma(int64(n)), Value: n}
			case solve.Bytes:
				row[i] = listing.Cell{Text: humanize.IBytes(uint64(n)), Value: n}
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
