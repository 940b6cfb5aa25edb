package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"botarena/arena/event"
	"botarena/arena/fleet"
	"botarena/arena/fleet/bundle"
	"botarena/arena/fleet/fleetsite"
	"botarena/arena/fleet/join"
	"botarena/arena/fleet/roster"
	"botarena/arena/fleet/speed"
)

func (a *app) workerCommand() *cobra.Command {
	var c join.Credentials
	var policy workerPolicy
	var slots int
	var drain bool
	var idle time.Duration
	cmd := &cobra.Command{
		Use:   "worker --join URL --key FILE",
		Short: "Play the games of an event that runs elsewhere",
		Long: `Play games for arena run --fleet, match --fleet or sprt --fleet, which print the
command that joins them; the key comes from arena fleet invite. A worker plays whatever event is run there, one after the
other, and waits in between. It keeps no record.

Built-in bots are its own. Other bots are sent, with the files that their entries name,
and kept in a cache. They run in a strict sandbox, whatever the event says: no network,
and of your files nothing but the bot's own: no path that an event names shows more than
you share by --share, beside interpreters in your PATH. Bots that are to be installed
here (fleet: installed) are programs of your PATH, or lie in a folder that you share.
Nothing is built here.
Events with bots that it cannot have, it leaves to others, and says why.

Ctrl-C gives the games in hand back: others play them at once. A server that is not
there yet, or no more, is waited for; with --drain or --idle the worker ends then, too.

Exit codes: 0 ended as asked, by --drain, --idle or Ctrl-C; 1 the server does not let it
in, or this machine cannot play; 2 wrong usage, or a key that is none.`,
		Example: `  arena worker --join tls://127.0.0.1:4270 --key attic.key
  arena worker --join tls://127.0.0.1:4270 --key attic.key --slots 2 --idle 60s
  arena worker --join tls://127.0.0.1:4270 --key attic.key --drain   ends when nothing is left to play`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if slots < 0 {
				return usagef("--slots %d: give a number from 1, or leave it out for one a core", slots)
			}
			if idle < 0 {
				return usagef("--idle %v: give a time, such as 60s", idle)
			}
			if err := join.Check(c.Address); err != nil {
				return usagef("--join %w", err)
			}
			host, err := os.Hostname()
			if err != nil {
				return err
			}
			db, err := a.settings(cmd)
			if err != nil {
				return err
			}
			c.Here = filepath.Join(fleetsite.Dir(db), roster.HereName+".key")
			if err := c.Complete(host); err != nil {
				return usageError(err)
			}
			w := &fleet.Worker{
				Name: c.WorkerName, Host: host, Platform: runtime.GOOS + "-" + runtime.GOARCH, Arena: version,
				Slots: slots, Drain: drain, Idle: idle, Now: a.now, Tell: lines(a.err),
			}
			return a.work(cmd.Context(), w, &c, &policy)
		},
	}
	policy.register(cmd)
	f := cmd.Flags()
	f.StringVar(&c.Address, "join", "", "the fleet's `URL`, as arena run --fleet prints it")
	f.StringVar(&c.Key, "key", "", "the `file` with this machine's key, from arena fleet invite (default on the event's own machine: the one beside the database)")
	f.StringVar(&c.Creds, "creds", "", "the credentials `file` for a site's own NATS cluster")
	f.StringVar(&c.Name, "name", "", "a `name` for this worker, which no other one with its key has (default: a random one)")
	f.IntVar(&slots, "slots", 0, "games at once, a `number` (default: one a core, by the threads of the bots)")
	f.BoolVar(&drain, "drain", false, "end when there is nothing to play")
	f.DurationVar(&idle, "idle", 0, "end after this `time` without a game (default: never)")
	if err := cmd.MarkFlagRequired("join"); err != nil {
		panic(err)
	}
	return cmd
}

// work joins a fleet and plays until it is interrupted or has nothing to do.
func (a *app) work(ctx context.Context, w *fleet.Worker, c *join.Credentials, policy *workerPolicy) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	soft, stop := a.interrupted(cancel, func() {}) // the worker tells what it does
	defer stop()
	if w.Conn, err = c.Reach(ctx, soft, w); err != nil || w.Conn == nil {
		return fileError(err)
	}
	defer w.Conn.Close()
	st := &machine{}
	defer func() {
		if closeErr := st.Close(); err == nil {
			err = closeErr
		}
	}()
	if err := a.prepare(st); err != nil {
		return err
	}
	t := a.runner(st)
	w.Play = func(work event.Work) (event.Workers, error) { return event.NewLocal(t, work) }
	w.Known = known().Names()
	w.Measure = func(ctx context.Context) (speed.Measured, error) { return st.measure(ctx, w.Slots) }
	installer, err := a.installer(ctx, st, t, policy)
	if err != nil {
		return err
	}
	w.Programs = installer
	w.Tell(fmt.Sprintf("%s waits for games at %s", w.Name, join.Redacted(c.Address)))
	go func() {
		select {
		case <-c.Shut():
			cancel()
			w.Conn.Close() // results in hand are not taken any more
		case <-ctx.Done():
		}
	}()
	if err := w.Run(ctx, soft); err != nil {
		return err
	}
	return c.Refused()
}

// A workerPolicy holds the sandbox and cache settings that a worker's owner imposes on
// other people's programs.
type workerPolicy struct {
	sandbox   string // strict, or event: as each bot's entry says
	share     []string
	cache     string
	cacheSize string
}

func (p *workerPolicy) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.sandbox, "sandbox", sandboxStrict, "the `mode` of shutting bots in: strict, or event (as each bot's entry says; for events that you trust)")
	f.StringArrayVar(&p.share, "share", nil, "a `folder` of this machine that bots may read where their entries name something in it; repeat for more (default: none)")
	f.StringVar(&p.cache, "cache", "", "`folder` for bots that were sent (default: arena/bundles in your cache folder)")
	f.StringVar(&p.cacheSize, "cache-size", "4GiB", "how much the cache may hold, those in use apart: a `size`")
}

const (
	sandboxStrict = "strict"
	sandboxEvent  = "event"
)

// installer returns the Installer of other people's programs. The error says why they
// cannot be sandboxed as the owner wants it.
func (a *app) installer(ctx context.Context, st *machine, t *event.Runner, p *workerPolicy) (*bundle.Installer, error) {
	size, err := humanize.ParseBytes(p.cacheSize)
	if err != nil || size == 0 || size > math.MaxInt64 {
		return nil, usagef("--cache-size %q: write a size such as 4GiB", p.cacheSize)
	}
	if p.sandbox != sandboxStrict && p.sandbox != sandboxEvent {
		return nil, usagef("--sandbox %q: strict or event", p.sandbox)
	}
	dir := p.cache
	if dir == "" {
		if dir, err = a.cacheDir(); err != nil {
			return nil, err
		}
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	share := make([]string, 0, len(p.share))
	for _, folder := range p.share {
		if folder, err = filepath.Abs(folder); err != nil {
			return nil, err
		}
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return nil, usagef("--share %s: there is no such folder", folder)
		}
		share = append(share, folder)
	}
	installer := &bundle.Installer{
		Cache: &bundle.Cache{Dir: dir, Bound: int64(size), Now: a.now}, Starter: st.starter, Path: t.Path,
		BuiltinVersion: t.BuiltinVersion, AsEntered: p.sandbox == sandboxEvent, Share: share, User: a.getenv("HOME"),
		Dir: filepath.Join(dir, "own"),
	}
	if err := installer.Ready(ctx); err != nil {
		return nil, fmt.Errorf("%w; --sandbox event runs bots as their event says", err)
	}
	return installer, nil
}

// cacheDir returns the folder of received bots: in the user's cache folder.
func (a *app) cacheDir() (string, error) {
	dir := a.getenv("XDG_CACHE_HOME")
	if !filepath.IsAbs(dir) {
		var err error
		if dir, err = os.UserCacheDir(); err != nil {
			return "", fmt.Errorf("no folder for bots that are sent: %w; name one with --cache", err)
		}
	}
	return filepath.Join(dir, "arena", "bundles"), nil
}
