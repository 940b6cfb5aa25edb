package web_test

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"botarena/arena"
)

// strangers are names as nobody should choose them.
func strangers() []string {
	return []string{
		`<script>alert("x")</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, "a\x1b[2J\x07b\r\nSet-Cookie: x", "\u202egnp.exe\u2066",
		"..", ".", "../../etc/passwd", "a/b\\c", "x.json", "~2F%2F", "{{.}}${x}`", "javascript:alert(1)", "=1+1", "\xff\xfe", "con",
		strings.Repeat("W", 1500), strings.Repeat("﷽", 300),
	}
}

// crooked is a record in which all that a stranger may write is hostile. What the
// domain refuses is written to the database as it is: it may be of another program.
func crooked(t testing.TB) *record {
	r := newRecord(t)
	names := strangers()
	e := league("placeholder")
	var all []arena.Bot
	for i := range names {
		b := league("").Bots[0]
		b.Name = fmt.Sprintf("bot-%d", i)
		all = append(all, b)
	}
	for i, name := range names {
		e.Name = fmt.Sprintf("event-%d", i)
		// All bots are in one event, and those that play in each: cross-tables of all names
		// in all events would be a hundred megabytes.
		n := len(all)
		if e.Bots = all; i > 0 {
			e.Bots = []arena.Bot{all[i], all[(i+1)%n], all[(i+2)%n]}
		}
		var games []arena.Game
		for k := range 2 {
			pair := meet(e, 1+2*k, all[i].Name, all[(i+1+k)%n].Name)
			pair[0].Opening = arena.Opening{Name: name, Moves: []string{name}}
			games = append(games, pair...)
		}
		h := r.event(e, games...)
		for k, g := range games[:3] {
			g = won(g, []arena.Result{arena.FirstWins, arena.SecondWins, arena.Draw}[k], r.now)
			g.Detail = name
			if k == 1 {
				g.Reason, g.Blame = arena.Crash, g.First
			}
			r.finish(h, g)
		}
		if err := h.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	r.rename(names)
	return r
}

// look is what a page must not have, but as text.
var (
	element   = regexp.MustCompile(`<(script|img|iframe|object|embed|base|style|link|meta|svg|form)\b[^>]*`)
	attribute = regexp.MustCompile(`\s(on[a-z]+|style)\s*=`)
)

func TestHostileNames(t *testing.T) {
	t.Parallel()
	r := crooked(t)
	w := r.pages(nil)
	seen := map[string]bool{}
	queue := []string{"/", "/events", "/bots", "/leaderboard", "/api"}
	link := regexp.MustCompile(`href="(/[^"]*)"`)
	kinds := map[string]int{}
	for len(queue) > 0 {
		url := queue[0]
		queue = queue[1:]
		if seen[url] {
			continue
		}
		seen[url] = true
		answer := get(w, "GET", url)
		data, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		if answer.StatusCode >= 500 || answer.StatusCode == http.StatusNotFound && !strings.Contains(url, "/games/") {
			t.Errorf("%.100s: status %d", url, answer.StatusCode)
			continue
		}
		for name, values := range answer.Header {
			for _, v := range values {
				if strings.ContainsAny(v, "\r\n\x00") {
					t.Errorf("%.100s: header %s is %q", url, name, v)
				}
			}
		}
		for _, c := range text {
			if unicode.IsControl(c) && c != '\n' && c != '\t' || unicode.In(c, unicode.Bidi_Control) || c == unicode.ReplacementChar {
				t.Errorf("%.100s has %U", url, c)
				break
			}
		}
		switch kind, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";"); kind {
		case "application/json":
			if !json.Valid(data) {
				t.Errorf("%.100s is no JSON", url)
			}
		case "text/html":
			checkPage(t, url, text)
			for _, m := range link.FindAllStringSubmatch(text, -1) {
				// One list of games a kind is enough, and no ply by ply.
				at := html.UnescapeString(m[1])
				path, query, _ := strings.Cut(at, "?")
				kind := regexp.MustCompile(`^/[a-z]*(/[^/]*/(live|games|leaderboard|crosstable))?`).FindString(path) + "?" + regexp.MustCompile(`=[^&]*`).ReplaceAllString(query, "")
				most := len(strangers())
				if query != "" || strings.HasPrefix(path, "/games/") {
					most = 4
				}
				if kinds[kind]++; kinds[kind] <= most && !strings.HasPrefix(path, "/assets/") && !strings.Contains(query, "ply=") {
					queue = append(queue, at)
				}
			}
		}
	}
	if len(seen) < 80 {
		t.Errorf("only %d pages were looked at", len(seen))
	}
	if testing.Verbose() {
		t.Log(len(seen), "pages")
	}
}

// checkPage fails where a page has markup that no template wrote.
func checkPage(t *testing.T, url, text string) {
	t.Helper()
	if strings.Contains(text, "alert(1)>") || strings.Contains(text, `alert("x")`) {
		t.Errorf("%.100s: a name is markup", url)
	}
	for _, m := range element.FindAllString(text, -1) {
		if attribute.MatchString(m) || strings.HasPrefix(m, "<img") || strings.HasPrefix(m, "<iframe") {
			t.Errorf("%.100s: %q", url, m)
		}
		if strings.HasPrefix(m, "<script") && !strings.Contains(m, `src="/assets/`) && !strings.Contains(m, `type="application/json"`) {
			t.Errorf("%.100s: %q", url, m)
		}
	}
	if strings.Contains(text, `href="javascript:`) || strings.Contains(text, "ZgotmplZ") {
		t.Errorf("%.100s: a name is an address", url)
	}
	// Long names are cut, wherever they are seen.
	for run := range strings.SplitSeq(text, "<") {
		if n := strings.Count(run, "W"); n > 700 && !strings.Contains(run, "event:") && !strings.HasPrefix(run, "a") && !strings.HasPrefix(run, "link") && !strings.HasPrefix(run, "option") && !strings.HasPrefix(run, "form") && !strings.HasPrefix(run, "script") {
			t.Errorf("%.100s: a name of %d letters is shown whole in %.60q", url, n, run)
		}
	}
}
