package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/exchange"
	"botarena/arena/process"
	"botarena/arena/store"
	"botarena/arena/text"
	"botarena/engine"
)

// mostProblems is how many lines of what is wrong are printed.
const mostProblems = 200

func (a *app) importCommand() *cobra.Command {
	var as, program string
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Read games that another arena exported",
		Long: `Read files that "arena export --format jsonl" wrote, to merge leagues that were
played on several machines. The database is made where there is none.

Every game is played again by the rules: a move that they refuse, or a result or
reason that does not fit the end, refuses the game. Games whose rules are a program
need it: --rules names it, and they are recorded as its games. So do games that are recorded
already, and events whose names are in use. All that is wrong is said, with file
and line, and then nothing of any file is imported; else everything is, at once.

Imported events are finished: they cannot be gone on with here.`,
		Example: `  arena import spring.jsonl
  arena import north.jsonl south.jsonl --db league.db
  arena import spring.jsonl --as spring-north      where "spring" is in use`,
		Args: takes(1, anyNumber),
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := a.settings(cmd)
			if err != nil {
				return err
			}
			return a.importFiles(cmd.Context(), v.GetString("db"), args, as, program)
		},
	}
	rulesFlag(cmd, &program)
	cmd.Flags().StringVar(&as, "as", "", "the `name` of the event here; the files must hold only one")
	return cmd
}

// importer gathers what the files hold, and what is wrong with it.
type importer struct {
	seen     map[gameKey]string // where each game is recorded, or stands in a file
	events   map[string]string  // where each event is
	catalog  engine.Catalog
	found    []exchange.FileEvent
	problems []error
	renamed  string
	again    int // games that are recorded already, let through because of --as
	where    string
}

// gameKey tells games apart, whatever their event is called: the same versions
// do not begin the same number of a schedule twice in one microsecond.
type gameKey struct {
	start         int64
	number, round int
	first, second string // fingerprints
}

func keyOf(start time.Time, number, round int, first, second string) gameKey {
	return gameKey{start.UnixMicro(), number, round, first, second}
}

func (a *app) importFiles(ctx context.Context, db string, files []string, as, program string) error {
	i := &importer{seen: map[gameKey]string{}, events: map[string]string{}, renamed: as}
	var err error
	if i.catalog, err = a.catalog(ctx, nil, "", program); err != nil {
		return err
	}
	if err := i.recorded(ctx, a, db); err != nil {
		return err
	}
	for _, name := range files {
		f, err := openInput(name)
		if err != nil {
			return fmt.Errorf("%w; nothing was imported", err)
		}
		defer func() { _ = f.Close() }()
		if err := i.inspect(name, f); err != nil {
			return err
		}
	}
	if as != "" && len(i.found) > 1 {
		return usagef("--as %q names one event, but there are %d in the files; import them one by one", as, len(i.found))
	}
	if len(i.problems) > 0 {
		for _, p := range i.problems[:min(mostProblems, len(i.problems))] {
			fmt.Fprintln(a.err, p)
		}
		if more := len(i.problems) - mostProblems; more > 0 {
			fmt.Fprintf(a.err, "... and %d more\n", more)
		}
		return usagef("%s: nothing was imported", text.Plural(len(i.problems), "problem"))
	}
	if i.again > 0 {
		fmt.Fprintf(a.err, "warning: %s recorded already, as %s: whatever looks at both events counts them twice\n", text.Plural(i.again, "game"), i.where)
	}
	return a.record(ctx, db, i)
}

// recorded notes the games and events of the database, if there is one.
func (i *importer) recorded(ctx context.Context, a *app, db string) error {
	s, err := store.OpenRead(ctx, db, a.now, a.tellStore())
	if errors.Is(err, store.ErrNoDatabase) {
		return nil
	}
	if err != nil {
		return err
	}
	defer s.Close()
	events, err := s.Events(ctx)
	if err != nil {
		return err
	}
	for j := range events {
		i.events[events[j].Name] = "the database"
	}
	c, err := newContext(ctx, s, "", false)
	if err != nil {
		return err
	}
	return s.Scan(ctx, store.Filter{Played: true}, func(r *store.Game) error {
		key := keyOf(r.Start, r.Number, r.Round,
			c.versions[arena.BotVersion{Name: r.First, Version: r.FirstVersion}].Fingerprint, c.versions[arena.BotVersion{Name: r.Second, Version: r.SecondVersion}].Fingerprint)
		i.seen[key] = fmt.Sprintf("%s/%d", r.Event, r.Number)
		return nil
	})
}

// inspect reads a file without recording anything.
func (i *importer) inspect(name string, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return usagef("%s is not a file; files are read twice, to check them first", name)
	}
	file := exchange.Inspect(name, f, info.Size(), exchange.NewChecker(i.catalog), func(line int, g *exchange.Game) error {
		key := keyOf(g.Start, g.Number, g.Round, g.Versions[0].Fingerprint, g.Versions[1].Fingerprint)
		where, ok := i.seen[key]
		_, taken := i.events[g.Event]
		switch {
		case taken && i.renamed == "":
			return nil // said once, of the event
		case !ok || g.Start.IsZero():
			i.seen[key] = fmt.Sprintf("%s:%d", name, line)
		case i.renamed == "":
			return fmt.Errorf("game %s/%d is %s already", g.Event, g.Number, where)
		default:
			i.again, i.where = i.again+1, where
		}
		return nil
	})
	if len(file.Problems) == 1 && errors.Is(file.Problems[0], exchange.ErrPGN) {
		return usagef("%w: import reads what \"arena export --format jsonl\" writes; \"arena rate %s\" rates the games", file.Problems[0], name)
	}
	for _, p := range file.Problems {
		i.problems = append(i.problems, p)
	}
	for _, e := range file.Events {
		if e.Event.Rules != nil && len(file.Problems) == 0 { // as those by which they were checked
			game, err := i.catalog.Lookup(e.Event.Game)
			if err != nil {
				return err
			}
			e.Event.Game = game.Name()
		}
		if i.renamed != "" {
			e.Event.Name = i.renamed
		}
		if where, ok := i.events[e.Event.Name]; ok {
			i.problems = append(i.problems, &exchange.ParseError{File: name, Line: e.Line, Err: fmt.Errorf("event %q is in %s already; give it another name with --as", e.Event.Name, where)})
		}
		i.events[e.Event.Name] = name
		i.found = append(i.found, e)
	}
	return nil
}

// record writes all that was found.
func (a *app) record(ctx context.Context, db string, i *importer) (err error) {
	s, err := store.Open(ctx, db, a.now, a.tellStore())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	self, err := process.Self()
	if err != nil {
		return err
	}
	var events []store.Import
	for j := range i.found {
		e := &i.found[j]
		config, err := e.Config()
		if err != nil {
			return err
		}
		records := e.Records()
		if e.Event.Rules != nil {
			records = renamed(records, e.Event.Game)
		}
		events = append(events, store.Import{Event: e.Entered(), Config: config, Games: records})
	}
	if err := s.Import(ctx, events, self); err != nil {
		return fmt.Errorf("%w; nothing was imported", err)
	}
	for j := range i.found {
		fmt.Fprintf(a.err, "event %q: %s imported\n", i.found[j].Event.Name, text.Plural(i.found[j].Games, "game"))
	}
	return nil
}

// renamed are games of a game that is recorded under another name here: that of the
// rules by which they were checked.
func renamed(records iter.Seq2[*arena.Game, error], game string) iter.Seq2[*arena.Game, error] {
	return func(yield func(*arena.Game, error) bool) {
		for g, err := range records {
			if g != nil {
				g.Game = game
			}
			if !yield(g, err) {
				return
			}
		}
	}
}
