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
					if u.Fragment != "" && !strings.Contains(string(data), ` id="`+u.Fragment+`"`) {
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
		if err != nil || pages < 20 {
			t.Errorf("%v: %d pages, %v", events, pages, err)
		}
	}
}
