package web

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"
	"golang.org/x/time/rate"
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

	// Answers of more than a connection's buffer are held until they are read: so many
	// bytes of them at once, and so many lists that are streamed.
	connectionBuffer = 256 << 10
	mostSending      = 64 << 20
	mostLists        = 16
)

// send writes an answer, unless too many bytes are on their way already.
func (s *Server) send(w http.ResponseWriter, r *http.Request, a *answer) {
	if n := int64(a.size()); n > connectionBuffer {
		n = min(n, mostSending)
		if !s.sending.TryAcquire(n) {
			s.busy(w, r)
			return
		}
		defer s.sending.Release(n)
	}
	a.write(w, r)
}

// busy refuses a large answer while too many others are being read.
func (s *Server) busy(w http.ResponseWriter, r *http.Request) {
	w.Header().Del("ETag")
	w.Header().Set("Retry-After", "10")
	s.refuse(w, r, &failure{status: http.StatusTooManyRequests, what: "Too many large answers are being read. Try again in a moment."})
}

// NewServer returns an HTTP server for pages that keeps no visitor waiting for slow ones. Streams
// end with ctx.
func NewServer(ctx context.Context, h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           pace(h, rate.NewLimiter(requestRate, mostRequests)),
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
// once, and on how many come in a second; more of them wait.
func Limit(l net.Listener) net.Listener {
	open, stop := context.WithCancel(context.Background())
	return netutil.LimitListener(&paced{Listener: l, pace: rate.NewLimiter(acceptRate, mostAccepts), open: open, stop: stop}, mostConnections)
}

// A paced listener accepts connections at the pace of a limiter.
type paced struct {
	net.Listener
	pace *rate.Limiter
	open context.Context //nolint:containedctx // Accept has none of its own
	stop context.CancelFunc
}

func (l *paced) Accept() (net.Conn, error) {
	if l.pace.Wait(l.open) != nil {
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(connectionBuffer) // else the system's grows to megabytes
	}
	return c, err
}

func (l *paced) Close() error {
	l.stop()
	return l.Listener.Close()
}

// pace has requests wait for their turn, and refuses those whose turn is far off.
func pace(next http.Handler, p *rate.Limiter) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		soon, cancel := context.WithTimeout(r.Context(), mostWait)
		err := p.Wait(soon)
		cancel()
		switch {
		case r.Context().Err() != nil: // the visitor has gone
		case err != nil:
			w.Header().Set("Retry-After", "10")
			w.Header().Set("Content-Security-Policy", policy)
			w.Header().Set("Cache-Control", "no-store")
			http.Error(w, "Too many requests at once. Try again in a moment.", http.StatusTooManyRequests)
		default:
			next.ServeHTTP(w, r)
		}
	})
}
