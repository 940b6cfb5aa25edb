// Package fleetsite is where the workers of a fleet and the coordinator of an event meet: a
// server that is started for them, or a cluster that is there.
package fleetsite

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"
	"github.com/nats-io/nats.go"

	"botarena/arena/event"
	"botarena/arena/fleet"
	"botarena/arena/fleet/bundle"
	"botarena/arena/fleet/embedded"
	"botarena/arena/fleet/join"
	"botarena/arena/fleet/keys"
	"botarena/arena/fleet/roster"
	"botarena/arena/fleet/speed"
	"botarena/arena/store"
)

// Auto stands for as many games at once on this machine as without a fleet.
const Auto = -1

// Config says where workers meet, and what they play.
type Config struct {
	Listen  string // HOST:PORT of a server that is started
	NATS    string // the address of a cluster, instead of one
	Creds   string // the file of credentials for it; "" for none
	Store   *store.Store
	Runner  *event.Runner // of the event, which is made to use the fleet
	Slots   int           // games at once on this machine without a fleet
	Local   int           // beside it: 0 for none, or Auto
	Noise   float64       // the largest spread of a worker's speed that plays by time
	SendEnv []string      // names of the bots' environment variables that workers are told
	Lease   time.Duration // 0: the protocol's
	Measure func(ctx context.Context, slots int) (speed.Measured, error)
	Home    string // the user's folder
	Arena   string // version of this program
	// Database is the flag that names the database in commands that are told; "" for none.
	Database string
	Say      func(string) // tells a line, from any goroutine
}

// A Site is the server, or the connection to a cluster, of a fleet.
type Site struct {
	Coordinator *fleet.Coordinator
	Local       int // games at once on this machine

	conn   *nats.Conn
	server *embedded.Server // nil if it is another's
	secret []byte           // marks this record's jobs
	roster *roster.Roster   // who may join
}

// Dir returns the folder of the state of fleets' servers, beside the database.
func Dir(db string) string { return filepath.Join(filepath.Dir(db), "fleet") }

// Open opens a site, makes the Runner use it, and tells how to join. The errors about a
// cluster are those of [join.Server.Problem].
func Open(ctx context.Context, c Config) (*Site, error) {
	s := &Site{}
	open := s.start
	if c.NATS != "" {
		open = s.connect
	}
	err := open(ctx, &c)
	if err == nil {
		err = s.coordinate(ctx, &c)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	c.Runner.Recall = s.roster
	return s, nil
}

// Close ends the site, which may be nil.
func (s *Site) Close() {
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

// start starts a server, and tells how to join.
func (s *Site) start(ctx context.Context, c *Config) error {
	dir := Dir(c.Store.Path())
	certificate, err := keys.OpenCertificate(dir)
	if err != nil {
		return err
	}
	s.secret = certificate.Secret()
	if s.roster, err = roster.Open(ctx, c.Store, true, c.Runner.Now); err != nil {
		return err
	}
	if s.server, err = startServer(c.Listen, dir, certificate, s.roster.Guard); err != nil {
		return err
	}
	if s.conn, err = s.server.Connect(fleet.Reconnecting(c.Say)...); err != nil {
		return err
	}
	return tellHow(ctx, c, dir, certificate.Pin, s.server.Addr)
}

// connect connects to a site's own cluster.
func (s *Site) connect(ctx context.Context, c *Config) (err error) {
	var options []nats.Option
	how, command := join.Server{Address: c.NATS, Runs: true}, "arena worker --join "+shellquote.Join(join.Redacted(c.NATS))
	if c.Creds != "" {
		options = append(options, nats.UserCredentials(c.Creds))
		how.Flag = "--creds"
		command += " --creds FILE"
	}
	if s.conn, err = fleet.Dial(c.NATS, c.Say, options...); err != nil {
		err, _ = how.Problem(err)
		return err
	}
	certificate, err := keys.OpenCertificate(Dir(c.Store.Path()))
	if err != nil {
		return err
	}
	s.secret = certificate.Secret()
	if s.roster, err = roster.Open(ctx, c.Store, false, c.Runner.Now); err != nil {
		return err
	}
	c.Say("workers join with: " + command)
	c.Say("  how much a worker may send before it is read, only that cluster limits: see its accounts and streams")
	return nil
}

// tellHow tells the command that joins a server, and the keys that there are.
func tellHow(ctx context.Context, c *Config, dir, pin, listens string) error {
	address, loopback := roster.Outside(listens)
	if err := roster.RememberAddress(dir, address); err != nil {
		return err
	}
	if loopback {
		file, err := roster.HereKey(ctx, c.Store, dir, pin)
		if err != nil {
			return err
		}
		c.Say("workers join with: " + roster.JoinCommand(address, file))
	} else {
		c.Say("workers join with: " + roster.JoinCommand(address, "NAME.key"))
		c.Say("  NAME.key is made for a machine by: arena fleet invite NAME" + c.Database)
	}
	known, err := c.Store.WorkerKeys(ctx)
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
		c.Say("  each machine that was invited joins with its own key: " + strings.Join(names, ".key, ") + ".key")
	}
	return nil
}

// mostServers is the maximum number of servers for one database.
const mostServers = 64

// startServer starts a server in the first unused folder.
func startServer(listen, dir string, certificate *keys.Certificate, guard *keys.Guard) (*embedded.Server, error) {
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

// coordinate makes the Runner use the fleet.
func (s *Site) coordinate(ctx context.Context, c *Config) error {
	path, err := filepath.Abs(c.Store.Path())
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	if s.Local = c.Local; s.Local == Auto {
		s.Local = c.Slots
	}
	measured, err := c.Measure(ctx, cmp.Or(s.Local, c.Slots))
	if err != nil {
		return err
	}
	t := c.Runner
	s.Coordinator = &fleet.Coordinator{
		Speed: measured, Noise: c.Noise,
		Conn: s.conn, Home: host + ":" + path, Arena: c.Arena, Lease: c.Lease, Secret: s.secret, SendEnv: c.SendEnv, Now: t.Now, Tell: c.Say,
		Recorded: func(ctx context.Context, event string, number int) (bool, error) {
			list, err := c.Store.Games(ctx, store.Filter{Event: event, Number: number, Played: true})
			var unknown *store.UnknownEventError
			if errors.As(err, &unknown) {
				return false, nil
			}
			return len(list) > 0, err
		},
		Packer:  &bundle.Packer{Path: t.Path, Home: c.Home, Dir: filepath.Join(Dir(path), "bundles"), BuiltinVersion: t.BuiltinVersion},
		Trusted: s.roster.Trusted, Seen: s.roster.Saw, Left: s.roster.Left, Faulty: s.roster.Faulty,
	}
	if c.Local == 0 {
		c.Say("no games are played until a worker joins (--local 0)")
	} else {
		s.Coordinator.Local = func(work event.Work) (event.Workers, error) {
			if c.Local != Auto {
				work.Event.Concurrency = c.Local
			}
			return event.NewLocal(t, work)
		}
	}
	if s.server != nil {
		s.Coordinator.Mend, s.Coordinator.Shut = s.server.Mend, s.roster.Shut
	}
	t.Workers = s.Coordinator.Workers
	return nil
}
