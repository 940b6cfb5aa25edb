package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"botarena/arena/listing"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/engine/breakthrough"
	bt "botarena/engine/breakthrough/exact"
	"botarena/engine/owlman"
	"botarena/engine/owlman/exact"
	"botarena/engine/tables"
)

// solveFlags are those of `arena solve`.
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
			args = x.counted(cmd, args)
			var found remembered
			game, err := found.game(cmp.Or(strings.Join(args, ""), "owlman"))
			if err != nil {
				return usageError(err)
			}
			board, small := game.(*breakthrough.Game)
			if err := solvable(game, &x); err != nil {
				return err
			}
			x.proof = x.proof || small && x.probe == "" && bt.Solvable(game) != nil
			if x.hash < 1 || x.hash > 1<<16 {
				return usagef("--hash %d: a search needs a table of 1 to %d megabytes", x.hash, 1<<16)
			}
			if x.pieces < 1 || x.pieces > exact.Most {
				return usagef("--pieces %d: Owlman has 1 to %d helpers", x.pieces, exact.Most)
			}
			if x.forced < 0 || x.forced > mostForced {
				return usagef("--forced %d: Doc's forced wins are computed for 0 to %d helpers", x.forced, mostForced)
			}
			if x.keep <= 0 {
				return usagef("--keep %v: after how long is it to keep what it knows?", x.keep)
			}
			verify := cmd.Flags().Changed("verify")
			if verify && x.verify < 1 {
				return usagef("--verify %d: how many positions of each table are to be drawn?", x.verify)
			}
			dir, err := tablesDir(x.dir)
			if err != nil {
				return err
			}
			if x.probe != "" {
				if x.output.csv || x.output.markdown {
					return usagef("--probe prints text, or --json")
				}
				return a.probe(cmd.Context(), dir, game, &x)
			}
			switch {
			case small && cmd.Flags().Changed("pieces"):
				return usagef("--pieces is owlman's: a board of breakthrough is solved whole")
			case x.proof && cmd.Flags().Changed("threads"):
				return usagef("--threads: a proof is searched for and replayed by one core")
			case x.proof && verify:
				return a.verifyProof(cmd.Context(), dir, board)
			case x.proof:
				return a.proveBoard(cmd.Context(), dir, board, &x)
			case small && verify:
				return a.verifyBoard(cmd.Context(), dir, board, &x)
			case small:
				return a.solveBoard(cmd.Context(), dir, board, &x)
			case verify:
				return a.verifyTables(cmd.Context(), dir, &x)
			}
			return a.solve(cmd.Context(), dir, &x)
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

// counted returns the arguments without the count of --verify, which may be left out
// or stand behind it.
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

// tablesDir returns the folder of the tables.
func tablesDir(dir string) (tables.Dir, error) {
	if dir != "" {
		return tables.Dir(dir), nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", usagef("where are the tables to be kept? %v: give --tables DIR", err)
	}
	return tables.Default(cache), nil
}

// mostForced is for how many helpers Doc's forced wins can be computed: a byte a state.
const mostForced = 8

// solved are the tables of a number of helpers, as `arena solve --json` prints them.
// The side named last is the one to move.
type solved struct {
	Helpers  int     `json:"helpers"`
	States   uint64  `json:"states"`
	OwlWhite uint64  `json:"owlman_wins_white_to_move"`
	OwlOwl   uint64  `json:"owlman_wins_owlman_to_move"`
	Catch    int     `json:"longest_catch"`
	Bytes    int64   `json:"bytes"`
	Forced   *forced `json:"doc_forces,omitempty"`
}

type forced struct {
	White   uint64 `json:"white_to_move"`
	Owl     uint64 `json:"owlman_to_move"`
	Longest int    `json:"longest"`
}

// untilInterrupted returns a context that the first Ctrl-C ends.
func (a *app) untilInterrupted(ctx context.Context) (context.Context, func()) {
	interrupts, stop := a.signals()
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-interrupts:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(); stop() }
}

func (a *app) solve(ctx context.Context, dir tables.Dir, x *solveFlags) error {
	ctx, cancel := a.untilInterrupted(ctx)
	defer cancel()
	o, err := dir.Owlman(x.pieces)
	if err != nil {
		return err
	}
	defer o.Close()
	// Who wins comes first: the answer does not wait for what Doc can force.
	for _, kind := range []exact.Kind{exact.OwlmanCatches, exact.DocForces} {
		there, most := o.Helpers(), x.pieces
		if kind == exact.DocForces {
			there, most = o.Forces(), min(x.pieces, x.forced)
		}
		if kind == exact.DocForces && there < most {
			if err := a.tellWinner(o); err != nil {
				return err
			}
		}
		for n := there + 1; n <= most; n++ {
			err := a.solveLayer(ctx, dir, o, kind, n, x)
			if err != nil && ctx.Err() != nil {
				a.tellInterrupted(dir.OwlmanBegun(kind, n))
				return &exitError{code: exitInterrupted}
			}
			if err != nil {
				return err
			}
		}
	}
	list := make([]solved, x.pieces)
	for i := range list {
		l := o.Catch[i+1]
		list[i] = solved{i + 1, l.States(), l.White, l.Owl, l.Levels(), fileSize(dir.File(exact.OwlmanCatches, i+1)), nil}
		if i < o.Forces() {
			l := o.Force[i+1]
			list[i].Forced = &forced{l.White, l.Owl, l.Levels()}
			list[i].Bytes += fileSize(dir.File(exact.DocForces, i+1))
		}
	}
	if err := x.output.print(a, list, func() listing.Table { return solvedTable(list, dir, x.output.csv) }); err != nil || x.output.json || x.output.csv {
		return err
	}
	if err := a.answer(o); err != nil {
		return err
	}
	a.daybreak(o)
	return nil
}

func (a *app) solveLayer(ctx context.Context, dir tables.Dir, o *tables.Owlman, kind exact.Kind, n int, x *solveFlags) error {
	what := text.Plural(n, "helper")
	if kind == exact.DocForces {
		what += ", Doc's forced wins"
	}
	if dir.OwlmanBegun(kind, n) {
		fmt.Fprintf(a.err, "%s: going on from what was kept\n", what)
	}
	begun, due := a.now(), a.every(tellEvery)
	err := dir.SolveOwlman(ctx, o, kind, x.threads, a.every(x.keep), func(p exact.Progress) {
		if due() {
			fmt.Fprintf(a.err, "%s: level %d, %d %%; %s states found before it, %s\n", what,
				p.Level, 100*p.Done/p.Of, humanize.Comma(int64(p.Won)), a.now().Sub(begun).Round(time.Second))
		}
	})
	if err == nil {
		fmt.Fprintf(a.err, "%s: solved in %s\n", what, a.now().Sub(begun).Round(time.Millisecond))
	}
	// The next layer needs all the memory that this one took: three bits a state.
	debug.FreeOSMemory()
	return err
}

// tellInterrupted says how to go on with a computation, of which something was kept or
// nothing yet.
func (a *app) tellInterrupted(kept bool) {
	if kept {
		fmt.Fprintln(a.err, "interrupted; the same command goes on from what was kept last")
		return
	}
	fmt.Fprintln(a.err, "interrupted; the same command goes on behind the last table that is there")
}

// tellEvery is how often a computation says how far it is.
const tellEvery = 5 * time.Second

// every returns a function that reports, once in each span of time, that it is over.
func (a *app) every(span time.Duration) func() bool {
	last := a.now()
	return func() bool {
		now := a.now()
		if now.Sub(last) < span {
			return false
		}
		last = now
		return true
	}
}

// fileSize is 0 if it is not known.
func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// solvedTable has plain numbers where a program reads it.
func solvedTable(list []solved, dir tables.Dir, plain bool) listing.Table {
	count := func(n uint64) string { return humanize.Comma(int64(n)) }
	size := humanize.IBytes
	if plain {
		count = func(n uint64) string { return strconv.FormatUint(n, 10) }
		size = count
	}
	t := listing.Table{Title: "owlman · solved", Columns: []listing.Column{
		{Name: "Helpers"},
		{Name: "States"},
		{Name: "Owlman wins, w"},
		{Name: "b"},
		{Name: "Catch"},
		{Name: "Doc forces, w"},
		{Name: "b"},
		{Name: "Moves"},
		{Name: "Size"},
	}}
	for _, s := range list {
		row := []any{strconv.Itoa(s.Helpers), count(s.States), count(s.OwlWhite), count(s.OwlOwl), strconv.Itoa(s.Catch), "", "", "", size(uint64(s.Bytes))}
		if f := s.Forced; f != nil {
			row[5], row[6], row[7] = count(f.White), count(f.Owl), strconv.Itoa(f.Longest)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{
		"States: for each side to move (w: White, b: Owlman); a state and its reflection are one, unless Doc and Owlman both stand on the diagonal.",
		"Owlman wins: all others are Doc's. Catch: the most moves of Owlman's until he catches somebody and still wins.",
		"Doc forces: states that Doc wins without the demand to vary. Moves: the most moves of White's until he has won.",
		"Tables: " + string(dir),
	}
	return t
}

// start returns the value of the game's start, where that is known.
func start(o *tables.Owlman) (pos engine.Position, v exact.Value, ok bool, err error) {
	var found remembered
	if pos, err = found.position(question{Game: "owlman"}); err != nil {
		return nil, v, false, err
	}
	v, ok, err = o.Value(pos.(exact.Position))
	return pos, v, ok, err
}

// tellWinner reports who wins the game before all is computed, where that is known.
func (a *app) tellWinner(o *tables.Owlman) error {
	pos, v, ok, err := start(o)
	if ok && err == nil {
		fmt.Fprintf(a.err, "who wins is known: %s; what Doc can force follows\n", pos.Game().SideNames()[v.Winner])
	}
	return err
}

// answer reports who wins the game, where that is known.
func (a *app) answer(o *tables.Owlman) error {
	pos, v, ok, err := start(o)
	if !ok || err != nil {
		return err
	}
	fmt.Fprintf(a.out, "\nWho wins? %s.\n", pos.Game().SideNames()[v.Winner])
	if v.Winner == engine.First {
		fmt.Fprintln(a.out, "Owlman cannot force a capture of Doc or of the last helper. That makes the game White's by the demand to\n"+
			"vary: an Owlman who may not repeat himself runs out of moves in the end, which may take longer than games last.")
	}
	return nil
}

// daybreak says how far the variant without the demand to vary is solved.
func (a *app) daybreak(o *tables.Owlman) {
	reach := "no position is decided by what Doc can force, as no such table is there"
	if n := o.Forces(); n > 0 {
		reach = fmt.Sprintf("all positions with up to %s are decided, by what Doc can force", text.Plural(n, "helper"))
	}
	fmt.Fprintf(a.out, "\nowlman:daybreak, where Doc has to win by his %dth move: %s.\n"+
		"Of those with up to %s Owlman's wins above are his there, too. Who wins from the start, with twelve helpers, is not known.\n", owlman.LastNight, reach, text.Plural(o.Helpers(), "helper"))
}

func (a *app) verifyTables(ctx context.Context, dir tables.Dir, x *solveFlags) error {
	o, err := dir.Owlman(x.pieces)
	if err != nil {
		return err
	}
	defer o.Close()
	if o.Helpers() == 0 {
		return usagef("there are no tables in %s; `arena solve owlman` computes them", dir)
	}
	if err := dir.CheckOwlman(o); err != nil {
		return err
	}
	const batch = 1000
	for n := 1; n <= o.Helpers(); n++ {
		for done := 0; done < x.verify; done += batch {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := o.Verify(n, min(batch, x.verify-done), rand.New(rand.NewPCG(uint64(n), uint64(done)))); err != nil {
				return err
			}
		}
		fmt.Fprintf(a.out, "%s: checksums and %s positions agree with the rules\n", text.Plural(n, "helper"), humanize.Comma(int64(x.verify)))
	}
	return nil
}
