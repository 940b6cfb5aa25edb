package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// policy is the Content-Security-Policy: it allows what the server itself serves, and
// nothing inline.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// mostBody is the largest body that a request may have, in bytes.
const mostBody = 64 << 10

// secure sets the headers of every answer, and refuses requests that a page of another
// site may have sent.
func (s *Server) secure(next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	crossOrigin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, r, &failure{status: http.StatusForbidden, what: "This request came from a page of another site."})
	}))
	next = crossOrigin.Handler(s.allowed(s.identified(next)))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		if !s.knownHost(r.Host) {
			s.refuse(w, r, &failure{status: http.StatusMisdirectedRequest, what: "This server does not answer under that name."})
			return
		}
		if s.config.Host == nil || r.Method+" "+r.URL.Path != uploadPattern && r.Method+" "+r.URL.Path != queuePattern { // which has a bound of its own
			r.Body = http.MaxBytesReader(w, r.Body, mostBody)
		}
		next.ServeHTTP(w, r)
	})
}

// knownHost reports whether the server answers under a name. This refuses pages of
// other sites whose name points here (DNS rebinding). If everybody may read and nobody
// write, any name is accepted.
func (s *Server) knownHost(hostport string) bool {
	if s.config.Public && s.config.Password == "" {
		return true
	}
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	if _, err := netip.ParseAddr(host); err == nil || host == "localhost" {
		return true
	}
	for _, name := range s.config.Hosts {
		if strings.EqualFold(host, name) {
			return true
		}
	}
	return false
}

// safe reports whether a method changes nothing.
func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// guesses limits the wrong passwords from an address.
type guesses struct {
	mu sync.Mutex
	by map[string]*rate.Limiter // by host
}

const (
	guessEvery   = 10 * time.Second
	mostGuesses  = 10   // at once
	mostGuessers = 1000 // addresses that are remembered: before one more, all are forgotten
)

func (g *guesses) of(address string) *rate.Limiter {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if l := g.by[host]; l != nil {
		return l
	}
	if g.by == nil || len(g.by) >= mostGuessers {
		g.by = map[string]*rate.Limiter{}
	}
	l := rate.NewLimiter(rate.Every(guessEvery), mostGuesses)
	g.by[host] = l
	return l
}

// allowed lets requests that change something through where they may: those of
// visitors who know the password if there is one, and of nobody where the
// server is for reading. What teams do asks for their token itself.
func (s *Server) allowed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case safe(r.Method), s.config.Host != nil && isOfTeams(r.URL.Path):
		case s.config.Password != "":
			_, password, sent := r.BasicAuth()
			guesses := s.guesses.of(addressOf(r))
			if sent && guesses.Tokens() < 1 {
				w.Header().Set("Retry-After", "60")
				s.refuse(w, r, &failure{status: http.StatusTooManyRequests, what: "Too many wrong passwords came from this address. Try again in a minute."})
				return
			}
			given, want := sha256.Sum256([]byte(password)), sha256.Sum256([]byte(s.config.Password))
			if subtle.ConstantTimeCompare(given[:], want[:]) != 1 {
				if sent {
					guesses.Allow()
				}
				w.Header().Set("WWW-Authenticate", `Basic realm="arena", charset="UTF-8"`)
				s.refuse(w, r, &failure{status: http.StatusUnauthorized, what: "This needs the password."})
				return
			}
		case s.config.Public:
			s.refuse(w, r, &failure{status: http.StatusForbidden, what: "Here everything is for reading only."})
			return
		}
		next.ServeHTTP(w, r)
	})
}
