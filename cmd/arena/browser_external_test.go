//go:build external && linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// axeVersion is the checker of accessibility that pages have to satisfy.
const axeVersion = "axe-core@4.14.1"

// A site is a database that is served, in a folder of its own.
type site struct {
	t   testing.TB
	dir string
	url string // without a slash at its end

	server *exec.Cmd
}

// newSite serves an empty database; play are the bots that visitors may play against.
func newSite(t testing.TB, play ...string) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir()}
	args := []string{"serve", "--listen", freeAddress(t), "--db", filepath.Join(s.dir, "arena.db")}
	if len(play) > 0 {
		args = append(append(args, "--play"), play...)
	}
	cmd := exec.Command("arena", args...)
	cmd.Dir = s.dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	url := regexp.MustCompile(`http://[0-9.:]+`).FindString(line)
	if url == "" {
		t.Fatalf("serve says %q (%v)", line, err)
	}
	s.url, s.server = url, cmd
	return s
}

// run plays an event.
func (s *site) run(name, text string) {
	s.t.Helper()
	if out, err := s.start(name, text).CombinedOutput(); err != nil {
		s.t.Fatalf("event %s: %v\n%s", name, err, out)
	}
}

func (s *site) start(name, text string) *exec.Cmd {
	s.t.Helper()
	path := filepath.Join(s.dir, name+".yaml")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command("arena", "run", path, "--db", filepath.Join(s.dir, "arena.db"), "--quiet")
	cmd.Dir = s.dir
	return cmd
}

// A tab is a page of a browser whose console and requests are watched.
type tab struct {
	context.Context //nolint:containedctx // of the test
	t               testing.TB

	mu       sync.Mutex
	messages []string
	requests []string
}

// newTab opens Debian's Chromium, which CI installs.
func newTab(t testing.TB) *tab {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal(err)
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.NoSandbox, chromedp.ExecPath(path))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 20*time.Minute)
	t.Cleanup(cancel)
	b := &tab{Context: ctx, t: t}
	b.call(chromedp.EmulateViewport(1200, 900))
	b.media()
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	messages, requests := chromedp.Console(ctx), chromedp.Events(ctx, network.RequestWillBeSent)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.messages = append(b.messages, fmt.Sprintf("%s: %s (%s)", m.Type, m.Text, m.URL))
			b.mu.Unlock()
		}
	}()
	go func() {
		for r, err := range requests {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.requests = append(b.requests, r.Request.URL)
			b.mu.Unlock()
		}
	}()
	return b
}

func (b *tab) call(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b, steps...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) open(url string) {
	b.t.Helper()
	b.call(chromedp.Navigate(url))
}

// eval evaluates a script to a string.
func (b *tab) eval(script string) string {
	b.t.Helper()
	text, err := chromedp.Run(b, chromedp.Evaluate[string]("String("+script+")"))
	if err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
	return text
}

// until waits for a script to give a text.
func (b *tab) until(script, want string) {
	b.t.Helper()
	got := ""
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		// A page that is being replaced has nothing to say.
		got, _ = chromedp.Run(b, chromedp.Evaluate[string]("String("+script+")"))
		if got == want {
			return
		}
	}
	b.t.Fatalf("%s is %q, not %q", script, got, want)
}

func (b *tab) scheme(name string) {
	b.t.Helper()
	b.media(&emulation.MediaFeature{Name: "prefers-color-scheme", Value: name})
}

// media emulates a visitor who has asked for little motion: a page that scrolls smoothly
// is clicked where a link was.
func (b *tab) media(also ...*emulation.MediaFeature) {
	b.t.Helper()
	if _, err := chromedp.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: append(also, &emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "reduce"}),
	}); err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) scripts(on bool) {
	b.t.Helper()
	if _, err := chromedp.Call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on}); err != nil {
		b.t.Fatal(err)
	}
}

// quiet fails where the console has a message, or where something was asked of
// another origin.
func (b *tab) quiet(origin string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.messages {
		b.t.Errorf("the console has %s", m)
	}
	for _, r := range b.requests {
		if !strings.HasPrefix(r, origin+"/") && !strings.HasPrefix(r, "data:") {
			b.t.Errorf("%s was asked for", r)
		}
	}
	if len(b.requests) == 0 {
		b.t.Error("no request was seen")
	}
	b.messages, b.requests = nil, nil
}

// axe gets the checker from npm.
func axe(t testing.TB) string {
	t.Helper()
	text, err := readAxe()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

var readAxe = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "axe")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cmd := exec.Command("npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir, axeVersion)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm install %s: %w\n%s", axeVersion, err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	return string(data), err
})

// accessible fails where the checker finds something on the page.
func (b *tab) accessible(axe, rules string) {
	b.t.Helper()
	b.call(chromedp.Evaluate[chromedp.Void](axe))
	found, err := chromedp.Run(b, chromedp.Evaluate[string](`axe.run(document, {runOnly: `+rules+`, resultTypes: ["violations"]}).then(r => {
		const lines = r.violations.map(v => v.id + ": " + v.help + "\n" + v.nodes.slice(0, 3).map(n => "    " + n.html.slice(0, 200) + "\n    " + (n.failureSummary || "").split("\n").slice(1, 3).join(" ").slice(0, 300)).join("\n"));
		if (r.passes.length === 0) lines.push("nothing was checked");
		return lines.join("\n");
	})`, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	if found != "" {
		b.t.Errorf("%s: %s", b.eval("location.pathname + location.search"), found)
	}
}

// The rules of WCAG 2.2 AA; colours alone once more for the other scheme.
const (
	everyRule  = `{type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}`
	colourRule = `{type: "rule", values: ["color-contrast"]}`
)

// everyFormat plays a short event of each format, and each game.
func everyFormat(s *site) {
	const bots = "bots: [{builtin: random}, {builtin: greedy}, {name: the_third_bot_of_each_event_has_a_name_of_sixty_four_letters_all, builtin: random}, {name: \"<i>fourth</i> & 'co'\", builtin: greedy}]\n"
	for name, text := range map[string]string{
		"robin":    "game: breakthrough:5x5\nrounds: 1\nlog: protocol\n" + bots,
		"swiss":    "game: outwit\nformat: swiss\nrounds: 2\nmax_plies: 60\n" + bots,
		"knockout": "game: owlman\nformat: knockout\nrounds: 1\nknockout: {third_place: true}\n" + bots,
		"gauntlet": "game: chess\nformat: gauntlet\nrounds: 1\nmax_plies: 60\n" + bots,
		"ladder":   "game: outwit:jump\nformat: ladder\nmax_plies: 60\nladder: {games: 6}\n" + bots,
		"duel":     "game: owlman:daybreak\nformat: match\nrounds: 2\nbots: [{builtin: greedy}, {name: other, command: [arena, bot, misbehaving, --fault, crash, --at-move, '3']}]\n",
	} {
		s.run(name, "clock: {depth: 1}\nopenings: {random: 2}\nconcurrency: 2\n"+text)
	}
	cmd := exec.Command("arena", "sprt", "a=greedy", "b=random", "--game", "breakthrough:5x5", "--elo0", "0", "--elo1", "300", "--clock", "depth=1", "--quiet", "--db", filepath.Join(s.dir, "arena.db"))
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("sprt: %v\n%s", err, out)
	}
}

// kindOf is a page's kind: addresses of one kind differ in names and numbers alone,
// but those of events, which differ by format.
func kindOf(path string) string {
	path, query, _ := strings.Cut(path, "?")
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i := range parts {
		if i > 0 && (parts[0] != "events" || i > 2 || i == 1 && len(parts) > 2) {
			parts[i] = "*"
		}
	}
	for field := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(field, "=")
		parts = append(parts, name)
	}
	return strings.Join(parts, "/")
}

// links follows the pages' links from the first page on, and returns one
// page of each kind.
func (s *site) links() []string {
	s.t.Helper()
	href := regexp.MustCompile(`href="(/[^"#]*)"`)
	kinds, seen := map[string]int{}, map[string]bool{"/": true}
	var pages []string
	for queue := []string{"/"}; len(queue) > 0; queue = queue[1:] {
		answer, err := http.Get(s.url + queue[0])
		if err != nil {
			s.t.Fatal(err)
		}
		data, err := io.ReadAll(answer.Body)
		if err := answer.Body.Close(); err != nil {
			s.t.Fatal(err)
		}
		if err != nil || answer.StatusCode != http.StatusOK {
			s.t.Errorf("%s: status %d, %v", queue[0], answer.StatusCode, err)
			continue
		}
		if !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") {
			continue
		}
		if p := answer.Header.Get("Content-Security-Policy"); !strings.HasPrefix(p, "default-src 'none'") || strings.Contains(p, "unsafe") {
			s.t.Errorf("%s: the policy is %q", queue[0], p)
		}
		pages = append(pages, queue[0])
		for _, m := range href.FindAllStringSubmatch(string(data), -1) {
			path := strings.ReplaceAll(m[1], "&amp;", "&")
			kind := kindOf(path)
			if !seen[path] && kinds[kind] == 0 && !strings.HasPrefix(path, "/assets/") {
				seen[path] = true
				kinds[kind]++
				queue = append(queue, path)
			}
		}
	}
	return pages
}

// Every page of events of every format and game: nothing in the console, nothing
// asked of others, nothing that hinders people, in both schemes, and nothing that a
// phone is too narrow for.
func TestExternalPages(t *testing.T) {
	t.Parallel()
	s := newSite(t, "random", "greedy")
	everyFormat(s)
	pages := s.links()
	for _, want := range []string{
		"/", "/events", "/events/knockout", "/events/swiss", "/events/ladder", "/events/duel/live", "/leaderboard", "/play", "/fleet", "/compare/greedy/random", "/sprt/sprt-1",
		"/events/robin/games/1", "/events/swiss/games/1", "/events/knockout/games/1", "/events/gauntlet/games/1", "/events/ladder/games/1", "/events/duel/games/1?ply=2",
	} {
		if !slices.Contains(pages, want) {
			pages = append(pages, want)
		}
	}
	t.Logf("%d pages: %s", len(pages), strings.Join(pages, " "))
	if len(pages) < 25 {
		t.Errorf("only %d pages are linked", len(pages))
	}
	checker := axe(t)
	b := newTab(t)
	for _, path := range pages {
		b.scheme("light")
		b.open(s.url + path)
		b.accessible(checker, everyRule)
		b.scheme("dark")
		b.accessible(checker, colourRule)
		if n := b.eval(`document.querySelectorAll("[style], style, script:not([src]):not([type='application/json']), main i").length`); n != "0" {
			t.Errorf("%s: %s elements with styles or scripts of their own, or of strangers", path, n)
		}
		b.call(chromedp.EmulateViewport(360, 780)) // a phone: what is wide scrolls by itself, not the page
		b.until(`document.documentElement.clientWidth`, "360")
		if n := b.eval(`document.documentElement.scrollWidth`); n != "360" {
			t.Errorf("%s: %s px wide on a screen of 360", path, n)
		}
		b.call(chromedp.EmulateViewport(1200, 900))
	}
	b.quiet(s.url)
}

// A replay from the keyboard, and by links without a script.
func TestExternalReplay(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.run("e", "game: outwit\nclock: {depth: 1}\nmax_plies: 20\nrounds: 1\nbots: [{builtin: greedy}, {name: other, command: [arena, bot, misbehaving, --fault, crash, --at-move, '8']}]\n")
	b := newTab(t)
	b.open(s.url + "/games/1?ply=0")
	const ply, pieces = `document.querySelector('[data-field="ply"]').textContent`, `document.querySelector(".board .pieces").outerHTML`
	last := b.eval(`document.querySelector('[data-field="plies"]').textContent`)
	key := func(name, want string) {
		t.Helper()
		b.call(chromedp.KeyEvent(name))
		b.until(ply, want)
		if said, query := b.eval(`document.querySelector("[data-said]").textContent`), b.eval("location.search"); want != "0" && !strings.HasPrefix(said, "Ply "+want+", ") || query != "?ply="+want {
			t.Errorf("at ply %s it says %q, at %s", want, said, query)
		}
	}
	const left, up, right, down, end, home = kb.ArrowLeft, kb.ArrowUp, kb.ArrowRight, kb.ArrowDown, kb.End, kb.Home
	// Positions as the script draws them are those that the server draws.
	for n, want := range []string{"1", "2", "3", "4", "5"} {
		key(right, want)
		if n == 4 {
			drawn := b.eval(pieces)
			b.open(s.url + "/games/1?ply=5")
			b.scripts(false)
			b.open(s.url + "/games/1?ply=5")
			if server := b.eval(pieces); server != drawn {
				t.Errorf("ply 5 is drawn as\n%s, by the server as\n%s", drawn, server)
			}
			b.scripts(true)
			b.open(s.url + "/games/1?ply=5")
		}
	}
	key(left, "4")
	const moving = `document.querySelectorAll("[data-turn].to-move").length`
	b.until(moving, "1")
	key(end, last)
	b.until(moving, "0") // the game is over
	key(home, "0")
	key(down, last)
	key(up, "0")
	key("]", b.eval(`JSON.parse(document.getElementById("replay-data").textContent).marks[0].p`))
	key(home, "0")
	b.call(chromedp.KeyEvent("f"))
	b.until(`document.querySelector("[data-flip]").getAttribute("aria-pressed") + location.search`, "true?ply=0&flip=1")
	turned := b.eval(pieces)
	b.call(chromedp.KeyEvent("f"))
	b.until("location.search", "?ply=0")
	b.call(chromedp.KeyEvent("?"))
	b.until(`document.querySelector("[data-help]").open`, "true")
	b.call(chromedp.KeyEvent("?"))
	b.until(`document.querySelector("[data-help]").open`, "false")
	b.call(chromedp.KeyEvent(" "))
	b.until(ply, "2")
	b.call(chromedp.KeyEvent(" "))
	const playing = `document.querySelector("[data-play]").getAttribute("aria-pressed")`
	b.until(playing, "false")
	// Keys that come before the next frame is drawn do not go to what has been closed.
	b.eval(`["?", "?", " "].map((key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })))`)
	b.until(playing, "true")
	b.quiet(s.url)

	b.scripts(false)
	b.open(s.url + "/games/1?ply=0")
	for _, want := range []string{"1", "2", "3"} {
		b.call(chromedp.Click(chromedp.CSS("[data-go=next]")))
		b.until(ply, want)
	}
	b.call(chromedp.Click(chromedp.CSS("[data-go=first]")))
	b.until(ply, "0")
	b.call(chromedp.Click(chromedp.CSS("[data-flip]")))
	b.until("document.readyState + location.search", "complete?ply=0&flip=1")
	if got := b.eval(pieces); got != turned {
		t.Errorf("turned round it is drawn as\n%s, by the server as\n%s", turned, got)
	}
	b.quiet(s.url)
}

// A game is followed from its first move to its last, quickly, and ends as its page.
func TestExternalFollow(t *testing.T) {
	s, b := newSite(t), newTab(t)
	b.open(s.url)
	cmd := s.start("air", "game: outwit\nmax_plies: 20\nclock: {move: 300ms, margin: 10s}\nconcurrency: 1\nswap: false\nrounds: 1\nbots: [{builtin: mcts}, {name: other, builtin: mcts}]\n")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	page := ""
	for end := time.Now().Add(time.Minute); page == ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the game is not planned")
		}
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		if answer, err := client.Get(s.url + "/events/air/games/1"); err == nil {
			page = answer.Header.Get("Location")
			_ = answer.Body.Close()
		}
	}
	b.open(s.url + page)
	b.call(chromedp.Evaluate[chromedp.Void](`(() => {
		const root = document.querySelector("[data-replay]");
		window.watching = new MutationObserver(() => {
			const list = JSON.parse(sessionStorage.getItem("late") || "[]");
			list.push(Date.now() - Date.parse(root.dataset.at));
			sessionStorage.setItem("late", JSON.stringify(list));
		});
		window.watching.observe(root, {attributes: true, attributeFilter: ["data-at"]});
	})()`))
	b.until(`document.querySelector("[data-result] strong").textContent !== "*"`, "true")
	b.until("document.readyState", "complete")
	var late []float64
	if err := json.Unmarshal([]byte(b.eval(`sessionStorage.getItem("late") || "[]"`)), &late); err != nil {
		t.Fatal(err)
	}
	// The first one came while the page was being loaded.
	if len(late) < 4 {
		t.Fatalf("only %d moves were followed: %s", len(late), b.eval(`document.querySelector("main").innerText.slice(0, 600)`))
	}
	late = late[1:]
	slices.Sort(late)
	t.Logf("%d moves were shown %.0f ms after the answer at the least, %.0f in the middle, %.0f at most", len(late), late[0], late[len(late)/2], late[len(late)-1])
	if median := late[len(late)/2]; median > 200 {
		t.Errorf("half of the moves were shown more than %.0f ms after the bot's answer", median)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	const main = `document.querySelector("main").outerHTML`
	followed := b.eval(main)
	b.open(s.url + page)
	if got := b.eval(main); got != followed {
		t.Errorf("the page that followed the game ends as\n%s\n\nand is\n%s", followed, got)
	}
	b.quiet(s.url)
}

// The boards of an event that is being played, and the switch of the evaluation.
func TestExternalGrid(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	cmd := s.start("air", "game: outwit\nclock: {move: 100ms, margin: 10s}\nconcurrency: 2\nrounds: 20\nbots: [{builtin: mcts}, {builtin: minimax}, {builtin: greedy}]\n")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Signal(syscall.SIGKILL); _ = cmd.Wait() }()
	b := newTab(t)
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		answer, err := http.Get(s.url + "/events/air/live")
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				break
			}
		}
		if time.Now().After(end) {
			t.Fatal("the event is not there")
		}
	}
	b.open(s.url + "/events/air/live")
	b.until(`document.querySelectorAll(".tile").length`, "2")
	for range 3 { // the boards change
		const drawn = `(document.querySelector(".tile .pieces") || {}).outerHTML`
		b.until(drawn+` !== `+fmt.Sprintf("%q", b.eval(drawn)), "true")
	}
	b.call(chromedp.Click(chromedp.CSS("[data-eval]")))
	b.until(`getComputedStyle(document.querySelector(".tile .evalbar")).display`, "none")
	b.open(s.url + "/events/air/live")
	b.until(`document.querySelector("[data-eval]").getAttribute("aria-pressed")`, "false")
	b.until(`document.querySelectorAll(".tile").length`, "2")
	b.accessible(axe(t), everyRule)
	b.quiet(s.url)
}

// A whole game is played by clicks on the board, another one without a script.
func TestExternalPlay(t *testing.T) {
	s := newSite(t, "random")
	b := newTab(t)
	sit := func() {
		b.open(s.url + "/play")
		b.call(
			chromedp.SetValue(chromedp.CSS("[name=size]"), "breakthrough:3x5"), chromedp.SetValue(chromedp.CSS("[name=clock]"), "200ms"),
			chromedp.Click(chromedp.CSS(".offer button")),
		)
		b.until(`document.querySelectorAll("[data-legal-form] button").length > 0`, "true")
	}
	const over, first = `!document.querySelector("[data-again]").hidden`, `document.querySelector("[data-legal-form] button").value`
	sit()
	checker := axe(t)
	b.accessible(checker, everyRule)
	for n := 0; b.eval(over) != "true"; n++ {
		if n > 40 {
			t.Fatal("the game does not end")
		}
		plies := b.eval(`document.querySelector("[data-table]").dataset.plies`)
		move := b.eval(first)
		for _, square := range []string{move[:2], move[2:4]} {
			var at [2]float64
			if err := json.Unmarshal([]byte(b.eval(fmt.Sprintf(`(() => {
				const svg = document.querySelector("svg.board");
				const p = new DOMPoint(+svg.dataset.left + 40 * %d + 20, 3 + 40 * (+svg.dataset.rows - %c) + 20).matrixTransform(svg.getScreenCTM());
				return JSON.stringify([p.x, p.y]);
			})()`, square[0]-'a', square[1]))), &at); err != nil {
				t.Fatal(err)
			}
			b.call(chromedp.MouseClickXY(at[0], at[1]))
		}
		b.until(`(document.querySelector("[data-table]").dataset.plies > `+plies+` && document.querySelectorAll("[data-legal-form] button").length > 0) || `+over, "true")
	}
	if status := b.eval(`document.querySelector("[data-status]").textContent`); !strings.Contains(status, "win") {
		t.Errorf("it ends with %q", status)
	}
	b.quiet(s.url)

	b.scripts(false)
	sit()
	for n := 0; b.eval(over) != "true"; n++ {
		if n > 40 {
			t.Fatal("the game does not end")
		}
		plies := b.eval(`document.querySelectorAll(".moves tbody td:first-child").length`)
		b.eval(`document.querySelector(".move-form [name=move]").value = ` + first)
		b.call(chromedp.Click(chromedp.CSS(".move-form button")))
		b.until(`document.querySelectorAll(".moves tbody td:first-child").length !== `+plies, "true")
		b.until(`document.querySelectorAll("[data-legal-form] button").length > 0 || `+over, "true")
	}
	b.quiet(s.url)
}
