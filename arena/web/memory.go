package web

import (
	"sync"

	"botarena/arena/standings"
)

// memory caches what was read of events with many games, so that pages of an event in
// progress read only what is new.
type memory struct {
	mu sync.Mutex
	of map[string]any // by kind and name
}

// mostRemembered is how many things are remembered: before one more, all are forgotten.
const mostRemembered = 128

func (m *memory) follow(event string) *standings.Follower {
	return recall[standings.Follower](m, "event "+event)
}

// recall returns what is remembered under a name, or begins to.
func recall[T any](m *memory, name string) *T {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known, ok := m.of[name].(*T); ok {
		return known
	}
	if len(m.of) >= mostRemembered || m.of == nil {
		m.of = map[string]any{}
	}
	out := new(T)
	m.of[name] = out
	return out
}
