package web

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"botarena/arena/live"
	"botarena/arena/store"
	"botarena/engine"
)

const (
	// mostStreams is the maximum number of open streams; further readers are asked to
	// try again.
	mostStreams = 4000
	// messageRate limits the messages a second of all streams together, and pageRate the
	// pages a second that readers ask for because a stream told them of something: the
	// machine plays games.
	messageRate, pageRate = 1000, 100
	// mostIdle is the maximum number of groups kept for readers that reconnect.
	mostIdle = 64
	// heartbeat is the interval of a stream's keep-alive messages, so that proxies keep
	// it open, and vanished readers are noticed.
	heartbeat = 15 * time.Second
	// slowReader limits how long a reader may take for one message.
	slowReader = 5 * time.Second
	// comeAgain is the time after which a reader is told to reconnect.
	comeAgain = 2 * time.Second
)

// A liveFeed streams the games in progress, as server-sent events:
//
//	GET /live                      all events
//	GET /live?event=spring         one event: of each game the last frame
//	GET /live?game=spring/17       one game: a frame for each ply
//
// Each message is named "update", its data a [liveUpdate]. The first one holds
// everything, or, for a reader that reconnects with the Last-Event-ID of a stream of
// this server, what it has missed. A game's "from" is the ply of the first of its
// frames, which replace what a reader had from there on. Changes of a fifth of a second
// come together, and of longer while there are many readers, who are told ("pause") to ask
// for pages less often, too. A slow reader is sent what it lacks when it reads again, and is
// dropped if it does not. If there are too many readers, the answer is 429 with
// Retry-After, and the script must try again.
type liveFeed struct {
	view  *live.View
	rules func(game string) (engine.Game, error)
	now   func() time.Time
	// detail returns a fault's detail as readers may see it.
	detail func(string) string
	most   int
	beat   time.Duration
	slow   time.Duration

	epoch    string // names this server: versions of another mean nothing here
	versions atomic.Uint64

	mu      sync.Mutex
	groups  map[liveFilter]*liveGroup
	streams int
	closed  chan struct{}
	running sync.WaitGroup
}

// liveFilter selects the events or the game of a stream; the zero value selects
// everything.
type liveFilter struct {
	Event  string
	Number int // of a game of Event; 0 is all games
}

func (f liveFilter) event(name string) bool { return f.Event == "" || f.Event == name }

func newLiveFeed(view *live.View, rules func(game string) (engine.Game, error), now func() time.Time) *liveFeed {
	return &liveFeed{
		view: view, rules: rules, now: now, detail: func(detail string) string { return detail }, most: mostStreams, beat: heartbeat, slow: slowReader,
		epoch:  strconv.FormatUint(rand.Uint64(), 36),
		groups: map[liveFilter]*liveGroup{}, closed: make(chan struct{}),
	}
}

// liveRoutes returns the routes of the stream, and of the redirect from a live game to
// its page.
func (s *Server) liveRoutes() []route {
	if s.config.Live == nil {
		return nil
	}
	return []route{
		{"GET /live", s.live.ServeHTTP},
		{"GET /events/{event}/games/{number}", s.gameByNumber},
	}
}

// gameByNumber redirects to the page of a game, given by its event and number.
func (s *Server) gameByNumber(w http.ResponseWriter, r *http.Request) {
	event, ok := unsegment(r.PathValue("event"))
	number, err := strconv.Atoi(r.PathValue("number"))
	if !ok || err != nil || number < 1 {
		s.refuse(w, r, notFound("A game's address ends in its number."))
		return
	}
	list, err := s.config.Store.Games(r.Context(), store.Filter{Event: event, Number: number})
	switch {
	case err != nil:
		s.fail(w, r, err)
	case len(list) == 0:
		s.refuse(w, r, notFound("There is no game of this number in this event."))
	default:
		http.Redirect(w, r, fmt.Sprintf("/games/%d", list[0].ID), http.StatusFound)
	}
}

// gap returns the minimum time between two messages of a stream.
func (f *liveFeed) gap() time.Duration { return max(messageGap, f.spread(messageRate)) }

// pause returns the time between two readings of a page that changes with a stream, zero for
// the usual one.
func (f *liveFeed) pause() time.Duration {
	if pause := f.spread(pageRate); pause > usualPause {
		return pause
	}
	return 0
}

// spread returns the time in which all readers do something once at so many a second.
func (f *liveFeed) spread(perSecond int) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return time.Duration(f.streams) * time.Second / time.Duration(perSecond)
}

// close ends all streams, and does not wait for them.
func (f *liveFeed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-f.closed:
	default:
		close(f.closed)
	}
}

// filterOf reads the filter of a stream's request.
func filterOf(r *http.Request) (liveFilter, error) {
	q := r.URL.Query()
	event, game := q.Get("event"), q.Get("game")
	switch {
	case len(r.URL.RawQuery) > 2000:
		return liveFilter{}, errors.New("this address is too long")
	case event != "" && game != "":
		return liveFilter{}, errors.New("give event=EVENT or game=EVENT/NUMBER, not both")
	case game == "":
		return liveFilter{Event: event}, nil
	}
	i := strings.LastIndexByte(game, '/')
	if i < 1 {
		return liveFilter{}, errors.New("game: give EVENT/NUMBER")
	}
	n, err := strconv.Atoi(game[i+1:])
	if err != nil || n < 1 {
		return liveFilter{}, errors.New("game: give EVENT/NUMBER, the number from 1")
	}
	return liveFilter{Event: game[:i], Number: n}, nil
}

// ServeHTTP streams until the reader goes, does not read, or the feed is closed.
func (f *liveFeed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	filter, err := filterOf(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		h.Set("Content-Type", "text/event-stream")
		return
	}
	g, ok := f.join(filter)
	if !ok {
		h.Set("Retry-After", strconv.Itoa(int(comeAgain.Seconds())))
		http.Error(w, fmt.Sprintf("%d readers follow the games here, which is all that there is room for; try again later", f.most), http.StatusTooManyRequests)
		return
	}
	defer f.leave(g)
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // proxies that gather answers pass this one on
	s := &stream{w: w, rc: http.NewResponseController(w), slow: f.slow}
	_ = s.rc.SetReadDeadline(time.Time{}) // nothing more is read but the end
	_ = f.serve(r.Context(), s, g, r.Header.Get("Last-Event-ID"))
}

// serve writes to one reader. The error is from a write, or nil.
func (f *liveFeed) serve(ctx context.Context, s *stream, g *liveGroup, lastID string) error {
	g.update()
	message, version, changed := g.message(f.resume(lastID))
	if err := s.write(fmt.Appendf(nil, "retry: %d\n\n", comeAgain.Milliseconds()), message); err != nil {
		return err
	}
	beat := time.NewTimer(f.beat)
	defer beat.Stop()
	for {
		select {
		case <-changed:
			message, version, changed = g.message(version)
		case <-beat.C:
			message = []byte(": still here\n\n")
		case <-ctx.Done():
			return nil
		case <-f.closed:
			return nil
		}
		beat.Reset(f.beat)
		if err := s.write(message); err != nil {
			return err
		}
	}
}

// resume returns the version in a Last-Event-ID, 0 for one of another server.
func (f *liveFeed) resume(id string) uint64 {
	epoch, number, _ := strings.Cut(id, "-")
	if epoch != f.epoch {
		return 0
	}
	n, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// stream is the response to one reader.
type stream struct {
	w    http.ResponseWriter
	rc   *http.ResponseController
	slow time.Duration
}

func (s *stream) write(parts ...[]byte) error {
	if err := s.rc.SetWriteDeadline(time.Now().Add(s.slow)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	for _, p := range parts {
		if _, err := s.w.Write(p); err != nil {
			return err
		}
	}
	return s.rc.Flush()
}

// join finds the group of readers with the same filter. It returns false if there are
// too many readers.
func (f *liveFeed) join(filter liveFilter) (*liveGroup, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.streams >= f.most {
		return nil, false
	}
	f.streams++
	g := f.groups[filter]
	if g == nil {
		for k, old := range f.groups {
			if old.readers == 0 && len(f.groups) >= mostIdle {
				delete(f.groups, k)
			}
		}
		g = newLiveGroup(f, filter)
		f.groups[filter] = g
	}
	if g.readers++; g.readers == 1 {
		quit := make(chan struct{})
		g.quit = quit
		f.running.Go(func() { g.run(quit) })
	}
	return g, true
}

// leave stops the updates of a group with its last reader.
func (f *liveFeed) leave(g *liveGroup) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.streams--
	if g.readers--; g.readers == 0 {
		close(g.quit)
	}
}

// liveURL returns the page of a game, by its number.
func liveURL(k live.Key) string {
	return eventURL(k.Event) + "/games/" + strconv.Itoa(k.Number)
}
