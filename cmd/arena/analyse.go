package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/analysis"
	"botarena/arena/casual/console"
	"botarena/arena/exchange"
	"botarena/arena/openings"
	"botarena/arena/session"
	"botarena/arena/store"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/engine/solve"
)

// analyseFlags holds the flags of `arena analyse`.
type analyseFlags struct {
	bot, clock, tables string
	rules              string
	save               bool
	number             int
	time               time.Duration
	seed               uint64
	pgn                bool
	output             outputFlags
}

func (a *app) analyseCommand() *cobra.Command {
	var x analyseFlags
	cmd := &cobra.Command{
		Use:   "analyse GAME|FILE",
		Short: "Find the mistakes of a game, by a stronger bot or by exact tables",
		Long: `Go through a game with a bot that judges the position before and after each move,
and mark the moves that cost something: ?! a tenth of a point, ? two, ?? three. A
point is a won game; a score of s centipawns is worth 1/(1+10^(-s/400)) of it.

GAME is the id from "arena games", or EVENT/NUMBER; FILE is PGN, of any program, or
what "arena export --format jsonl" wrote, also compressed by gzip (--number N takes its
Nth game). Positions that the tables of "arena solve" have are judged by them: there a
move gives the win away, or costs nothing.

The marks of a game of the database are kept there, and its replay in the browser
("arena serve", "arena site") shows them and jumps to them; --save=false keeps
nothing. Of a game whose rules are a program, name a --bot that plays it.`,
		Example: `  arena analyse 17
  arena analyse spring/3 --bot minimax --time 500ms
  arena analyse 17 --pgn > annotated.pgn
  arena analyse games.pgn --number 2 --time 50ms
  arena analyse games.jsonl --number 2 --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case x.time < 0:
				return usagef("--time %v: how long may it think about a position?", x.time)
			case x.time > 0:
				x.clock = x.time.String()
			}
			g, id, catalog, err := a.gameToAnalyse(cmd, args[0], &x)
			if err != nil {
				return err
			}
			return a.analyse(cmd, g, id, catalog, &x)
		},
	}
	cmd.Flags().StringVar(&x.bot, "bot", "minimax", "the `bot` that judges: a built-in or registered one, a program or a quoted command line")
	cmd.Flags().StringVar(&x.clock, "clock", "200ms", "what it may think about a position: a `time`, or nodes or a depth")
	cmd.Flags().DurationVar(&x.time, "time", 0, "the same as --clock with a time: the `time` it may think about a position")
	cmd.MarkFlagsMutuallyExclusive("clock", "time")
	cmd.Flags().StringVar(&x.tables, "tables", "", "the `folder` of exact tables (default: in the user's folder of caches)")
	cmd.Flags().IntVar(&x.number, "number", 1, "the `number` of the game in a FILE")
	cmd.Flags().Uint64Var(&x.seed, "seed", 1, "seed of the bot's option Seed, a `number`")
	cmd.Flags().BoolVar(&x.pgn, "pgn", false, "print the game as PGN, with marks and comments")
	cmd.Flags().BoolVar(&x.save, "save", true, "keep the marks in the database, for the replay in the browser")
	rulesFlag(cmd, &x.rules)
	x.output.register(cmd)
	return cmd
}

// gameToAnalyse reads a game of the database, whose id it returns, or of a file, and
// returns the catalog of its games.
func (a *app) gameToAnalyse(cmd *cobra.Command, name string, x *analyseFlags) (g *exchange.Game, id int64, catalog engine.Catalog, err error) {
	ctx := cmd.Context()
	f, err := os.Open(name)
	if err == nil {
		defer func() { _ = f.Close() }()
		if g, err = gameOf(f, x.number); err != nil {
			return nil, 0, nil, err
		}
		catalog, err = a.catalog(ctx, nil, g.Game.Game, x.rules)
		return g, 0, catalog, err
	}
	s, err := a.openRead(cmd)
	if err != nil {
		return nil, 0, nil, err
	}
	defer s.Close()
	recorded, err := findGame(ctx, s, name)
	if err != nil {
		return nil, 0, nil, err
	}
	if recorded.Result == arena.Unplayed {
		return nil, 0, nil, fmt.Errorf("game %s/%d has not been played yet", recorded.Event, recorded.Number)
	}
	if catalog, err = a.catalog(ctx, s, recorded.Game.Game, x.rules); err != nil {
		return nil, 0, nil, err
	}
	g, err = exchange.Recorded(ctx, s, recorded)
	return g, recorded.ID, catalog, err
}

// gameOf reads the nth game of a file.
func gameOf(f *os.File, number int) (*exchange.Game, error) {
	if number < 1 {
		return nil, usagef("--number %d: games count from 1", number)
	}
	g, read, err := exchange.ReadGame(f.Name(), f, number)
	if err == nil && g == nil {
		err = fmt.Errorf("%s has %s, not %d", f.Name(), text.Plural(read, "game"), number)
	}
	return g, err
}

// analyse analyses a game and prints the report; id is that of the database, 0 for a
// game of a file.
func (a *app) analyse(cmd *cobra.Command, g *exchange.Game, id int64, catalog engine.Catalog, x *analyseFlags) (err error) {
	defer engine.Catch(&err)
	game, err := catalog.Lookup(g.Game.Game)
	if err != nil {
		return err
	}
	pos, err := openings.After(game, g.Opening)
	if err != nil {
		return fmt.Errorf("opening: %w", err)
	}
	limits, err := parseClock(x.clock)
	if err != nil {
		return err
	}
	if limits.Base > 0 {
		return usagef("--clock %q: give what it may think about one position, such as 200ms, nodes=10000 or depth=8", x.clock)
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	t, err := a.openTable(ctx, cmd, []string{x.bot}, console.Setup{
		Game: game, Hello: session.DefaultHello, Options: func(d *session.Declared) []arena.Option { return seedOption(d, x.seed) },
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if err := t.Session.NewGame(ctx, session.DefaultReady); err != nil {
		return fmt.Errorf("%s: %w", t.Bot.Name, err)
	}
	in := analysis.Inputs{Judge: judgeAt(t, limits)}
	known, closeTables, err := winners(x.tables, game)
	if err != nil {
		return err
	}
	defer closeTables()
	in.Winner = known
	if _, onTerminal := a.terminal(a.err); onTerminal {
		in.Tell = func(done, of int) { fmt.Fprintf(raw(a.err), "\r%d of %d plies", done, of) }
		defer fmt.Fprint(raw(a.err), "\r\x1b[K")
	}
	plies, err := analysis.Game(ctx, pos, g.Moves, in)
	if err != nil {
		return err
	}
	if id != 0 && x.save {
		if err := a.keepAnalysis(cmd, id, t.Bot.Name, plies); err != nil {
			fmt.Fprintf(a.err, "warning: the marks are not kept for the browser: %v\n", err)
		}
	}
	if x.pgn {
		return a.annotate(g, plies, catalog)
	}
	r := analysis.NewReport(&g.Game, game.SideNames(), t.Bot.Name, plies)
	r.Game = game.Name()
	return x.output.print(a, r, r.Table)
}

// keepAnalysis records the analysis of a game of the database.
func (a *app) keepAnalysis(cmd *cobra.Command, id int64, judge string, plies []analysis.Ply) error {
	return a.writes(func(cmd *cobra.Command, _ []string, s *store.Store) error {
		return s.SaveAnalysis(cmd.Context(), id, &store.Analysis{Judge: judge, Plies: plies})
	})(cmd, nil)
}

// judgeAt asks the bot of the table for its move in a position and its search facts.
func judgeAt(t *console.Table, limits arena.TimeControl) func(context.Context, engine.Position) (arena.MoveRecord, error) {
	timers := session.NewTimers([2]arena.TimeControl{limits, limits})
	return func(ctx context.Context, pos engine.Position) (arena.MoveRecord, error) {
		// The position alone, as the record has it: what it depends on is in its text,
		// or, where a rule counts what was played, left to the tables.
		path := session.PathFrom(pos.Clone())
		within := session.DefaultSilent
		if limits.Move > 0 {
			within = limits.Move + 10*time.Second
		}
		answer, fault := t.Session.Ask(ctx, session.Question{Path: path, Limits: timers.Limits(pos.Turn()), Within: within})
		if fault != nil {
			return arena.MoveRecord{}, fmt.Errorf("%s: %w%s", t.Bot.Name, fault, t.Stderr())
		}
		record := arena.MoveRecord{Time: answer.Time}
		if !answer.Resign {
			record.Move = string(pos.AppendMove(nil, answer.Move))
		}
		t.Session.Report(&record)
		return record, nil
	}
}

// winners returns the lookup of winners in a game's exact tables, nil if it has none.
func winners(dir string, game engine.Game) (known func(engine.Position) (engine.Side, bool, error), done func(), err error) {
	if solve.Has(game) != nil {
		return nil, func() {}, nil
	}
	o, err := oracle(dir)
	if err != nil {
		return nil, nil, err
	}
	return func(pos engine.Position) (engine.Side, bool, error) {
		v, err := o.Value(pos)
		var missing *solve.MissingError
		if errors.As(err, &missing) {
			return engine.NoSide, false, nil
		}
		return v.Winner, err == nil, err
	}, o.Close, nil
}

// annotate prints the game as PGN.
func (a *app) annotate(g *exchange.Game, plies []analysis.Ply, catalog engine.Catalog) error {
	pgn := exchange.NewPGN(a.out, catalog, exchange.PGNOptions{Comments: true, Remark: func(i int) (int, string) {
		return plies[i].Mark.NAG(), plies[i].Comment()
	}})
	if err := pgn.Write(g); err != nil {
		return err
	}
	return pgn.Flush()
}
