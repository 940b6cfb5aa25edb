package web

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"
	"golang.org/x/time/rate"

	"botarena/arena/process"
)

// Limits of a visitor's use of the server's time and memory.
const (
	headerTime      = 5 * time.Second
	readTime        = 15 * time.Second
	writeTime       = time.Minute // streams extend it themselves
	idleTime        = time.Minute
	mostHeader      = 16 << 10
	mostConnections = 8192 // a browser that follows a page has two

	// requestRate limits the requests a second of all visitors together, with bursts of
	// mostRequests. A request waits for its turn, but not for long.
	requestRate, mostRequests = 250, 1500
	mostWait                  = 20 * time.Second

	// Answers larger than a connection's buffer are held until they are read: their
	// total bytes are limited, and the number of streamed lists.
	connectionBuffer = 256 << 10
	mostSending      = 64 << 20
	mostLists        = 16
)

// send writes an answer, unless too many bytes are being sent already.
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

// Limit returns the listener with a limit on the connections that are open at once, at most
// half of the files that the process may have open; more of them wait.
func Limit(l net.Listener) net.Listener {
	most := mostConnections
	if files := process.OpenFiles(); files > 0 {
		most = min(most, files/2)
	}
	return netutil.LimitListener(listener{l}, most)
}

// A listener limits the system's buffer for an unread answer, which grows to megabytes
// otherwise.
type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(connectionBuffer)
	}
	return c, err
}

// pace delays requests until their turn, and refuses those whose turn is far off.
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
