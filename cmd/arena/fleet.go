package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/fleet"
	"botarena/arena/fleet/embedded"
	"botarena/arena/store"
	"botarena/arena/tournament"
)

// fleetFlags say with whom an event is played.
type fleetFlags struct {
	listen string // of the server that is started; "" for none
	nats   string // URL of another one
	creds  string
	local  string
}

// loopback is where --fleet alone listens: on this machine, on a port that is kept.
const loopback = "127.0.0.1:0"

func (f *fleetFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "fleet", "", "let workers on other machines play, too: start a server on `HOST:PORT`; --fleet alone is for this machine")
	flags.Lookup("fleet").NoOptDefVal = loopback
	flags.StringVar(&f.nats, "nats", "", "let workers play that meet at the NATS cluster at this `URL`")
	flags.StringVar(&f.creds, "creds", "", "the credentials `file` for --nats")
	flags.StringVar(&f.local, "local", "auto", "games at once on this machine beside the fleet's: a `number`, 0 for none, or auto")
	cmd.MarkFlagsMutuallyExclusive("fleet", "nats")
}

// wanted reports whether a fleet is to play, or what is wrong with the flags.
func (f *fleetFlags) wanted() (bool, error) {
	on := f.listen != "" || f.nats != ""
	switch {
	case f.creds != "" && f.nats == "":
		return false, usagef("--creds goes with --nats URL")
	case f.local != "auto" && !on:
		return false, usagef("--local goes with --fleet or --nats; --concurrency says how many games are played at once without")
	}
	if n, err := strconv.Atoi(f.local); f.local != "auto" && (err != nil || n < 0) {
		return false, usagef("--local %q: give a number from 0, or auto", f.local)
	}
	return on, nil
}

// A fleetSite is where coordinator and workers meet.
type fleetSite struct {
	conn   *nats.Conn
	server *embedded.Server // nil where it is another's
}

func (s *fleetSite) Close() {
	s.conn.Close()
	if s.server != nil {
		s.server.Close()
	}
}

// fleetDir is where the servers of fleets keep their state, beside the database.
func fleetDir(db string) string { return filepath.Join(filepath.Dir(db), "fleet") }

// openFleet starts the server, or connects to another's, and says how to join.
func (a *app) openFleet(f *fleetFlags, db string, say func(string)) (*fleetSite, error) {
	if f.nats != "" {
		var options []nats.Option
		join := "arena worker --join " + f.nats
		if f.creds != "" {
			options = append(options, nats.UserCredentials(f.creds))
			join += " --creds FILE"
		}
		conn, err := fleet.Dial(f.nats, say, options...)
		if err != nil {
			return nil, err
		}
		say("workers join with: " + join)
		return &fleetSite{conn: conn}, nil
	}
	server, err := startServer(f.listen, fleetDir(db))
	if err != nil {
		return nil, err
	}
	conn, err := server.Connect(fleet.Reconnecting(say)...)
	if err != nil {
		server.Close()
		return nil, err
	}
	say("workers join with: arena worker --join nats://" + server.Addr)
	return &fleetSite{conn, server}, nil
}

// mostServers is how many runs with one database may have a server each.
const mostServers = 64

// startServer starts a server in the first folder that no other one uses.
func startServer(listen, dir string) (*embedded.Server, error) {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, usagef("--fleet %q: write HOST:PORT, such as 127.0.0.1:4270", listen)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, usagef("--fleet %q: without keys workers join on this machine only, at 127.0.0.1 or localhost; others meet at a NATS cluster, --nats URL", listen)
	}
	for n := 1; ; n++ {
		server, err := embedded.Start(embedded.Options{Listen: listen, Dir: filepath.Join(dir, strconv.Itoa(n))})
		var used *embedded.UsedError
		if errors.As(err, &used) && n < mostServers {
			continue
		}
		return server, err
	}
}

// coordinate has a fleet play what the tournament runs.
func (a *app) coordinate(t *tournament.Tournament, f *fleetFlags, site *fleetSite, db *store.Store, tell func(string)) error {
	path, err := filepath.Abs(db.Path())
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	c := &fleet.Coordinator{
		Conn: site.conn, Home: host + ":" + path, Now: a.now, Tell: tell,
		Recorded: func(ctx context.Context, event string, number int) (*arena.Game, error) {
			list, err := db.Games(ctx, store.Filter{Event: event, Number: number, Played: true, Moves: true})
			var unknown *store.UnknownEventError
			if errors.As(err, &unknown) || err == nil && len(list) == 0 {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			return &list[0].Game, nil
		},
	}
	if f.local != "0" {
		c.Local = func(work tournament.Work) (tournament.Workers, error) {
			if n, err := strconv.Atoi(f.local); err == nil {
				work.Event.Concurrency = n
			}
			return tournament.NewLocal(t, work)
		}
	}
	t.Workers = c.Workers
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
