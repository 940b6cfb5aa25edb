package web

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/time/rate"
)

// What was spent is earned again by a share of the time, and no panic leaves a thread.
func TestThrift(t *testing.T) {
	now := time.Unix(0, 0)
	s := &thrift{now: func() time.Time { return now }, cores: 2}
	spend := func(d time.Duration) error {
		return s.run(func() error { now = now.Add(d); return errors.New("done") })
	}
	for n := 0; n < 5; n++ {
		if s.poor(now) {
			t.Fatalf("poor after %d seconds", n)
		}
		if err := spend(1100 * time.Millisecond); err == nil || err.Error() != "done" {
			t.Error(err)
		}
	}
	if !s.poor(now) {
		t.Error("rich after 5.5 seconds at once")
	}
	if err := s.run(func() error { panic("help") }); err == nil || !strings.Contains(err.Error(), "panic: help") {
		t.Errorf("a panic is %v", err)
	}
	now = now.Add(time.Minute)
	if s.poor(now) {
		t.Error("poor after a minute's rest")
	}
}

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

// A listener that is closed keeps nobody who waits for his turn.
func TestPacedCloses(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	l := &paced{Listener: inner, pace: rate.NewLimiter(0.001, 1), open: ctx, stop: stop}
	l.pace.Allow()
	done := make(chan error)
	go func() {
		_, err := l.Accept()
		done <- err
	}()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}
