package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"botarena/arena/event"
	"botarena/arena/fleet/audit"
	"botarena/arena/fleet/fleetsite"
	"botarena/arena/fleet/keys"
	"botarena/arena/fleet/roster"
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
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := roster.CheckName(args[0]); err != nil {
				return usageError(err)
			}
			return a.writes(func(cmd *cobra.Command, args []string, s *store.Store) error {
				return a.invite(cmd.Context(), s, args[0], cmp.Or(file, args[0]+".key"), at)
			})(cmd, args)
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "the `file` to write the key to (default: NAME.key in this folder)")
	cmd.Flags().StringVar(&at, "at", "", "`HOST:PORT` under which the machine reaches this one (default: where the last --fleet was)")
	return cmd
}

func (a *app) invite(ctx context.Context, s *store.Store, name, file, at string) error {
	dir := fleetsite.Dir(s.Path())
	certificate, err := keys.OpenCertificate(dir)
	if err != nil {
		return err
	}
	if at == "" {
		at = roster.LastAddress(dir)
	}
	err = roster.Invite(ctx, s, name, certificate.Pin, at, file)
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
	fmt.Fprintln(a.out, roster.JoinCommand(at, filepath.Base(file)))
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
slots, their speed under full load, games on record, faults, and the last sign of life.`,
		Example: "  arena fleet list\n  arena fleet list --json",
		RunE: a.reads(func(cmd *cobra.Command, _ []string, s *store.Store) error {
			list, err := s.Workers(cmd.Context())
			if err != nil {
				return err
			}
			lines := make([]standings.WorkerLine, len(list))
			for i := range list {
				lines[i] = standings.NewWorkerLine(&list[i], a.now())
			}
			return output.print(a, lines, func() listing.Table { return standings.WorkerTable(lines, a.now()) })
		}),
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
		RunE: a.changes(func(cmd *cobra.Command, args []string, s *store.Store) error {
			if strings.TrimSpace(reason) == "" {
				return usagef("say why with --reason: it is kept beside the results")
			}
			return a.revoke(cmd.Context(), s, args[0], reason, keep)
		}),
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, a `text` that is kept (required)")
	cmd.Flags().BoolVar(&keep, "keep-games", false, "leave the games that it played as they are")
	return cmd
}

func (a *app) revoke(ctx context.Context, s *store.Store, name, reason string, keep bool) error {
	self, err := process.Self()
	if err != nil {
		return err
	}
	revoked, err := roster.Revoke(ctx, &event.Runner{Store: s, Self: self}, name, reason, keep)
	if revoked != nil {
		fmt.Fprintf(a.out, "worker %s is revoked\n", name)
	}
	for _, e := range revoked {
		if e.Held {
			fmt.Fprintf(a.out, "%s of %s: the run that is on takes them back\n", text.Plural(e.Games, "game"), e.Event)
		} else if e.Games > 0 {
			fmt.Fprintf(a.out, "%s of %s voided; arena run goes on with the event\n", text.Plural(e.Games, "game"), e.Event)
		}
	}
	return err
}

// auditJSON is the output of `arena fleet audit --json`.
type auditJSON struct {
	Residuals []audit.Finding `json:"residuals"`
}

func (a *app) fleetAuditCommand() *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "audit [EVENT]",
		Short: "Compare each worker's games with those of the others",
		Long: `Compare how each bot fared at each worker with how it fared elsewhere against the same
opponents, of one event or of all that a fleet played. Points are those of pairs of games,
from 0 to 1 each. P is the chance that one of a worker's bots deviates as far as this where
the worker plays as the others do: look at those below 0.001. P late says the same of games
lost on time. The first line of a worker, without a bot, has all of its games.

This finds a worker that favours or harms a bot by far more than chance does, and one that
answers late. It does not find small shifts, moves of a worker's own choice whose results
are level, or anything in pairings that no other machine has played.`,
		Example: "  arena fleet audit\n  arena fleet audit league --json",
		RunE: a.reads(func(cmd *cobra.Command, args []string, s *store.Store) error {
			lines, err := roster.Audit(cmd.Context(), s, strings.Join(args, ""))
			if err != nil {
				return err
			}
			return output.print(a, auditJSON{lines}, func() listing.Table { return roster.AuditTable(lines) })
		}),
	}
	output.register(cmd)
	return cmd
}
