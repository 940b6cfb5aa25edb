package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// IsLocal reports whether an address, HOST:PORT, is reachable from this machine only.
func IsLocal(address string) (bool, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return false, fmt.Errorf("%q: write HOST:PORT", address)
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return false, fmt.Errorf("%q: %q is no port; write HOST:PORT", address, port)
	}
	at, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && at.IsLoopback(), nil
}

// Listen listens at an address. The error names it, and says what to try.
func Listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	var dns *net.DNSError
	const addresses = "127.0.0.1 is for this machine alone, 0.0.0.0 for all"
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, syscall.EADDRINUSE):
		err = errors.New("another program listens there; end it, or name another port (0 is any free one)")
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		err = errors.New("this is no address of this machine; " + addresses)
	case errors.Is(err, syscall.EACCES):
		err = errors.New("the system keeps this port for itself; name one from 1024 on")
	case errors.As(err, &dns):
		err = fmt.Errorf("%q is no name of a machine; %s", dns.Name, addresses)
	}
	return nil, fmt.Errorf("%s: %w", address, err)
}

// Running is a running server of pages.
type Running struct {
	URL    string       // what to type into a browser on this machine
	Failed <-chan error // why it ended by itself
	server *http.Server
}

// Start serves pages on a listener; over HTTPS if the files of a certificate and its key
// are named. Streams end with ctx.
func Start(ctx context.Context, c Config, l net.Listener, cert, key string) (*Running, error) {
	handler, err := New(c)
	if err != nil {
		return nil, err
	}
	failed := make(chan error, 1)
	r := &Running{URL: urlOf(l.Addr(), cert != ""), Failed: failed, server: NewServer(ctx, handler, c.Log)}
	go func() {
		serve := r.server.Serve
		if cert != "" {
			serve = func(l net.Listener) error { return r.server.ServeTLS(l, cert, key) }
		}
		if err := serve(Limit(l)); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("serve pages: %w", err)
		}
	}()
	return r, nil
}

// Close ends the server; visitors who are being answered get a moment.
func (r *Running) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if r.server.Shutdown(ctx) != nil {
		_ = r.server.Close() // whoever is still being answered has had the time
	}
}

// urlOf returns the address of the first page.
func urlOf(addr net.Addr, secure bool) string {
	host := addr.String()
	if at, err := netip.ParseAddrPort(host); err == nil {
		if at.Addr().IsUnspecified() {
			at = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port())
		}
		host = netip.AddrPortFrom(at.Addr().Unmap(), at.Port()).String()
	}
	if secure {
		return "https://" + host + "/"
	}
	return "http://" + host + "/"
}
