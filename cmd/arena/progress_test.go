package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/event"
)

// Games that were taken back do not count in the progress any more.
func TestProgressAfterTakenBack(t *testing.T) {
	p := &progress{
		w: io.Discard, now: time.Now, quiet: true, points: map[string]float64{}, games: map[string]int{},
		event: arena.Event{Bots: []arena.Bot{{Name: "a"}, {Name: "b"}}},
	}
	p.observe(event.Update{Kind: event.GamesPlanned, Planned: 4})
	p.observe(event.Update{Kind: event.GameFinished, Planned: 4, Played: 1, Game: &arena.Game{First: "a", Second: "b", Result: arena.FirstWins}})
	if top := p.top(); top == "" {
		t.Fatal("nobody leads after a game")
	}
	p.observe(event.Update{Kind: event.GamesPlanned, Planned: 4, Played: 0})
	if top := p.top(); top != "" || p.played != 0 {
		t.Errorf("%d games, top %s, after all were taken back", p.played, top)
	}
}

// A run that goes on with an event says that its top is of this run alone.
func TestProgressOfResumedRun(t *testing.T) {
	p := &progress{
		w: io.Discard, now: time.Now, quiet: true, points: map[string]float64{}, games: map[string]int{},
		event: arena.Event{Bots: []arena.Bot{{Name: "a"}, {Name: "b"}}},
	}
	p.observe(event.Update{Kind: event.GamesPlanned, Planned: 4, Played: 2})
	p.observe(event.Update{Kind: event.GameFinished, Planned: 4, Played: 3, Game: &arena.Game{First: "a", Second: "b", Result: arena.FirstWins}})
	if got := p.summary(); !strings.HasSuffix(got, "top of this run: a 1/1") {
		t.Errorf("after a run with two games: %q", got)
	}
}
