package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kballard/go-shellquote"
	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"botarena/arena/event"
	"botarena/arena/fleet"
	"botarena/arena/fleet/bundle"
	"botarena/arena/fleet/embedded"
	"botarena/arena/fleet/keys"
	"botarena/arena/fleet/roster"
	"botarena/arena/store"
)

// fleetFlags holds the flags of a fleet.
type fleetFlags struct {
	listen string // of the server that is started; "" for none
	nats   string // URL of another one
	creds  string
	local  string
	noise  string        // the largest spread of a worker's speed that plays by time
	env    []string      // names of the bots' environment variables that workers are told
	lease  time.Duration // 0: the protocol's
}

// loopback is the address of --fleet without a value: this machine, with a port that is
// kept.
const loopback = "127.0.0.1:0"

func (f *fleetFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "fleet", "", "let workers in other processes play, too: start a server on `HOST:PORT`, such as 0.0.0.0:4270; --fleet alone is for this machine")
	flags.Lookup("fleet").NoOptDefVal = loopback
	flags.StringVar(&f.nats, "nats", "", "let workers play that meet at the NATS cluster at this `URL`")
	flags.StringVar(&f.creds, "creds", "", "the credentials `file` for --nats")
	flags.StringVar(&f.local, "local", "auto", "games at once on this machine beside the fleet's: a `number`, 0 for none, or auto")
	flags.StringVar(&f.noise, "noise", "50%", "games by time go to workers whose measured speed varies by this `share` at most")
	flags.StringSliceVar(&f.env, "send-env", nil, "tell workers these environment variables (`NAME,...`) of the bots' env, which all of them can read; the others stay here")
	flags.DurationVar(&f.lease, "lease", 0, "how long a worker may be silent, for tests")
	if err := flags.MarkHidden("lease"); err != nil {
		panic(err)
	}
	cmd.MarkFlagsMutuallyExclusive("fleet", "nats")
}

// wanted reports whether a fleet is requested. The error is about the flags.
func (f *fleetFlags) wanted() (bool, error) {
	on := f.listen != "" || f.nats != ""
	switch {
	case len(f.env) > 0 && !on:
		return false, usagef("--send-env goes with --fleet or --nats")
	case f.creds != "" && f.nats == "":
		return false, usagef("--creds goes with --nats URL")
	case f.local != "auto" && !on:
		return false, usagef("--local goes with --fleet or --nats; --concurrency says how many games are played at once without")
	}
	if f.nats != "" {
		if err := checkServer("--nats", f.nats); err != nil {
			return false, err
		}
	}
	if _, err := f.mostNoise(); err != nil {
		return false, err
	}
	if n, err := strconv.Atoi(f.local); f.local != "auto" && (err != nil || n < 0) {
		return false, usagef("--local %q: give a number from 0, or auto", f.local)
	}
	return on, nil
}

// scaleFlag returns the flag of the event setting that matters only to a fleet.
func scaleFlag() settingFlag {
	return settingFlag{"scale", "", "the `mode` of clocks on workers. measured: times are multiplied by how much slower a worker is than this machine, from 0.5 to 2; none: they are not"}
}

// mostNoise returns the largest variation of speed at which a worker plays by time.
func (f *fleetFlags) mostNoise() (float64, error) {
	share, ok := percentage(f.noise)
	if !ok || share == 0 {
		return 0, usagef("--noise %q: give a share of the speed, such as 50%%", f.noise)
	}
	return share, nil
}

// percentage parses a share, such as 2%.
func percentage(text string) (share float64, ok bool) {
	const all, most = 100, 1e6
	number, percent := strings.CutSuffix(text, "%")
	share, err := strconv.ParseFloat(number, 64)
	return share / all, err == nil && percent && share >= 0 && share <= most
}

// A fleetSite is the server, or the connection to a cluster, of a fleet.
type fleetSite struct {
	conn   *nats.Conn
	server *embedded.Server // nil if it is another's
	secret []byte           // marks this record's jobs
	roster *roster.Roster   // who may join

	coordinator *fleet.Coordinator
	local       int // games at once on this machine
}

// Close ends the site, which may be nil.
func (s *fleetSite) Close() {
	if s == nil {
		return
	}
	if s.conn != nil {
		s.conn.Close()
	}
	if s.server != nil {
		s.server.Close()
	}
	if s.roster != nil {
		s.roster.Close()
	}
}

// fleetDir returns the folder of the state of fleets' servers, beside the database.
func fleetDir(db string) string { return filepath.Join(filepath.Dir(db), "fleet") }

// openFleet makes a Runner use a fleet if the flags request one, and prints how to
// join; else it returns nil.
func (a *app) openFleet(ctx context.Context, f *fleetFlags, t *event.Runner, st *machine, slots int, say func(string)) (*fleetSite, error) {
	on, err := f.wanted()
	if err != nil || !on {
		return nil, err
	}
	open := a.startFleet
	if f.nats != "" {
		open = a.joinCluster
	}
	site, err := open(ctx, f, st.store, say)
	if err != nil {
		return nil, err
	}
	if err := a.coordinate(ctx, t, f, site, st, slots, say); err != nil {
		site.Close()
		return nil, err
	}
	t.Recall = site.roster
	return site, nil
}

// startFleet starts a server, and prints how to join.
func (a *app) startFleet(ctx context.Context, f *fleetFlags, db *store.Store, say func(string)) (*fleetSite, error) {
	dir := fleetDir(db.Path())
	certificate, err := keys.OpenCertificate(dir)
	if err != nil {
		return nil, err
	}
	members, err := roster.Open(ctx, db, true, a.now)
	if err != nil {
		return nil, err
	}
	site := &fleetSite{roster: members, secret: certificate.Secret()}
	site.server, err = startServer(f.listen, dir, certificate, members.Guard)
	if err != nil {
		members.Close()
		return nil, err
	}
	if site.conn, err = site.server.Connect(fleet.Reconnecting(say)...); err != nil {
		site.Close()
		return nil, err
	}
	if err := tellHow(ctx, db, dir, certificate.Pin, site.server.Addr, say); err != nil {
		site.Close()
		return nil, err
	}
	return site, nil
}

// joinCluster connects to a site's own cluster.
func (a *app) joinCluster(ctx context.Context, f *fleetFlags, db *store.Store, say func(string)) (*fleetSite, error) {
	var options []nats.Option
	how, join := joining{server: f.nats, runs: true}, "arena worker --join "+shellquote.Join(redacted(f.nats))
	if f.creds != "" {
		options = append(options, nats.UserCredentials(f.creds))
		how.flag = "--creds"
		join += " --creds FILE"
	}
	conn, err := fleet.Dial(f.nats, say, options...)
	if err != nil {
		err, _ = how.problem(err)
		return nil, err
	}
	site := &fleetSite{conn: conn}
	certificate, err := keys.OpenCertificate(fleetDir(db.Path()))
	if err != nil {
		site.Close()
		return nil, err
	}
	site.secret = certificate.Secret()
	if site.roster, err = roster.Open(ctx, db, false, a.now); err != nil {
		site.Close()
		return nil, err
	}
	say("workers join with: " + join)
	say("  how much a worker may send before it is read, only that cluster limits: see its accounts and streams")
	return site, nil
}

// tellHow prints the command that joins a server.
func tellHow(ctx context.Context, db *store.Store, dir, pin, listens string, say func(string)) error {
	address, loopback := roster.Outside(listens)
	if err := roster.RememberAddress(dir, address); err != nil {
		return err
	}
	if loopback {
		file, err := roster.HereKey(ctx, db, dir, pin)
		if err != nil {
			return err
		}
		say("workers join with: " + roster.JoinCommand(address, file))
		return tellInvited(ctx, db, say)
	}
	say("workers join with: " + roster.JoinCommand(address, "NAME.key"))
	say("  NAME.key is made for a machine by: arena fleet invite NAME" + withDB(db.Path()))
	return tellInvited(ctx, db, say)
}

// tellInvited prints the existing keys.
func tellInvited(ctx context.Context, db *store.Store, say func(string)) error {
	known, err := db.WorkerKeys(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, name := range known {
		if name != roster.HereName {
			names = append(names, name)
		}
	}
	if slices.Sort(names); len(names) > 0 {
		say("  each machine that was invited joins with its own key: " + strings.Join(names, ".key, ") + ".key")
	}
	return nil
}

// mostServers is the maximum number of servers for one database.
const mostServers = 64

// startServer starts a server in the first unused folder.
func startServer(listen, dir string, certificate *keys.Certificate, guard *keys.Guard) (*embedded.Server, error) {
	if _, _, err := net.SplitHostPort(listen); err != nil {
		return nil, usagef("--fleet %q: write HOST:PORT, such as 127.0.0.1:4270, or 0.0.0.0:4270 for other machines", listen)
	}
	for n := 1; ; n++ {
		server, err := embedded.Start(embedded.Options{
			Listen: listen, Dir: filepath.Join(dir, strconv.Itoa(n)),
			TLS: certificate.ServerTLS(), Guard: guard, Own: guard.Own(),
		})
		var used *embedded.UsedError
		if errors.As(err, &used) && n < mostServers {
			continue
		}
		if err == nil {
			guard.Serve(server.Disconnect)
		}
		return server, err
	}
}

// coordinate makes a Runner use a fleet.
func (a *app) coordinate(ctx context.Context, t *event.Runner, f *fleetFlags, site *fleetSite, st *machine, slots int, tell func(string)) error {
	db := st.store
	path, err := filepath.Abs(db.Path())
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	noise, err := f.mostNoise()
	if err != nil {
		return err
	}
	site.local = slots
	if n, err := strconv.Atoi(f.local); err == nil {
		site.local = n
	}
	measured, err := st.measure(ctx, cmp.Or(site.local, slots))
	if err != nil {
		return err
	}
	c := &fleet.Coordinator{
		Speed: measured, Noise: noise,
		Conn: site.conn, Home: host + ":" + path, Arena: version, Lease: f.lease, Secret: site.secret, SendEnv: f.env, Now: a.now, Tell: tell,
		Recorded: func(ctx context.Context, event string, number int) (bool, error) {
			list, err := db.Games(ctx, store.Filter{Event: event, Number: number, Played: true})
			var unknown *store.UnknownEventError
			if errors.As(err, &unknown) {
				return false, nil
			}
			return len(list) > 0, err
		},
	}
	c.Packer = &bundle.Packer{Path: t.Path, Home: a.getenv("HOME"), Dir: filepath.Join(fleetDir(path), "bundles"), BuiltinVersion: t.BuiltinVersion}
	c.Trusted, c.Seen, c.Left, c.Faulty = site.roster.Trusted, site.roster.Saw, site.roster.Left, site.roster.Faulty
	if f.local == "0" {
		tell("no games are played until a worker joins (--local 0)")
	} else {
		c.Local = func(work event.Work) (event.Workers, error) {
			if n, err := strconv.Atoi(f.local); err == nil {
				work.Event.Concurrency = n
			}
			return event.NewLocal(t, work)
		}
	}
	if site.server != nil {
		c.Mend, c.Shut = site.server.Mend, site.roster.Shut
	}
	t.Workers, site.coordinator = c.Workers, c
	return nil
}

// lines returns a function that prints lines from any goroutine.
func lines(w io.Writer) func(string) {
	var mu sync.Mutex
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(w, line)
	}
}
