package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"golang.org/x/time/rate"
)

// A burst comes through at once, and who would wait too long is told so.
func TestPace(t *testing.T) {
	served := 0
	h := pace(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served++ }), rate.NewLimiter(0.01, 3))
	for n := range 5 {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		want := http.StatusOK
		if n >= 3 {
			want = http.StatusTooManyRequests
		}
		if w.Code != want {
			t.Errorf("request %d: %d, want %d", n, w.Code, want)
		}
	}
	if served != 3 {
		t.Errorf("%d requests served, want 3", served)
	}
}

// An answer that takes long to make is given for a moment when the record has changed,
// and made again meanwhile; others are made at once, and a change elsewhere counts.
func TestPageCache(t *testing.T) {
	now := time.Unix(0, 0)
	made := make(chan string, 10)
	ask := func(c *pageCache, version string) (string, bool) {
		a, fresh, err := c.get("/", version, now, func() (*answer, error) {
			defer func() { made <- version }()
			return newAnswer("", []byte(version)), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return string(a.body), fresh
	}
	light, heavy := &pageCache{most: 100, heavy: time.Hour}, &pageCache{most: 100}
	for _, c := range []*pageCache{light, heavy} {
		for range 2 {
			if got, fresh := ask(c, "1"); got != "1" || !fresh {
				t.Errorf("%q, fresh %v", got, fresh)
			}
		}
		<-made
	}
	if got, fresh := ask(light, "2"); got != "2" || !fresh || <-made != "2" {
		t.Errorf("%q, fresh %v", got, fresh)
	}
	now = now.Add(oldestPage / 2)
	if got, fresh := ask(heavy, "2"); got != "1" || fresh {
		t.Errorf("%q, fresh %v", got, fresh)
	}
	if got := <-made; got != "2" {
		t.Errorf("made %q meanwhile", got)
	}
	now = now.Add(2 * oldestPage)
	if got, fresh := ask(heavy, "3"); got != "3" || !fresh {
		t.Errorf("%q, fresh %v, long after", got, fresh)
	}
	if heavy.size != 1 {
		t.Errorf("%d bytes are kept", heavy.size)
	}
}
