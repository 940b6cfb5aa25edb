package web_test

import (
	"html"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"botarena/arena"
	"botarena/arena/store"
	"botarena/arena/web"
	"botarena/engine/games"
)

// site writes a record's pages to a folder.
func site(r *record, change func(*web.Config), events ...string) string {
	r.t.Helper()
	s, err := store.OpenRead(r.t.Context(), r.path, r.clock)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	dir := r.t.TempDir()
	c := web.Config{Store: s, Catalog: games.All(), Now: r.clock, Self: r.me}
	if change != nil {
		change(&c)
	}
	files, err := web.WriteSite(r.t.Context(), c, dir, web.SiteOptions{Events: events})
	if err != nil || files == 0 {
		r.t.Fatal(files, err)
	}
	return dir
}

// Every link of a site leads to a file of it, and none to a server.
func TestSiteIsWhole(t *testing.T) {
	r := spring(t)
	r.event(league("autumn"))
	winter := league("winter")
	winter.Game = "breakthrough:6x6" // of which nothing else is on record
	games := meet(winter, 1, "ann", "bea")
	crash := won(games[0], arena.SecondWins, r.now)
	crash.Moves, crash.Reason, crash.Blame = nil, arena.Crash, "ann"
	r.finish(r.event(winter, games...), crash)
	if err := r.store.Archive(r.t.Context(), "winter", true); err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\b(?:href|src|action)="([^"]*)"`)
	for _, events := range [][]string{nil, {"spring"}} {
		dir := site(r, nil, events...)
		pages := 0
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".html" {
				return err
			}
			pages++
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if events != nil && strings.Contains(string(data), "autumn") {
				t.Errorf("%s tells of an event that was not asked for", path)
			}
			for _, m := range link.FindAllStringSubmatch(string(data), -1) {
				u, err := url.Parse(html.UnescapeString(m[1]))
				if err != nil || u.IsAbs() || strings.HasPrefix(u.Path, "/") {
					t.Errorf("%s: link %q", path, m[1])
					continue
				}
				if u.Path == "" {
					if u.Fragment != "" && !strings.HasPrefix(u.Fragment, "ply-") && !strings.Contains(string(data), ` id="`+u.Fragment+`"`) {
						t.Errorf("%s: nothing there is named as in link %q", path, m[1])
					}
					continue
				}
				if _, err := os.Stat(filepath.Join(filepath.Dir(path), filepath.FromSlash(u.Path))); err != nil {
					t.Errorf("%s: link %q leads nowhere", path, m[1])
				}
			}
			return nil
		})
		if err != nil || pages < 15 {
			t.Errorf("%v: %d pages, %v", events, pages, err)
		}
	}
}

// Names that a system may take for one another, or for a folder and a file, are told apart.
func TestSiteOfLikeNames(t *testing.T) {
	r := newRecord(t)
	names := []string{"t", "t.html", "T", "t.json", "t/games", "t-0123456789abcdef", "con"}
	for _, name := range names {
		e := league(name)
		games := meet(e, 1, "ann", "bea")
		h := r.event(e, games...)
		r.finish(h, won(games[0], arena.FirstWins, r.now))
	}
	dir := site(r, nil)
	seen := map[string]bool{}
	pages := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name := strings.TrimPrefix(path, dir)
		if low := strings.ToLower(name); low != name || seen[low] {
			t.Errorf("%s is not told from others on all systems", name)
		}
		seen[name] = true
		if !d.IsDir() && filepath.Base(filepath.Dir(path)) == "events" && filepath.Ext(name) == ".html" {
			pages++
		}
		return nil
	})
	if err != nil || pages != len(names) {
		t.Errorf("%v: %d pages of %d events", err, pages, len(names))
	}
}

// A page of a game is small, and there is one file a game.
func TestSiteIsSmall(t *testing.T) {
	r := played(t, "breakthrough", 60, nil)
	page, err := os.ReadFile(filepath.Join(site(r, nil), "games", "1.html"))
	if err != nil {
		t.Fatal(err)
	}
	if len(page) > 9000 {
		t.Errorf("a game of 60 plies has %d bytes", len(page))
	}
	for _, want := range []string{"30. ", `"frames":[{"`, "../boards/breakthrough.js"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %s", want)
		}
	}
}
