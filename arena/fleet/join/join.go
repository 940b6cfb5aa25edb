package join

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"botarena/arena/fleet"
	"botarena/arena/fleet/keys"
	"botarena/arena/fleet/roster"
	"botarena/arena/fleet/wire"
)

// Credentials hold what a worker joins with.
type Credentials struct {
	Address    string // one, or several
	Key        string // the file of the key that the event's machine made; "" for none
	Creds      string // the file of credentials for a site's own cluster; "" for none
	Name       string // "" for one by lot
	Here       string // the key's file that the event's machine makes for itself
	WorkerName string // that Complete determines

	options []nats.Option
	denied  atomic.Int32  // refusals of the server
	shut    chan struct{} // closed when there were too many
}

// mostDenied is the maximum number of refusals by a server that admitted a worker
// before: a starting server may not know its keys yet.
const mostDenied = 2

// refused counts refusals of a connection that was admitted before.
func (c *Credentials) refused(_ *nats.Conn, _ *nats.Subscription, err error) {
	if errors.Is(err, nats.ErrAuthorization) && c.denied.Add(1) == mostDenied {
		close(c.shut)
	}
}

// Complete determines the worker's name, on a machine of this name, and reads the key.
func (c *Credentials) Complete(machine string) error {
	c.shut = make(chan struct{})
	if c.Name == "" {
		id := make([]byte, 3)
		_, _ = rand.Read(id) // it does not fail
		c.Name = hex.EncodeToString(id)
	}
	switch {
	case c.Key != "" && c.Creds != "":
		return errors.New("--key is for arena's own server, --creds for a site's own NATS cluster: give one of them")
	case c.Key != "":
		k, err := keys.Read(c.Key)
		if err != nil {
			return fmt.Errorf("--key: %w", err)
		}
		c.WorkerName = keys.WorkerName(k.Name, c.Name)
		c.options = k.Options(c.WorkerName)
	case c.Creds != "":
		c.WorkerName = keys.WorkerName(machineName(machine), c.Name)
		c.options = []nats.Option{nats.UserCredentials(c.Creds)}
	case c.isHere():
		c.WorkerName = keys.WorkerName(roster.HereName, c.Name)
	default:
		c.WorkerName = keys.WorkerName(machineName(machine), c.Name)
	}
	if keys.KeyOf(c.WorkerName) == "" {
		return fmt.Errorf("--name %q: letters, digits and -, at most 20", c.Name)
	}
	return nil
}

// server describes how the server is joined.
func (c *Credentials) server() Server {
	j := Server{Address: c.Address}
	switch {
	case c.Creds != "":
		j.Flag = "--creds"
	case c.Key != "":
		j.Flag = "--key"
	case c.isHere():
		_, err := keys.Read(c.Here)
		if j.Here = err != nil; err == nil {
			j.Flag = "--key"
		}
	}
	return j
}

// isHere reports whether the server is on this machine.
func (c *Credentials) isHere() bool {
	u, err := serverURL(c.Address)
	if err != nil {
		return false
	}
	_, loopback := roster.Outside(net.JoinHostPort(u.Hostname(), "0"))
	return loopback
}

// now returns the options to connect with. A worker on the event's machine finds the key
// beside the database, as soon as there is one.
func (c *Credentials) now() []nats.Option {
	inbox := nats.CustomInboxPrefix(wire.InboxPrefix(c.WorkerName))
	refused := nats.ErrorHandler(c.refused)
	if c.options == nil && c.isHere() {
		if k, err := keys.Read(c.Here); err == nil {
			return append(k.Options(c.WorkerName), inbox, refused)
		}
	}
	return append(slices.Clone(c.options), inbox, refused)
}

// Shut is closed when the server refuses a worker that it admitted before.
func (c *Credentials) Shut() <-chan struct{} { return c.shut }

// Refused returns the error of a worker whom the server has shut out; nil if it has not.
func (c *Credentials) Refused() error {
	select {
	case <-c.shut:
		err, _ := c.server().Problem(nats.ErrAuthorization)
		return err
	default:
		return nil
	}
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

// Reach connects a worker, and waits for a server that has not started yet; nil if ctx or soft
// ended the wait. It returns an *fs.PathError for a file that cannot be read.
func (c *Credentials) Reach(ctx context.Context, soft <-chan struct{}, w *fleet.Worker) (*nats.Conn, error) {
	const (
		again    = time.Second
		keyComes = 10 * time.Second // after the server
	)
	began, told := w.Now(), ""
	for {
		conn, err := fleet.Dial(c.Address, w.Tell, c.now()...)
		if err == nil {
			return conn, nil
		}
		err, final := c.server().Problem(err)
		if final || w.Drain || errors.Is(err, errUnknownTLS) && w.Now().Sub(began) > keyComes || w.Idle > 0 && w.Now().Sub(began) > w.Idle {
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
