package web

import (
	"context"
	"html/template"
	"sync"
	"time"

	"botarena/arena/standings"
)

// A memory is what was read of events with many games, so that a page of an event that
// is being played reads what is new alone.
type memory struct {
	mu        sync.Mutex
	trials    map[string]*standings.TrialFollower
	events    map[string]*standings.GamesFollower
	histories map[string]*remembered
	ranks     map[string]*ranking // of events
	boards    map[string]*ranking // of games
}

// mostRemembered is of how many events, and games, something is remembered: of one more,
// all is forgotten.
const mostRemembered = 32

func newMemory() *memory {
	return &memory{trials: map[string]*standings.TrialFollower{}, events: map[string]*standings.GamesFollower{}, histories: map[string]*remembered{}, ranks: map[string]*ranking{}, boards: map[string]*ranking{}}
}

func (m *memory) trial(event string) *standings.TrialFollower { return recall(m, m.trials, event) }

func (m *memory) games(event string) *standings.GamesFollower { return recall(m, m.events, event) }

// recall returns what is remembered under a name, or begins to.
func recall[T any](m *memory, of map[string]*T, name string) *T {
	m.mu.Lock()
	defer m.mu.Unlock()
	if of[name] == nil {
		if len(of) >= mostRemembered {
			clear(of)
		}
		of[name] = new(T)
	}
	return of[name]
}

// A remembered chart goes over days, and is drawn anew once a minute at most.
type remembered struct {
	mu      sync.Mutex
	at      time.Time
	drawing bool
	chart   template.HTML
}

const historyAge = time.Minute

// history is the chart of a game's ratings. Where there is one of before, that is shown
// while a newer one is drawn.
func (m *memory) history(ctx context.Context, r *request, game string) (template.HTML, error) {
	h := recall(m, m.histories, game)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.at.IsZero() || r.site:
		chart, err := r.history(ctx, game)
		if err != nil {
			return "", err
		}
		h.chart, h.at = chart, r.now
	case r.now.Sub(h.at) > historyAge && !h.drawing:
		h.drawing = true
		go h.refresh(r, game)
	}
	return h.chart, nil
}

func (h *remembered) refresh(r *request, game string) {
	ctx, cancel := context.WithTimeout(context.Background(), mostTime)
	defer cancel()
	var chart template.HTML
	err := r.thrift.run(func() (err error) {
		chart, err = r.history(ctx, game)
		return err
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.drawing = false; err == nil {
		h.chart, h.at = chart, r.now
	}
}
