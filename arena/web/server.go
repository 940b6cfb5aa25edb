package web

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"botarena/arena/casual"
	"botarena/arena/live"
	"botarena/arena/process"
	"botarena/arena/store"
	"botarena/engine"
	"botarena/engine/nearest"
)

// A Config holds what a Server needs.
type Config struct {
	Store   *store.Store // opened for reading, and not frozen
	Catalog engine.Catalog
	Now     func() time.Time
	Log     *slog.Logger
	Self    process.Identity // of this process, to see who runs an event
	LogDir  string           // where the games' logs are; "" is nowhere
	// Audience is the group of readers of the pages.
	Audience Audience
	Version  string // of arena
	// Rules opens games whose rules are programs, which it may start; nil: no page has
	// boards of such games. It is used only for a game's own page and for boards of
	// games in progress.
	Rules engine.Whole
	// Live is the view of games in progress; nil shows none.
	Live *live.View

	// Play is the lobby in which visitors play against bots; nil for none.
	Play *casual.Lobby
	// Host accepts the submissions of teams; nil for none. With a host, only an Owner
	// reads logs.
	Host Host

	// Heavy is the time to make a page from which an older version is given for a
	// while; 0 is half a second.
	Heavy time.Duration

	// Public makes everything read-only, under any name of the host.
	Public bool
	// Password is required for every request that changes something; "" is none.
	Password string
	// Hosts lists names under which the server answers beside addresses and localhost.
	Hosts []string
}

// Limits of the machine's share for making pages: games are played on it.
const (
	mostAtOnce = 2 // pages made at the same time
	mostTime   = 30 * time.Second
	mostCached = 64 << 20 // bytes
)

// A Server answers requests for pages. It is an http.Handler.
type Server struct {
	config    Config
	assets    *assets
	templates *template.Template
	version   string // of templates and assets
	handlers  *http.ServeMux
	pageMux   *http.ServeMux
	patterns  []string
	chain     http.Handler

	slots    chan struct{}
	cache    pageCache
	sending  *semaphore.Weighted // bytes of large answers
	streams  chan struct{}       // lists that are streamed
	live     *liveFeed
	memory   *memory
	settings *memory // of events: more of them are listed than ranked
	guesses  guesses
	tokens   knownTokens
	uploads  uploads
	site     bool     // makes a folder of files: see site.go
	scope    []string // the events that it is about; nil: all
}

// route is a handler that is not a page.
type route struct {
	pattern string
	handler http.HandlerFunc
}

// New returns the pages of a database. The error is a mistake in the program, such as
// in a template.
func New(c Config) (*Server, error) {
	s := &Server{
		config: c, slots: make(chan struct{}, mostAtOnce), cache: pageCache{most: mostCached, heavy: cmp.Or(c.Heavy, usuallyHeavy)}, memory: &memory{}, settings: &memory{},
		sending: semaphore.NewWeighted(mostSending), streams: make(chan struct{}, mostLists),
	}
	if s.config.Host != nil && s.config.Audience == Local {
		s.config.Audience = Anyone
	}
	if s.config.Log == nil {
		s.config.Log = slog.New(slog.DiscardHandler)
	}
	var err error
	if s.assets, err = loadAssets(); err != nil {
		return nil, err
	}
	var hash string
	if s.templates, hash, err = loadTemplates(s); err != nil {
		return nil, err
	}
	s.live = newLiveFeed(c.Live, s.rules, c.Now)
	s.live.detail = s.detail
	s.version = hash + s.assets.hash + c.Version
	s.handlers, s.pageMux = http.NewServeMux(), http.NewServeMux()
	for _, r := range s.routes() {
		s.handlers.HandleFunc(r.pattern, s.gated(r.pattern, r.handler))
	}
	for _, p := range s.pages() {
		s.patterns = append(s.patterns, p.pattern)
		s.pageMux.HandleFunc("GET "+p.pattern, s.gated(p.pattern, func(w http.ResponseWriter, r *http.Request) { s.servePage(w, r, &p) }))
	}
	s.chain = s.secure(http.HandlerFunc(s.dispatch))
	return s, nil
}

// pages lists all pages.
func (s *Server) pages() []page {
	return slices.Concat([]page{
		{pattern: "/{$}", template: "home", load: loadHome, live: true},
		{pattern: "/events", template: "events", load: loadEvents, query: "all"},
		{pattern: "/events/{event}", template: "event", load: loadEvent, query: "from"},
		{pattern: "/events/{event}/leaderboard", template: "table", load: loadEventLeaderboard, query: "from"},
		{pattern: "/events/{event}/crosstable", template: "table", load: loadEventCrosstable, query: "from"},
		{pattern: "/events/{event}/games", template: "games", load: loadGames, query: "bot against side result reason faults after before limit"},
		{pattern: "/leaderboard", template: "boards", load: loadBoards},
		{pattern: "/leaderboard/{game}", template: "leaderboard", load: loadBoard, query: "from"},
		{pattern: "/bots", template: "bots", load: loadBots, query: "q sort from"},
		{pattern: "/bots/{bot}", template: "bot", load: loadBot, query: "event"},
		{pattern: "/compare/{a}/{b}", template: "compare", load: loadCompare, query: "event"},
		{pattern: "/sprt/{event}", template: "sprt", load: loadTest},
		{pattern: "/tune/{event}", template: "tune", load: loadTuning},
		{pattern: "/fleet", template: "fleet", load: loadFleet, live: true},
		{pattern: "/api", template: "api", load: loadAPI},
		{pattern: "/games/{id}", template: "replay", load: loadReplay, query: "ply flip"},
		{pattern: "/rules", template: "manuals", load: loadManuals},
		{pattern: "/rules/{game}", template: "rules", load: loadManual},
		{pattern: "/events/{event}/live", template: "grid", load: loadGrid, live: true},
	}, s.playPages(), s.hostPages())
}

// nav lists the links in the head of each page.
func (s *Server) nav() []crumb {
	list := []crumb{{"Events", "/events"}, {"Leaderboards", "/leaderboard"}, {"Bots", "/bots"}, {"Rules", "/rules"}, {"Data", "/api"}}
	if s.config.Play != nil {
		list = slices.Insert(list, 3, crumb{"Play", "/play"})
	}
	if s.config.Host != nil {
		list = slices.Insert(list, 0, crumb{"League", "/league"}, crumb{"Your team", "/team"})
		list = slices.Insert(list, 3, crumb{"Queue", "/queue"})
	}
	if ok, err := s.config.Store.HasWorkers(context.Background()); err == nil && ok && len(s.scope) == 0 {
		list = slices.Insert(list, len(list)-1, crumb{"Fleet", "/fleet"})
	}
	return list
}

// routes lists the handlers that are not pages.
func (s *Server) routes() []route {
	return slices.Concat([]route{
		{"GET /assets/{name}", s.assets.serve},
		{"GET /robots.txt", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("User-agent: *\nDisallow: /*?\n")) // the visitor has gone
		}},
	}, s.liveRoutes(), s.replayRoutes(), s.playRoutes(), s.hostRoutes())
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.chain.ServeHTTP(w, r) }

type endingKey struct{}

// dispatch routes a request to its handler.
func (s *Server) dispatch(w http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.URL.Path, "//") || strings.Contains(r.URL.Path, `\`) {
		// Cleaned, "//other.example/..//" would lead to another server.
		s.refuse(w, r, notFound("There is no such page."))
		return
	}
	if _, pattern := s.handlers.Handler(r); pattern != "" {
		s.handlers.ServeHTTP(w, r)
		return
	}
	r, ending := cutEnding(r)
	h, pattern := s.pageMux.Handler(r)
	if pattern != "" {
		s.pageMux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), endingKey{}, ending)))
		return
	}
	// The mux answers with a status alone: 404, or 405 and which methods are allowed.
	status := &statusOnly{header: http.Header{}}
	if h.ServeHTTP(status, r); status.code == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", status.header.Get("Allow"))
		s.refuse(w, r, &failure{status: status.code, what: "This page can only be read."})
		return
	}
	if trimmed := strings.TrimRight(r.URL.Path, "/"); trimmed != r.URL.Path && trimmed != "" && safe(r.Method) {
		again := r.Clone(r.Context())
		again.URL.Path, again.URL.RawPath = trimmed, strings.TrimRight(r.URL.RawPath, "/")
		if _, pattern := s.pageMux.Handler(again); pattern != "" {
			http.Redirect(w, r, again.URL.RequestURI(), http.StatusPermanentRedirect)
			return
		}
	}
	s.refuse(w, r, s.noPage(r.URL.Path))
}

// statusOnly is a response that records its status and drops the rest.
type statusOnly struct {
	header http.Header
	code   int
}

func (s *statusOnly) Header() http.Header         { return s.header }
func (s *statusOnly) Write(b []byte) (int, error) { return len(b), nil }
func (s *statusOnly) WriteHeader(code int)        { s.code = code }

// cutEnding removes the extension of a page's data from an address.
func cutEnding(r *http.Request) (*http.Request, string) {
	for _, ending := range []string{asJSON, asCSV} {
		path, found := strings.CutSuffix(r.URL.Path, ending)
		if !found {
			continue
		}
		again := r.Clone(r.Context())
		if path == "/index" {
			path = "/"
		}
		again.URL.Path, again.URL.RawPath = path, strings.TrimSuffix(r.URL.RawPath, ending)
		return again, ending
	}
	return r, asHTML
}

// noPage returns the failure for an unknown address.
func (s *Server) noPage(path string) *failure {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	var known []string
	for _, p := range s.patterns {
		if name := strings.TrimPrefix(p, "/"); name != "" && !strings.ContainsAny(name, "{/") {
			known = append(known, name)
		}
	}
	return noneCalled("There is no such page.", nearest.Of(first, known), func(name string) string { return "/" + name })
}

// servePage answers with a page, or with its data.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request, p *page) {
	ending, _ := r.Context().Value(endingKey{}).(string)
	query, err := p.readQuery(r.URL)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	build := func() (*answer, error) {
		// Others may wait for the same page: it is made even if the first one left.
		return s.make(context.WithoutCancel(r.Context()), p, r, query, ending)
	}
	if p.live {
		w.Header().Set("Cache-Control", "no-store")
		a, err := build()
		if err != nil {
			s.fail(w, r, err)
			return
		}
		s.send(w, r, a)
		return
	}
	version, err := s.recordVersion(r.Context())
	if err != nil {
		s.fail(w, r, err)
		return
	}
	address := r.URL.EscapedPath() + "?" + query.Encode() + " " + ending
	if v := visitorOf(r); !v.sees { // the page says why
		address += fmt.Sprintf(" unseen %s %d", v.league.Visibility, v.league.Hidden.Unix())
	}
	if p.teams {
		address += " of " + visitorOf(r).team
	}
	if p.timed {
		version += s.config.Now().UTC().Format(" 15:04")
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%v", s.version, address, version, s.nav()))
	tag := hex.EncodeToString(sum[:12])
	w.Header().Set("Cache-Control", s.keep())
	w.Header().Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("If-None-Match"), tag) {
		w.Header().Set("ETag", `W/"`+tag+`"`)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	a, fresh, err := s.cache.get(address, tag, s.config.Now(), build)
	switch {
	case err != nil:
		s.fail(w, r, err)
		return
	case a.live || !fresh:
		w.Header().Set("Cache-Control", "no-store")
	default:
		w.Header().Set("ETag", `W/"`+tag+`"`)
	}
	if a.list != nil {
		s.stream(w, r, a)
		return
	}
	s.send(w, r, a)
}

// keep returns the Cache-Control of an answer: a host's pages are private, since others
// may not see as much.
func (s *Server) keep() string {
	if s.config.Host != nil {
		return "private, no-cache"
	}
	return "no-cache"
}

// make makes a page, or its data, once a slot is free.
func (s *Server) make(ctx context.Context, p *page, r *http.Request, query url.Values, ending string) (a *answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, mostTime)
	defer cancel()
	err = s.slot(ctx, func() error {
		req := &request{
			Server: s, now: s.config.Now(), value: r.PathValue, query: query, url: r.URL.RequestURI(), ending: ending, site: s.site, visitor: visitorOf(r),
		}
		if p.live {
			req.host = r.Host
		} else if !p.teams {
			req.visitor.team = "" // the page is for others, too
		}
		c, err := p.load(ctx, req)
		if err != nil {
			return err
		}
		if c.List != nil && ending != asHTML {
			a = &answer{status: http.StatusOK, list: c.List, kind: kindOf(ending)}
			return nil
		}
		if a, err = s.render(p, c, r, ending); err == nil {
			a.live = c.Live
		}
		return err
	})
	return a, err
}

// slot calls f once a slot is free.
func (s *Server) slot(ctx context.Context, f func() error) error {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
		return f()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// recordVersion returns a text that differs after each change of the record, and after
// the death of a process that ran an event.
func (s *Server) recordVersion(ctx context.Context) (string, error) {
	n, err := s.config.Store.Changes(ctx)
	if err != nil {
		return "", err
	}
	holders, err := s.config.Store.Holders(ctx)
	if err != nil {
		return "", err
	}
	version := fmt.Sprint(n)
	for i := range holders {
		version += fmt.Sprint(" ", holders[i].Alive(s.config.Self, s.config.Now()))
	}
	return version, nil
}

// fail answers with the public part of an error, and logs the rest.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	f := failureOf(err)
	if f.status >= http.StatusInternalServerError && r.Context().Err() == nil {
		s.config.Log.Error("page failed", "path", r.URL.Path, "error", err)
	}
	s.refuse(w, r, f)
}
