package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/host/client"
	"botarena/arena/listing"
	"botarena/arena/openings"
	"botarena/arena/rating/sprt"
	"botarena/arena/store"
	"botarena/arena/text"
	"botarena/arena/web"
	"botarena/bots/builtin"
	"botarena/engine/games"
)

// queueHelp explains experiments on a host.
const queueHelp = `With --to URL it is queued on a host instead ("arena host"), if your team may: bots are
sent as source files, archives or folders, as "arena submit" takes them, or are bots of
the league or built-in ones, by name; a --book is sent, too. --wait waits for the
outcome; "arena queue" shows and changes what is queued.`

// queueFlags hold where an experiment is queued.
type queueFlags struct {
	to, tokenFile string
	priority      int
	wait          bool
	sent          *sentBots // nil unless it is queued
}

func (q *queueFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	q.host(cmd, "queue it on the host at this `URL` instead of playing here")
	f.IntVar(&q.priority, "priority", 0, "with --to: the highest `number` goes first, -100 to 100")
	f.BoolVar(&q.wait, "wait", false, "with --to: wait for the outcome")
}

// host registers the flags that say which host is asked.
func (q *queueFlags) host(cmd *cobra.Command, to string) {
	cmd.Flags().StringVar(&q.to, "to", "", to)
	cmd.Flags().StringVar(&q.tokenFile, "token-file", "", "with --to: the `file` with your team's token")
}

// ofThisMachine are the flags of match and sprt that a host decides, or that do not travel.
func ofThisMachine() []string {
	return []string{
		"event", "extend", "dry-run", "pgn", "serve", "fleet", "rules", "concurrency", "limits", "sandbox", "log", "handshake", "scale",
	}
}

// sentBots are the bots of an experiment, and where each comes from.
type sentBots struct {
	game  string   // that is played unless a flag names one
	from  []string // of each bot, as the host reads it
	paths []string // of those that are sent
	book  string   // the file of openings; "" for none
}

// resolve returns the bot that a word names: a built-in one, a file or folder that is sent, or
// one of the league.
func (t *sentBots) resolve(arg string) (arena.Bot, error) {
	if name, rest, ok := namedBot(arg); ok {
		b, err := t.resolve(rest)
		b.Name = name
		return b, err
	}
	b, from := config.DefaultBot(), "league "+arg
	b.Name, b.Command = arg, []string{arg}
	_, err := os.Stat(arg)
	switch {
	case slices.Contains(builtin.Names(), arg):
		from, b.Builtin, b.Command = "builtin", arg, nil
	case err == nil:
		path, err := filepath.Abs(arg)
		if err != nil {
			return b, err
		}
		from, t.paths = "file", append(t.paths, arg)
		b.Name, b.Command = arena.NameOf([]string{path}), []string{filepath.Base(path)}
	case strings.ContainsAny(arg, `/\`):
		return b, usagef("%s: there is no such file or folder", arg)
	}
	t.from = append(t.from, from)
	return b, nil
}

// enqueue queues a match or a test on a host.
func (a *app) enqueue(cmd *cobra.Command, d *duel, args []string) error {
	for _, name := range ofThisMachine() {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			return usagef("--%s does not go with --to: the host decides it, or it does not travel", name)
		}
	}
	if len(args) == 0 {
		return usagef("name the two bots that --to queues a test of")
	}
	h, err := a.joinLeague(cmd.Context(), &submitFlags{to: d.queue.to, tokenFile: d.queue.tokenFile, json: d.asJSON, status: d.quiet})
	if err != nil {
		return err
	}
	d.queue.sent = &sentBots{game: h.League.Game}
	d.event.Name = "experiment" // the host gives it its own
	e, err := a.matchEvent(cmd, d, "experiment", args)
	if err != nil {
		return err
	}
	if err := d.queue.sent.takeBook(&e); err != nil {
		return err
	}
	text, err := config.Encode(e)
	if err != nil {
		return err
	}
	x, err := h.Queue(cmd.Context(), client.Experiment{Event: text, Bots: d.queue.sent.from, Paths: d.queue.sent.paths, Book: d.queue.sent.book, Priority: d.queue.priority})
	switch {
	case err != nil:
		return fmt.Errorf("queue it: %w", err)
	case d.queue.wait:
		h.tell("experiment %d is queued: %s/queue/%d\n", x.ID, h.URL, x.ID)
		return h.await(cmd.Context(), x.ID)
	case d.asJSON:
		return h.printJSON(&x)
	}
	h.tell("experiment %d is queued: %s/queue/%d\n`arena queue wait %d --to %s` waits for its outcome\n", x.ID, h.URL, x.ID, x.ID, h.URL)
	return nil
}

// takeBook makes an event's book, if it has one, a file that is sent with it.
func (t *sentBots) takeBook(e *arena.Event) error {
	if t.book = e.Openings.File; t.book == "" {
		return nil
	}
	if game, err := games.All().Lookup(e.Game); err == nil { // else the host knows its rules
		if _, err := openings.New(game, e.Openings, e.Seed, nil); err != nil {
			return usageError(err)
		}
	}
	e.Openings.File = filepath.Base(t.book)
	return nil
}

// outcomeReport is an experiment with its outcome as the host wrote it.
type outcomeReport struct {
	web.ExperimentReport
	Outcome json.RawMessage `json:"outcome,omitempty"`
}

// await waits until an experiment is over, and prints its outcome. The exit code is that of
// arena sprt.
func (h *leagueHost) await(ctx context.Context, id int64) error {
	var x outcomeReport
	late := fmt.Sprintf("experiment %d is queued, but the host has not answered for %%s; `arena queue wait %d` asks again", id, id)
	for state := ""; ; {
		x = outcomeReport{}
		if err := h.Patiently(ctx, late, func() error { return h.Read(ctx, fmt.Sprintf("/queue/%d.json", id), &x) }); err != nil {
			return err
		}
		if state != x.State {
			state = x.State
			h.tell("  %s\n", state)
		}
		if x.Over {
			break
		}
		if err := client.Wait(ctx, 2*client.AskEvery); err != nil {
			return err
		}
	}
	if h.json {
		if err := h.printJSON(&x); err != nil {
			return err
		}
	} else if x.State == store.ExperimentEnded {
		for _, line := range x.Summary {
			h.tell("%s\n", text.Line(line, mostLine))
		}
		h.tell("%s took %s of slots and %s of CPU time; played at %s\n", text.Plural(x.Games, "game"), x.Took(), x.Computed(), x.Where())
	}
	switch {
	case x.State != store.ExperimentEnded:
		h.showLog(x.Log)
		return fmt.Errorf("experiment %d has %s: %s", id, x.State, x.Reason)
	case x.Verdict == string(sprt.AcceptH0):
		return &exitError{code: exitH0}
	case x.Verdict == string(sprt.Continue):
		return &exitError{code: exitUndecided}
	}
	return nil
}

// mostLine is the longest line of a host's summary that is printed.
const mostLine = 1000

func (a *app) queueCommand() *cobra.Command {
	var q queueFlags
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "queue",
		Short: "Show and change the tests and matches that are queued on a host",
		Long: `List the tests and matches that teams queued on a host by "arena sprt" or "arena match"
with --to: first those that are not over, in the order in which they are played, then
the last ones that are. Those of the highest priority whose bots are built play side by
side, the four oldest: together they have half of the slots and of the fleet's workers,
in equal parts, and the ladder the other half; what one party does not want, the others
get, and a single slot is taken in turns. More urgent ones take their place between
games, and they go on later.

Without --to it is about the database of a host on this machine, for its organiser.`,
		Example: `  arena queue --to https://league.example.org
  arena queue wait 12 --to https://league.example.org
  arena queue priority 12 10 --to https://league.example.org
  arena queue stop 12 --db league.db`,
		RunE: func(cmd *cobra.Command, args []string) error {
			show := func(list []web.ExperimentReport) error {
				return output.print(a, list, func() listing.Table { return web.ExperimentsTable(list) })
			}
			if q.to == "" {
				return a.reads(func(cmd *cobra.Command, _ []string, s *store.Store) error {
					list, err := web.Experiments(cmd.Context(), s, "")
					if err != nil {
						return err
					}
					return show(list)
				})(cmd, args)
			}
			h, err := a.joinLeague(cmd.Context(), &submitFlags{to: q.to, tokenFile: q.tokenFile, status: true})
			if err != nil {
				return err
			}
			list := []web.ExperimentReport{}
			if err := h.Read(cmd.Context(), "/queue.json", &list); err != nil {
				return err
			}
			return show(list)
		},
	}
	q.host(cmd, "the host at this `URL`; without it, the database of one here")
	output.register(cmd)
	cmd.AddCommand(a.queueWaitCommand(), a.queueChange("stop N", "End an experiment at once; its games stay", 1), a.queueChange("priority N PRIORITY", "Give an experiment another priority: the highest goes first", 2))
	return cmd
}

func (a *app) queueWaitCommand() *cobra.Command {
	var q queueFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "wait N --to URL",
		Short: "Wait for the outcome of an experiment",
		Long: `Wait until an experiment is over, and print its outcome. Exit codes: 0 a match has
ended, or H1 is accepted, 3 H0 is accepted, 4 undecided, 1 failed or stopped.`,
		Example: `  arena queue wait 12 --to https://league.example.org`,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := experimentNumber(args[0])
			if err != nil {
				return err
			}
			h, err := a.joinLeague(cmd.Context(), &submitFlags{to: q.to, tokenFile: q.tokenFile, json: asJSON})
			if err != nil {
				return err
			}
			return h.await(cmd.Context(), id)
		},
	}
	q.host(cmd, "the host at this `URL`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the outcome as JSON")
	return cmd
}

func experimentNumber(arg string) (int64, error) {
	id, err := strconv.ParseInt(arg, 10, 64)
	if err != nil || id < 1 {
		return 0, usagef("%q is not the number of an experiment; `arena queue` lists them", arg)
	}
	return id, nil
}

// queueChange returns a command that changes an experiment: its arguments are its number and,
// if they are two, its priority.
func (a *app) queueChange(use, short string, arguments int) *cobra.Command {
	var q queueFlags
	name, _, _ := strings.Cut(use, " ")
	example := map[string]string{"stop": "12", "priority": "12 10"}[name]
	long := short + "."
	if arguments == 2 {
		long += "\nThey are from -100 to 100; one below 0 goes last, behind --: -- -10."
	}
	cmd := &cobra.Command{
		Use:     use,
		Short:   short,
		Long:    long,
		Example: fmt.Sprintf("  arena queue %s %s --to https://league.example.org\n  arena queue %s %s --db league.db", name, example, name, example),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := experimentNumber(args[0])
			if err != nil {
				return err
			}
			form, priority, said := url.Values{"stop": {"yes"}}, 0, "stopped"
			if arguments == 2 {
				if priority, err = strconv.Atoi(args[1]); err != nil || priority < -100 || priority > 100 {
					return usagef("%q is no priority: write a number from -100 to 100", args[1])
				}
				form, said = url.Values{"priority": {args[1]}}, "of priority "+args[1]
			}
			if q.to != "" {
				err = a.changeRemote(cmd.Context(), &q, id, form)
			} else {
				err = a.writes(func(cmd *cobra.Command, _ []string, s *store.Store) error {
					if arguments == 2 {
						return s.PrioritizeExperiment(cmd.Context(), "", id, priority)
					}
					return s.StopExperiment(cmd.Context(), "", id, "Stopped by the organiser.")
				})(cmd, args)
			}
			if err == nil {
				fmt.Fprintf(a.out, "experiment %d is %s\n", id, said)
			}
			return err
		},
	}
	q.host(cmd, "the host at this `URL`; without it, the database of one here")
	return cmd
}

func (a *app) changeRemote(ctx context.Context, q *queueFlags, id int64, form url.Values) error {
	h, err := a.joinLeague(ctx, &submitFlags{to: q.to, tokenFile: q.tokenFile, status: true})
	if err != nil {
		return err
	}
	var x web.ExperimentReport
	return h.Send(ctx, fmt.Sprintf("/queue/%d", id), form, &x)
}
