package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"botarena/arena/exchange"
	"botarena/arena/process"
	"botarena/arena/store"
	"botarena/arena/text"
)

// mostProblems is the maximum number of problems that are printed.
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
		RunE: func(cmd *cobra.Command, args []string) error {
			db, err := a.settings(cmd)
			if err != nil {
				return err
			}
			return a.importFiles(cmd.Context(), db, args, as, program)
		},
	}
	rulesFlag(cmd, &program)
	cmd.Flags().StringVar(&as, "as", "", "the `name` of the event here; the files must hold only one")
	return cmd
}

func (a *app) importFiles(ctx context.Context, db string, files []string, as, program string) error {
	i, err := a.importer(ctx, db, as, program)
	if err != nil {
		return err
	}
	for _, name := range files {
		f, err := openInput(name)
		if err != nil {
			return fmt.Errorf("%w; nothing was imported", err)
		}
		defer func() { _ = f.Close() }()
		info, err := f.Stat()
		switch {
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			return usagef("%s is not a file; files are read twice, to check them first", name)
		}
		if err := i.Add(name, f, info.Size()); errors.Is(err, exchange.ErrPGN) {
			return usagef("%w: import reads what \"arena export --format jsonl\" writes; \"arena rate %s\" rates the games", err, name)
		} else if err != nil {
			return err
		}
	}
	if as != "" && len(i.Events) > 1 {
		return usagef("--as %q names one event, but there are %d in the files; import them one by one", as, len(i.Events))
	}
	if len(i.Problems) > 0 {
		for _, p := range i.Problems[:min(mostProblems, len(i.Problems))] {
			fmt.Fprintln(a.err, p)
		}
		if more := len(i.Problems) - mostProblems; more > 0 {
			fmt.Fprintf(a.err, "... and %d more\n", more)
		}
		return usagef("%s: nothing was imported", text.Plural(len(i.Problems), "problem"))
	}
	if i.Again > 0 {
		fmt.Fprintf(a.err, "warning: %s recorded already, as %s: whatever looks at both events counts them twice\n", text.Plural(i.Again, "game"), i.Where)
	}
	return a.record(ctx, db, i)
}

// importer returns an importer into a database, which need not exist.
func (a *app) importer(ctx context.Context, db, as, program string) (*exchange.Importer, error) {
	catalog, err := a.catalog(ctx, nil, "", program)
	if err != nil {
		return nil, err
	}
	s, err := store.OpenRead(ctx, db, a.now, a.tellStore())
	switch {
	case errors.Is(err, store.ErrNoDatabase):
		return exchange.NewImporter(ctx, nil, catalog, as)
	case err != nil:
		return nil, err
	}
	defer s.Close()
	return exchange.NewImporter(ctx, s, catalog, as)
}

// record imports all events that were found.
func (a *app) record(ctx context.Context, db string, i *exchange.Importer) (err error) {
	s, err := store.Open(ctx, db, a.now, a.tellStore())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	self, err := process.Self()
	if err != nil {
		return err
	}
	if err := i.Record(ctx, s, self); err != nil {
		return fmt.Errorf("%w; nothing was imported", err)
	}
	for j := range i.Events {
		fmt.Fprintf(a.err, "event %q: %s imported\n", i.Events[j].Event.Name, text.Plural(i.Events[j].Games, "game"))
	}
	return nil
}
