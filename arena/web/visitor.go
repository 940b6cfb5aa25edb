package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"botarena/arena/store"
)

// A visitor is who asks a host for a page.
type visitor struct {
	league League
	team   string // "" for a stranger
	bearer bool   // a program, which named its token in a header
	sees   bool   // games and standings
}

type visitorKey struct{}

// visitorOf returns who asks; without a host everybody sees everything.
func visitorOf(r *http.Request) visitor {
	v, ok := r.Context().Value(visitorKey{}).(visitor)
	if !ok {
		v.sees = true
	}
	return v
}

// isOpen reports whether everybody may ask for a pattern, whatever the league's visibility
// says: since it tells of no game, or looks itself at who asks.
func isOpen(pattern string) bool {
	switch pattern {
	case "GET /assets/{name}", "GET /robots.txt", "GET /{$}", "GET /kits/{file}", "/league", "/rules", "/rules/{game}",
		"/team", "/team/submissions/{number}", "GET /team/submissions/{number}/file",
		"POST /team/sign-in", "POST /team/sign-out", uploadPattern, "POST /team/challenges",
		queuePattern, "/queue/{number}", "POST /queue/{number}":
		return true
	}
	return false
}

// gated lets visitors through who may see what a pattern shows: it alone decides that, for
// pages, their data, files and the live feed.
func (s *Server) gated(pattern string, h http.HandlerFunc) http.HandlerFunc {
	if s.config.Host == nil || isOpen(pattern) {
		return h
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if v := visitorOf(r); !v.sees {
			s.refuse(w, r, v.league.unseen())
			return
		}
		h(w, r)
	}
}

// seenBy reports whether a team, or a stranger, sees games and standings.
func (l *League) seenBy(team string, now time.Time) bool {
	switch l.Visibility {
	case Public:
		return true
	case TeamsOnly:
		return team != ""
	case HiddenUntil:
		return !now.Before(l.Hidden)
	}
	return false
}

// unseen returns the answer to a visitor who may not see games and standings.
func (l *League) unseen() *failure {
	if l.Visibility == HiddenUntil {
		return &failure{status: http.StatusForbidden, what: "The games and standings of this league are hidden until " + stamp(l.Hidden) + ".", next: &crumb{"To the league", "/league"}}
	}
	return &failure{status: http.StatusUnauthorized, what: "Only the teams of this league see its games and standings.", next: &crumb{"Sign in with your team’s token", "/team"}}
}

// identified finds out who asks, by the token in a header or a cookie. A cookie that is not
// accepted is taken back.
func (s *Server) identified(next http.Handler) http.Handler {
	if s.config.Host == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		league, err := s.config.Host.League(r.Context())
		if err != nil {
			s.fail(w, r, err)
			return
		}
		v := visitor{league: league}
		var token string
		if token, v.bearer = strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); !v.bearer {
			token = ""
			if c, err := r.Cookie(league.cookie()); err == nil {
				token = c.Value
			}
		}
		if token != "" {
			var refused *failure
			if v.team, refused = s.signIn(r, token); refused != nil {
				if v.bearer {
					w.Header().Set("WWW-Authenticate", `Bearer realm="arena"`)
					s.refuse(w, r.WithContext(context.WithValue(r.Context(), visitorKey{}, v)), refused)
					return
				}
				s.setToken(w, r, &league, "")
			}
		}
		v.sees = s.config.Audience == Owner || league.seenBy(v.team, s.config.Now())
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), visitorKey{}, v)))
	})
}

// mostToken is the longest that a token may be.
const mostToken = 200

// signIn returns the team that a token is of. Who guesses from an address waits, and so do
// others who sign in from there; teams that are known already do not.
func (s *Server) signIn(r *http.Request, token string) (team string, refused *failure) {
	hash, guesses := sha256.Sum256([]byte(token)), s.guesses.of(addressOf(r))
	_, known := s.tokens.Load(hash)
	if !known && guesses.Tokens() < 1 {
		return "", &failure{status: http.StatusTooManyRequests, what: "Too many wrong tokens came from this address. Try again in a minute."}
	}
	err := store.ErrToken
	if len(token) <= mostToken {
		team, err = s.config.Host.SignIn(r.Context(), token)
	}
	switch {
	case err == nil:
		s.tokens.Store(hash, struct{}{})
		return team, nil
	case errors.Is(err, store.ErrToken):
		s.tokens.Delete(hash)
		guesses.Allow()
	}
	return "", failureOf(err)
}

// knownTokens has the hashes of tokens that were accepted, and are each time asked about again.
type knownTokens = sync.Map

// addressOf returns where a request comes from. A proxy on this machine says so itself.
func addressOf(r *http.Request) string {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	via := r.Header.Values("X-Forwarded-For")
	if err != nil || !at.Addr().Unmap().IsLoopback() || len(via) == 0 {
		return r.RemoteAddr
	}
	last := via[len(via)-1]
	from, err := netip.ParseAddr(strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:]))
	if err != nil {
		return r.RemoteAddr
	}
	return net.JoinHostPort(from.String(), "0")
}

// cookie returns the name of the cookie that has a team's token. Browsers send cookies to
// all servers of a machine: each league has its own.
func (l *League) cookie() string {
	sum := sha256.Sum256([]byte(l.Name))
	return "arena-" + hex.EncodeToString(sum[:4])
}

// signedInFor is the lifetime of a team's token in a browser.
const signedInFor = 60 * 24 * time.Hour

// setToken has a browser keep a token, or forget it if it is "".
func (s *Server) setToken(w http.ResponseWriter, r *http.Request, l *League, token string) {
	c := &http.Cookie{
		Name: l.cookie(), Value: token, Path: "/", MaxAge: int(signedInFor.Seconds()), HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https", // who says so falsely keeps a cookie that is never sent
	}
	if token == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

// signInForm has a team sign in.
func (s *Server) signInForm(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimSpace(r.PostFormValue("token"))
	refused := badRequest("Type or paste the token that the organiser gave your team.")
	if token != "" {
		_, refused = s.signIn(r, token)
	}
	v := visitorOf(r)
	if refused != nil {
		s.answerPage(w, r, refused.status, "team", signInPage(&v.league, refused.what))
		return
	}
	s.setToken(w, r, &v.league, token)
	http.Redirect(w, r, "/team", http.StatusSeeOther)
}

// signOut has a browser forget its token.
func (s *Server) signOut(w http.ResponseWriter, r *http.Request) {
	v := visitorOf(r)
	s.setToken(w, r, &v.league, "")
	http.Redirect(w, r, "/league", http.StatusSeeOther)
}

// signInPage returns the page that asks for a team's token; refused says why the last one
// was not accepted.
func signInPage(l *League, refused string) *content {
	return &content{Title: "Sign in", Crumbs: []crumb{{l.Name, "/league"}}, Data: &teamData{TeamReport: TeamReport{League: l.Name}, Refused: refused}}
}

// answerPage answers a form with a page that is made anew.
func (s *Server) answerPage(w http.ResponseWriter, r *http.Request, status int, template string, c *content) {
	a, err := s.render(&page{template: template}, c, r, asHTML)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	a.status = status
	a.write(w, r)
}
