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

// ranking is a leaderboard that is cached until a game of it has ended or was taken
// back.
type ranking struct {
	mu       sync.Mutex
	of       string // the events as they were then
	kept     *ranked
	settings settings
}

// ranked is a selection of games with its leaderboard. It is immutable.
type ranked struct {
	sel   standings.Selection
	lb    *standings.Leaderboard
	cross func() *standings.Crosstable
}

// settings caches an event's configuration: of a thousand bots that takes a while to
// parse.
type settings struct {
	config string
	event  arena.Event
}

// decode reads how an event is configured. An event of an older version may not be valid,
// and is shown all the same.
func (s *settings) decode(e *store.Event) arena.Event {
	if s.config == "" || s.config != string(e.Config) {
		event, _ := config.Decode(e.Config)
		*s = settings{string(e.Config), event}
	}
	event := s.event
	event.Name, event.Format = e.Name, e.Format
	return event
}

// ranked selects the games of an event and ranks its bots.
func (m *memory) ranked(ctx context.Context, r *request, event string) (*ranked, arena.Event, error) {
	e, err := r.config.Store.Event(ctx, event)
	if err != nil {
		return nil, arena.Event{}, err
	}
	of, err := r.stateOf(ctx, e)
	if err != nil {
		return nil, arena.Event{}, err
	}
	k := recall[ranking](m, "event "+event)
	k.mu.Lock()
	defer k.mu.Unlock()
	settings := k.settings.decode(e)
	out, err := k.take(ctx, of, func(ctx context.Context) (*standings.Selection, error) {
		return standings.Choose(ctx, r.config.Store, r.config.Catalog, event, "", "", r.memory.follow(event))
	})
	if err != nil {
		return nil, arena.Event{}, err
	}
	out.sel.Event = e
	return out, settings, nil
}

// board selects the games of all events of a game and ranks its bots.
func (m *memory) board(ctx context.Context, r *request, game string) (*ranked, error) {
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
	k := recall[ranking](m, "game "+game)
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.take(ctx, strings.Join(of, "\n"), func(ctx context.Context) (*standings.Selection, error) { return r.choose(ctx, game) })
}

// stateOf tells apart the states of an event that have different ratings.
func (r *request) stateOf(ctx context.Context, e *store.Event) (string, error) {
	back, err := r.config.Store.TakenBack(ctx, e.ID)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d %d %d %d %d %d %d %v %s", e.ID, e.Created.UnixMicro(), e.Games, e.Played, e.Voids, e.Rated, back, e.Entries, e.Config), nil
}

// take returns what is kept if it is of this state of the record, else makes it. The
// caller holds mu.
func (k *ranking) take(ctx context.Context, of string, choose func(context.Context) (*standings.Selection, error)) (*ranked, error) {
	if k.kept == nil || k.of != of {
		kept, err := rank(ctx, choose)
		if err != nil {
			return nil, err
		}
		k.of, k.kept = of, kept
	}
	out := *k.kept
	return &out, nil
}

// rank ranks the bots of a selection.
func rank(ctx context.Context, choose func(context.Context) (*standings.Selection, error)) (*ranked, error) {
	sel, err := choose(ctx)
	if err != nil {
		return nil, err
	}
	lb := &standings.Leaderboard{}
	if sel.Event != nil || sel.Counts.Played() > 0 {
		if lb, err = sel.Leaderboard(); err != nil {
			return nil, err
		}
	}
	return &ranked{sel: *sel, lb: lb, cross: sync.OnceValue(func() *standings.Crosstable {
		return sel.Crosstable(lb)
	})}, nil
}
