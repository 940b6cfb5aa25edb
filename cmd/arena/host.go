package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kballard/go-shellquote"
	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/event"
	"botarena/arena/host"
	"botarena/arena/listing"
	"botarena/arena/process"
	"botarena/arena/store"
	"botarena/arena/submission"
	"botarena/arena/text"
	"botarena/arena/web"
	"botarena/bots/examples"
	"botarena/engine"
	"botarena/engine/games"
)

func (a *app) hostCommand() *cobra.Command {
	x := serveFlags{flag: "--listen"}
	var f fleetFlags
	var plain bool
	cmd := &cobra.Command{
		Use:   "host LEAGUE.yaml",
		Short: "Host a league that teams hand bots in to",
		Long: `Host a league: take what teams hand in, make bots of it, check them, and have them
play on a ladder that never ends, until it is told to stop (Ctrl-C). After a crash
the same command goes on. The file is an event's, of format ladder, with a block
"host"; configs/league.yaml shows it. Its bots are always there; each team's newest
version that was taken plays beside them.

Teams sign in on the page /team with a token that "arena host teams add" makes, and
hand in a source file or an archive there, by "arena submit", or by curl. What they
hand in is built, checked and played in the strict sandbox; without one there is no
host, unless the file says that all teams are trusted (trust: true).

It listens on this machine alone. From other machines the tokens must not be read on
the way: give --tls-cert and --tls-key, or let a proxy on this machine do that. In a
network that you trust --public-http does without.

Standard error is the organiser's log: who handed in what, and what became of it.`,
		Example: `  arena host teams add owls foxes
  arena host configs/league.yaml
  arena host cup.yaml --listen 0.0.0.0:8443 --tls-cert cert.pem --tls-key key.pem
  arena host cup.yaml --listen 0.0.0.0:8080 --public-http
  arena host cup.yaml --fleet=0.0.0.0:4270     other machines play, too
  arena host final cup.yaml
  arena host export cup.yaml --to autumn`,
		RunE: func(cmd *cobra.Command, args []string) error {
			db, err := a.settings(cmd)
			if err != nil {
				return err
			}
			l, err := a.loadLeague(cmd, args[0])
			if err != nil {
				return err
			}
			local, err := web.IsLocal(x.listen)
			if err != nil {
				return usagef("--listen %w, such as %s", err, defaultListen)
			}
			if !local && x.cert == "" && !plain {
				return usagef("--listen %s can be reached from other machines, and without HTTPS anybody on the way can read the tokens: give --tls-cert and --tls-key, listen on this machine behind a proxy, or say --public-http", x.listen)
			}
			return a.host(cmd.Context(), l, db, &f, x)
		},
	}
	cmd.Flags().StringVar(&x.listen, "listen", defaultListen, "the `address` to listen on, HOST:PORT; port 0 is any free one")
	cmd.Flags().BoolVar(&plain, "public-http", false, "serve other machines without HTTPS, in a network where nobody reads others' tokens")
	x.registerSecure(cmd)
	asSettings(cmd.Flags(), "listen")
	f.register(cmd)
	cmd.AddCommand(a.hostTeamsCommand(), a.hostFinalCommand(), a.hostExportCommand())
	return cmd
}

// loadLeague reads a league's file; its errors are usage errors.
func (a *app) loadLeague(cmd *cobra.Command, path string) (host.League, error) {
	l, err := host.Load(path, a.withRegistry(cmd, known()))
	return l, usageError(err)
}

// hostDir returns where a league's files are, beside the database.
func hostDir(db, league string) (string, error) {
	return filepath.Abs(filepath.Join(strings.TrimSuffix(db, filepath.Ext(db))+".host", league))
}

// host runs a league until it is interrupted.
func (a *app) host(ctx context.Context, l host.League, db string, f *fleetFlags, x serveFlags) (err error) {
	ctx, st, err := a.openPlaying(ctx, db, l.Rules, l.Grace)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	tell := lines(a.err)
	say := func(line string) { tell(a.now().Format(time.TimeOnly) + " " + line) }
	if l.Concurrency == 0 {
		l.Concurrency = max(1, process.Cores(st.cpus)-1) // one core builds, checks and plays challenges
	}
	t := st.runner
	var told sync.Map // each run of the ladder says some things again
	t.Observe = func(u event.Update) {
		if u.Kind != event.Warning && u.Kind != event.Notice {
			return
		}
		if _, again := told.LoadOrStore(u.Text, true); !again {
			say(u.Text)
		}
	}
	st.publish(say)
	var address atomic.Value // of the pages, once there are any
	address.Store("")
	h, err := a.newHost(ctx, l, db, t, say, func() string { return address.Load().(string) })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	site, err := a.openFleet(ctx, f, st, l.Concurrency, say)
	if err != nil {
		return err
	}
	defer site.Close()
	if site != nil {
		h.Join(site.Coordinator, site.Local)
	}
	x.own, x.league = t.Live, h
	pages, err := a.startPages(ctx, db, x)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pages.Close()) }()
	address.Store(pages.URL)
	fmt.Fprintf(a.out, "hosting %s at %s (Ctrl-C ends it)\n", l.Name, pages.URL)
	if teams, err := st.store.Teams(ctx); err != nil {
		return err
	} else if len(teams) == 0 {
		say("there are no teams yet; `arena host teams add NAME..." + withDB(db) + "` makes their tokens")
	}
	go func() {
		if err, ok := <-pages.Failed; ok && err != nil {
			say("the pages have failed: " + err.Error())
			st.cancel()
		}
	}()
	err = h.Run(ctx, st.soft)
	if err == nil || errors.Is(err, context.Canceled) {
		say("stopped; the same command goes on with the league")
		return nil
	}
	return changedLeague(err)
}

// changedLeague says what a league that differs from its record means for an organiser.
func changedLeague(err error) error {
	var changed *event.ChangedError
	if !errors.As(err, &changed) {
		return err
	}
	why := ""
	if changed.Why != nil {
		why = fmt.Sprintf("\nit cannot be extended like that: %v", changed.Why)
	}
	return usagef("league %q is recorded with other settings than its file has:\n  %s%s\nchange the file back, or give the league another name with event:", changed.Event, strings.Join(changed.Changes, "\n  "), why)
}

// keepApart keeps what this program does itself, such as pages for whoever reads them, to the
// spare cores, if there are any and they can be chosen here.
func keepApart(spare []process.CPU, say func(string)) {
	if spare == nil || !process.CanPin() {
		return
	}
	if err := process.KeepTo(process.IDs(spare)); err != nil {
		say(fmt.Sprintf("warning: games and pages share cores: %v", err))
		return
	}
	// A goroutine that answers a reader holds one of Go's processors while its thread waits
	// for a core: there must be one left for the games.
	runtime.GOMAXPROCS(2 * runtime.GOMAXPROCS(0))
}

// newHost returns the host of a league, once the sandbox and the languages were tried.
func (a *app) newHost(ctx context.Context, l host.League, db string, t *event.Runner, say func(string), url func() string) (*host.Host, error) {
	dir, err := hostDir(db, l.Name)
	if err != nil {
		return nil, err
	}
	var spare []process.CPU
	if l.Pin != arena.PinOff {
		spare = process.Spare(t.CPUs, l.Concurrency)
	}
	keepApart(spare, say)
	b, err := submission.New(ctx, submission.Config{
		Starter: t.Starter, Path: t.Path, Languages: l.Languages, Limits: l.Unpacked(), Trusted: l.Trust,
		Cache: filepath.Join(dir, "cache"), CPUs: process.IDs(spare),
	})
	if err != nil {
		return nil, err
	}
	return host.New(host.Config{
		League: l, Dir: dir, Runner: t, Builder: b, Now: a.now, Log: say, Spare: spare,
		Open: func(ctx context.Context) (engine.Game, func() error, error) {
			if l.Rules == nil {
				g, err := games.All().Lookup(l.Game)
				return g, func() error { return nil }, err
			}
			g, err := a.startRules(ctx, l.Game, l.Rules)
			if err != nil {
				return nil, nil, err
			}
			return g, g.Close, nil
		},
		Kit: func(language string) ([]byte, error) {
			return submission.Kit(examples.FirstBots(), language, submission.About{League: l.Name, Game: l.Game, Rules: l.Rules != nil, URL: url()})
		},
	})
}

func (a *app) hostTeamsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "teams",
		Short: "Make the tokens that teams hand in with, list them, and revoke them",
		Example: `  arena host teams add owls foxes
  arena host teams add --csv class.csv > tokens.csv
  arena host teams list
  arena host teams revoke owls`,
	}
	cmd.AddCommand(a.hostTeamsAddCommand(), a.hostTeamsListCommand(), &cobra.Command{
		Use:     "revoke NAME",
		Short:   "Make a team's token worthless; its bot plays on",
		Example: `  arena host teams revoke owls`,
		RunE: a.writes(func(cmd *cobra.Command, args []string, s *store.Store) error {
			if err := s.RevokeTeam(cmd.Context(), args[0]); err != nil {
				return err
			}
			fmt.Fprintf(a.out, "the token of %q is not accepted any more\n", args[0])
			return nil
		}),
	})
	return cmd
}

func (a *app) hostTeamsAddCommand() *cobra.Command {
	var file string
	var experiments bool
	cmd := &cobra.Command{
		Use:   "add NAME...",
		Short: "Make a token for each team, and print them as CSV",
		Long: `Make a token for each team and print them as CSV, team and token. They are shown this
once: only what recognises them is kept. A team whose token was revoked gets a new one.

With --experiments the teams may queue tests and matches on the host by "arena sprt" and
"arena match" with --to; those that have a token keep it.`,
		Example: `  arena host teams add owls foxes
  arena host teams add --experiments engine-authors
  arena host teams add --csv class.csv > tokens.csv    names are in the first column`,
		Args: takes(0, anyNumber),
		RunE: func(cmd *cobra.Command, names []string) error {
			if file != "" {
				more, err := readNames(file)
				if err != nil {
					return err
				}
				names = append(names, more...)
			}
			if len(names) == 0 {
				return usagef("name the teams, or a file of names with --csv")
			}
			for _, name := range names {
				if slices.Contains([]string{".yaml", ".yml", ".csv"}, filepath.Ext(name)) {
					return usagef("%q is the name of a file, not of a team: give names alone, since the teams are those of the database, or --csv FILE", name)
				}
				if err := host.CheckTeam(name); err != nil {
					return usageError(err)
				}
			}
			return a.writes(func(cmd *cobra.Command, _ []string, s *store.Store) error {
				return a.addTeams(cmd.Context(), s, names, experiments)
			})(cmd, nil)
		},
	}
	cmd.Flags().StringVar(&file, "csv", "", "read names from the first column of this `file`")
	cmd.Flags().BoolVar(&experiments, "experiments", false, "let the teams queue tests and matches on the host")
	return cmd
}

// readNames returns the first column of a file of CSV, without a heading "team" or "name".
func readNames(path string) (names []string, err error) {
	f, err := openInput(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		return nil, usagef("%s: %w", path, err)
	}
	for i, row := range rows {
		name := strings.TrimSpace(strings.TrimPrefix(row[0], "\ufeff"))
		if name == "" || i == 0 && (strings.EqualFold(name, "team") || strings.EqualFold(name, "name")) {
			continue
		}
		names = append(names, name)
	}
	return names, nil
}

func (a *app) addTeams(ctx context.Context, s *store.Store, names []string, experiments bool) error {
	w := csv.NewWriter(a.out)
	defer w.Flush()
	added := 0
	for _, name := range names {
		token, hash := host.NewToken()
		err := s.AddTeam(ctx, name, hash)
		known := experiments && errors.Is(err, store.ErrTeamExists)
		if err != nil && !known {
			return usagef("team %q: %w", name, err)
		}
		if experiments {
			if err := s.AllowExperiments(ctx, name); err != nil {
				return err
			}
		}
		if known {
			fmt.Fprintf(a.err, "%s may queue experiments now, with the token that it has\n", name)
			continue
		}
		if added++; added == 1 {
			_ = w.Write([]string{"team", "token"}) // whatever fails is told when the output ends
		}
		_ = w.Write([]string{name, token})
		w.Flush()
	}
	if added > 0 {
		fmt.Fprintf(a.err, "%s for %s; they are not shown again\n", text.Plural(added, "token"), filepath.Base(s.Path()))
	}
	return nil
}

// A teamLine is one team as `arena host teams list` prints it.
type teamLine struct {
	Team    string     `json:"team"`
	Created time.Time  `json:"created"`
	Revoked *time.Time `json:"revoked,omitempty"`
	// Experiments reports whether the team may queue tests and matches.
	Experiments bool `json:"experiments,omitempty"`
}

func (a *app) hostTeamsListCommand() *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the teams",
		Example: "  arena host teams list\n  arena host teams list --json",
		RunE: a.reads(func(cmd *cobra.Command, _ []string, s *store.Store) error {
			list, err := s.Teams(cmd.Context())
			if err != nil {
				return err
			}
			lines := []teamLine{}
			table := listing.Table{Columns: []listing.Column{{Name: "Team", Left: true}, {Name: "Token since", Left: true}, {Name: "Revoked", Left: true}, {Name: "Experiments", Left: true}}}
			for _, t := range list {
				line, revoked, may := teamLine{Team: t.Name, Created: t.Created, Experiments: t.Experiments}, "", ""
				if t.Experiments {
					may = "yes"
				}
				if !t.Revoked.IsZero() {
					line.Revoked, revoked = &t.Revoked, t.Revoked.Format(time.DateTime)
				}
				lines = append(lines, line)
				table.Rows = append(table.Rows, []any{t.Name, t.Created.Format(time.DateTime), cmp.Or(revoked, "-"), cmp.Or(may, "-")})
			}
			return output.print(a, lines, func() listing.Table { return table })
		}),
	}
	output.register(cmd)
	return cmd
}

func (a *app) hostFinalCommand() *cobra.Command {
	var quiet, asJSON bool
	var f fleetFlags
	var x serveFlags
	cmd := &cobra.Command{
		Use:   "final LEAGUE.yaml",
		Short: "Play the final of a league that has closed",
		Long: `Play the final of a league that has closed: an event of its own, named "LEAGUE final",
between each team's newest version, with the format, rounds and seed of the file; the
best on the ladder is seeded first. The same command goes on with it, and the same
seed and versions give the same pairings and openings. A host may run meanwhile.`,
		Example: `  arena host final cup.yaml
  arena host final cup.yaml --serve`,
		RunE: func(cmd *cobra.Command, args []string) error {
			db, err := a.settings(cmd)
			if err != nil {
				return err
			}
			l, err := a.loadLeague(cmd, args[0])
			if err != nil {
				return err
			}
			s, err := store.OpenRead(cmd.Context(), db, a.now, a.tellStore())
			if err != nil {
				return err
			}
			e, err := host.FinalEvent(cmd.Context(), s, games.All(), &l, a.now())
			if err := errors.Join(err, s.Close()); err != nil {
				return err
			}
			resume := "arena host final " + shellquote.Join(args[0]) + withDB(db) + asTyped(cmd.Flags(), "fleet", "nats", "creds", "local", "noise", "send-env")
			return a.playEvent(cmd.Context(), e, play{db: db, quiet: quiet, json: asJSON, resume: resume, fleet: &f, serve: &x})
		},
	}
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "no progress, only the outcome")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the outcome as JSON")
	f.register(cmd)
	x.registerBeside(cmd)
	return cmd
}

func (a *app) hostExportCommand() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "export LEAGUE.yaml --to FOLDER",
		Short: "Write standings, grades, submissions and games of a league to a folder",
		Long: `Write to a folder what an organiser takes home: standings.csv; grades.csv, a row for
each team with its place; submissions.csv, who handed in what and when; games.csv and
games.pgn; and all that was handed in, as it came. A host may run meanwhile.`,
		Example: `  arena host export cup.yaml --to autumn`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if to == "" {
				return usagef("--to is missing: the folder to write to")
			}
			l, err := a.loadLeague(cmd, args[0])
			if err != nil {
				return err
			}
			return a.reads(func(cmd *cobra.Command, _ []string, s *store.Store) error {
				dir, err := hostDir(s.Path(), l.Name)
				if err != nil {
					return err
				}
				catalog, err := a.catalog(cmd.Context(), s, l.Game, "")
				if err != nil {
					return err
				}
				x := host.Export{Store: s, Catalog: catalog, League: l.Name, Dir: dir}
				names, err := x.Write(cmd.Context(), to)
				for _, name := range names {
					fmt.Fprintln(a.out, filepath.Join(to, name))
				}
				return err
			})(cmd, args)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "the `folder` to write to")
	return cmd
}
