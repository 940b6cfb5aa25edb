package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/fleet"
	"botarena/arena/fleet/wire"
	"botarena/arena/process"
	"botarena/arena/tournament"
)

func (a *app) workerCommand() *cobra.Command {
	var join, creds, name string
	var slots int
	var drain bool
	var idle time.Duration
	cmd := &cobra.Command{
		Use:   "worker --join URL",
		Short: "Play the games of an event that runs elsewhere",
		Long: `Play games for arena run --fleet, match --fleet or sprt --fleet, which print the
command that joins them. A worker plays whatever event is run there, one after the
other, and waits in between. It keeps no record.

Built-in bots are its own; other bots must be installed here under the same command,
with the same contents. Events with bots that it does not have, it leaves to others.

Ctrl-C gives the games in hand back: others play them at once.`,
		Example: `  arena worker --join nats://127.0.0.1:4270
  arena worker --join nats://127.0.0.1:4270 --slots 2 --idle 60s
  arena worker --join nats://127.0.0.1:4270 --drain       ends when nothing is left to play`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if slots < 0 {
				return usagef("--slots %d: give a number from 1, or leave it out for one a core", slots)
			}
			if idle < 0 {
				return usagef("--idle %v: give a time, such as 60s", idle)
			}
			host, err := os.Hostname()
			if err != nil {
				return err
			}
			if name == "" {
				if name, err = workerName(host); err != nil {
					return err
				}
			}
			if !wire.Token(name) || name == fleet.LocalName {
				return usagef("--name %q: letters, digits, - and _, at most 64, and not %q", name, fleet.LocalName)
			}
			var options []nats.Option
			if creds != "" {
				options = append(options, nats.UserCredentials(creds))
			}
			w := &fleet.Worker{
				Name: name, Host: host, Platform: runtime.GOOS + "-" + runtime.GOARCH, Arena: version,
				Slots: slots, Drain: drain, Idle: idle, Now: a.now, Tell: lines(a.err),
			}
			return a.work(cmd.Context(), w, join, options)
		},
	}
	f := cmd.Flags()
	f.StringVar(&join, "join", "", "the fleet's `URL`, as arena run --fleet prints it")
	f.StringVar(&creds, "creds", "", "the credentials `file` for a site's own NATS cluster")
	f.StringVar(&name, "name", "", "the worker's `name`, which no other one has (default: the machine's and a number)")
	f.IntVar(&slots, "slots", 0, "games at once, a `number` (default: one a core, by the threads of the bots)")
	f.BoolVar(&drain, "drain", false, "end when there is nothing to play")
	f.DurationVar(&idle, "idle", 0, "end after so `long` without a game (default: never)")
	if err := cmd.MarkFlagRequired("join"); err != nil {
		panic(err)
	}
	return cmd
}

// workerName is a name that no other worker has, not even another one on this
// machine.
func workerName(host string) (string, error) {
	id := make([]byte, 3)
	if _, err := rand.Read(id); err != nil {
		return "", fmt.Errorf("name the worker: %w", err)
	}
	short, _, _ := strings.Cut(host, ".")
	clean := strings.Map(func(r rune) rune {
		if r < 128 && wire.Token(string(r)) {
			return r
		}
		return '-'
	}, short)
	const most = 40
	return clean[:min(len(clean), most)] + "-" + hex.EncodeToString(id), nil
}

// work joins a fleet and plays until it is interrupted or has nothing to do.
func (a *app) work(ctx context.Context, w *fleet.Worker, join string, options []nats.Option) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	soft, stop := a.interrupted(cancel, func() { w.Tell("interrupted: giving the games in hand back") })
	defer stop()
	options = append(options, nats.CustomInboxPrefix(wire.InboxPrefix(w.Name)))
	if w.Conn, err = a.reach(ctx, soft, w, join, options); err != nil || w.Conn == nil {
		return err
	}
	defer w.Conn.Close()
	st := &stage{}
	defer func() {
		if closeErr := st.Close(); err == nil {
			err = closeErr
		}
	}()
	if err := a.prepare(st); err != nil {
		return err
	}
	t := a.tournament(st)
	w.Play = func(work tournament.Work) (tournament.Workers, error) { return tournament.NewLocal(t, work) }
	w.Known = known().Names()
	w.Bring = func(_ context.Context, b arena.Bot, how wire.Bot, _ jetstream.ObjectStore) (arena.Bot, error) {
		return installed(t, b, how)
	}
	w.Tell(fmt.Sprintf("%s waits for games at %s", w.Name, join))
	return w.Run(ctx, soft)
}

// reach connects, and waits for a server that is not there yet.
func (a *app) reach(ctx context.Context, soft <-chan struct{}, w *fleet.Worker, join string, options []nats.Option) (*nats.Conn, error) {
	const again = time.Second
	began, told := a.now(), false
	for {
		conn, err := fleet.Dial(join, w.Tell, options...)
		if err == nil {
			return conn, nil
		}
		if w.Idle > 0 && a.now().Sub(began) > w.Idle || w.Drain {
			return nil, err
		}
		if !told {
			told = true
			w.Tell(fmt.Sprintf("%v; trying again", err))
		}
		select {
		case <-time.After(again):
		case <-soft:
			return nil, nil
		case <-ctx.Done():
			return nil, nil
		}
	}
}

// installed returns a bot as it is started here, where it is the one that the event
// has.
func installed(t *tournament.Tournament, b arena.Bot, how wire.Bot) (arena.Bot, error) {
	buildVersion := ""
	if b.Builtin != "" {
		buildVersion = t.BuiltinVersion(b.Builtin)
	} else if info, err := os.Stat(b.Dir); err != nil || !info.IsDir() {
		b.Dir = ""
	}
	print, older, err := process.Fingerprint(b, t.Path, buildVersion)
	if err != nil {
		return b, fmt.Errorf("bot %q is not installed here: %w", b.Name, err)
	}
	if how.Fingerprint != print && how.Fingerprint != older {
		return b, fmt.Errorf("bot %q is another version here: its fingerprint is %.12s, and the event's %.12s", b.Name, print, how.Fingerprint)
	}
	b.Fingerprint = how.Fingerprint
	return b, nil
}
