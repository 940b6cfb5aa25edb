//go:build external && linux

package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
)

// newLeague hosts a league of a team, "owls", and returns the team's token.
func newLeague(t testing.TB) (s *site, token string) {
	t.Helper()
	s = &site{t: t, dir: t.TempDir()}
	file := filepath.Join(s.dir, "league.yaml")
	text := "event: cup\ngame: breakthrough:5x5\nformat: ladder\nclock: {move: 50ms}\nopenings: {random: 2}\nconcurrency: 1\nbots: [{builtin: random}, {builtin: mcts}]\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	arena := func(args ...string) *exec.Cmd {
		cmd := exec.Command("arena", append(args, "--db", filepath.Join(s.dir, "arena.db"))...)
		cmd.Dir, cmd.Stderr = s.dir, os.Stderr
		return cmd
	}
	printed, err := arena("host", "teams", "add", "owls").Output()
	if err != nil {
		t.Fatal(err)
	}
	token = regexp.MustCompile(`arena_\w+`).FindString(string(printed))
	s.server = arena("host", file, "--listen", "127.0.0.1:0")
	out, err := s.server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.server.Process.Signal(syscall.SIGINT)
		_ = s.server.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if s.url = regexp.MustCompile(`http://[0-9.:]+`).FindString(line); s.url == "" {
		t.Fatalf("host says %q (%v)", line, err)
	}
	return s, token
}

// A student signs in, hands in a bot that is refused, mends it, and looks at how it plays:
// by the page alone, with scripts and without them.
func TestExternalLeague(t *testing.T) {
	s, token := newLeague(t)
	bad, good := filepath.Join(s.dir, "bad.py"), filepath.Join(s.dir, "good.py")
	first, err := os.ReadFile("../../bots/examples/python/first_bot.py")
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{bad: "import nothing\n", good: string(first)} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	checker := axe(t)
	b := newTab(t)
	check := func(path string) {
		t.Helper()
		b.scheme("light")
		b.open(s.url + path)
		// The checker takes what is replaced meanwhile for what has no names: the page stops
		// following, and the last part that it asked for is there within seconds.
		b.eval(`dispatchEvent(new Event("pagehide"))`)
		b.until(`performance.now() > 4000`, "true")
		b.accessible(checker, everyRule)
		b.scheme("dark")
		b.accessible(checker, colourRule)
		b.call(chromedp.EmulateViewport(390, 780))
		b.until(`document.documentElement.clientWidth`, "390")
		if n := b.eval(`document.documentElement.scrollWidth`); n != "390" {
			t.Errorf("%s: %s px wide on a screen of 390", path, n)
		}
		b.call(chromedp.EmulateViewport(1200, 900))
	}
	handIn := func(file string) {
		t.Helper()
		b.call(chromedp.SetUploadFiles(chromedp.CSS(`input[type=file]`), []string{file}), chromedp.Click(chromedp.CSS(`form.upload button`)))
	}
	check("/league")
	check("/team")
	b.call(chromedp.SendKeys(chromedp.CSS("#token"), "arena_wrong"), chromedp.Click(chromedp.CSS("form.sign-in button")))
	b.until(`document.querySelector("[role=alert]") !== null`, "true")
	b.accessible(checker, everyRule)
	b.mu.Lock()
	b.messages = nil // the browser notes that it was refused
	b.mu.Unlock()
	b.call(chromedp.SendKeys(chromedp.CSS("#token"), token), chromedp.Click(chromedp.CSS("form.sign-in button")))
	b.until(`document.querySelector("h1").textContent`, "owls")
	handIn(bad)
	b.until(`location.pathname`, "/team/submissions/1")
	b.until(`document.querySelector(".verdict.rejected") !== null`, "true") // the page follows
	check("/team/submissions/1")
	if log := b.eval(`document.querySelector(".step-refused pre").textContent`); !strings.Contains(log, "nothing") {
		t.Errorf("the log of what was refused: %s", log)
	}
	b.call(chromedp.Click(chromedp.CSS(`.actions a`)))
	b.until(`location.pathname + location.hash`, "/team#hand-in")

	b.scripts(false)
	b.open(s.url + "/team")
	handIn(good)
	b.until(`location.pathname`, "/team/submissions/2")
	b.scripts(true)
	b.open(s.url + "/team/submissions/2")
	b.until(`document.querySelector(".verdict.accepted") !== null`, "true")
	b.open(s.url + "/team")
	b.until(`/owls 2/.test(document.querySelector("main").textContent)`, "true")
	check("/team")
	check("/league")
	b.until(`document.querySelectorAll("main .board tbody tr").length`, "3")

	// The projector turns its pages, and shows boards from the live feed.
	check("/league/screen")
	const slide = `document.querySelector("[data-slide]:not([hidden]) h2").id`
	b.until(slide, "ladder")
	b.call(chromedp.KeyEvent(" "))
	b.call(chromedp.Evaluate[chromedp.Void](`dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"}))`))
	b.until(slide, "boards")
	b.until(`document.querySelectorAll("[data-tiles] .tile").length > 0`, "true")
	b.quiet(s.url)
}
