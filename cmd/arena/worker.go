package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"botarena/arena/event"
	"botarena/arena/fleet"
	"botarena/arena/fleet/bundle"
	"botarena/arena/fleet/keys"
	"botarena/arena/fleet/roster"
	"botarena/arena/fleet/speed"
	"botarena/arena/fleet/wire"
)

func (a *app) workerCommand() *cobra.Command {
	var join, key, creds, name string
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
			if err := checkServer("--join", join); err != nil {
				return err
			}
			host, err := os.Hostname()
			if err != nil {
				return err
			}
			db, err := a.settings(cmd)
			if err != nil {
				return err
			}
			c := credentials{shut: make(chan struct{}), join: join, key: key, creds: creds, name: name, here: filepath.Join(fleetDir(db), roster.HereName+".key")}
			if err := c.complete(host); err != nil {
				return err
			}
			w := &fleet.Worker{
				Name: c.worker, Host: host, Platform: runtime.GOOS + "-" + runtime.GOARCH, Arena: version,
				Slots: slots, Drain: drain, Idle: idle, Now: a.now, Tell: lines(a.err),
			}
			return a.work(cmd.Context(), w, &c, &policy)
		},
	}
	policy.register(cmd)
	f := cmd.Flags()
	f.StringVar(&join, "join", "", "the fleet's `URL`, as arena run --fleet prints it")
	f.StringVar(&key, "key", "", "the `file` with this machine's key, from arena fleet invite (default on the event's own machine: the one beside the database)")
	f.StringVar(&creds, "creds", "", "the credentials `file` for a site's own NATS cluster")
	f.StringVar(&name, "name", "", "a `name` for this worker, which no other one with its key has (default: a random one)")
	f.IntVar(&slots, "slots", 0, "games at once, a `number` (default: one a core, by the threads of the bots)")
	f.BoolVar(&drain, "drain", false, "end when there is nothing to play")
	f.DurationVar(&idle, "idle", 0, "end after this `time` without a game (default: never)")
	if err := cmd.MarkFlagRequired("join"); err != nil {
		panic(err)
	}
	return cmd
}

// credentials holds what a worker joins with.
type credentials struct {
	join, key, creds, name string
	here                   string // the key that the event's machine makes for itself

	worker  string // the name that it has then
	options []nats.Option
	denied  atomic.Int32  // refusals of the server
	shut    chan struct{} // closed when there were too many
}

// mostDenied is the maximum number of refusals by a server that admitted a worker
// before: a starting server may not know its keys yet.
const mostDenied = 2

// refused counts refusals of a connection that was admitted before.
func (c *credentials) refused(_ *nats.Conn, _ *nats.Subscription, err error) {
	if errors.Is(err, nats.ErrAuthorization) && c.denied.Add(1) == mostDenied {
		close(c.shut)
	}
}

// complete determines the worker's name, and reads the key.
func (c *credentials) complete(host string) error {
	if c.name == "" {
		id := make([]byte, 3)
		if _, err := rand.Read(id); err != nil {
			return fmt.Errorf("name the worker: %w", err)
		}
		c.name = hex.EncodeToString(id)
	}
	switch {
	case c.key != "" && c.creds != "":
		return usagef("--key is for arena's own server, --creds for a site's own NATS cluster: give one of them")
	case c.key != "":
		k, err := keys.Read(c.key)
		if err != nil {
			return usageError(fmt.Errorf("--key: %w", err))
		}
		c.worker = keys.WorkerName(k.Name, c.name)
		c.options = k.Options(c.worker)
	case c.creds != "":
		c.worker = keys.WorkerName(machineName(host), c.name)
		c.options = []nats.Option{nats.UserCredentials(c.creds)}
	case c.isHere():
		c.worker = keys.WorkerName(roster.HereName, c.name)
	default:
		c.worker = keys.WorkerName(machineName(host), c.name)
	}
	if keys.KeyOf(c.worker) == "" {
		return usagef("--name %q: letters, digits and -, at most 20", c.name)
	}
	return nil
}

// how returns a description of how the server is joined.
func (c *credentials) how() joining {
	j := joining{server: c.join}
	switch {
	case c.creds != "":
		j.flag = "--creds"
	case c.key != "":
		j.flag = "--key"
	case c.isHere():
		_, err := keys.Read(c.here)
		if j.here = err != nil; err == nil {
			j.flag = "--key"
		}
	}
	return j
}

// isHere reports whether the server is on this machine.
func (c *credentials) isHere() bool {
	u, err := serverURL(c.join)
	if err != nil {
		return false
	}
	_, loopback := roster.Outside(net.JoinHostPort(u.Hostname(), "0"))
	return loopback
}

// now returns the options to connect with. A worker on the event's machine finds the key
// beside the database, as soon as there is one.
func (c *credentials) now() []nats.Option {
	inbox := nats.CustomInboxPrefix(wire.InboxPrefix(c.worker))
	refused := nats.ErrorHandler(c.refused)
	if c.options == nil && c.isHere() {
		if k, err := keys.Read(c.here); err == nil {
			return append(k.Options(c.worker), inbox, refused)
		}
	}
	return append(slices.Clone(c.options), inbox, refused)
}

// machineName converts a host's name to a valid worker name.
func machineName(host string) string {
	short, _, _ := strings.Cut(host, ".")
	clean := strings.Map(func(r rune) rune {
		if keys.ValidName(string(r)) {
			return r
		}
		return '-'
	}, short)
	const most = 40
	return clean[:min(len(clean), most)]
}

// work joins a fleet and plays until it is interrupted or has nothing to do.
func (a *app) work(ctx context.Context, w *fleet.Worker, c *credentials, policy *workerPolicy) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	soft, stop := a.interrupted(cancel, func() {}) // the worker tells what it does
	defer stop()
	if w.Conn, err = a.reach(ctx, soft, w, c); err != nil || w.Conn == nil {
		return err
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
	w.Tell(fmt.Sprintf("%s waits for games at %s", w.Name, redacted(c.join)))
	go func() {
		select {
		case <-c.shut:
			cancel()
			w.Conn.Close() // results in hand are not taken any more
		case <-ctx.Done():
		}
	}()
	if err := w.Run(ctx, soft); err != nil || !isClosed(c.shut) {
		return err
	}
	err, _ = c.how().problem(nats.ErrAuthorization)
	return err
}

// reach connects, and waits for a server that has not started yet.
func (a *app) reach(ctx context.Context, soft <-chan struct{}, w *fleet.Worker, c *credentials) (*nats.Conn, error) {
	const (
		again    = time.Second
		keyComes = 10 * time.Second // after the server
	)
	began, told := a.now(), ""
	for {
		conn, err := fleet.Dial(c.join, w.Tell, c.now()...)
		if err == nil {
			return conn, nil
		}
		err, final := c.how().problem(err)
		if final || w.Drain || errors.Is(err, errUnknownTLS) && a.now().Sub(began) > keyComes || w.Idle > 0 && a.now().Sub(began) > w.Idle {
			return nil, err
		}
		if line := fmt.Sprintf("%v; trying again until it can be joined", err); line != told {
			told = line
			w.Tell(line)
		}
		select {
		case <-time.After(again):
		case <-soft:
			w.Tell("interrupted: no game is in hand")
			return nil, nil
		case <-ctx.Done():
			return nil, nil
		}
	}
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

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
