package web_test

import (
	"context"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/casual"
	"botarena/arena/session"
	"botarena/arena/session/sessiontest"
	"botarena/arena/web"
)

// A game by forms alone, from the choice of the bot to its end.
func TestPlayByForms(t *testing.T) {
	const name = `<b>"dummy"`
	lobby := &casual.Lobby{Now: time.Now, Tables: 1, Offers: []casual.Offer{{
		Bot: arena.Bot{Name: name, Protocol: arena.ProtocolUGI},
		Start: func(context.Context, *session.Tail) (session.Process, error) {
			bot := &sessiontest.Bot{Clock: &sessiontest.Clock{Time: time.Now()}, Answer: sessiontest.Plays(0, "a4a3", "b4b3")}
			return bot, nil
		},
	}}}
	defer lobby.Close()
	r := newRecord(t)
	h := r.pages(func(c *web.Config) { c.Play, c.Now = lobby, time.Now })
	if page := read(t, h, "/play"); strings.Contains(page, "<b>") || !strings.Contains(page, "&lt;b&gt;") || !strings.Contains(page, `<a href="/play"`) {
		t.Error("the bot is not offered as text")
	}
	good := url.Values{"bot": {"0"}, "game": {"breakthrough:2x5"}, "clock": {"10s"}, "side": {"first"}}
	for field, bad := range map[string]string{
		"bot": "1", "game": "ches", "clock": "2h", "side": "left", "my-clock": "depth 3", "position": "nonsense",
	} {
		form := url.Values{}
		for k, v := range good {
			form[k] = v
		}
		form.Set(field, bad)
		got := postForm(h, "/play", form)
		if text := body(t, got); got.StatusCode != http.StatusBadRequest || !strings.Contains(text, `role="alert"`) || field != "bot" && !strings.Contains(text, html.EscapeString(bad)) && field != "side" || strings.Contains(text, "Did you mean <a") {
			t.Errorf("%s %q: status %d\n%s", field, bad, got.StatusCode, text)
		}
	}
	if got := postForm(h, "/play", good, "Sec-Fetch-Site", "cross-site").StatusCode; got != http.StatusForbidden {
		t.Errorf("a form of another site: status %d", got)
	}
	resp := postForm(h, "/play", good)
	table := resp.Header.Get("Location")
	if resp.StatusCode != http.StatusSeeOther || !regexp.MustCompile(`^/play/[0-9a-f]{32}$`).MatchString(table) {
		t.Fatalf("status %d, to %q\n%s", resp.StatusCode, table, body(t, resp))
	}
	if got := postForm(h, "/play", good).StatusCode; got != http.StatusTooManyRequests {
		t.Errorf("a game too many: status %d", got)
	}
	if got := postForm(h, table+"/move", url.Values{"move": {"a1a5"}}); got.StatusCode != http.StatusBadRequest || !strings.Contains(html.UnescapeString(body(t, got)), "Back to the game") {
		t.Errorf("an illegal move: status %d", got.StatusCode)
	}
	if text := html.UnescapeString(body(t, postForm(h, table+"/move", url.Values{"move": {"É9e5"}}))); !strings.Contains(text, "“É9e5” cannot be played") {
		t.Errorf("what was typed is not echoed:\n%s", text)
	}
	for ply, move := range []string{"b2b3", "b3a4", "a4b5"} {
		page := html.UnescapeString(read(t, h, table))
		if !strings.Contains(page, `value="`+move+`"`) || !strings.Contains(page, "Your move.") {
			t.Fatalf("%s is not offered after ply %d", move, 2*ply)
		}
		if got := postForm(h, table+"/move", url.Values{"move": {move}}); got.StatusCode != http.StatusSeeOther {
			t.Fatalf("%s: status %d\n%s", move, got.StatusCode, body(t, got))
		}
	}
	if page := read(t, h, table); !strings.Contains(page, "You win: win by rule") || strings.Contains(page, "data-legal-form><button") {
		t.Error("the page does not say who won")
	} else if !strings.Contains(page, `<button>Rematch, sides swapped</button>`) || !strings.Contains(page, `name="game" value="breakthrough:2x5"`) || !strings.Contains(page, "the goal of white") {
		t.Error("there is no rematch, or no legend of the goals")
	}
	if page := read(t, h, table+"?ply=1"); !strings.Contains(page, `data-step="0" href="?ply=0">Previous<`) || !strings.Contains(page, "Board after ply 1<") {
		t.Error("the game that is over cannot be stepped through")
	}
	if got := postForm(h, "/play/"+strings.Repeat("0", 32)+"/move", url.Values{"move": {"a2a3"}}).StatusCode; got != http.StatusNotFound {
		t.Errorf("a game that is not there: status %d", got)
	}
	// Who may read only cannot play, nor who does not know the password.
	public := r.pages(func(c *web.Config) { c.Play, c.Public = lobby, true })
	locked := r.pages(func(c *web.Config) { c.Play, c.Password = lobby, "s3cret" })
	if a, b := postForm(public, "/play", good).StatusCode, postForm(locked, "/play", good).StatusCode; a != http.StatusForbidden || b != http.StatusUnauthorized {
		t.Errorf("for reading only: status %d; without the password: %d", a, b)
	}
	if got := get(r.pages(nil), "GET", "/play").StatusCode; got != http.StatusNotFound {
		t.Errorf("where nobody is offered: status %d", got)
	}
}
