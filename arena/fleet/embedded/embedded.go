// Package embedded runs a NATS server with JetStream within arena: the one that a
// coordinator starts for its own fleet. Its folder lies beside the database and may
// be deleted at any time: that costs games in progress.
//
// A program that imports this package starts some milliseconds later and uses some
// megabytes more, even if no server is started: the packages of nats-server and jwt
// prepare tables and regular expressions when they are initialised, which cannot be put
// off (GODEBUG=inittrace=1 shows it).
package embedded

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// startUp limits how long the server may take to listen.
const startUp = 20 * time.Second

// Options say how the server is reached.
type Options struct {
	// Listen is host:port; port 0 takes the port of the last start if it is still free,
	// so that workers find the server again after a restart, else any free one.
	Listen string
	Dir    string // JetStream's folder and what else the server keeps
	// TLS is the configuration for connections from other processes; nil for none.
	TLS *tls.Config
	// Guard decides who may do what; nil lets everybody do everything.
	Guard server.Authentication
	// Own holds options that Connect adds to its connections, such as credentials.
	Own []nats.Option
}

// A Server is a running NATS server.
type Server struct {
	own     []nats.Option
	options server.Options
	Addr    string // host:port that it listens on

	mu   sync.Mutex
	nats *server.Server
}

// A UsedError reports that the folder's last port is in use, by another server of the
// same folder as it seems.
type UsedError struct {
	Dir string
	err error
}

// Error names the folder.
func (e *UsedError) Error() string {
	return fmt.Sprintf("the fleet's folder %s is in use: %v", e.Dir, e.err)
}

// Unwrap returns what is wrong with the port.
func (e *UsedError) Unwrap() error { return e.err }

// Start starts a server. If the address is in use the error says what to try.
func Start(o Options) (*Server, error) {
	host, port, err := split(o.Listen)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("the fleet's folder: %w", err)
	}
	remembered := filepath.Join(o.Dir, "port")
	last := portOf(remembered)
	if err := free(host, last); err != nil {
		return nil, &UsedError{Dir: o.Dir, err: err}
	}
	if port == 0 {
		port = last
	}
	if err := free(host, port); err != nil {
		return nil, err
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	options := &server.Options{
		ServerName: "arena",
		Host:       host, Port: port,
		JetStream: true, StoreDir: filepath.Join(o.Dir, "jetstream"),
		SyncAlways: true,
		MaxPayload: 1 << 20,
		NoSigs:     true, NoLog: true,
		TLSConfig: o.TLS, TLS: o.TLS != nil,
		CustomClientAuthentication: o.Guard,
		AlwaysEnableNonce:          o.Guard != nil, // which keys sign
		// A worker that has gone without a word is noticed by its lease; this only
		// frees its connection.
		PingInterval: 10 * time.Second, MaxPingsOut: 3,
		// A worker that answers while the server is busy is not cut off.
		WriteDeadline: 30 * time.Second,
	}
	s := &Server{own: o.Own, options: *options}
	if err := s.start(); err != nil {
		return nil, err
	}
	_, text, err := net.SplitHostPort(s.nats.Addr().String())
	if err == nil {
		s.options.Port, err = strconv.Atoi(text)
	}
	if err == nil {
		err = os.WriteFile(remembered, []byte(text+"\n"), 0o600)
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("the fleet's folder: %w", err)
	}
	s.Addr = net.JoinHostPort(host, text)
	return s, nil
}

// start starts the server; mu is held, or the server is not shared yet.
func (s *Server) start() error {
	options := s.options
	n, err := server.NewServer(&options)
	if err != nil {
		return fmt.Errorf("start the fleet's server: %w", err)
	}
	n.Start()
	switch {
	case !n.ReadyForConnections(startUp):
		n.Shutdown()
		return fmt.Errorf("the fleet's server does not listen after %v", startUp)
	case !n.JetStreamEnabled():
		n.Shutdown()
		return fmt.Errorf("the fleet's server cannot use its folder %s; is it writable, and is there room?", s.options.StoreDir)
	}
	if err := os.WriteFile(s.mark(), nil, 0o600); err != nil {
		n.Shutdown()
		return fmt.Errorf("the fleet's folder: %w", err)
	}
	s.nats = n
	return nil
}

// mark returns the file that identifies the folder as the one that the server started
// with: a running server recreates parts of whatever else is deleted.
func (s *Server) mark() string { return filepath.Join(s.options.StoreDir, "jetstream", "running") }

// Mend restarts the server if its folder was deleted, or if force is set, and reports
// whether it did. Connections find it again.
func (s *Server) Mend(force bool) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := os.Stat(s.mark())
	lost := errors.Is(err, fs.ErrNotExist)
	if !lost && !force {
		return false, nil
	}
	s.nats.Shutdown()
	s.nats.WaitForShutdown()
	if lost {
		if err := os.RemoveAll(s.options.StoreDir); err != nil {
			return false, fmt.Errorf("the fleet's folder: %w", err)
		}
	}
	return true, s.start()
}

// InProcessConn connects to the server as it is now: see [nats.InProcessServer].
func (s *Server) InProcessConn() (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nats.InProcessConn()
}

// Connect returns a connection within the process.
func (s *Server) Connect(options ...nats.Option) (*nats.Conn, error) {
	return nats.Connect("", append([]nats.Option{nats.InProcessServer(s)}, append(options, s.own...)...)...)
}

// Disconnect ends a connection by its number.
func (s *Server) Disconnect(id uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nats.DisconnectClientByID(id)
}

// Close ends the server. Its state stays in its folder.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nats.Shutdown()
	s.nats.WaitForShutdown()
}

// split reads host:port, either of which may be missing.
func split(listen string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(listen)
	if err != nil {
		if host, text, err = net.SplitHostPort(listen + ":0"); err != nil {
			return "", 0, fmt.Errorf("address %q: write HOST:PORT, such as 0.0.0.0:4270", listen)
		}
	}
	if port, err = strconv.Atoi(text); text != "" && (err != nil || port < 0 || port > 65535) {
		return "", 0, fmt.Errorf("address %q: %q is no port", listen, text)
	}
	if host == "" {
		host = "0.0.0.0"
	}
	return host, port, nil
}

// portOf returns the port that was used last, 0 for none.
func portOf(file string) int {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	port, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || port < 1 || port > 65535 {
		return 0
	}
	return port
}

// free returns an error if the address cannot be listened on.
func free(host string, port int) error {
	if port == 0 {
		return nil
	}
	addr := net.JoinHostPort(host, strconv.Itoa(port))
	l, err := net.Listen("tcp", addr)
	if err == nil {
		return l.Close()
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("another program listens on %s; choose another port, or join its server where that is a fleet's: %w", addr, err)
	}
	return fmt.Errorf("listen on %s: %w", addr, err)
}
