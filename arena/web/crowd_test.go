package web_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/schedule"
	"botarena/arena/store"
	"botarena/arena/web"
)

// crowd plans an event of so many bots, each of which meets the next one.
func (r *record) crowd(bots int) (*store.Hold, []arena.Game) {
	e := config.Default()
	e.Name, e.Game, e.Format, e.Rounds = "crowd", "breakthrough:4x5", schedule.FormatLadder, 1
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
	for _, path := range []string{"/events/crowd/leaderboard.csv", "/events/crowd.csv"} {
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

// Many visitors ask for long lists and never read: each holds a part of its list, and
// few lists are sent at once.
func TestReadersThatDoNotRead(t *testing.T) {
	r := newRecord(t)
	h, games := r.crowd(151)
	for i := range games {
		g := games[i]
		g.Result, g.Reason, g.Detail, g.Plies, g.Start = arena.FirstWins, arena.Resign, strings.Repeat(fmt.Sprint(g.Number, " "), 12_000), 9, r.now
		r.finish(h, g)
	}
	handler := r.pages(nil)
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	server := web.NewServer(ctx, handler, slog.New(slog.DiscardHandler))
	go func() { _ = server.Serve(web.Limit(inner)) }()
	t.Cleanup(func() {
		cancel()
		_ = server.Close()
	})
	url := "http://" + inner.Addr().String()
	status := func(path string) int {
		resp, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	if got := status("/events/crowd/games.json?x=1"); got != http.StatusBadRequest {
		t.Errorf("an unknown parameter: status %d", got)
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	const visitors = 100
	for n := range visitors {
		path := "/events/crowd/games.json"
		if n%2 > 0 {
			path += fmt.Sprint("?limit=", 150+n)
		}
		c, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_ = c.(*net.TCPConn).SetReadBuffer(4096)
		if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path); err != nil {
			t.Fatal(err)
		}
	}
	for end := time.Now().Add(time.Minute); status("/events/crowd/games.csv") != http.StatusTooManyRequests; { // all places are taken
		if time.Now().After(end) {
			t.Fatal("every list is sent")
		}
	}
	if used := heap() - min(before, heap()); used > 64<<20 {
		t.Errorf("%d visitors who do not read take %d MB", visitors, used>>20)
	}
	if got := status("/events/crowd"); got != http.StatusOK {
		t.Errorf("the page of the event has status %d meanwhile", got)
	}
}
