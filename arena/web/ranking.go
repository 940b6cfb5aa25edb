package web

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/standings"
	"botarena/arena/store"
)

// memory caches events' games, so that pages of an event in progress read only new
// ones.
type memory struct {
	mu sync.Mutex
	of map[string]*remembered
}

// remembered holds what is cached of an event or of a game's leaderboard.
type remembered struct {
	standings.Follower
	event    *store.Event // of a site, which reads each once
	settings arena.Event
	config   string // that settings were read from

	mu   sync.Mutex // of what is below, while it is made
	of   string     // the events as they were then
	kept *ranked
}

// ranked is a selection of games with its leaderboard. It is immutable.
type ranked struct {
	sel      standings.Selection
	lb       *standings.Leaderboard
	cross    func() *standings.Crosstable
	settings arena.Event // of one event
}

// lead describes in a sentence or two who is first, by the format's own order and by
// rating; "" if there is too little evidence.
func (k *ranked) lead() string { return k.lb.Lead(k.sel.Event.State == store.Finished) }

// mostRemembered is the maximum number of cached entries: before one more, all are
// dropped.
const mostRemembered = 128

// recall returns the cached entry of a name, or a new one.
func (m *memory) recall(name string) *remembered {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.of[name]; known != nil {
		return known
	}
	if len(m.of) >= mostRemembered || m.of == nil {
		m.of = map[string]*remembered{}
	}
	m.of[name] = &remembered{}
	return m.of[name]
}

// eventOf returns an event with its configuration. One of an older version may be
// invalid, and is shown all the same.
func (s *Server) eventOf(ctx context.Context, name string) (*store.Event, arena.Event, error) {
	k := s.memory.recall("event " + name)
	s.memory.mu.Lock()
	e := k.event
	s.memory.mu.Unlock()
	if e == nil {
		var err error
		if e, err = s.config.Store.Event(ctx, name); err != nil {
			return nil, arena.Event{}, err
		}
	}
	if s.site {
		s.memory.mu.Lock()
		k.event = e
		s.memory.mu.Unlock()
	}
	settings := s.settingsOf(e)
	settings.Name, settings.Format = e.Name, e.Format
	return e, settings, nil
}

// settingsOf returns the configuration of an event, which it remembers.
func (s *Server) settingsOf(e *store.Event) arena.Event {
	k := s.settings.recall(e.Name)
	s.settings.mu.Lock()
	defer s.settings.mu.Unlock()
	if k.config == "" || k.config != string(e.Config) { // of a thousand bots it takes a while to parse
		k.settings, _ = config.Decode(e.Config)
		k.config = string(e.Config)
	}
	return k.settings
}

// line describes an event.
func (r *request) line(e *store.Event) standings.EventLine {
	return standings.EventLineOf(e, func() arena.Event { return r.settingsOf(e) }, r.config.Self, r.now)
}

// ranked selects the games of an event and ranks its bots.
func (r *request) ranked(ctx context.Context, event string) (*ranked, error) {
	e, settings, err := r.eventOf(ctx, event)
	if err != nil {
		return nil, err
	}
	of, err := r.stateOf(ctx, e)
	if err != nil {
		return nil, err
	}
	k := r.memory.recall("event " + event)
	out, err := k.rank(of, func() (*standings.Selection, error) {
		return standings.Choose(ctx, r.config.Store, r.config.Catalog, event, "", "", &k.Follower)
	})
	if err != nil {
		return nil, err
	}
	out.sel.Event, out.settings = e, settings
	return out, nil
}

// board selects the games of all events of a game and ranks its bots.
func (r *request) board(ctx context.Context, game string) (*ranked, error) {
	events, err := r.events(ctx)
	if err != nil {
		return nil, err
	}
	if r.scope == nil {
		if game, err = standings.GameName(ctx, r.config.Store, r.config.Catalog, game); err != nil {
			return nil, err
		}
	}
	of := []string{game}
	for i := range events {
		if e := &events[i]; e.Game == game && !e.Archived {
			state, err := r.stateOf(ctx, e)
			if err != nil {
				return nil, err
			}
			of = append(of, state)
		}
	}
	return r.memory.recall("game "+game).rank(strings.Join(of, "\n"), func() (*standings.Selection, error) {
		return standings.Together(ctx, r.config.Store, r.config.Catalog, events, game, "")
	})
}

// stateOf returns a key of the event's state, different if the ratings may differ.
func (r *request) stateOf(ctx context.Context, e *store.Event) (string, error) {
	back, err := r.config.Store.TakenBack(ctx, e.ID)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d %d %d %d %d %d %d %v %s", e.ID, e.Created.UnixMicro(), e.Games, e.Played, e.Voids, e.Rated, back, e.Entries, e.Config), nil
}

// rank returns the cached ranking if it is of this state of the record, else it selects
// the games and ranks their bots.
func (k *remembered) rank(of string, choose func() (*standings.Selection, error)) (*ranked, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil || k.of != of {
		sel, err := choose()
		if err != nil {
			return nil, err
		}
		lb, err := sel.Leaderboard()
		if err != nil {
			return nil, err
		}
		k.of, k.kept = of, &ranked{sel: *sel, lb: lb, cross: sync.OnceValue(func() *standings.Crosstable { return sel.Crosstable(lb) })}
	}
	out := *k.kept
	return &out, nil
}
