package main

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
	"github.com/spf13/cobra"

	"botarena/arena/fleet/keys"
)

// Whatever keeps a machine from joining is said in lower case, with the place and with
// what to try, and without passwords; and what another try does not mend is final.
func TestJoinProblems(t *testing.T) {
	const server = "tls://user:secret@arena.example.org:4270"
	for _, c := range []struct {
		name  string
		how   joining
		err   error
		says  string
		final bool
		usage bool
	}{
		{"revoked", joining{flag: "--key"}, nats.ErrAuthorization, "arena fleet invite", true, false},
		{"credentials", joining{flag: "--creds"}, nats.ErrAuthExpired, "other ones (--creds FILE)", true, false},
		{"no credentials", joining{}, nats.ErrAuthorization, "--key FILE for arena run --fleet", true, false},
		{"own credentials", joining{runs: true}, nats.ErrAuthorization, "gave you (--creds FILE)", true, false},
		{"another server", joining{flag: "--key"}, fmt.Errorf("tls: %w", &keys.WrongServerError{Got: "aa", Want: "bb"}), "another invitation", true, false},
		{"unknown certificate", joining{}, &tls.CertificateVerificationError{Err: errors.New("x509")}, "--key FILE", true, false},
		{"a key that may come", joining{here: true}, &tls.CertificateVerificationError{Err: errors.New("x509")}, "--key FILE", false, false},
		{"no TLS", joining{flag: "--key"}, nats.ErrSecureConnWanted, "nats://HOST:PORT and --creds FILE", true, false},
		{"nobody", joining{}, nats.ErrNoServers, "the address that it prints", false, false},
		{"no cluster", joining{runs: true}, nats.ErrNoServers, "--fleet instead of --nats", true, false},
		{"no name", joining{}, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "x"}}, "no machine of that name", false, false},
		{"silence", joining{}, &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, "no server of a fleet", false, false},
		{"firewall", joining{}, &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, "a firewall may be in between", false, false},
		{"no file", joining{flag: "--creds"}, &fs.PathError{Op: "open", Path: "x.creds", Err: fs.ErrNotExist}, "--creds: open x.creds", true, true},
	} {
		c.how.server = server
		err, final := c.how.problem(c.err)
		said := err.Error()
		if !strings.Contains(said, c.says) || final != c.final || strings.Contains(said, "secret") {
			t.Errorf("%s: %s (final: %v)", c.name, said, final)
		}
		if !c.usage && !strings.HasPrefix(said, "join tls://user:xxxxx@arena.example.org:4270: ") {
			t.Errorf("%s: it does not name the server: %s", c.name, said)
		}
		var exit *exitError
		if usage := errors.As(err, &exit) && exit.code == exitUsage; usage != c.usage {
			t.Errorf("%s: wrong usage is %v", c.name, usage)
		}
	}
}

// Flags are typed again as they were given, lists among them.
func TestAsTyped(t *testing.T) {
	t.Parallel()
	var f fleetFlags
	cmd := &cobra.Command{}
	f.register(cmd)
	for _, args := range []string{"--fleet", "--fleet=0.0.0.0:4270 --local=0 --send-env=KEY,TOKEN"} {
		if err := cmd.ParseFlags(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		if got := asTyped(cmd.Flags(), "fleet", "local", "send-env"); got != " "+args {
			t.Errorf("%q is typed again as %q", args, got)
		}
	}
}
