package web_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botarena/arena/store"
)

// The fleet has a page once a machine was invited: before, nothing leads to it.
func TestFleetPage(t *testing.T) {
	r := spring(t)
	w := r.pages(nil)
	if text := read(t, w, "/fleet"); !strings.Contains(text, "No other machine has played here") || strings.Contains(text, `href="/fleet"`) {
		t.Errorf("%s", text)
	}
	ctx := t.Context()
	for _, name := range []string{"attic", "cellar", "barn"} {
		if err := r.store.Invite(ctx, name, "key of "+name); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.store.NoteWorkers(ctx, map[string]store.WorkerState{
		"attic": {Host: "<b>old</b>", Platform: "linux-arm64", Slots: 4, Speed: 1.25e6, Spread: 0.07, Seen: r.clock(), Faults: 2},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.store.Revoke(ctx, "barn", "it was <i>sold</i>", false); err != nil {
		t.Fatal(err)
	}
	text := read(t, w, "/fleet")
	for _, part := range []string{"1 worker there, 4 slots", "attic", "&lt;b&gt;old&lt;/b&gt;", "linux-arm64", "1.25M/s ±7%", ">now<", "revoked: <bdi>it was &lt;i&gt;sold", ">never<", `href="/fleet"`, `data-follow="every"`} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q:\n%s", part, text)
		}
	}
	for url, part := range map[string]string{
		"/fleet.json": `"speed": 1250000`,
		"/fleet.csv":  "attic,there,<b>old</b> linux-arm64,4,1250000,0.07,0,0,2,now",
		"/api":        "/fleet.json",
	} {
		if text := read(t, w, url); !strings.Contains(text, part) {
			t.Errorf("%s: no %q:\n%s", url, part, text)
		}
	}
	dir := site(r, nil)
	page, err := os.ReadFile(filepath.Join(dir, "fleet.html"))
	if err != nil || !strings.Contains(string(page), "1.25M/s") || strings.Contains(string(page), "data-follow") {
		t.Errorf("%v: %s", err, page)
	}
}
