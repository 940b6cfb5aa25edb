//go:build external && linux

package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A folder of pages that is opened from the disk: with scripts the replay goes by keys and
// the list of games is chosen from, without them a game is text, and nothing is asked of anybody.
func TestExternalSiteFromDisk(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.run("e", "game: outwit\nclock: {depth: 1}\nmax_plies: 12\nrounds: 1\nbots: [{builtin: greedy}, {builtin: random}]\n")
	dir := filepath.Join(s.dir, "public")
	if out, err := exec.Command("arena", "site", dir, "--quiet", "--db", filepath.Join(s.dir, "arena.db")).CombinedOutput(); err != nil {
		t.Fatalf("site: %v\n%s", err, out)
	}
	b := newTab(t)
	b.open("file://" + filepath.Join(dir, "index.html"))
	b.until(`document.querySelector("h1") !== null`, "true")
	const ply, pieces = `document.querySelector('[data-field="ply"]').textContent`, `document.querySelector("svg.board:not(.symbols) .pieces").outerHTML`
	game := "file://" + filepath.Join(dir, "games", "1.html")
	b.open(game)
	b.until(ply, "12")
	b.call(chromedp.KeyEvent(kb.Home))
	b.until(ply, "0")
	for _, want := range []string{"1", "2", "3"} {
		b.call(chromedp.KeyEvent(kb.ArrowRight))
		b.until(ply+` + location.hash`, want+"#ply-"+want)
	}
	drawn := b.eval(pieces)
	b.call(chromedp.KeyEvent("f"))
	b.until(`document.querySelector("[data-flip]").getAttribute("aria-pressed")`, "true")
	b.open("file://" + filepath.Join(dir, "index.html"))
	b.open(game + "#ply-3") // a link to a ply
	b.until(ply, "3")
	if again := b.eval(pieces); again != drawn {
		t.Errorf("ply 3 of a link is drawn as\n%s, by keys as\n%s", again, drawn)
	}

	b.open("file://" + filepath.Join(dir, "events", "e", "games.html") + "?bot=greedy&result=won")
	b.until(`[...document.querySelectorAll("tr[data-key]")].some(row => row.hidden) && document.querySelector("[name=bot]").value`, "greedy")

	b.scripts(false)
	b.open("file://" + filepath.Join(dir, "index.html"))
	b.open(game)
	b.until(`document.querySelector("[data-plain]").innerText.includes("6. ")`, "true")
	b.quiet("file://")
}
