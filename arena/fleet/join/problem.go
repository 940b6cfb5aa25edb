// Package join joins a worker to a fleet: by which address and key, and what to try when
// the server cannot be joined.
package join

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"

	"botarena/arena/fleet/keys"
)

// Check reports what is wrong with the address of a fleet's server: one URL, or several of
// one cluster with commas between them.
func Check(text string) error {
	for one := range strings.SplitSeq(text, ",") {
		u, err := serverURL(one)
		switch {
		case err != nil:
			return fmt.Errorf("%q: write an address such as tls://arena.example.org:4270", withoutUser(one))
		case !slices.Contains([]string{"tls", "nats", "ws", "wss"}, u.Scheme):
			return fmt.Errorf("%q: the scheme is tls or nats, as in tls://arena.example.org:4270", u.Redacted())
		}
		if port := u.Port(); port != "" {
			if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
				return fmt.Errorf("%q: the port is a number from 1 to 65535", u.Redacted())
			}
		}
	}
	return nil
}

// withoutUser returns an unparsable address without a possible password in it.
func withoutUser(text string) string {
	if at := strings.LastIndex(text, "@"); at >= 0 {
		return "..." + text[at:]
	}
	return text
}

// serverURL reads the address of a server; without a scheme it is nats.
func serverURL(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "://") {
		text = "nats://" + text
	}
	u, err := url.Parse(text)
	if err == nil && u.Hostname() == "" {
		err = errors.New("no host")
	}
	return u, err
}

// Redacted returns the addresses of servers without passwords.
func Redacted(text string) string {
	var list []string
	for one := range strings.SplitSeq(text, ",") {
		u, err := serverURL(one)
		if err != nil {
			list = append(list, withoutUser(one))
			continue
		}
		if u.User != nil {
			one = u.Redacted()
		}
		list = append(list, one)
	}
	return strings.Join(list, ",")
}

// The errors of joining.
var (
	errNotKnown   = errors.New("the server does not know this key, or it was revoked; ask whoever runs the event for another invitation (arena fleet invite)")
	errNotCreds   = errors.New("the server does not take these credentials; ask whoever runs it for other ones (--creds FILE)")
	errNoCreds    = errors.New("the server asks who is there; name the file that whoever runs it gave you: --key FILE for arena run --fleet, --creds FILE for a site's own cluster")
	errOwnCreds   = errors.New("the server asks who is there; name the file that whoever runs it gave you (--creds FILE)")
	errNoCluster  = errors.New("no NATS server listens there; is the cluster up, and is this its address? --fleet instead of --nats starts a server")
	errNoServer   = errors.New("nobody listens there; is the run on (arena run FILE --fleet), and is this the address that it prints?")
	errOtherTalk  = errors.New("what answers there is no server of a fleet; write the address that arena run FILE --fleet prints")
	errUnknownTLS = errors.New("this machine has no key for this server, or does not know its certificate; for arena run --fleet name the key that arena fleet invite made (--key FILE), for a site's own cluster have its authority trusted here")
	errNoTLS      = errors.New("the server there speaks no TLS, which arena run --fleet does; a site's own cluster is joined by nats://HOST:PORT and --creds FILE")
)

// A Server describes how a server is joined, for hints about failures.
type Server struct {
	Address string // one, or several
	Flag    string // that says who joins: --key or --creds; "" for none
	Runs    bool   // it is the machine that runs the event
	Here    bool   // the key is to be beside the database, and is not there yet
}

// Problem describes what to try if the server cannot be joined. final reports that
// trying again is useless. It is an *fs.PathError where a file of credentials cannot be read.
func (j Server) Problem(err error) (problem error, final bool) {
	wrong, _ := errors.AsType[*keys.WrongServerError](err)
	file, _ := errors.AsType[*fs.PathError](err)
	lookup, _ := errors.AsType[*net.DNSError](err)
	wire, _ := errors.AsType[*net.OpError](err)
	unknown, _ := errors.AsType[*tls.CertificateVerificationError](err)
	silent := wire != nil && wire.Timeout()
	at := Redacted(j.Address)
	say := func(what error) error { return fmt.Errorf("join %s: %w", at, what) }
	switch {
	case wrong != nil:
		return say(wrong), true
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked),
		errors.Is(err, nats.ErrAccountAuthExpired), errors.Is(err, nats.ErrNkeysNotSupported):
		switch {
		case j.Flag == "--creds":
			return say(errNotCreds), true
		case j.Runs:
			return say(errOwnCreds), true
		case j.Flag == "":
			return say(errNoCreds), true
		}
		return say(errNotKnown), true
	case file != nil:
		return fmt.Errorf("%s: %w; name the file that whoever runs the server gave you", j.Flag, file), true
	case errors.Is(err, nats.ErrSecureConnWanted):
		return say(errNoTLS), true
	case unknown != nil:
		return say(errUnknownTLS), !j.Here
	case errors.Is(err, nats.ErrNoServers) && j.Runs:
		return say(errNoCluster), true
	case errors.Is(err, nats.ErrNoServers):
		return say(errNoServer), false
	case lookup != nil:
		return say(fmt.Errorf("no machine of that name is known: %w", lookup)), false
	case errors.Is(err, nats.ErrNoInfoReceived), silent && wire.Op == "read":
		return say(errOtherTalk), false
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, nats.ErrTimeout), silent:
		return say(fmt.Errorf("no answer; a firewall may be in between: %w", err)), false
	}
	return say(err), false
}
