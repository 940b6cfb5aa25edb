//go:build external && linux

package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// newLeague hosts a league of a team, "owls", and returns the team's token.
func newLeague(t testing.TB) (s *site, token string) {
	t.Helper()
	s = &site{t: t, dir: t.TempDir()}
	file := filepath.Join(s.dir, "league.yaml")
	text := "event: cup\ngame: breakthrough:5x5\nformat: ladder\nclock: {move: 50ms, margin: 10s}\nopenings: {random: 2}\nconcurrency: 1\nbots: [{builtin: random}, {builtin: mcts}]\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	arena := func(args ...string) *exec.Cmd {
		cmd := exec.Command("arena", append(args, "--db", filepath.Join(s.dir, "arena.db"))...)
		cmd.Dir, cmd.Stderr = s.dir, os.Stderr
		return cmd
	}
	printed, err := arena("host", "teams", "add", "--experiments", "owls").Output()
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

// fits checks a page of a host in light and dark, and on a narrow screen.
func (b *tab) fits(checker, url string) {
	b.t.Helper()
	b.scheme("light")
	b.open(url)
	// The checker takes what is replaced meanwhile for what has no names: the page stops
	// following, and the last part that it asked for is there within seconds.
	b.eval(`dispatchEvent(new Event("pagehide"))`)
	b.until(`performance.now() > 4000`, "true")
	b.accessible(checker, everyRule)
	b.shoot(1200)
	b.scheme("dark")
	b.accessible(checker, colourRule)
	b.call(chromedp.EmulateViewport(390, 780))
	b.until(`document.documentElement.clientWidth`, "390")
	if n := b.eval(`document.documentElement.scrollWidth`); n != "390" {
		b.t.Errorf("%s: %s px wide on a screen of 390", url, n)
	}
	b.shoot(390)
	b.call(chromedp.EmulateViewport(1200, 900))
}

// shoot keeps a picture of the page in the folder SHOTS, if that is set.
func (b *tab) shoot(width int) {
	b.t.Helper()
	dir := os.Getenv("SHOTS")
	if dir == "" {
		return
	}
	name := strings.Trim(regexp.MustCompile(`\W+`).ReplaceAllString(b.eval(`location.pathname + " " + document.querySelector("h1").textContent`), "-"), "-")
	png, err := chromedp.Run(b, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d.png", name, width)), png, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// A team that may gives its experiments another priority and stops one: on the pages, with the
// keyboard, with scripts and without them.
func TestExternalQueuePages(t *testing.T) {
	t.Parallel()
	s, token := newLeague(t)
	queue := func(bots ...string) {
		t.Helper()
		cmd := exec.Command("arena", append([]string{"sprt", "--elo0", "0", "--elo1", "1", "--clock", "depth=1", "--to", s.url}, bots...)...)
		cmd.Env = append(os.Environ(), "ARENA_TOKEN="+token)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s, %v", out, err)
		}
	}
	queue("a=random", "b=random")
	queue("c=greedy", "d=greedy")
	checker := axe(t)
	b := newTab(t)
	b.open(s.url + "/queue")
	if n := b.eval(`document.querySelectorAll("main form").length`); n != "0" {
		t.Errorf("a stranger has %s forms", n)
	}
	b.open(s.url + "/team")
	b.call(chromedp.SendKeys(chromedp.CSS("#token"), token), chromedp.Click(chromedp.CSS("form.sign-in button")))
	b.until(`document.querySelector("h1").textContent`, "owls")
	b.fits(checker, s.url+"/queue")

	// By the keyboard alone: the number, and Enter.
	b.open(s.url + "/queue")
	b.eval(`document.querySelector("form[action='/queue/2'] input[name=priority]").select()`)
	b.call(chromedp.KeyEvent("7"), chromedp.KeyEvent(kb.Enter))
	b.until(`location.pathname + document.querySelector("input[name=priority]")?.value`, "/queue/27")
	b.fits(checker, s.url+"/queue/2")
	b.open(s.url + "/queue/2")
	b.eval(`document.querySelector(".change summary").focus()`)
	b.call(chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector(".change details").open`, "true")
	b.call(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	b.until(`/stopped/i.test(document.querySelector(".verdict")?.textContent)`, "true")
	b.until(`document.querySelectorAll("main form").length`, "0")

	b.scripts(false)
	b.open(s.url + "/queue")
	b.call(chromedp.Click(chromedp.CSS(".change summary")), chromedp.Click(chromedp.CSS("button[name=stop]")))
	b.scripts(true)
	b.until(`location.pathname + /stopped/i.test(document.querySelector(".verdict")?.textContent)`, "/queue/1true")
	b.quiet(s.url)
}

// A student signs in, hands in a bot that is refused, mends it, and looks at how it plays:
// by the page alone, with scripts and without them.
func TestExternalLeague(t *testing.T) {
	t.Parallel()
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
	check := func(path string) { t.Helper(); b.fits(checker, s.url+path) }
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
	b.until(`document.readyState + location.pathname`, "complete/team/submissions/1")
	b.until(`document.querySelector(".verdict.rejected") !== null`, "true") // the page follows
	check("/team/submissions/1")
	if log := b.eval(`document.querySelector(".step-refused pre").textContent`); !strings.Contains(log, "nothing") {
		t.Errorf("the log of what was refused: %s", log)
	}
	b.call(chromedp.Click(chromedp.CSS(`.actions a`)))
	b.until(`document.readyState + location.pathname + location.hash`, "complete/team#hand-in")

	b.scripts(false)
	b.open(s.url + "/team")
	handIn(good)
	b.until(`document.readyState + location.pathname`, "complete/team/submissions/2")
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
