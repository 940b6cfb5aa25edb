package join_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"botarena/arena/fleet/join"
	"botarena/arena/fleet/keys"
)

// Whatever keeps a machine from joining is said in lower case, with the place and with
// what to try, and without passwords; and what another try does not mend is final.
func TestJoinProblems(t *testing.T) {
	const server = "tls://user:secret@arena.example.org:4270"
	for _, c := range []struct {
		name  string
		how   join.Server
		err   error
		says  string
		final bool
		usage bool
	}{
		{"revoked", join.Server{Flag: "--key"}, nats.ErrAuthorization, "arena fleet invite", true, false},
		{"credentials", join.Server{Flag: "--creds"}, nats.ErrAuthExpired, "other ones (--creds FILE)", true, false},
		{"no credentials", join.Server{}, nats.ErrAuthorization, "--key FILE for arena run --fleet", true, false},
		{"own credentials", join.Server{Runs: true}, nats.ErrAuthorization, "gave you (--creds FILE)", true, false},
		{"another server", join.Server{Flag: "--key"}, fmt.Errorf("tls: %w", &keys.WrongServerError{Got: "aa", Want: "bb"}), "another invitation", true, false},
		{"unknown certificate", join.Server{}, &tls.CertificateVerificationError{Err: errors.New("x509")}, "--key FILE", true, false},
		{"a key that may come", join.Server{Here: true}, &tls.CertificateVerificationError{Err: errors.New("x509")}, "--key FILE", false, false},
		{"no TLS", join.Server{Flag: "--key"}, nats.ErrSecureConnWanted, "nats://HOST:PORT and --creds FILE", true, false},
		{"nobody", join.Server{}, nats.ErrNoServers, "the address that it prints", false, false},
		{"no cluster", join.Server{Runs: true}, nats.ErrNoServers, "--fleet instead of --nats", true, false},
		{"no name", join.Server{}, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "x"}}, "no machine of that name", false, false},
		{"silence", join.Server{}, &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, "no server of a fleet", false, false},
		{"firewall", join.Server{}, &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, "a firewall may be in between", false, false},
		{"no file", join.Server{Flag: "--creds"}, &fs.PathError{Op: "open", Path: "x.creds", Err: fs.ErrNotExist}, "--creds: open x.creds", true, true},
	} {
		c.how.Address = server
		err, final := c.how.Problem(c.err)
		said := err.Error()
		if !strings.Contains(said, c.says) || final != c.final || strings.Contains(said, "secret") {
			t.Errorf("%s: %s (final: %v)", c.name, said, final)
		}
		if !c.usage && !strings.HasPrefix(said, "join tls://user:xxxxx@arena.example.org:4270: ") {
			t.Errorf("%s: it does not name the server: %s", c.name, said)
		}
		if file := errors.As(err, new(*fs.PathError)); file != c.usage {
			t.Errorf("%s: a file of credentials is %v", c.name, file)
		}
	}
}
