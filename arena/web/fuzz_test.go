package web_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botarena/arena/live"
	"botarena/arena/web"
)

// fuzzed is a server of a small record, with a feed.
func fuzzed(t testing.TB) (h http.Handler, secrets []string) {
	t.Helper()
	r := spring(t)
	ctx, cancel := context.WithCancel(context.Background())
	view := live.Watch(ctx, r.path, time.Now, nil)
	t.Cleanup(func() {
		cancel()
		<-view.Stopped()
	})
	dir := filepath.Dir(r.path)
	return r.pages(func(c *web.Config) { c.Live, c.LogDir = view, filepath.Join(dir, "logs") }), []string{dir, "goroutine ", "runtime error", "SQL logic", ".go:"}
}

// holds serves a request, whatever it is: no error is the server's, and nothing of
// the machine is told.
func holds(t interface {
	Helper()
	Errorf(string, ...any)
}, h http.Handler, r *http.Request, secrets []string,
) {
	t.Helper()
	patience := 20 * time.Second
	if r.URL != nil && (strings.HasPrefix(r.URL.Path, "/live") || strings.HasSuffix(r.URL.Path, "/events")) {
		patience = 10 * time.Millisecond // streams end with their reader
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r.RemoteAddr = "127.0.0.1:1"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r.WithContext(ctx))
	answer := w.Result()
	what := fmt.Sprintf("%s %.200q", r.Method, r.RequestURI)
	if answer.StatusCode >= http.StatusInternalServerError && patience > time.Second {
		t.Errorf("%s: %s\n%.500s", what, answer.Status, w.Body)
	}
	if answer.Header.Get("Content-Security-Policy") == "" {
		t.Errorf("%s: no policy", what)
	}
	told := w.Body.String() + fmt.Sprint(answer.Header)
	for _, s := range secrets {
		if strings.Contains(told, s) && !strings.Contains(r.RequestURI, s) {
			t.Errorf("%s tells of %q", what, s)
		}
	}
}

// addresses are those of pages, files and streams, and near them.
func addresses() []string {
	return []string{
		"/", "/index.json", "/index.csv", "/events", "/events.json", "/events.csv", "/events/spring", "/events/spring.json", "/events/spring/live",
		"/events/spring/leaderboard", "/events/spring/leaderboard.csv", "/events/spring/crosstable", "/events/spring/games", "/events/spring/games.json",
		"/events/spring/games/1", "/events/spring/games/0", "/events/spring/games/99999999999999999999", "/leaderboard", "/leaderboard/chess", "/leaderboard/breakthrough",
		"/bots", "/bots/ann", "/bots/ann.json", "/bots/~", "/bots/~2F", "/bots/~ZZ", "/compare/ann/bea", "/compare/ann/ann", "/compare/ann/nobody", "/sprt/spring", "/sprt/none", "/api", "/play", "/play/1", "/play/1/events",
		"/games/1", "/games/1.json", "/games/0", "/games/-1", "/games/1/game.pgn", "/games/1/board.svg", "/games/1/dialogue.txt", "/games/1/stderr.txt",
		"/live", "/assets/style.css", "/assets/", "/assets/..%2fserver.go", "/robots.txt", "/favicon.ico", "/../../etc/passwd", "//", "/%00", "/%ff%fe",
	}
}

// FuzzRequests sends what a connection may bring.
func FuzzRequests(f *testing.F) {
	h, secrets := fuzzed(f)
	for _, a := range addresses() {
		f.Add([]byte("GET " + a + " HTTP/1.1\r\nHost: localhost\r\n\r\n"))
	}
	for _, raw := range []string{
		"POST /play HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\nbot=a&x=1",
		"GET /games/1?ply=-1&flip=2 HTTP/1.1\r\nHost: [::1]\r\nLast-Event-ID: x-1\r\nRange: bytes=0-\r\n\r\n",
		"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", "GET http://evil/ HTTP/1.0\r\n\r\n",
		"DELETE /events/spring HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil\r\nSec-Fetch-Site: cross-site\r\n\r\n",
		"GET /live?game=spring/1 HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 0-18446744073709551615\r\n\r\n",
	} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(raw)))
		if err != nil {
			return // answered by net/http itself
		}
		holds(t, h, r, secrets)
	})
}

// TestRequests sends combinations of what pages take and what they do not.
func TestRequests(t *testing.T) {
	t.Parallel()
	h, secrets := fuzzed(t)
	odd := []string{"", "0", "1", "-1", "99999999999999999999", "a", "spring", "chess", "../..", "%", "<script>", "'\"", "\x00", "\x1b[2J", "\xff", "\u202e", strings.Repeat("x", 3000)}
	keys := []string{"ply", "flip", "event", "game", "bot", "against", "page", "after", "result", "reason", "sort", "moves", "number", "side", "q"}
	methods := []string{"GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"}
	rapid.Check(t, func(t *rapid.T) {
		target := rapid.SampledFrom(addresses()).Draw(t, "address")
		if rapid.IntRange(0, 2).Draw(t, "path") == 0 {
			target += "/" + url.PathEscape(rapid.SampledFrom(odd).Draw(t, "segment"))
		}
		query := url.Values{}
		for range rapid.IntRange(0, 3).Draw(t, "keys") {
			query.Add(rapid.SampledFrom(keys).Draw(t, "key"), rapid.SampledFrom(odd).Draw(t, "value"))
		}
		if len(query) > 0 {
			target += "?" + query.Encode()
		}
		raw := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\n", rapid.SampledFrom(methods).Draw(t, "method"), target,
			rapid.SampledFrom([]string{"localhost", "127.0.0.1:1", "evil.example", "", "[::1]:80"}).Draw(t, "host"))
		for _, header := range []string{"Last-Event-ID", "If-None-Match", "Accept-Encoding", "Origin", "Range", "Cookie", "Content-Type"} {
			if rapid.IntRange(0, 3).Draw(t, header) == 0 {
				raw += header + ": " + rapid.SampledFrom([]string{"*", "gzip", "x-1", "null", "bytes=5-1", "multipart/form-data; boundary=x", "0-18446744073709551616", strings.Repeat("y", 500)}).Draw(t, "header") + "\r\n"
			}
		}
		body := rapid.SampledFrom([]string{"", "bot=a", strings.Repeat("z", 100<<10), "\x00\xff"}).Draw(t, "body")
		raw += fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(raw)))
		if err != nil {
			t.Skip("no request")
		}
		holds(t, h, r, secrets)
	})
}
