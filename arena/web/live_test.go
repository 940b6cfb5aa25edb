package web

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/live"
	"botarena/arena/schedule"
	"botarena/engine"
	"botarena/engine/games"
)

// A liveFixture is a feed of one event, whose games the test plays.
type liveFixture struct {
	t    testing.TB
	hub  *live.Hub
	run  *live.Run
	feed *liveFeed
	url  string
}

func newLiveFixture(t testing.TB) *liveFixture {
	t.Helper()
	hub := live.NewHub(time.Now)
	ctx, cancel := context.WithCancel(context.Background())
	view := live.Watch(ctx, filepath.Join(t.TempDir(), "arena.db"), time.Now, hub)
	feed := newLiveFeed(view, func(name string) (engine.Game, error) { return games.All().Lookup(name) }, time.Now)
	server := httptest.NewServer(feed)
	t.Cleanup(func() {
		feed.close()
		server.Close()
		feed.running.Wait()
		cancel()
		<-view.Stopped()
	})
	f := &liveFixture{t: t, hub: hub, feed: feed, url: server.URL}
	f.run = hub.Run(live.Event{Name: "spring", Game: "breakthrough:6x6", Format: schedule.FormatMatch})
	f.run.Progress(live.Progress{Planned: 10, Slots: 2, Total: 10})
	return f
}

// streams counts the readers.
func (f *liveFixture) streams() int {
	f.feed.mu.Lock()
	defer f.feed.mu.Unlock()
	return f.feed.streams
}

// A liveMatch is a game that the test plays, a random one.
type liveMatch struct {
	*live.Playing
	number int
	pos    engine.Position
	moves  []arena.MoveRecord
	run    *live.Run
}

func (f *liveFixture) begin(number int, first string) *liveMatch {
	rules, err := games.All().Lookup("breakthrough:6x6")
	if err != nil {
		f.t.Fatal(err)
	}
	return &liveMatch{number: number, pos: rules.Start(), run: f.run, Playing: f.run.Begin(live.Game{
		Game:   arena.Game{Number: number, Game: rules.Name(), First: first, Second: "other"},
		Clocks: [2]arena.TimeControl{{Base: time.Minute}, {Nodes: 10}},
	})}
}

func (m *liveMatch) play(plies int) {
	for range plies {
		legal := m.pos.Legal(nil)
		if len(legal) == 0 {
			return
		}
		move := legal[len(m.moves)*7%len(legal)]
		m.moves = append(m.moves, arena.MoveRecord{
			Move: string(m.pos.AppendMove(nil, move)), Time: time.Second / 2, Depth: 3, Score: 25, HasScore: true,
		})
		m.pos.Play(move)
		m.Moved(m.moves, time.Now())
	}
}

func (m *liveMatch) end() {
	m.run.End(&arena.Game{Number: m.number, Result: arena.FirstWins, Reason: arena.Resign, Detail: "white resigned", Moves: m.moves, Plies: len(m.moves)})
}

// A liveReader reads a stream as a browser does.
type liveReader struct {
	t     testing.TB
	lines *bufio.Scanner
	body  func() error
	id    string
	games map[string]*liveGame
	event map[string]live.Event
	raw   []string // data of all messages
	one   bool     // a game is read, with all its frames
}

func (f *liveFixture) read(query, lastID string) *liveReader {
	f.t.Helper()
	request, err := http.NewRequestWithContext(f.t.Context(), http.MethodGet, f.url+query, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	if lastID != "" {
		request.Header.Set("Last-Event-ID", lastID)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = answer.Body.Close() })
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "text/event-stream" {
		f.t.Fatalf("%s: %s, %v", query, answer.Status, answer.Header)
	}
	r := &liveReader{t: f.t, one: strings.HasPrefix(query, "?game="), lines: bufio.NewScanner(answer.Body), body: answer.Body.Close, games: map[string]*liveGame{}, event: map[string]live.Event{}}
	r.lines.Buffer(nil, 1<<24)
	return r
}

// next reads one message and does as it says. False at the end.
func (r *liveReader) next() bool {
	r.t.Helper()
	for r.lines.Scan() {
		line := r.lines.Text()
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			r.id = id
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		r.raw = append(r.raw, data)
		var u liveUpdate
		if err := json.Unmarshal([]byte(data), &u); err != nil {
			r.t.Fatal(err)
		}
		r.take(&u)
		return true
	}
	return false
}

func (r *liveReader) take(u *liveUpdate) {
	r.t.Helper()
	if u.Reset {
		clear(r.games)
		clear(r.event)
	}
	for _, e := range u.Events {
		r.event[e.Name] = e
	}
	for i := range u.Games {
		g := &u.Games[i]
		key := fmt.Sprintf("%s/%d", g.Event, g.Number)
		old := r.games[key]
		if r.one && old != nil && !g.New {
			if g.From > len(old.Frames) {
				r.t.Errorf("%s: frames from %d, after %d", key, g.From, len(old.Frames))
			}
			g.Frames = append(slices.Clone(old.Frames[:min(g.From, len(old.Frames))]), g.Frames...)
		}
		if !g.Brief && (r.one && len(g.Frames) != g.Plies+1 || !r.one && len(g.Frames) != 1) {
			r.t.Errorf("%s: %d frames at ply %d", key, len(g.Frames), g.Plies)
		}
		r.games[key] = g
	}
	for key, g := range r.games {
		if !g.Over && !slices.Contains(u.Air, key) {
			delete(r.games, key)
		}
	}
}

// until reads until something holds.
func (r *liveReader) until(what string, ok func() bool) {
	r.t.Helper()
	for !ok() {
		if !r.next() {
			r.t.Fatalf("the stream ended before %s", what)
		}
	}
}

func (r *liveReader) plies(key string) int {
	if g := r.games[key]; g != nil {
		return g.Plies
	}
	return -1
}

func TestLiveStream(t *testing.T) {
	t.Parallel()
	f := newLiveFixture(t)
	f.feed.detail = func(detail string) string { return "for readers: " + detail }
	one := f.begin(1, "first")
	one.play(3)
	all, game, other := f.read("?event=spring", ""), f.read("?game=spring/1", ""), f.read("?event=none", "")
	all.until("the game", func() bool { return all.plies("spring/1") == 3 })
	game.until("the game", func() bool { return game.plies("spring/1") == 3 })
	for i, m := range game.games["spring/1"].Frames[1:] {
		if *m.Who != i%2 || m.Move != one.moves[i].Move || m.Millis != 500 || m.Score != "+0.25" || len(m.Changes) != 4 || len(m.Last) == 0 {
			t.Errorf("move %d: %+v", i, m)
		}
	}
	if b := all.games["spring/1"].Frames[0]; b.Move != one.moves[2].Move || *b.Turn != 1 || *b.Left[0] != 59000 || b.Left[1] != nil || len(b.Changes) != 48 || *b.Expected != 0.535 {
		t.Errorf("board %+v", b)
	}
	two := f.begin(2, "first")
	two.play(1)
	all.until("the second game", func() bool { return all.plies("spring/2") == 1 })
	one.play(4)
	one.end()
	f.run.Progress(live.Progress{Planned: 10, Played: 1, Slots: 2, Total: 10})
	for _, r := range []*liveReader{all, game} {
		r.until("the end", func() bool { return r.games["spring/1"].Over && (r == game || r.event["spring"].Played == 1) })
		if g := r.games["spring/1"]; g.Result != "1-0" || g.Reason != "resign" || !strings.HasPrefix(g.Detail, "for readers: ") || g.Plies != 7 || g.URL != "/events/spring/games/1" {
			t.Errorf("%+v", g)
		}
	}
	f.run.Close()
	all.until("the end of the run", func() bool { return !all.event["spring"].Running && all.plies("spring/2") < 0 })
	f.feed.close()
	for other.next() {
	}
	if len(other.games) != 0 || len(other.event) != 0 {
		t.Errorf("another event's stream has %v, %v", other.games, other.event)
	}
}

// TestLiveResume is a reader that comes again after a break: it is told what it
// has missed, and of a game only the moves that it lacks.
func TestLiveResume(t *testing.T) {
	t.Parallel()
	f := newLiveFixture(t)
	one, two := f.begin(1, "first"), f.begin(2, "first")
	one.play(2)
	two.play(2)
	for _, query := range []string{"?game=spring/1", "?event=spring", ""} {
		before := f.read(query, "")
		plies := len(one.moves)
		before.until("the moves", func() bool { return before.plies("spring/1") == plies })
		_ = before.body()
		one.play(3)
		again := f.read(query, before.id)
		again.games, again.event = before.games, before.event
		again.until("what was missed", func() bool { return again.plies("spring/1") == plies+3 })
		if f := again.games["spring/1"].Frames; f[len(f)-1].Move != one.moves[plies+2].Move {
			t.Errorf("%q: the last move is %q", query, f[len(f)-1].Move)
		}
		for _, data := range again.raw {
			if strings.Contains(data, `"reset":true`) || strings.Contains(data, `"from":0`) {
				t.Errorf("%q was told everything again: %s", query, data)
			}
		}
		_ = again.body()
		strange := f.read(query, "0123-"+strings.Split(before.id, "-")[1])
		strange.until("all", func() bool { return strange.plies("spring/1") == plies+3 })
		if !strings.Contains(strange.raw[0], `"reset":true`) {
			t.Errorf("another server's number: %s", strange.raw[0])
		}
		_ = strange.body()
	}
}

// TestLiveCoalesces is a game of many fast moves: few messages, and no move lost.
func TestLiveCoalesces(t *testing.T) {
	t.Parallel()
	f := newLiveFixture(t)
	one := f.begin(1, "first")
	r := f.read("?event=spring", "")
	r.until("the game", func() bool { return r.plies("spring/1") == 0 })
	start := time.Now()
	go func() {
		for range 40 {
			one.play(1)
			time.Sleep(10 * time.Millisecond)
		}
		one.end()
	}()
	r.until("the end", func() bool { return r.games["spring/1"].Over })
	if most := 2 + int(time.Since(start)/messageGap); len(r.raw) > 2+most {
		t.Errorf("%d messages in %v", len(r.raw), time.Since(start))
	}
	if r.plies("spring/1") != len(one.moves) {
		t.Errorf("%d of %d moves", r.plies("spring/1"), len(one.moves))
	}
}

// Many readers get fewer messages, and are told to ask for pages less often.
func TestLiveManyReaders(t *testing.T) {
	t.Parallel()
	f := newLiveFixture(t)
	f.begin(1, "first")
	if gap, pause := f.feed.gap(), f.feed.pause(); gap != messageGap || pause != 0 {
		t.Errorf("nobody: %v, %v", gap, pause)
	}
	f.feed.mu.Lock()
	f.feed.streams = 1999
	f.feed.mu.Unlock()
	r := f.read("?event=spring", "")
	r.until("the game", func() bool { return r.plies("spring/1") == 0 })
	if gap := f.feed.gap(); gap != 2*time.Second || !strings.Contains(r.raw[0], `"pause":20000`) {
		t.Errorf("2,000 readers: %v, %s", gap, r.raw[0])
	}
}

func TestLiveRefuses(t *testing.T) {
	t.Parallel()
	f := newLiveFixture(t)
	f.feed.most = 2
	for _, query := range []string{"?game=17", "?game=spring/", "?game=spring/0", "?game=/1", "?event=a&game=b/1", "?event=" + strings.Repeat("x", 3000)} {
		answer, err := http.Get(f.url + query)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", query, answer.Status)
		}
	}
	first := f.read("", "")
	first.next()
	f.read("?event=spring", "").next()
	answer, err := http.Get(f.url)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusTooManyRequests || answer.Header.Get("Retry-After") == "" {
		t.Errorf("one too many: %s", answer.Status)
	}
	_ = first.body()
	for f.streams() == 2 { // there is room once the server has noticed
		time.Sleep(time.Millisecond)
	}
	f.read("", "").next()
}

func TestLiveHeartbeat(t *testing.T) {
	t.Parallel()
	f := newLiveFixture(t)
	f.feed.beat = 10 * time.Millisecond
	r := f.read("", "")
	for r.lines.Scan() && r.lines.Text() != ": still here" {
	}
	if r.lines.Text() != ": still here" {
		t.Error("no heartbeat")
	}
}

// TestLiveSlowReader does not read: it is dropped, while another is served.
func TestLiveSlowReader(t *testing.T) {
	t.Parallel()
	f := newLiveFixture(t)
	f.feed.slow = time.Second
	f.read("", "")
	quick := f.read("?event=spring", "")
	for n := 1; f.streams() == 2; n++ { // until no buffer holds more
		name := fmt.Sprint(n, strings.Repeat("x", 1<<20))
		f.begin(n, name)
		quick.until("the game", func() bool {
			g := quick.games[fmt.Sprintf("spring/%d", n)]
			return g != nil && g.First == name
		})
	}
	f.run.Close()
	quick.until("the end", func() bool { return !quick.event["spring"].Running })
}

// TestLiveHostile has names that are markup and control sequences: the stream
// stays one message a line.
func TestLiveHostile(t *testing.T) {
	t.Parallel()
	f := newLiveFixture(t)
	f.begin(1, "a\nevent: evil\n\ndata: {}\r\x1b[31m</script>\u202e")
	r := f.read("", "")
	r.until("the game", func() bool { return r.plies("spring/1") == 0 })
	data := r.raw[len(r.raw)-1]
	if strings.ContainsAny(data, "\x1b\r<\u202e") || len(r.games) != 1 {
		t.Errorf("%q", data)
	}
}

// TestLiveCrowd is many readers of one event, of whom none misses a move.
func TestLiveCrowd(t *testing.T) {
	t.Parallel()
	f := newLiveFixture(t)
	one := f.begin(1, "first")
	var wait sync.WaitGroup
	for range 50 {
		r := f.read("?event=spring", "")
		wait.Go(func() {
			for r.plies("spring/1") < 12 && r.next() {
			}
			if r.plies("spring/1") < 12 {
				t.Error("the stream ended early")
			}
		})
	}
	for range 12 {
		one.play(1)
		time.Sleep(5 * time.Millisecond)
	}
	wait.Wait()
}
