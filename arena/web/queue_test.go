package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"botarena/arena/store"
	"botarena/arena/web"
)

const experimentText = "event: x\ngame: breakthrough:5x5\nformat: match\nrounds: 3\nsprt: {elo1: 9}\nbots: [{name: new, builtin: random}, {name: old, builtin: greedy}]\n"

// experimentForm packs an experiment; each part is NAME=VALUE, and of a file file:NAME=TEXT.
func experimentForm(t testing.TB, parts ...string) (kind string, body *bytes.Buffer) {
	t.Helper()
	body = &bytes.Buffer{}
	w := multipart.NewWriter(body)
	for _, p := range parts {
		name, value, _ := strings.Cut(p, "=")
		var err error
		if file, ok := strings.CutPrefix(name, "file:"); ok {
			part, e := w.CreateFormFile("file", file)
			_, err = part.Write([]byte(value))
			if e != nil {
				t.Fatal(e)
			}
		} else {
			err = w.WriteField(name, value)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), body
}

// A team queues an experiment, gives it another priority and stops it; the pages show it, and
// the log of its build to its team alone.
func TestQueue(t *testing.T) {
	t.Parallel()
	r, h, serve := hosted(t)
	s := serve(nil)
	post := func(parts []string, headers ...string) *http.Response {
		kind, body := experimentForm(t, parts...)
		return send(s, "/queue", kind, body, headers...)
	}
	good := []string{"event=" + experimentText, "bots=file\nleague bea\n", "priority=4", "file:new.py=print()"}
	for _, c := range []struct {
		parts   []string
		headers []string
		status  int
	}{
		{good, nil, http.StatusUnauthorized},
		{good, bearer("bob"), http.StatusUnauthorized},
		{[]string{"event=" + experimentText, "bots=file\nbuiltin"}, bearer("ann"), http.StatusBadRequest},
		{[]string{"event=" + experimentText, "bots=builtin\nleague", "priority=4"}, bearer("ann"), http.StatusBadRequest},
		{[]string{"event=" + experimentText, "bots=builtin\nbuiltin", "file:x=y"}, bearer("ann"), http.StatusBadRequest},
		{[]string{"event=" + experimentText, "bots=builtin\nbuiltin", "priority=high"}, bearer("ann"), http.StatusBadRequest},
		{[]string{"bots=file", "file:x=" + strings.Repeat("y", 5000)}, bearer("ann"), http.StatusRequestEntityTooLarge},
		{good, append(bearer("ann"), "Sec-Fetch-Site", "cross-site"), http.StatusForbidden},
		{good, bearer("ann"), http.StatusCreated},
	} {
		if got := post(c.parts, c.headers...); got.StatusCode != c.status {
			t.Errorf("%q: %s, want %d", c.parts, got.Status, c.status)
		}
	}
	x, err := r.store.Experiment(t.Context(), "spring", 1)
	if err != nil || x.Priority != 4 || x.Team != "ann" || x.Bots[0].File != "new.py" || x.Bots[1].House != "bea" || string(x.Config) != experimentText {
		t.Fatalf("%+v, %v", x, err)
	}
	if got := send(s, "/queue", "text/plain", strings.NewReader("x"), bearer("ann")...); got.StatusCode != http.StatusBadRequest {
		t.Errorf("no form: %s", got.Status)
	}

	change := func(n string, form url.Values, headers []string, status int) {
		t.Helper()
		if got := postForm(s, "/queue/"+n, form, headers...); got.StatusCode != status {
			t.Errorf("%s %v: %s, want %d", n, form, got.Status, status)
		}
	}
	change("1", url.Values{"priority": {"7"}}, bearer("ann"), http.StatusCreated)
	change("1", url.Values{"priority": {"7"}}, nil, http.StatusUnauthorized)
	change("1", url.Values{}, bearer("ann"), http.StatusBadRequest)
	change("2", url.Values{"stop": {"yes"}}, bearer("ann"), http.StatusNotFound)
	change("01", url.Values{"stop": {"yes"}}, bearer("ann"), http.StatusNotFound)
	var list []web.ExperimentReport
	if err := json.Unmarshal([]byte(read(t, s, "/queue.json")), &list); err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || list[0].Priority != 7 || list[0].State != store.ExperimentWaits || !list[0].Test || fmt.Sprint(list[0].Bots) != "[new old]" {
		t.Errorf("%+v", list)
	}

	// Those who may change it find the forms, on both pages and nowhere else.
	const forms = `action="/queue/1"`
	for _, allowed := range []bool{false, true} {
		if allowed {
			if err := r.store.AllowExperiments(t.Context(), "ann"); err != nil {
				t.Fatal(err)
			}
		}
		for _, at := range []string{"/queue", "/queue/1"} {
			for team, want := range map[string]bool{"ann": allowed, "bea": false, "nobody": false} {
				if got := strings.Contains(body(t, get(s, "GET", at, bearer(team)...)), forms); got != want {
					t.Errorf("%s for %s, allowed %v: forms %v", at, team, allowed, got)
				}
			}
		}
	}

	x.State, x.Reason, x.Log = store.ExperimentFails, "new.py: It does not compile: look at /home/ann/secret.", "s3cret-log"
	if err := r.store.SetExperiment(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	change("1", url.Values{"stop": {"yes"}}, bearer("ann"), http.StatusConflict)
	own, others := body(t, get(s, "GET", "/queue/1", bearer("ann")...)), body(t, get(s, "GET", "/queue/1", bearer("bea")...))
	if !strings.Contains(own, "s3cret-log") || strings.Contains(others, "s3cret") || strings.Contains(others, "/home/ann") || !strings.Contains(others, "It does not compile") {
		t.Errorf("own: %s\nof others: %s", own, others)
	}
	h.set(func(l *web.League) { l.Visibility, l.Hidden = web.HiddenUntil, r.now.Add(time.Hour) })
	for team, status := range map[string]int{"ann": http.StatusOK, "bea": http.StatusForbidden} {
		if got := get(s, "GET", "/queue/1.json", bearer(team)...); got.StatusCode != status {
			t.Errorf("a hidden league, %s: %s", team, got.Status)
		}
	}
	h.set(func(l *web.League) { l.Visibility = web.Public })
	if page := read(t, s, "/queue"); !strings.Contains(page, `href="/queue/1"`) || !strings.Contains(page, "failed") {
		t.Error(page)
	}
}
