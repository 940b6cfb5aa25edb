package web

import (
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"botarena/arena/live"
	"botarena/arena/replay"
	"botarena/engine"
)

const (
	// messageGap is the minimum time between two messages of one stream.
	messageGap = 200 * time.Millisecond
	// usualPause is how long feed.js waits between two readings of a page.
	usualPause = 2 * time.Second
)

// A liveGroup holds the state that all readers of the same stream follow. Each change
// has a version: a reader is sent the changes after its own. Messages are made once for
// all readers at the same version.
type liveGroup struct {
	feed    *liveFeed
	filter  liveFilter
	readers int           // below the feed's mu
	quit    chan struct{} // closed when the last reader goes

	mu       sync.Mutex
	first    uint64 // version at which the group began
	version  uint64
	updated  time.Time
	changed  chan struct{}
	events   map[string]followedEvent
	games    map[live.Key]*followedGame
	air      []live.Key // games in progress
	problems []string
	messages map[uint64][]byte // by the reader's version, up to this one
}

type followedEvent struct {
	live.Event
	version uint64
}

// followedGame is a live game, as far as it is drawn.
type followedGame struct {
	live.Game
	replay  *replay.Replay // nil if the rules cannot be had
	bad     bool           // the rules refuse a move: no more of them is shown
	came    []uint64       // versions of the frames
	begun   uint64
	version uint64 // of the last change
}

func newLiveGroup(f *liveFeed, filter liveFilter) *liveGroup {
	return &liveGroup{
		feed: f, filter: filter, first: f.versions.Add(1), changed: make(chan struct{}),
		events: map[string]followedEvent{}, games: map[live.Key]*followedGame{},
	}
}

// run updates the group whenever something has changed, until quit is closed.
func (g *liveGroup) run(quit <-chan struct{}) {
	release := g.feed.view.Attend()
	defer release()
	pause := time.NewTimer(messageGap)
	defer pause.Stop()
	for {
		changed := g.feed.view.Changed()
		var later <-chan time.Time
		if left := g.update(); left > 0 {
			changed = nil
			pause.Reset(left)
			later = pause.C
		}
		select {
		case <-changed:
		case <-later:
		case <-quit:
			return
		case <-g.feed.closed:
			return
		}
	}
}

// update updates the group from the view, unless the last change is less than the feed's
// gap ago: then it returns the time to wait.
func (g *liveGroup) update() (wait time.Duration) {
	gap := g.feed.gap()
	g.mu.Lock()
	defer g.mu.Unlock()
	if left := gap - time.Since(g.updated); left > 0 {
		return left
	}
	now, problems := g.feed.view.Snapshot(), g.feed.view.Problems()
	next := g.feed.versions.Add(1)
	dirty := g.version == 0 || !slices.Equal(problems, g.problems)
	g.problems = problems
	events := map[string]followedEvent{}
	for _, e := range now.Events {
		if !g.filter.event(e.Name) {
			continue
		}
		old, known := g.events[e.Name]
		if !known || old.Event != e {
			old, dirty = followedEvent{e, next}, true
		}
		events[e.Name] = old
	}
	games := map[live.Key]*followedGame{}
	var air []live.Key
	for i := range now.Games {
		s := &now.Games[i]
		k := s.Key()
		if !g.filter.event(k.Event) || g.filter.Number > 0 && g.filter.Number != k.Number {
			continue
		}
		f := g.games[k]
		if f == nil || f.ID != s.ID {
			f = &followedGame{begun: next}
			f.begin(g.feed.rules, s)
		}
		if f.version == 0 || f.Over != s.Over || len(f.Moves) != len(s.Moves) {
			f.Game, f.version, dirty = *s, next, true
			f.Detail = g.feed.detail(s.Detail)
			f.play()
		}
		games[k] = f
		if !s.Over {
			air = append(air, k)
		}
	}
	dirty = dirty || !slices.Equal(air, g.air)
	g.events, g.games, g.air = events, games, air
	if dirty {
		g.version, g.updated, g.messages = next, time.Now(), map[uint64][]byte{}
		close(g.changed)
		g.changed = make(chan struct{})
	}
	return 0
}

// message returns what a reader at a version lacks (nil for nothing), its new version,
// and a channel that is closed at the next change. A version that is not of this group
// lacks everything.
func (g *liveGroup) message(known uint64) (message []byte, version uint64, changed <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if known == g.version {
		return nil, known, g.changed
	}
	if known < g.first || known > g.version {
		known = 0
	}
	message, ok := g.messages[known]
	if !ok {
		u := g.since(known)
		message = u.message(g.feed.epoch, g.version)
		g.messages[known] = message
	}
	return message, g.version, g.changed
}

// since makes an update of the changes after a version; mu is held.
func (g *liveGroup) since(known uint64) *liveUpdate {
	u := &liveUpdate{Reset: known == 0, Pause: g.feed.pause().Milliseconds(), Time: g.feed.now(), Problems: g.problems, Air: []string{}}
	for _, k := range g.air {
		u.Air = append(u.Air, k.Event+"/"+strconv.Itoa(k.Number))
	}
	for _, name := range slices.Sorted(maps.Keys(g.events)) {
		if e := g.events[name]; e.version > known {
			u.Events = append(u.Events, e.Event)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(g.games), live.Key.Compare) {
		f := g.games[k]
		if f.version <= known {
			continue
		}
		from := 0
		for f.begun <= known && from < len(f.came) && f.came[from] <= known {
			from++
		}
		u.addGame(f, f.begun > known, from, g.filter.Number == 0)
	}
	return u
}

// begin sets the board up, if the rules are available.
func (f *followedGame) begin(rules func(string) (engine.Game, error), g *live.Game) {
	known, err := rules(g.Game.Game)
	if err == nil {
		f.replay, err = replay.Begin(known, &g.Game, g.Clocks)
	}
	f.bad = err != nil
}

// play plays the moves that are new, as far as the rules allow them.
func (f *followedGame) play() {
	if f.bad {
		return
	}
	f.bad = f.replay.Play(f.Moves[len(f.replay.Frames)-1:]...) != nil
	for len(f.came) < len(f.replay.Frames) {
		f.came = append(f.came, f.version)
	}
}
