package web

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/standings"
	"botarena/arena/store"
)

// Of pools of more bots than this the ratings take a second and more of a core. While such
// a pool is being played, pages show the ratings of a moment ago, say so, and have them
// computed anew meanwhile; what is older than that moment nobody is shown.
const (
	mostRatedAtOnce = 300
	oldestRatings   = time.Minute
)

// A ranking is a leaderboard, with what it is made of. It is kept until a game of it has
// ended, or was taken back.
type ranking struct {
	mu       sync.Mutex
	of       string // the events as they were then
	kept     *ranked
	at       time.Time // when that was the state of the record
	making   bool
	settings settings
}

// A ranked is a selection of games with its leaderboard. Nothing of it is changed.
type ranked struct {
	sel   standings.Selection
	lb    *standings.Leaderboard
	of    time.Time // the state of the record that it is of; zero: that of now
	state string    // tells it apart from what it was before
	cross func() *standings.Crosstable
}

// A settings is an event as it is configured: of a thousand bots that takes a while to read.
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
	k := recall(m, m.ranks, event)
	k.mu.Lock()
	defer k.mu.Unlock()
	settings := k.settings.decode(e)
	out, err := k.take(ctx, r, of, len(e.Entries), func(ctx context.Context) (*standings.Selection, error) {
		return standings.Choose(ctx, r.config.Store, r.config.Catalog, event, "")
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
	bots := map[string]bool{}
	for i := range events {
		if e := &events[i]; e.Game == game && !e.Archived {
			state, err := r.stateOf(ctx, e)
			if err != nil {
				return nil, err
			}
			of = append(of, state)
			for _, b := range e.Entries {
				bots[b.Name] = true
			}
		}
	}
	k := recall(m, m.boards, game)
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.take(ctx, r, strings.Join(of, "\n"), len(bots), func(ctx context.Context) (*standings.Selection, error) { return r.choose(ctx, game) })
}

// stateOf tells apart the states of an event that have different ratings.
func (r *request) stateOf(ctx context.Context, e *store.Event) (string, error) {
	back, err := r.config.Store.TakenBack(ctx, e.ID)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d %d %d %d %d %d %d %v %s", e.ID, e.Created.UnixMicro(), e.Games, e.Played, e.Voids, e.Rated, back, e.Entries, e.Config), nil
}

// take returns what is kept where it is of this state of the record, or of a moment ago and
// large; else it is made. It is called with the lock.
func (k *ranking) take(ctx context.Context, r *request, of string, bots int, choose func(context.Context) (*standings.Selection, error)) (*ranked, error) {
	switch {
	case k.kept != nil && k.of == of:
		k.at = r.now
	case k.kept != nil && bots > mostRatedAtOnce && !r.site && r.now.Sub(k.at) < oldestRatings:
		if !k.making {
			k.making = true
			go k.refresh(r, of, choose)
		}
		out := *k.kept
		out.of, out.state = k.at, k.of
		return &out, nil
	default:
		kept, err := rank(ctx, choose)
		if err != nil {
			return nil, err
		}
		k.of, k.kept, k.at = of, kept, r.now
	}
	out := *k.kept
	out.state = k.of
	return &out, nil
}

// refresh makes what is kept anew.
func (k *ranking) refresh(r *request, of string, choose func(context.Context) (*standings.Selection, error)) {
	ctx, cancel := context.WithTimeout(context.Background(), mostTime)
	defer cancel()
	var kept *ranked
	err := r.thrift.run(func() (err error) {
		kept, err = rank(ctx, choose)
		return err
	})
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.making = false; err == nil {
		k.of, k.kept, k.at = of, kept, r.now
	}
}

// rank ranks the bots of a selection.
func rank(ctx context.Context, choose func(context.Context) (*standings.Selection, error)) (*ranked, error) {
	sel, err := choose(ctx)
	if err != nil {
		return nil, err
	}
	lb := &standings.Leaderboard{}
	if sel.Event != nil || sel.Counts.Played() > 0 {
		if lb, err = sel.Leaderboard(nil); err != nil {
			return nil, err
		}
	}
	return &ranked{sel: *sel, lb: lb, cross: sync.OnceValue(func() *standings.Crosstable {
		return sel.Crosstable(lb, standings.Ranking(lb))
	})}, nil
}

// note says that the ratings are not of now; "" where they are.
func (k *ranked) note() string {
	if k.of.IsZero() {
		return ""
	}
	return fmt.Sprintf("Of so many bots the ratings are of a moment ago (%s): they are computed while the games go on.", stamp(k.of))
}
