package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena/event"
	"botarena/arena/fleet/audit"
	"botarena/arena/fleet/keys"
	"botarena/arena/listing"
	"botarena/arena/process"
	"botarena/arena/standings"
	"botarena/arena/store"
	"botarena/arena/text"
)

func (a *app) fleetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fleet",
		Short: "Invite machines to play for your events, and look after them",
		Long: `Invite machines to play for events that run here with --fleet, list them, look
whether they play as they should, and shut them out.`,
		Example: `  arena fleet invite attic
  arena fleet list
  arena fleet revoke attic --reason "it was sold"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.fleetInviteCommand(), a.fleetListCommand(), a.fleetRevokeCommand(), a.fleetAuditCommand())
	return cmd
}

func (a *app) fleetInviteCommand() *cobra.Command {
	var file, at string
	cmd := &cobra.Command{
		Use:   "invite NAME",
		Short: "Make a key for a machine, and print the command that it joins with",
		Long: `Make a key for a machine (or for all tasks of a cluster's job), and print the
command that it joins with. The key's file is for that machine alone: whoever has it
is that worker. It also says by which certificate the machine knows the server. Any
number of workers may join with one key; they are revoked together.`,
		Example: `  arena fleet invite attic
  arena fleet invite cluster --file ~/cluster.key --at arena.example.org:4270`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := args[0]
			if !keys.ValidName(name) || name == hereName {
				return usagef("worker %q: letters, digits and -, at most 40, and not %q", name, hereName)
			}
			v, err := a.settings(cmd)
			if err != nil {
				return err
			}
			s, err := store.Open(cmd.Context(), v.GetString("db"), a.now, a.tellStore())
			if err != nil {
				return err
			}
			if file == "" {
				file = name + ".key"
			}
			return errors.Join(a.invite(cmd.Context(), s, name, file, at), s.Close())
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "where to write the key (default: NAME.key in this folder)")
	cmd.Flags().StringVar(&at, "at", "", "`HOST:PORT` under which the machine reaches this one (default: where the last --fleet was)")
	return cmd
}

func (a *app) invite(ctx context.Context, s *store.Store, name, file, at string) error {
	dir := fleetDir(s.Path())
	certificate, err := keys.OpenCertificate(dir)
	if err != nil {
		return err
	}
	if at == "" {
		at = lastAddress(dir)
	}
	err = invite(ctx, s, name, certificate.Pin, at, file)
	switch {
	case errors.Is(err, fs.ErrExist):
		return usagef("%s is there already; remove it, or name another file with --file", file)
	case errors.Is(err, store.ErrWorkerExists):
		return usagef("worker %q: %w", name, store.ErrWorkerExists)
	case err != nil:
		return err
	}
	fmt.Fprintf(a.err, "%s is the key of worker %s: bring it there by a way that nobody else reads, and type there\n", file, name)
	if at == "" {
		at = "HOST:PORT"
	}
	fmt.Fprintln(a.out, joinCommand(at, filepath.Base(file)))
	if at == "HOST:PORT" {
		fmt.Fprintln(a.err, "HOST:PORT is what arena run FILE --fleet=HOST:PORT listens on, such as 0.0.0.0:4270")
	}
	return nil
}

func (a *app) fleetListCommand() *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the workers: slots, speed, games, faults, last sign of life",
		Long: `List the workers that were invited, or that played: whether they are there, their
slots, their speed under full load, games on record, faults, games that others played
again and what of these differed, and the last sign of life.`,
		Example: "  arena fleet list\n  arena fleet list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.openRead(cmd)
			if err != nil {
				return err
			}
			defer func() { _ = s.Close() }()
			list, err := s.Workers(cmd.Context())
			if err != nil {
				return err
			}
			lines := make([]standings.WorkerLine, len(list))
			for i := range list {
				lines[i] = standings.NewWorkerLine(&list[i], a.now())
			}
			return output.print(a, lines, func() listing.Table { return standings.WorkerTable(lines, a.now()) })
		},
	}
	output.register(cmd)
	return cmd
}

func (a *app) fleetRevokeCommand() *cobra.Command {
	var reason string
	var keep bool
	cmd := &cobra.Command{
		Use:   "revoke NAME",
		Short: "Shut a worker out, and take back the games that it played",
		Long: `Shut a worker out at once, and take back the games that it played: they count
nowhere any more and are played again, by a run that is on at once, else when the
event is gone on with. What was recorded of them stays in "arena games voided", with
the reason. Of Swiss and knockout events, games whose results later rounds were
paired by stay; they are named.`,
		Example: `  arena fleet revoke attic --reason "its games differ from those of the others"
  arena fleet revoke attic --keep-games --reason "it was sold"`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(reason) == "" {
				return usagef("say why with --reason: it is kept beside the results")
			}
			return a.withRegistry(cmd, func(s *store.Store) error { return a.revoke(cmd.Context(), s, args[0], reason, keep) })
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, a `text` that is kept (required)")
	cmd.Flags().BoolVar(&keep, "keep-games", false, "leave the games that it played as they are")
	return cmd
}

func (a *app) revoke(ctx context.Context, s *store.Store, name, reason string, keep bool) error {
	w, err := s.Revoke(ctx, name, reason, !keep)
	var unknown *store.UnknownWorkerError
	if errors.As(err, &unknown) {
		return usageError(err)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "worker %s is revoked\n", name)
	if keep {
		return nil
	}
	self, err := process.Self()
	if err != nil {
		return err
	}
	t := &event.Runner{Store: s, Self: self}
	events, err := workerGames(ctx, s, w.ID, "")
	if err != nil {
		return err
	}
	var failed []error
	for _, e := range events {
		n, err := t.VoidWorker(ctx, e.name, e.numbers, voidedFor(name, reason))
		var held *store.HeldError
		switch {
		case errors.As(err, &held):
			fmt.Fprintf(a.out, "%s of %s: the run that is on takes them back\n", text.Plural(len(e.numbers), "game"), e.name)
		case err != nil:
			failed = append(failed, err)
		}
		if n > 0 {
			fmt.Fprintf(a.out, "%s of %s voided; arena run goes on with the event\n", text.Plural(n, "game"), e.name)
		}
	}
	return errors.Join(failed...)
}

// eventNumbers are games of an event.
type eventNumbers struct {
	name    string
	numbers []int
}

// workerGames lists the finished games of a worker, of one event or of all.
func workerGames(ctx context.Context, s *store.Store, worker int64, event string) ([]eventNumbers, error) {
	var list []eventNumbers
	err := s.Scan(ctx, store.Filter{Worker: worker, Event: event, Played: true}, func(g *store.Game) error {
		if len(list) == 0 || list[len(list)-1].name != g.Event {
			list = append(list, eventNumbers{name: g.Event})
		}
		last := &list[len(list)-1]
		last.numbers = append(last.numbers, g.Number)
		return nil
	})
	return list, err
}

// auditLine is how a worker's games of an event compare with those of the others.
type auditLine struct {
	Event    string  `json:"event"`
	Worker   string  `json:"worker"` // "" for the machine that runs the event
	Games    int     `json:"games"`
	Chi2     float64 `json:"chi2"`
	Freedom  int     `json:"freedom"`
	P        float64 `json:"p"`
	TimeLoss int     `json:"time_losses"`
	Late     float64 `json:"p_late"`
}

// audits is what `arena fleet audit` prints.
type audits struct {
	Residuals   []auditLine      `json:"residuals"`
	Differences []differenceLine `json:"differences"`
	Audited     []auditedLine    `json:"audited"`
}

// auditedLine is how many of a worker's games, of all events, others played again.
type auditedLine struct {
	Worker   string `json:"worker"`
	Audited  int    `json:"audited"`
	Differed int    `json:"differed"` // held against it, of these and of what it played again itself
}

type differenceLine struct {
	Event   string    `json:"event"`
	Number  int       `json:"number"`
	At      time.Time `json:"at"`
	Worker  string    `json:"worker"`
	Auditor string    `json:"auditor"`
	Suspect string    `json:"suspect"` // against which of the two it is held
	Ply     int       `json:"ply"`
	Detail  string    `json:"detail"`
}

func (a *app) fleetAuditCommand() *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "audit [EVENT]",
		Short: "Compare each worker's games with those of the others",
		Long: `Compare each worker's games with those of the others, of one event or of all that
a fleet played: the results of pairs by a chi-square test of homogeneity (P is the chance
of results as far apart as these where a worker plays as the others do: look at those
below 0.001), games lost on time (P late likewise), and the games that another worker
played again with other moves (arena run --audit), each with the worker against which
it is held: what two plays of three agree on is held against whoever played the third.`,
		Example: "  arena fleet audit\n  arena fleet audit league --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.openRead(cmd)
			if err != nil {
				return err
			}
			defer func() { _ = s.Close() }()
			found, err := auditsOf(cmd.Context(), s, args)
			if err != nil {
				return err
			}
			if output.json {
				return a.printJSON(found)
			}
			if err := output.print(a, found, func() listing.Table { return auditTable(found) }); err != nil || len(found.Differences) == 0 {
				return err
			}
			fmt.Fprintln(a.out)
			return output.print(a, found, func() listing.Table { return differenceTable(found.Differences) })
		},
	}
	output.register(cmd)
	return cmd
}

func auditsOf(ctx context.Context, s *store.Store, names []string) (audits, error) {
	found := audits{Residuals: []auditLine{}, Differences: []differenceLine{}, Audited: []auditedLine{}}
	event := strings.Join(names, "")
	if event == "" {
		list, err := s.Events(ctx)
		if err != nil {
			return found, err
		}
		for _, e := range list {
			names = append(names, e.Name)
		}
	} else if _, err := s.Event(ctx, event); err != nil {
		return found, err
	}
	workers, err := s.Workers(ctx)
	if err != nil {
		return found, err
	}
	called := map[int64]string{}
	for _, w := range workers {
		called[w.ID] = w.Name
		if !w.Revoked.IsZero() {
			called[w.ID] += fmt.Sprintf(" (revoked %s)", w.Revoked.Format(time.DateOnly))
		}
		if w.Audited > 0 || w.Differed > 0 {
			found.Audited = append(found.Audited, auditedLine{called[w.ID], w.Audited, w.Differed})
		}
	}
	for _, name := range names {
		scores, err := s.WorkerScores(ctx, name)
		if err != nil {
			return found, err
		}
		found.Residuals = append(found.Residuals, residuals(name, scores, called)...)
	}
	differences, err := s.Differences(ctx, event)
	for _, d := range differences {
		found.Differences = append(found.Differences, differenceLine(d))
	}
	return found, err
}

// residuals compares the workers of an event; nothing where only one played.
func residuals(event string, scores []store.WorkerScore, called map[int64]string) []auditLine {
	var list []audit.Score
	games, late := map[string]int{}, map[string]int{}
	allGames, allLate := 0, 0
	for _, s := range scores {
		name := called[s.Worker]
		games[name] += s.Games
		late[name] += s.TimeLosses
		allGames, allLate = allGames+s.Games, allLate+s.TimeLosses
		list = append(list, audit.Score{
			Worker: name, Pairing: fmt.Sprintf("%s\x00%s\x00%d", s.A, s.B, s.Of), Games: s.Games, Counts: s.Counts,
		})
	}
	if len(games) < 2 {
		return nil
	}
	var lines []auditLine
	for _, f := range audit.Residuals(list) {
		lines = append(lines, auditLine{
			Event: event, Worker: f.Worker, Games: f.Games, Chi2: f.Chi2, Freedom: f.Freedom, P: f.P, TimeLoss: late[f.Worker],
			Late: audit.Late(late[f.Worker], games[f.Worker], allLate-late[f.Worker], allGames-games[f.Worker]),
		})
	}
	return lines
}

func auditTable(found audits) listing.Table {
	t := listing.Table{Columns: []listing.Column{
		{Name: "Event", Left: true},
		{Name: "Worker", Left: true},
		{Name: "Games"},
		{Name: "Chi²"},
		{Name: "df"},
		{Name: "P"},
		{Name: "Lost on time"},
		{Name: "P late"},
	}}
	for _, l := range found.Residuals {
		chi2, p := "-", "-"
		if l.Freedom > 0 {
			chi2, p = fmt.Sprintf("%.1f", l.Chi2), chance(l.P)
		}
		t.Rows = append(t.Rows, []string{
			l.Event, here(l.Worker), strconv.Itoa(l.Games), chi2, strconv.Itoa(l.Freedom), p, strconv.Itoa(l.TimeLoss), chance(l.Late),
		})
	}
	if len(t.Rows) == 0 {
		t.Notes = []string{"No event was played by several machines."}
	}
	if slices.ContainsFunc(found.Residuals, func(l auditLine) bool { return l.Freedom == 0 }) {
		t.Notes = append(t.Notes, "-: too few games to compare.")
	}
	for _, l := range found.Audited {
		t.Notes = append(t.Notes, fmt.Sprintf("%s of %s played again by others, in all events; %s held against it.",
			text.Plural(l.Audited, "game"), l.Worker, text.Plural(l.Differed, "difference")))
	}
	return t
}

func differenceTable(list []differenceLine) listing.Table {
	t := listing.Table{Title: "played again with other moves", Columns: []listing.Column{
		{Name: "Game", Left: true},
		{Name: "Worker", Left: true},
		{Name: "Again by", Left: true},
		{Name: "Held against", Left: true},
		{Name: "Ply"},
		{Name: "What", Left: true},
		{Name: "When", Left: true},
	}}
	for _, d := range list {
		t.Rows = append(t.Rows, []string{
			fmt.Sprintf("%s/%d", d.Event, d.Number), here(d.Worker), here(d.Auditor), here(d.Suspect), strconv.Itoa(d.Ply), d.Detail, d.At.Format(time.DateTime),
		})
	}
	return t
}

// here is a worker's name in a table; the machine that runs the event has none.
func here(worker string) string {
	if worker == "" {
		return "(this machine)"
	}
	return worker
}

// chance is a probability in a table.
func chance(p float64) string {
	if p < 0.0001 {
		return "<0.0001"
	}
	return fmt.Sprintf("%.4f", p)
}
