package web_test

import (
	"context"
	"html"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/live"
	"botarena/arena/web"
)

// Without a script, the page of an event's games in progress shows them as they
// are, and so does the page of each; neither is kept.
func TestGamesInTheAir(t *testing.T) {
	r := newRecord(t)
	e := league("spring")
	e.Clock = arena.TimeControl{Base: time.Minute}
	list := meet(e, 1, "ann", "bea")[:1]
	r.event(e, list...)
	hub := live.NewHub(r.clock)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	view := live.Watch(ctx, r.path, r.clock, hub)
	h := r.pages(func(c *web.Config) { c.Live = view })

	changed := view.Changed()
	if page := read(t, h, "/events/spring/live"); !strings.Contains(page, "No game of this event is being played now") || strings.Contains(page, `data-number="1"`) {
		t.Error("there is a game before one has begun")
	}
	run := hub.Run(live.Event{Name: "spring", Game: e.Game})
	playing := run.Begin(live.Game{Game: list[0], Clocks: [2]arena.TimeControl{e.Clock, e.Clock}})
	playing.Moved([]arena.MoveRecord{{Move: "a2a3", Time: 2 * time.Second, HasScore: true, Score: 31, Depth: 7}}, r.now)
	for wait := time.After(20 * time.Second); len(view.Snapshot().Games) == 0 || view.Snapshot().Games[0].Moves == nil; {
		select {
		case <-changed:
			changed = view.Changed()
		case <-wait:
			t.Fatal("the game is not seen")
		}
	}
	page := html.UnescapeString(read(t, h, "/events/spring/live"))
	for _, want := range []string{`data-number="1"`, "1. a2a3 · +0.31 · depth 7 · 2.0 s", ">0:58<", "Game 1 after ply 1", "/events/spring/games/1", `<h2 id="standings">`, `href="/bots/ann"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of the event has no %q", want)
		}
	}
	for path, follow := range map[string]string{"/": "?", "/events/spring": "?event=spring"} {
		if page := read(t, h, path); !strings.Contains(page, `data-follow="`+follow+`"`) || !strings.Contains(page, "/assets/feed.") {
			t.Errorf("%s does not follow what is played", path)
		}
		if page := read(t, r.pages(nil), path); strings.Contains(page, "data-follow") {
			t.Errorf("%s follows nothing", path)
		}
	}
	if page := read(t, h, "/events/spring"); strings.Contains(page, "Next in the schedule") {
		t.Error("a game that is being played is said to be next")
	}
	resp := get(h, "GET", "/games/1")
	if page := body(t, resp); !strings.Contains(page, `data-field="ply">1<`) || !strings.Contains(page, "Being played.") {
		t.Error("the page of the game has not its move")
	}
	if resp.Header.Get("Cache-Control") != "no-store" || resp.Header.Get("ETag") != "" {
		t.Errorf("the page of a game in progress may be kept: %v", resp.Header)
	}
}
