package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/kballard/go-shellquote"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/event"
	"botarena/arena/live"
	"botarena/arena/rating/sprt"
	"botarena/arena/schedule"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/engine/games"
)

func (a *app) runCommand() *cobra.Command {
	var quiet, extend, dryRun, asJSON bool
	var pgn string
	scratch, own := config.Default(), settingFlags{}
	var f fleetFlags
	var x serveFlags
	cmd := &cobra.Command{
		Use:   "run CONFIG",
		Short: "Start an event, or go on with it",
		Long: `Run the event that a file describes, and print its leaderboard. The same command
goes on with an event that was interrupted, and prints the leaderboard of one
that is finished. configs/reference.yaml shows every key of an event file.

Progress goes to stderr: a bar on a terminal, else a line now and then.
Ctrl-C starts no new games and lets those in progress end within the event's
grace; a second one stops at once. Nothing recorded is lost either way.

Exit codes: 0 finished, 1 failed, 2 wrong usage or configuration, 130 interrupted.`,
		Example: `  arena run configs/quickstart.yaml
  arena run league.yaml --dry-run
  arena run league.yaml --extend             after adding rounds or bots to the file, or
                                             replacing one: {name: emil 2, replaces: emil, ...}
  arena run league.yaml --db league.db --concurrency 4 --quiet
  arena run configs/quickstart.yaml --serve  shows it in a browser meanwhile
  arena run league.yaml --fleet              with workers: it prints the command that starts one`,
		RunE: func(cmd *cobra.Command, args []string) error {
			db, err := a.settings(cmd)
			if err != nil {
				return err
			}
			event, err := a.loadEvent(cmd, args[0])
			if err != nil {
				return err
			}
			own.apply(&event)
			if err := flagProblems(schedule.Validate(&event, known().Names()), own.named); err != nil {
				return err
			}
			if dryRun {
				return a.dryRun(cmd.Context(), event, db, extend)
			}
			resume := "arena run " + shellquote.Join(args[0]) + withDB(db) +
				asTyped(cmd.Flags(), "concurrency", "max-faults", "pgn", "fleet", "nats", "creds", "local", "scale", "noise", "send-env")
			return a.playEvent(cmd.Context(), event, play{
				db: db, quiet: quiet, extend: extend, json: asJSON, pgn: pgn, resume: resume, fleet: &f, serve: &x,
			})
		},
	}
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "no progress, only the leaderboard")
	own.add(cmd, &scratch, append(eventFlags(), scaleFlag())...)
	for name := range own { // else as the file says
		cmd.Flags().Lookup(name).DefValue = ""
	}
	asSettings(cmd.Flags(), "concurrency", "quiet")
	cmd.Flags().BoolVar(&extend, "extend", false, "accept more rounds, more bots, or bots replaced or withdrawn, and play what is missing")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the outcome as JSON")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print the schedule, the number of games and a time estimate, and play nothing")
	pgnFlag(cmd, &pgn)
	f.register(cmd)
	x.registerBeside(cmd)
	return cmd
}

// pgnFlag registers the flag that names a file for the games.
func pgnFlag(cmd *cobra.Command, path *string) {
	cmd.Flags().StringVar(path, "pgn", "", "append each game to this `file` as PGN with comments, while the event runs")
}

// asTyped returns the given flags in the form in which they are typed.
func asTyped(flags *pflag.FlagSet, names ...string) string {
	var text strings.Builder
	for _, name := range names {
		flag := flags.Lookup(name)
		if !flag.Changed {
			continue
		}
		word := "--" + name
		value := flag.Value.String()
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			value = strings.Join(list.GetSlice(), ",")
		}
		if value != flag.NoOptDefVal {
			word += "=" + value
		}
		text.WriteString(" " + shellquote.Join(word))
	}
	return text.String()
}

func defaultDB() string { return filepath.Join("results", "arena.db") }

// play holds the options for playing an event.
type play struct {
	db            string
	quiet, extend bool
	json          bool   // the outcome as JSON
	typed         bool   // by flags, without an event's file
	finished      bool   // before
	test          bool   // the exit code says what a test came to
	pgn           string // a file to append the games to; "" for none
	resume        string // the command that goes on with it
	// after is called at the end, instead of printing the outcome; nil prints it.
	after func(ctx context.Context, s *store.Store, o *standings.Outcome) error
	fleet *fleetFlags
	serve *serveFlags
}

// playEvent plays an event to its end, or until it is interrupted, and prints the
// outcome.
func (a *app) playEvent(ctx context.Context, e arena.Event, p play) (err error) {
	ctx, st, err := a.openPlaying(ctx, p.db, e.Rules, e.Grace)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := st.Close(); err == nil { // which often fails for the same reason
			err = closeErr
		}
	}()
	progress := a.newProgress(e, p.quiet)
	t := st.runner
	t.Observe = progress.observe
	st.publish(progress.say)
	served, err := a.beside(ctx, p.db, p.serve, t.Live)
	if err != nil {
		return err
	}
	defer func() { _ = served.Close() }() // the event is what counts
	site, err := a.openFleet(ctx, p.fleet, st, e.Concurrency, progress.line)
	if err != nil {
		return err
	}
	defer site.Close()
	pgn, err := a.openPGN(ctx, st.store, e.Name, p.pgn)
	if err != nil {
		return err
	}
	t.Observe = func(u event.Update) {
		progress.observe(u)
		if u.Kind == event.GameFinished && pgn != nil {
			pgn.GameEnded()
		}
	}
	summary, err := t.Run(ctx, e, event.Options{Extend: p.extend, Soft: st.soft})
	st.stop() // all is saved: from here on an interrupt ends arena at once, as any program
	progress.end()
	pgnErr := closePGN(context.WithoutCancel(ctx), pgn, p.pgn)
	if pgnErr != nil && err != nil { // which is returned
		fmt.Fprintln(a.err, "warning:", pgnErr)
	}
	// Print the outcome even if ctx was cancelled meanwhile.
	ctx = context.WithoutCancel(ctx)
	switch p.finished = errors.Is(err, event.ErrFinished); {
	case p.finished:
	case errors.Is(err, event.ErrInterrupted):
		if e.SPRT != nil && summary.Played > 0 {
			if _, err := a.printOutcome(ctx, st.store, e.Name, p); err != nil {
				return err
			}
		}
		fmt.Fprintf(a.err, "event %q: %d of %d games are played and saved; go on with: %s\n", e.Name, summary.Played, summary.Planned, p.resume)
		return &exitError{code: exitInterrupted}
	case err != nil && p.typed:
		return changedFlags(err)
	case err != nil:
		return err
	}
	verdict, err := a.printOutcome(ctx, st.store, e.Name, p)
	switch {
	case pgnErr != nil && !p.finished:
		return pgnErr
	case err == nil && p.test:
		return verdictCode(verdict)
	}
	return err
}

// A playing is a machine that plays until it is interrupted: once to end what is in
// progress, twice to end at once.
type playing struct {
	*machine
	runner   *event.Runner
	soft     <-chan struct{} // closed by the first interrupt
	stop     func()          // ends the handling of interrupts
	cancel   func()
	endpoint *live.Endpoint
}

// openPlaying opens the database at path for playing by rules that are a program, or nil.
func (a *app) openPlaying(ctx context.Context, path string, rules *arena.Bot, grace time.Duration) (context.Context, *playing, error) {
	a.rememberRules(rules)
	st, err := a.openMachine(ctx, path)
	if err != nil {
		return ctx, nil, err
	}
	p := &playing{machine: st, runner: a.runner(st)}
	p.runner.Live = live.NewHub(a.now)
	ctx, p.cancel = context.WithCancel(ctx)
	p.soft, p.stop = a.interrupted(p.cancel, func() {
		fmt.Fprintf(a.err, "\ninterrupted: games in progress may end within %v; interrupt again to stop at once\n", grace)
	})
	return ctx, p, nil
}

// publish lets other processes watch the games.
func (p *playing) publish(say func(string)) {
	var err error
	if p.endpoint, err = live.Publish(p.runner.Live, p.store.Path(), p.self); err != nil { // the games need no watchers
		say("warning: " + err.Error())
	}
}

// Close ends all of it.
func (p *playing) Close() error {
	_ = p.endpoint.Close()
	p.stop()
	p.cancel()
	return p.machine.Close()
}

// printOutcome prints the outcome of an event, and returns the verdict of its test or
// race.
func (a *app) printOutcome(ctx context.Context, s *store.Store, name string, p play) (sprt.Verdict, error) {
	o, err := standings.NewOutcome(ctx, s, games.All(), name)
	if err != nil {
		return "", err
	}
	if p.finished {
		fmt.Fprintf(a.err, "event %q is finished: all %d games are played\n", name, o.Games)
	}
	if p.after != nil {
		return o.Verdict(), p.after(ctx, s, o)
	}
	if p.json {
		return o.Verdict(), a.printJSON(o.Data())
	}
	return o.Verdict(), o.Write(a.out, "arena leaderboard --notes prints all notes.")
}

// changedFlags rewords the error about an event that is recorded with other settings
// for a user of flags.
func changedFlags(err error) error {
	var changed *event.ChangedError
	if !errors.As(err, &changed) {
		return err
	}
	more := ""
	if changed.Why == nil {
		more = ", or play more pairs or bots with --extend"
	}
	return usagef("event %q is recorded with other settings than these flags ask for:\n  %s\ngive the same flags again%s, or leave out --event to record a new event", changed.Event, strings.Join(changed.Changes, "\n  "), more)
}

// interrupted handles interrupts until stop is called. The first one closes soft and
// reports it, the second one cancels.
func (a *app) interrupted(cancel func(), say func()) (soft <-chan struct{}, stop func()) {
	interrupts, release := a.signals()
	first, done := make(chan struct{}), make(chan struct{})
	go func() {
		select {
		case <-interrupts:
			close(first) // first: what is said is true then
			say()
		case <-done:
			return
		}
		select {
		case <-interrupts:
			cancel()
		case <-done:
		}
	}()
	return first, sync.OnceFunc(func() {
		release()
		close(done)
	})
}
