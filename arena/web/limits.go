package web

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// What a visitor may take of the server's time and memory.
const (
	headerTime      = 5 * time.Second
	readTime        = 15 * time.Second
	writeTime       = time.Minute // streams extend it themselves
	idleTime        = time.Minute
	mostHeader      = 16 << 10
	mostConnections = 4096

	// Requests and connections a second, of all visitors together, and how many more come
	// through at once. A turn is waited for, but not for long.
	requestRate, mostRequests = 250, 1500
	acceptRate, mostAccepts   = 400, mostConnections
	mostWait                  = 5 * time.Second
)

// NewServer returns an HTTP server for pages that keeps no visitor waiting for slow ones. Streams
// end with ctx.
func NewServer(ctx context.Context, h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           pace(h, &pacer{now: time.Now, rate: requestRate, most: mostRequests}),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       readTime,
		WriteTimeout:      writeTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    mostHeader,
		// What strangers send that is no HTTP is no news.
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// Limit returns the listener with a limit on the connections that are open at
// once; more of them wait.
func Limit(l net.Listener) net.Listener {
	return &limited{Listener: l, free: make(chan struct{}, mostConnections), closed: make(chan struct{}), pace: &pacer{now: time.Now, rate: acceptRate, most: mostAccepts}}
}

type limited struct {
	net.Listener
	free   chan struct{} // a token for each connection
	closed chan struct{}
	once   sync.Once
	pace   *pacer
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.free <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	if d := l.pace.wait(); d > 0 {
		select {
		case <-time.After(d):
		case <-l.closed:
			<-l.free
			return nil, net.ErrClosed
		}
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &counted{Conn: conn, end: sync.OnceFunc(func() { <-l.free })}, nil
}

func (l *limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type counted struct {
	net.Conn
	end func()
}

func (c *counted) Close() error {
	defer c.end()
	return c.Conn.Close()
}
