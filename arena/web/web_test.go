package web_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/process"
	"botarena/arena/schedule"
	"botarena/arena/store"
	"botarena/arena/web"
	"botarena/engine/games"
)

// A record is a database that a test fills, and its pages.
type record struct {
	t     testing.TB
	path  string
	me    process.Identity
	store *store.Store // for writing
	now   time.Time
}

func newRecord(t testing.TB) *record {
	t.Helper()
	r := &record{t: t, path: filepath.Join(t.TempDir(), "arena.db"), now: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)}
	var err error
	if r.me, err = process.Self(); err != nil {
		t.Fatal(err)
	}
	if r.store, err = store.Open(t.Context(), r.path, r.clock); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.store.Close() })
	return r
}

func (r *record) clock() time.Time { return r.now }

// event plans an event and its games.
func (r *record) event(e arena.Event, games ...arena.Game) *store.Hold {
	r.t.Helper()
	data, err := config.Encode(e)
	if err != nil {
		r.t.Fatal(err)
	}
	for i := range e.Bots {
		if e.Bots[i].Fingerprint == "" {
			e.Bots[i].Fingerprint = "1 of " + e.Bots[i].Name
		}
	}
	h, err := r.store.Create(context.Background(), e, data, r.me)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := h.Append(context.Background(), games); err != nil {
		r.t.Fatal(err)
	}
	return h
}

// finish records the result of a game.
func (r *record) finish(h *store.Hold, g arena.Game) {
	r.t.Helper()
	if err := h.Finish(context.Background(), &g); err != nil {
		r.t.Fatal(err)
	}
}

// rename gives bots and events names that the domain refuses, as a database of
// another program may have them: "bot-N" and "event-N" are replaced by name N.
func (r *record) rename(names []string) {
	r.t.Helper()
	db, err := sql.Open("sqlite", r.path)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for i, name := range names {
		for _, kind := range []string{"bot", "event"} {
			if _, err := db.Exec("UPDATE "+kind+"s SET name = ? WHERE name = ?", name, fmt.Sprintf("%s-%d", kind, i)); err != nil {
				r.t.Fatal(err)
			}
		}
		if _, err := db.Exec("UPDATE events SET config = cast(replace(config, ?, ?) AS blob)", fmt.Sprintf("name: bot-%d\n", i), "name: "+strconv.Quote(name)+"\n"); err != nil {
			r.t.Fatal(err)
		}
	}
}

// pages serves the record.
func (r *record) pages(change func(*web.Config)) *web.Server {
	r.t.Helper()
	s, err := store.OpenRead(context.Background(), r.path, r.clock)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = s.Close() })
	c := web.Config{Store: s, Catalog: games.All(), Now: r.clock, Self: r.me, Version: "test", Heavy: time.Hour}
	if change != nil {
		change(&c)
	}
	w, err := web.New(c)
	if err != nil {
		r.t.Fatal(err)
	}
	return w
}

// get asks for a page; headers are name and value in turn.
func get(h http.Handler, method, url string, headers ...string) *http.Response {
	return request(h, method, url, nil, headers...)
}

func request(h http.Handler, method, url string, body io.Reader, headers ...string) *http.Response {
	req := httptest.NewRequest(method, url, body)
	req.Host = "127.0.0.1:8080"
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
			continue
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w.Result()
}

// write writes a file, in folders that are made.
func write(t testing.TB, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
		t.Fatal(err)
	}
}

func body(t testing.TB, r *http.Response) string {
	t.Helper()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// read asks for a page that is there, and returns it.
func read(t testing.TB, h http.Handler, url string) string {
	t.Helper()
	r := get(h, "GET", url)
	text := body(t, r)
	if r.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d\n%s", url, r.StatusCode, text)
	}
	return text
}

// league is an event of three bots.
func league(name string) arena.Event {
	e := config.Default()
	e.Name, e.Game, e.Format, e.Rounds = name, "breakthrough:5x5", schedule.FormatRoundRobin, 1
	e.Clock = arena.TimeControl{Move: 100 * time.Millisecond}
	for _, bot := range []string{"ann", "bea", "cat"} {
		b := config.DefaultBot()
		b.Name, b.Command = bot, []string{"./" + bot}
		e.Bots = append(e.Bots, b)
	}
	return e
}

// meet is a pair of games of two bots.
func meet(e arena.Event, number int, a, b string) []arena.Game {
	g := arena.Game{Number: number, Round: 1, Pair: (number + 1) / 2, Game: e.Game, First: a, Second: b}
	h := g
	h.Number, h.First, h.Second = number+1, b, a
	return []arena.Game{g, h}
}

// won is a game with a result.
func won(g arena.Game, result arena.Result, at time.Time) arena.Game {
	g.Result, g.Reason, g.Detail, g.Plies, g.Start, g.Wall = result, arena.WinByRule, "reached home row", 3, at, 2*time.Second
	g.Moves = []arena.MoveRecord{{Move: "a2a3", Time: time.Second, Depth: 4, Score: 12, HasScore: true}, {Move: "a4b3"}, {Move: "a3b4"}}
	return g
}

func TestHeaders(t *testing.T) {
	w := newRecord(t).pages(nil)
	for _, url := range []string{"/", "/events", "/nothing", "/events.json"} {
		h := get(w, "GET", url).Header
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin",
		} {
			if got := h.Get(name); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s is %q, want %q", url, name, got, want)
			}
		}
		if strings.Contains(h.Get("Content-Security-Policy"), "unsafe") {
			t.Errorf("%s: the policy is %s", url, h.Get("Content-Security-Policy"))
		}
	}
}

func TestRefusals(t *testing.T) {
	r := newRecord(t)
	private, public := r.pages(nil), r.pages(func(c *web.Config) { c.Public = true })
	locked := r.pages(func(c *web.Config) { c.Password, c.Hosts = "s3cret", []string{"box.lan"} })
	basic := func(password string) string {
		req := httptest.NewRequest(http.MethodGet, "/", nil)
		req.SetBasicAuth("me", password)
		return req.Header.Get("Authorization")
	}
	for _, c := range []struct {
		why     string
		h       http.Handler
		method  string
		url     string
		headers []string
		status  int
	}{
		{"another name of the host", private, "GET", "/", []string{"Host", "evil.example"}, 421},
		{"localhost", private, "GET", "/", []string{"Host", "localhost:8080"}, 200},
		{"an address", private, "GET", "/", []string{"Host", "[::1]:8080"}, 200},
		{"any name where all may read", public, "GET", "/", []string{"Host", "evil.example"}, 200},
		{"a name that was given", locked, "GET", "/", []string{"Host", "BOX.lan:80"}, 200},
		{"no method of a page", private, "POST", "/events", nil, 405},
		{"no method of a page", private, "DELETE", "/", nil, 405},
		{"writing where all may read", public, "POST", "/events", nil, 403},
		{"no password", locked, "POST", "/events", nil, 401},
		{"a wrong password", locked, "POST", "/events", []string{"Authorization", basic("secret")}, 401},
		{"the password", locked, "POST", "/events", []string{"Authorization", basic("s3cret")}, 405},
		{"reading needs no password", locked, "GET", "/events", nil, 200},
		{"a page of another site", private, "POST", "/events", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"no such page", private, "GET", "/nothing/at/all", nil, 404},
		{"an address that is not ours", private, "GET", "/events/~zz", nil, 404},
		{"a slash too many", private, "GET", "/events/", nil, 308},
		{"a parameter that the page does not know", private, "GET", "/events?x=1", nil, 400},
		{"an address that leads elsewhere", private, "GET", "//evil.example/..//", nil, 404},
		{"an address that leads elsewhere", private, "GET", "//evil.example/events/", nil, 404},
		{"an address that leads elsewhere", private, "GET", `/\\evil.example/..//`, nil, 404},
		{"a long query", private, "GET", "/events?" + strings.Repeat("a", 3000), nil, 400},
	} {
		if got := get(c.h, c.method, c.url, c.headers...); got.StatusCode != c.status {
			t.Errorf("%s: %s %.40s: status %d, want %d", c.why, c.method, c.url, got.StatusCode, c.status)
		}
	}
	for range 20 {
		get(locked, "POST", "/events", "Authorization", basic("guess"))
	}
	for password, want := range map[string]int{"guess": 429, "s3cret": 429} {
		if got := get(locked, "POST", "/events", "Authorization", basic(password)).StatusCode; got != want {
			t.Errorf("%s after many guesses: status %d, want %d", password, got, want)
		}
	}
	if got := get(locked, "GET", "/events").StatusCode; got != 200 {
		t.Errorf("reading after many guesses: status %d", got)
	}
	if text := body(t, get(private, "GET", "/evnts")); !strings.Contains(text, `Did you mean <a href="/events">`) {
		t.Errorf("a misspelt address suggests nothing:\n%s", text)
	}
}

// A page is sent again only once the record has changed.
func TestETag(t *testing.T) {
	r := newRecord(t)
	w := r.pages(nil)
	first := get(w, "GET", "/events")
	etag := first.Header.Get("ETag")
	if etag == "" {
		t.Fatal("no ETag")
	}
	if again := get(w, "GET", "/events", "If-None-Match", etag); again.StatusCode != http.StatusNotModified || body(t, again) != "" {
		t.Errorf("the same page again: %d", again.StatusCode)
	}
	r.event(league("spring"))
	changed := get(w, "GET", "/events", "If-None-Match", etag)
	if text := body(t, changed); changed.StatusCode != http.StatusOK || !strings.Contains(text, "spring") {
		t.Errorf("a changed page: %d\n%s", changed.StatusCode, text)
	}
}

func TestCompression(t *testing.T) {
	r := newRecord(t)
	w := r.pages(nil)
	for header, want := range map[string]string{"gzip, br": "gzip", "br, *;q=0.5": "gzip", "gzip;q=0": "", "gzip; q=0.0": "", "identity": "", "gzip;q=0.05": "gzip"} {
		if got := get(w, "GET", "/events", "Accept-Encoding", header).Header.Get("Content-Encoding"); got != want {
			t.Errorf("Accept-Encoding %q: %q, want %q", header, got, want)
		}
	}
}
