package web_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"botarena/arena/gamelog"
	"botarena/arena/live"
	"botarena/arena/store"
	"botarena/arena/web"
)

// A fakeHost takes everything, and builds nothing.
type fakeHost struct {
	store *store.Store

	mu     sync.Mutex
	league web.League
	files  map[string][]byte // by team and number
	refuse error             // what Submit and Challenge answer
}

func (h *fakeHost) set(change func(l *web.League)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change(&h.league)
}

func (h *fakeHost) League(context.Context) (web.League, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.league, nil
}

func (h *fakeHost) SignIn(ctx context.Context, token string) (string, error) {
	sum := sha256.Sum256([]byte(token))
	return h.store.TeamOf(ctx, sum[:])
}

func (h *fakeHost) Submit(ctx context.Context, team, file string, body io.Reader) (store.Submission, error) {
	data, err := io.ReadAll(body)
	if err != nil {
		return store.Submission{}, fmt.Errorf("read a file: %w", err)
	}
	if h.refuse != nil {
		return store.Submission{}, h.refuse
	}
	sub, err := h.store.AddSubmission(ctx, store.Submission{League: "spring", Team: team, File: file, Size: int64(len(data)), SHA256: fmt.Sprintf("%x", sha256.Sum256(data))}, 0, time.Time{})
	if err != nil {
		return sub, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.files[fmt.Sprint(team, sub.Number)] = data
	return sub, nil
}

func (h *fakeHost) File(_ context.Context, team string, number int) (io.ReadCloser, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	data, ok := h.files[fmt.Sprint(team, number)]
	if !ok {
		return nil, &store.UnknownSubmissionError{Team: team, Number: number}
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

func (h *fakeHost) Queue(ctx context.Context, team string) (before, left int, err error) {
	pending, err := h.store.PendingSubmissions(ctx, "spring")
	for before, p := range pending {
		if p.Team == team {
			return before, 4, err
		}
	}
	return -1, 4, err
}

func (h *fakeHost) Challenge(ctx context.Context, team, opponent string, games int) (store.Challenge, error) {
	if h.refuse != nil {
		return store.Challenge{}, h.refuse
	}
	return h.store.AddChallenge(ctx, store.Challenge{League: "spring", Team: team, Opponent: opponent, Games: games}, 3)
}

func (h *fakeHost) KeepBot(_ context.Context, _, file string, body io.Reader) (store.ExperimentBot, error) {
	data, err := io.ReadAll(body)
	return store.ExperimentBot{File: file, SHA256: fmt.Sprintf("%x", sha256.Sum256(data))}, err
}

func (h *fakeHost) Experiment(ctx context.Context, team string, x store.Experiment) (store.Experiment, error) {
	if h.refuse != nil {
		return x, h.refuse
	}
	x.League, x.Team = "spring", team
	return h.store.AddExperiment(ctx, x, 10)
}

func (h *fakeHost) Prioritize(ctx context.Context, _ string, id int64, priority int) error {
	return h.store.PrioritizeExperiment(ctx, "spring", id, priority)
}

func (h *fakeHost) StopExperiment(ctx context.Context, team string, id int64) error {
	return h.store.StopExperiment(ctx, "spring", id, "Stopped by "+team+".")
}

func (h *fakeHost) Kit(language string) ([]byte, error) { return []byte("PK " + language), nil }

// hosted is the league of spring with a host: the bots ann and bea are those of teams of
// these names, whose tokens are "ann token" and "bea token"; cat is of the house.
func hosted(t testing.TB) (*record, *fakeHost, func(func(*web.Config)) *web.Server) {
	t.Helper()
	r := spring(t)
	h := &fakeHost{store: r.store, files: map[string][]byte{}, league: web.League{
		Name: "spring", Game: "breakthrough:5x5", Opens: r.now.Add(-time.Hour), Closes: r.now.Add(48 * time.Hour), Ends: r.now.Add(50 * time.Hour),
		Visibility: web.Public, PerDay: 5, Size: 4000, Games: 10,
		Languages: []web.Language{{Name: "python", Title: "Python", Version: "Python 3.11.7", Endings: []string{".py"}}, {Name: "cpp", Title: "C++", Version: "g++ 14", Endings: []string{".cpp", ".cc"}}},
	}}
	for _, team := range []string{"ann", "bea"} {
		sum := sha256.Sum256([]byte(team + " token"))
		if err := r.store.AddTeam(t.Context(), team, sum[:]); err != nil {
			t.Fatal(err)
		}
		sub, err := h.Submit(t.Context(), team, team+".py", strings.NewReader("s3cret-file of "+team))
		if err != nil {
			t.Fatal(err)
		}
		r.advance(sub, store.Entered, team)
	}
	logs := filepath.Join(filepath.Dir(r.path), "logs")
	for n := 1; n <= 2; n++ {
		for side, bot := range []string{[]string{"ann", "bea"}[n-1], []string{"bea", "ann"}[n-1]} {
			write(t, gamelog.Files(logs, "spring", n).Stderr[side], "s3cret-words of "+bot+"\n")
		}
	}
	return r, h, func(change func(*web.Config)) *web.Server {
		return r.pages(func(c *web.Config) {
			c.Host, c.LogDir, c.Public = h, logs, true
			if change != nil {
				change(c)
			}
		})
	}
}

// advance does the steps of a submission up to one.
func (r *record) advance(sub store.Submission, to store.Step, bot string) {
	r.t.Helper()
	for sub.Pending() && sub.State != string(to) {
		step := sub.Next()
		if err := r.store.BeginStep(context.Background(), sub.ID, step); err != nil {
			r.t.Fatal(err)
		}
		if sub.State, sub.Language = string(step), "python"; step == store.Entered {
			sub.Bot = bot
		}
		if err := r.store.EndStep(context.Background(), sub, step, "s3cret-log of "+sub.Team); err != nil {
			r.t.Fatal(err)
		}
	}
}

func bearer(team string) []string { return []string{"Authorization", "Bearer " + team + " token"} }

// send posts a body.
func send(h http.Handler, url, kind string, body io.Reader, headers ...string) *http.Response {
	return request(h, http.MethodPost, url, body, append([]string{"Content-Type", kind}, headers...)...)
}

func postForm(h http.Handler, at string, values url.Values, headers ...string) *http.Response {
	return send(h, at, "application/x-www-form-urlencoded", strings.NewReader(values.Encode()), headers...)
}

// form packs a file as a browser does.
func form(t testing.TB, field, name string, data []byte) (kind string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile(field, name)
	if err == nil {
		_, err = part.Write(data)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), b.Bytes()
}

// A team signs in by a form, hands in a file, and follows it, all without scripts.
func TestTeamSignsInAndHandsIn(t *testing.T) {
	t.Parallel()
	r, _, pages := hosted(t)
	p := pages(nil)
	if first := get(p, "GET", "/"); first.StatusCode != http.StatusFound || first.Header.Get("Location") != "/league" {
		t.Errorf("the first page: %d %s", first.StatusCode, first.Header.Get("Location"))
	}
	if text := read(t, p, "/team"); !strings.Contains(text, `action="/team/sign-in"`) || strings.Contains(text, "Sign out") {
		t.Errorf("a stranger's team page:\n%s", text)
	}
	wrong := postForm(p, "/team/sign-in", url.Values{"token": {"nobody's"}})
	if text := body(t, wrong); wrong.StatusCode != http.StatusUnauthorized || !strings.Contains(text, "No team has this token") || wrong.Header.Get("Set-Cookie") != "" {
		t.Errorf("a wrong token: %d %s", wrong.StatusCode, text)
	}
	if empty := postForm(p, "/team/sign-in", nil); empty.StatusCode != http.StatusBadRequest {
		t.Errorf("no token: %d", empty.StatusCode)
	}
	in := postForm(p, "/team/sign-in", url.Values{"token": {" ann token\n"}})
	cookie := in.Header.Get("Set-Cookie")
	if in.StatusCode != http.StatusSeeOther || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Strict") || strings.Contains(cookie, "Secure") {
		t.Fatalf("signing in: %d, %q", in.StatusCode, cookie)
	}
	if over := postForm(p, "/team/sign-in", url.Values{"token": {"ann token"}}, "X-Forwarded-Proto", "https"); !strings.Contains(over.Header.Get("Set-Cookie"), "Secure") {
		t.Errorf("over HTTPS: %q", over.Header.Get("Set-Cookie"))
	}
	name, _, _ := strings.Cut(cookie, ";")
	as := []string{"Cookie", name}
	text := body(t, get(p, "GET", "/team", as...))
	for _, want := range []string{"<h1><bdi class=\"name\">ann", "4 more submissions today", `type="file"`, `href="/team/submissions/1"`, "entered", "curl -H", "http://127.0.0.1:8080", `value="cat"`, `href="/kits/cpp.zip"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the team's page lacks %q:\n%s", want, text)
		}
	}
	kind, data := form(t, "file", `C:\bots\my "bot".py`, []byte("print('hello')"))
	sent := send(p, "/team/submissions", kind, bytes.NewReader(data), as...)
	if at := sent.Header.Get("Location"); sent.StatusCode != http.StatusSeeOther || at != "/team/submissions/2" {
		t.Fatalf("handing in: %d %q %s", sent.StatusCode, at, body(t, sent))
	}
	text = body(t, get(p, "GET", "/team/submissions/2", as...))
	for _, want := range []string{"my &#34;bot&#34;.py", "Under way", "step-waits", `data-follow="every"`, `<noscript><meta http-equiv="refresh"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the submission's page lacks %q:\n%s", want, text)
		}
	}
	sub, err := r.store.Submission(t.Context(), "spring", "ann", 2)
	if err != nil {
		t.Fatal(err)
	}
	r.advance(sub, store.Built, "")
	sub, _ = r.store.Submission(t.Context(), "spring", "ann", 2)
	if err := r.store.BeginStep(t.Context(), sub.ID, store.Checked); err != nil {
		t.Fatal(err)
	}
	if text = body(t, get(p, "GET", "/team/submissions/2", as...)); !strings.Contains(text, "step-runs") || !strings.Contains(text, "s3cret-log of ann") {
		t.Errorf("while it is checked:\n%s", text)
	}
	sub.State, sub.Refused, sub.Reason = store.Refused, store.Checked, "It crashed before its first move: mend <that>."
	if err := r.store.EndStep(t.Context(), sub, store.Checked, "Traceback"); err != nil {
		t.Fatal(err)
	}
	text = body(t, get(p, "GET", "/team/submissions/2", as...))
	for _, want := range []string{"Refused when it should be checked", "mend &lt;that&gt;", `<details open><summary>Log`, "Hand in another"} {
		if !strings.Contains(text, want) {
			t.Errorf("a refused submission's page lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "data-follow") || strings.Contains(text, "step-waits") {
		t.Error("a refused submission is followed")
	}
	file := get(p, "GET", "/team/submissions/2/file", as...)
	if got := body(t, file); got != "print('hello')" || file.Header.Get("Content-Type") != "application/octet-stream" || !strings.HasPrefix(file.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("the file again: %q %v", got, file.Header)
	}
	if out := postForm(p, "/team/sign-out", nil, as...); !strings.Contains(out.Header.Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("signing out: %q", out.Header.Get("Set-Cookie"))
	}
	if err := r.store.RevokeTeam(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	if after := get(p, "GET", "/team", as...); !strings.Contains(body(t, after), "/team/sign-in") || !strings.Contains(after.Header.Get("Set-Cookie"), "Max-Age=0") {
		t.Error("a revoked token is accepted")
	}
}

// What teams do is JSON for programs, with the token in a header.
func TestTeamsByPrograms(t *testing.T) {
	t.Parallel()
	_, h, pages := hosted(t)
	p := pages(nil)
	kind, data := form(t, "file", "bot.py", []byte("x"))
	sent := send(p, "/team/submissions", kind, bytes.NewReader(data), bearer("bea")...)
	var sub struct {
		Number  int
		State   string
		SHA256  string
		Pending bool
	}
	if err := json.NewDecoder(sent.Body).Decode(&sub); err != nil || sent.StatusCode != http.StatusCreated || sub.Number != 2 || !sub.Pending || len(sub.SHA256) != 64 {
		t.Fatalf("%d %v %+v", sent.StatusCode, err, sub)
	}
	if at := sent.Header.Get("Location"); at != "/team/submissions/2.json" {
		t.Errorf("at %q", at)
	}
	challenged := postForm(p, "/team/challenges", url.Values{"bot": {"cat"}, "games": {"4"}}, bearer("bea")...)
	if got := body(t, challenged); challenged.StatusCode != http.StatusCreated || !strings.Contains(got, `"state":"waiting"`) {
		t.Errorf("a challenge: %d %s", challenged.StatusCode, got)
	}
	team := body(t, get(p, "GET", "/team.json", bearer("bea")...))
	for _, want := range []string{`"team": "bea"`, `"submissions_left": 4`, `"queue_before": 0`, `"file": "bot.py"`, `"bot": "bea"`, `"reason": "crash"`, `"stderr": "s3cret-words of bea\n"`, `"position": "`, `"opponent": "cat"`} {
		if !strings.Contains(team, want) {
			t.Errorf("/team.json lacks %q:\n%s", want, team)
		}
	}
	if strings.Contains(team, "of ann") {
		t.Errorf("/team.json tells of another team:\n%s", team)
	}
	h.refuse = &web.RefusedError{Status: http.StatusForbidden, Why: "The league is closed."}
	for at, c := range map[string]struct {
		kind   string
		body   string
		status int
		want   string
	}{
		"/team/submissions": {kind, string(data), 403, "The league is closed."},
		"/team/challenges":  {"application/x-www-form-urlencoded", "bot=cat&games=11", 403, "The league is closed."},
	} {
		got := send(p, at, c.kind, strings.NewReader(c.body), bearer("bea")...)
		if text := body(t, got); got.StatusCode != c.status || !strings.Contains(text, `{"error":"`+c.want) {
			t.Errorf("%s: %d %s", at, got.StatusCode, text)
		}
		name := []string{"Cookie", cookieOf(t, p, "bea")}
		if got = send(p, at, c.kind, strings.NewReader(c.body), name...); got.StatusCode != c.status || !strings.Contains(body(t, got), `role="alert">`+c.want) {
			t.Errorf("%s by a form: %d", at, got.StatusCode)
		}
	}
	h.refuse = nil
	for why, c := range map[string]struct {
		games, bot string
		status     int
	}{"no bot": {"2", "", 400}, "no number": {"x", "cat", 400}} {
		if got := postForm(p, "/team/challenges", url.Values{"bot": {c.bot}, "games": {c.games}}, bearer("bea")...); got.StatusCode != c.status {
			t.Errorf("%s: %d", why, got.StatusCode)
		}
	}
	league := read(t, p, "/league.json")
	for _, want := range []string{`"state": "open"`, `"submission_bytes": 4000`, `"kit": "/kits/python.zip"`, `"ladder": {`, `"newest": [`, `"closes": "2026-02-02T12:00:00Z"`} {
		if !strings.Contains(league, want) {
			t.Errorf("/league.json lacks %q:\n%s", want, league)
		}
	}
	if kit := get(p, "GET", "/kits/cpp.zip"); body(t, kit) != "PK cpp" || !strings.Contains(kit.Header.Get("Content-Disposition"), "arena-cpp.zip") {
		t.Errorf("the kit: %v", kit.Header)
	}
	if none := get(p, "GET", "/kits/cp.zip"); none.StatusCode != http.StatusNotFound || !strings.Contains(body(t, none), `Did you mean <a href="/kits/cpp.zip">`) {
		t.Errorf("no kit: %d", none.StatusCode)
	}
}

// cookieOf signs a team in, and returns what its browser sends then.
func cookieOf(t testing.TB, p http.Handler, team string) string {
	t.Helper()
	in := postForm(p, "/team/sign-in", url.Values{"token": {team + " token"}})
	name, _, found := strings.Cut(in.Header.Get("Set-Cookie"), ";")
	if !found {
		t.Fatalf("%s cannot sign in: %d", team, in.StatusCode)
	}
	return name
}

// Who sees what: all patterns of pages and files, by stranger, team and another team.
func TestVisibility(t *testing.T) {
	t.Parallel()
	r, h, pages := hosted(t)
	p := pages(func(c *web.Config) {
		ctx, cancel := context.WithCancel(context.Background())
		t.Cleanup(cancel)
		c.Live = live.Watch(ctx, r.path, time.Now, nil)
		c.Heavy = time.Hour // a page that took long would be as it was before its league changed
	})
	open := map[string]bool{
		"/league": true, "/rules": true, "/rules/{game}": true, "/team": true, "GET /assets/{name}": true, "GET /robots.txt": true, "GET /{$}": true, "GET /kits/{file}": true,
	}
	team := map[string]bool{"/team/submissions/{number}": true, "GET /team/submissions/{number}/file": true}
	fill := strings.NewReplacer(
		"{event}", "spring", "{bot}", "ann", "{a}", "ann", "{b}", "bea", "{game}", "breakthrough", "{id}", "2", "{number}", "1", "{file}", "cpp.zip", "{name}", "none.css", "{$}", "",
		"{table}", "1",
	)
	told := []string{">cat<", "exit status 3", `"cat"`} // games and standings
	visibilities := map[string]func(*web.League){
		"public":     func(l *web.League) { l.Visibility = web.Public },
		"teams":      func(l *web.League) { l.Visibility = web.TeamsOnly },
		"hidden":     func(l *web.League) { l.Visibility, l.Hidden = web.HiddenUntil, r.now.Add(time.Hour) },
		"not hidden": func(l *web.League) { l.Visibility, l.Hidden = web.HiddenUntil, r.now.Add(-time.Hour) },
		"unknown":    func(l *web.League) { l.Visibility = "Public" },
	}
	seen := 0
	for name, set := range visibilities {
		h.set(set)
		for _, who := range []string{"", "ann", "bea"} {
			sees := name == "public" || name == "not hidden" || name == "teams" && who != ""
			for _, pattern := range p.Patterns() {
				at, isGet := strings.CutPrefix(pattern, "GET ")
				if !isGet && strings.Contains(pattern, " ") {
					continue // a form
				}
				method := http.MethodGet
				if pattern == "GET /live" {
					method = http.MethodHead // of a stream
				}
				for _, ending := range []string{"", ".json", ".csv"} {
					url := fill.Replace(at) + ending
					if pattern == "GET /{$}" && ending != "" {
						url = "/index" + ending
					}
					var headers []string
					if who != "" {
						headers = bearer(who)
					}
					got := get(p, method, url, headers...)
					text := body(t, got)
					what := fmt.Sprintf("%s, by %q: %s: %d", name, who, url, got.StatusCode)
					allowed := sees || open[pattern] && (pattern != "GET /{$}" || ending == "") || team[pattern] || pattern == "/{$}" && ending == ""
					if who == "" && team[pattern] {
						allowed = false
					}
					if !allowed && got.StatusCode < 400 {
						t.Errorf("%s is shown", what)
					}
					if allowed && (got.StatusCode == http.StatusUnauthorized && pattern != "/team" || got.StatusCode == http.StatusForbidden) {
						t.Errorf("%s is refused: %s", what, text)
					}
					if got.StatusCode == http.StatusOK {
						seen++
					}
					for _, word := range told {
						if !sees && strings.Contains(text, word) && (word != "exit status 3" || who != "bea" || pattern != "/team") {
							t.Errorf("%s tells of %s:\n%s", what, word, text)
						}
					}
					for _, other := range []string{"ann", "bea"} {
						if other != who && strings.Contains(text, "s3cret-log of "+other) || other != who && strings.Contains(text, "s3cret-file of "+other) || other != who && strings.Contains(text, "s3cret-words of "+other) {
							t.Errorf("%s tells what only %s may read:\n%s", what, other, text)
						}
					}
					if cache := got.Header.Get("Cache-Control"); got.StatusCode == http.StatusOK && !strings.Contains(cache, "private") && !strings.Contains(cache, "no-store") && !open[pattern] {
						t.Errorf("%s may be kept for others: %q", what, cache)
					}
				}
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d pages were seen", seen)
	}
	h.set(visibilities["teams"])
	for url, want := range map[string]string{"/league": "Only its teams see games and standings", "/events": "Only the teams of this league see its games and standings."} {
		if text := body(t, get(p, "GET", url)); !strings.Contains(text, want) || !strings.Contains(text, `href="/team"`) {
			t.Errorf("%s says no %q:\n%s", url, want, text)
		}
	}
	if mine, theirs := body(t, get(p, "GET", "/games/2/stderr.txt?side=first", bearer("bea")...)), get(p, "GET", "/games/2/stderr.txt?side=second", bearer("bea")...).StatusCode; mine != "s3cret-words of bea\n" || theirs != http.StatusNotFound {
		t.Errorf("bea reads %q of its own, and %d of the other's", mine, theirs)
	}
	h.set(visibilities["hidden"])
	if text := body(t, get(p, "GET", "/team", bearer("bea")...)); !strings.Contains(text, "How they play is hidden until") || !strings.Contains(text, "s3cret-words of bea") {
		t.Errorf("a team's page while games are hidden:\n%s", text)
	}
	if owner := pages(func(c *web.Config) { c.Audience = web.Owner }); get(owner, "GET", "/events/spring").StatusCode != http.StatusOK {
		t.Error("the organiser does not see hidden games")
	}
}

// Guesses are limited by address; teams that are known are not held up by them.
func TestGuessesOfTokens(t *testing.T) {
	t.Parallel()
	_, _, pages := hosted(t)
	p := pages(nil)
	ann := bearer("ann")
	if got := get(p, "GET", "/team.json", ann...).StatusCode; got != 200 {
		t.Fatalf("ann: %d", got)
	}
	statuses := map[int]int{}
	for n := range 30 {
		statuses[get(p, "GET", "/team.json", "Authorization", fmt.Sprintf("Bearer guess %d", n)).StatusCode]++
	}
	if statuses[401] != 10 || statuses[429] != 20 {
		t.Errorf("30 guesses: %v", statuses)
	}
	if got := get(p, "GET", "/team.json", ann...).StatusCode; got != 200 {
		t.Errorf("ann after the guesses of another: %d", got)
	}
	if got := postForm(p, "/team/sign-in", url.Values{"token": {"bea token"}}).StatusCode; got != 429 {
		t.Errorf("a token that is new here, after the guesses: %d", got)
	}
	// httptest's requests are of 192.0.2.1, which is no proxy of this machine.
	if got := get(p, "GET", "/team.json", "Authorization", "Bearer guess", "X-Forwarded-For", "198.51.100.7").StatusCode; got != 429 {
		t.Errorf("a stranger who says that it is a proxy: %d", got)
	}
	req := httptest.NewRequest(http.MethodGet, "/team.json", nil)
	req.RemoteAddr = "127.0.0.1:5000"
	req.Header.Set("X-Forwarded-For", "192.0.2.1, 198.51.100.7")
	req.Header.Set("Authorization", "Bearer bea token")
	w := httptest.NewRecorder()
	if p.ServeHTTP(w, req); w.Code != 200 {
		t.Errorf("by a proxy of this machine: %d", w.Code)
	}
}

// Uploads that are too large, cut off or no forms are refused, and nothing is recorded.
func TestBadUploads(t *testing.T) {
	t.Parallel()
	r, _, pages := hosted(t)
	p := pages(nil)
	kind, whole := form(t, "file", "bot.py", bytes.Repeat([]byte("x"), 3000))
	_, large := form(t, "file", "bot.py", bytes.Repeat([]byte("x"), 4001))
	boundary := func(data []byte) string {
		line, _, _ := bytes.Cut(data, []byte("\r\n"))
		return "multipart/form-data; boundary=" + strings.TrimPrefix(string(line), "--")
	}
	_, other := form(t, "fiel", "bot.py", []byte("x"))
	_, unnamed := form(t, "file", "", nil)
	cases := []struct {
		why, kind string
		body      []byte
		status    int
		want      string
	}{
		{"too large", boundary(large), large, 413, "This file is too large: it may have 3.9 KiB."},
		{"too large by far", boundary(large), append(bytes.Repeat([]byte("y"), 1<<20), large...), 413, "too large"},
		{"no form", "text/plain", whole, 400, "multipart/form-data"},
		{"no boundary", "multipart/form-data", whole, 400, "multipart/form-data"},
		{"another field", boundary(other), other, 400, "Choose a file first"},
		{"no file chosen", boundary(unnamed), unnamed, 400, "Choose a file first"},
		{"nothing", kind, nil, 400, "Choose a file first"},
	}
	for _, c := range cases {
		got := send(p, "/team/submissions", c.kind, bytes.NewReader(c.body), bearer("ann")...)
		if text := body(t, got); got.StatusCode != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d %s", c.why, got.StatusCode, text)
		}
	}
	for cut := range len(whole) - 6 { // the last boundary's end is no part of the file
		got := send(p, "/team/submissions", kind, bytes.NewReader(whole[:cut]), bearer("ann")...)
		if got.StatusCode != http.StatusBadRequest {
			t.Fatalf("cut at byte %d of %d: %d %s", cut, len(whole), got.StatusCode, body(t, got))
		}
	}
	for who, headers := range map[string][]string{"a stranger": nil, "a wrong token": {"Authorization", "Bearer x"}} {
		if got := send(p, "/team/submissions", kind, bytes.NewReader(whole), headers...); got.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %d", who, got.StatusCode)
		}
	}
	if got := send(p, "/team/submissions", kind, bytes.NewReader(whole), append(bearer("ann"), "Sec-Fetch-Site", "cross-site")...); got.StatusCode != http.StatusForbidden {
		t.Errorf("from another site: %d", got.StatusCode)
	}
	if subs, err := r.store.Submissions(t.Context(), "spring", ""); err != nil || len(subs) != 2 {
		t.Errorf("%d submissions are recorded, %v", len(subs), err)
	}
}

// What a team sees of its games: whether the new version is better, and problem opponents.
func TestTeamSeesHowItsBotsPlay(t *testing.T) {
	t.Parallel()
	_, _, pages := hosted(t)
	text := body(t, get(pages(nil), "GET", "/team", bearer("bea")...))
	for _, want := range []string{"Lost games, by what", ">crash</span>, by its own fault", "What it wrote to stderr last", "s3cret-words of bea", "?ply=3", "<svg", `href="/games/2/stderr.txt?side=first"`, "Play unrated games"} {
		if !strings.Contains(text, want) {
			t.Errorf("the team's page lacks %q:\n%s", want, text)
		}
	}
}

// FuzzTeams sends what teams, and those who want to be some, may send: tokens, and bodies of
// all forms.
func FuzzTeams(f *testing.F) {
	_, h, pages := hosted(f)
	p := pages(nil)
	kind, data := form(f, "file", "../../bot\x00.py", []byte("x"))
	if _, err := h.Experiment(f.Context(), "ann", store.Experiment{Config: []byte(experimentText), Bots: make([]store.ExperimentBot, 2)}); err != nil {
		f.Fatal(err)
	}
	forms := []string{"/team/sign-in", "/team/sign-out", "/team/submissions", "/team/challenges", "/queue", "/queue/1"}
	for _, parts := range [][]string{
		{"event=" + experimentText, "bots=file\nleague bea\n", "priority=4", "file:new.py=print()"},
		{"event=\x00", "bots=file\nfile", "priority=99999999999999999999", "file:=", "file:x=y", "file:z="},
	} {
		kind, body := experimentForm(f, parts...)
		f.Add(uint8(4), "Bearer ann token", kind, body.Bytes())
	}
	f.Add(uint8(5), "Bearer ann token", "application/x-www-form-urlencoded", []byte("priority=-101&stop=%00"))
	for n := range forms {
		at := uint8(n)
		f.Add(at, "Bearer ann token", "application/x-www-form-urlencoded", []byte("token=ann+token&bot=cat&games=2"))
		f.Add(at, "Bearer ann token", kind, data)
		f.Add(at, "Bearer "+strings.Repeat("x", 5000), "multipart/form-data; boundary=x", []byte("--x\r\nContent-Disposition: form-data; name=file; filename*=utf-8''%ff%00\r\n\r\n\r\n--x--"))
		f.Add(at, "Basic YTpi", "", []byte{0xff, 0})
	}
	f.Fuzz(func(t *testing.T, n uint8, token, kind string, data []byte) {
		at := forms[int(n)%len(forms)]
		for _, headers := range [][]string{{"Authorization", token}, {"Cookie", "arena-a=" + token}, bearer("ann")} {
			got := send(p, at, kind, bytes.NewReader(data), headers...)
			text := body(t, got)
			if got.StatusCode >= 500 || strings.Contains(text, "of bea") || strings.Contains(text, "goroutine") {
				t.Errorf("%s %q: %d %s", at, headers, got.StatusCode, text)
			}
		}
	})
}

// A league that has not begun, since there are not yet two bots, has pages.
func TestLeagueBeforeGames(t *testing.T) {
	t.Parallel()
	r, h, pages := hosted(t)
	h.set(func(l *web.League) { l.Name = "new" })
	p := pages(nil)
	sub, err := r.store.AddSubmission(t.Context(), store.Submission{League: "new", Team: "ann", File: "x", Size: 1, SHA256: "y"}, 0, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	r.advance(sub, store.Entered, "ann 1")
	for at, want := range map[string]string{"/league": "No bot has played yet", "/league.json": `"league": "new"`, "/league/screen": "No game is being played", "/team": "ann 1"} {
		if got := get(p, "GET", at, bearer("ann")...); got.StatusCode != http.StatusOK || !strings.Contains(body(t, got), want) {
			t.Errorf("%s: %s", at, got.Status)
		}
	}
}

// Many teams hand in at once, while many others read: none is turned away, and a team that
// sends too much at once waits.
func TestManyUploadsAtOnce(t *testing.T) {
	t.Parallel()
	r, h, pages := hosted(t)
	p := pages(nil)
	const teams = 50
	for n := range teams {
		sum := sha256.Sum256(fmt.Appendf(nil, "team-%d token", n))
		if err := r.store.AddTeam(t.Context(), fmt.Sprintf("team-%d", n), sum[:]); err != nil {
			t.Fatal(err)
		}
	}
	kind, data := form(t, "file", "bot.py", bytes.Repeat([]byte("x"), 3000))
	var all sync.WaitGroup
	for n := range teams {
		all.Go(func() {
			if got := send(p, "/team/submissions", kind, bytes.NewReader(data), bearer(fmt.Sprintf("team-%d", n))...); got.StatusCode != http.StatusCreated {
				t.Errorf("team %d: %d", n, got.StatusCode)
			}
		})
		all.Go(func() {
			if got := get(p, "GET", "/league"); got.StatusCode != http.StatusOK {
				t.Errorf("a spectator: %d", got.StatusCode)
			}
		})
	}
	all.Wait()
	if len(h.files) != teams+2 {
		t.Errorf("%d files are there", len(h.files))
	}
	// Uploads that do not go on hold three places of a team, and no more.
	var ends []*io.PipeWriter
	statuses := make(chan int, 4)
	begun := make(chan struct{}, 4)
	for range 4 {
		in, out := io.Pipe()
		ends = append(ends, out)
		go func() { statuses <- send(p, "/team/submissions", kind, in, bearer("ann")...).StatusCode }()
		go func() {
			_, _ = out.Write(data[:100]) // of the one that is refused nobody reads
			begun <- struct{}{}
		}()
	}
	if got := <-statuses; got != http.StatusTooManyRequests {
		t.Errorf("the fourth upload of a team: %d", got)
	}
	for range 3 {
		<-begun
	}
	for _, end := range ends {
		_ = end.Close()
	}
	for range 3 {
		if got := <-statuses; got != http.StatusBadRequest {
			t.Errorf("an upload that is cut off: %d", got)
		}
	}
}
