package web_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/standings"
	"botarena/arena/store"
)

// crowd plans an event of so many bots, each of which meets the next one.
func (r *record) crowd(bots int) (*store.Hold, []arena.Game) {
	e := config.Default()
	e.Name, e.Game, e.Format, e.Rounds = "crowd", "breakthrough:4x5", arena.FormatLadder, 1
	var games []arena.Game
	for i := range bots {
		b := config.DefaultBot()
		b.Name, b.Builtin = fmt.Sprintf("bot %03d", i+1), "random"
		e.Bots = append(e.Bots, b)
		if i > 0 {
			games = append(games, arena.Game{Number: i, Round: 1, Pair: i, Game: e.Game, First: e.Bots[i-1].Name, Second: b.Name})
		}
	}
	return r.event(e, games...), games
}

func (r *record) won(h *store.Hold, g arena.Game) {
	g.Result, g.Reason, g.Detail, g.Plies, g.Start = arena.FirstWins, arena.WinByRule, "reached the last row", 9, r.now
	r.finish(h, g)
}

// A table of many bots goes over several pages; its data are whole.
func TestCrowd(t *testing.T) {
	r := newRecord(t)
	h, games := r.crowd(230)
	for i := range 3 {
		r.won(h, games[i])
	}
	p := r.pages(nil)
	first, second := read(t, p, "/events/crowd/leaderboard"), read(t, p, "/events/crowd/leaderboard?from=201")
	for name, page := range map[string]string{"first": first, "second": second, "event": read(t, p, "/events/crowd"), "board": read(t, p, "/leaderboard/breakthrough:4x5?from=201")} {
		if want := map[bool]string{true: "Bots 1 to 200 of 230", false: "Bots 201 to 230 of 230"}[name == "first" || name == "event"]; !strings.Contains(page, want) {
			t.Errorf("%s: nothing says %q", name, want)
		}
	}
	if a, b := strings.Count(first, "<tr>"), strings.Count(second, "<tr>"); a != 201 || b != 31 { // and the head
		t.Errorf("%d and %d rows", a, b)
	}
	if !strings.Contains(first, `href="/events/crowd/leaderboard?from=201"`) || !strings.Contains(second, `href="/events/crowd/leaderboard"`) {
		t.Error("the pages do not lead to each other")
	}
	if cross := read(t, p, "/events/crowd/crosstable"); !strings.Contains(cross, "Bots 1 to 60 of 230") || strings.Count(cross, "<tr>") != 61 || strings.Count(cross, "<th ") != 63 {
		t.Error("the cross-table is not cut")
	}
	for _, path := range []string{"/events/crowd/leaderboard.csv", "/events/crowd/crosstable.csv", "/events/crowd.csv"} {
		if lines := strings.Count(read(t, p, path), "\n"); lines != 231 {
			t.Errorf("%s: %d lines", path, lines)
		}
	}
	for _, from := range []string{"0", "-3", "231", "x", "99999999999999999999"} {
		if page := read(t, p, "/events/crowd/leaderboard?from="+from); !strings.Contains(page, "Bots 1 to 200 of 230") {
			t.Errorf("from=%s is not the first page", from)
		}
	}
}

// What many bots' ratings were a moment ago is shown while they are computed anew, and
// not for long.
func TestCrowdPlaying(t *testing.T) {
	const notice = "the ratings are of a moment ago"
	r := newRecord(t)
	h, games := r.crowd(310)
	r.won(h, games[0])
	p := r.pages(nil)
	played := func() int {
		var lb standings.Leaderboard
		if err := json.Unmarshal([]byte(read(t, p, "/events/crowd/leaderboard.json")), &lb); err != nil {
			t.Fatal(err)
		}
		return lb.Games
	}
	if n := played(); n != 1 {
		t.Fatalf("%d games at first", n)
	}
	r.won(h, games[1])
	answer := get(p, "GET", "/events/crowd")
	if page := body(t, answer); !strings.Contains(page, notice) || answer.Header.Get("Etag") != "" || answer.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("ratings of before do not say so: %v", answer.Header)
	}
	for end := time.Now().Add(time.Minute); played() != 2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the new ratings never come")
		}
	}
	if page := read(t, p, "/events/crowd"); strings.Contains(page, notice) {
		t.Error("ratings of now are called those of before")
	}
	// What is older than a moment is not shown, though it takes a while to make.
	r.won(h, games[2])
	r.now = r.now.Add(2 * time.Minute)
	if n := played(); n != 3 {
		t.Errorf("%d games, of long ago", n)
	}
	if got := get(p, "GET", "/leaderboard/breakthrough:4x5.json").StatusCode; got != http.StatusOK {
		t.Errorf("status %d", got)
	}
}

// Data of an event are made again where something of it has changed, and not where the
// record has changed elsewhere.
func TestDataAreKept(t *testing.T) {
	r := newRecord(t)
	h, games := r.crowd(4)
	r.won(h, games[0])
	p := r.pages(nil)
	pages := []string{"/events/crowd/games.json", "/events/crowd/games.csv", "/events/crowd/leaderboard.json", "/events/crowd/crosstable.csv", "/events/crowd.json", "/leaderboard/breakthrough:4x5.csv"}
	of := func() (list []string) {
		for _, path := range pages {
			list = append(list, read(t, p, path))
		}
		return list
	}
	before := of()
	// No program writes so: it shows what is made again.
	db, err := sql.Open("sqlite", r.path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), "UPDATE games SET plies = 77 WHERE number = 1; UPDATE endings SET plies = 770"); err != nil {
		t.Fatal(err)
	}
	for i, text := range of() {
		if text != before[i] {
			t.Errorf("%s was made again", pages[i])
		}
	}
	r.won(h, games[1])
	for i, text := range of() {
		if text == before[i] {
			t.Errorf("%s is what it was before a game ended", pages[i])
		}
	}
}
