//go:build external && linux

package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// An afternoon is a clean clone of the project and what is typed there.
type afternoon struct {
	t     *testing.T
	clone string
	env   []string
	begun time.Time
	all   time.Duration
}

// took logs how long a step has taken, and how long all of them.
func (a *afternoon) took(step string) {
	a.t.Helper()
	took := time.Since(a.begun)
	a.all += took
	a.t.Logf("%6.1f s, %6.1f s in all: %s", took.Seconds(), a.all.Seconds(), step)
	a.begun = time.Now()
}

// command returns a line of a shell in the clone, in which arena is the one built there.
func (a *afternoon) command(line string) *exec.Cmd {
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir, cmd.Env, cmd.Stderr = a.clone, a.env, os.Stderr
	return cmd
}

func (a *afternoon) run(line string) {
	a.t.Helper()
	cmd := a.command(line)
	cmd.Stdout = os.Stdout
	if err := cmd.Run(); err != nil {
		a.t.Fatalf("%s: %v", line, err)
	}
}

// host hosts a league until the test ends, and returns its address.
func (a *afternoon) host(line string) string {
	a.t.Helper()
	cmd := a.command("exec " + line)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		_ = cmd.Wait()
	})
	said, err := bufio.NewReader(out).ReadString('\n')
	url := regexp.MustCompile(`http://[0-9.:]+`).FindString(said)
	if url == "" {
		a.t.Fatalf("%s says %q (%v)", line, said, err)
	}
	return url
}

// A teacher clones the project, installs it, makes tokens and hosts configs/league.yaml, as
// README.md says. One student hands in the first bot from the command line, another one that
// of the page's starter kit by the page, then a bot that is refused, mends it, and steps
// through a game that it lost. The log has how long each step takes.
func TestExternalAfternoon(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	project, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bin")
	a := &afternoon{t: t, clone: dir, env: append(os.Environ(), "GOBIN="+bin, "PATH="+bin+":"+os.Getenv("PATH")), begun: time.Now()}
	a.run("git clone --quiet --depth 1 file://" + project + " botarena")
	a.clone = filepath.Join(dir, "botarena")
	a.took("git clone")
	a.run("go install ./cmd/arena")
	a.took("go install ./cmd/arena")
	a.run("arena host teams add owls foxes > tokens.csv")
	a.took("arena host teams add: tokens")
	url := a.host("arena host configs/league.yaml --listen 127.0.0.1:0")
	a.took("arena host: the page is there")
	csv, err := os.ReadFile(filepath.Join(a.clone, "tokens.csv"))
	if err != nil {
		t.Fatal(err)
	}
	tokens := regexp.MustCompile(`arena_\w+`).FindAllString(string(csv), -1)
	if len(tokens) != 2 {
		t.Fatalf("tokens.csv is %q", csv)
	}
	a.run("ARENA_TOKEN=" + tokens[1] + " arena submit bots/examples/python/first_bot.py --to " + url)
	a.took("arena submit: it has entered")

	b := newTab(t)
	a.begun = time.Now() // a visitor's browser is open
	onLadder := func(bot string) {
		t.Helper()
		b.open(url + "/league")
		b.until(`[...document.querySelectorAll("main .board tbody tr")].some(r => r.textContent.includes("`+bot+`") && /\d/.test(r.querySelector(".strong")?.textContent))`, "true")
		b.shoot(1200)
		a.took(bot + " is on the ladder, with a rating")
	}
	b.open(url)
	b.call(chromedp.Click(chromedp.CSS(`a[href="/team"].button`)))
	b.call(chromedp.SendKeys(chromedp.CSS("#token"), tokens[0]), chromedp.Click(chromedp.CSS("form.sign-in button")))
	b.until(`document.querySelector("h1").textContent`, "owls")
	a.took("signed in by the page")
	first := kitBot(t, url+b.eval(`document.querySelector('a[href="/kits/python.zip"]').getAttribute("href")`))
	file := filepath.Join(dir, "my_bot.py")
	handIn := func(number int, text, verdict, want string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		b.open(url + "/team")
		b.call(chromedp.SetUploadFiles(chromedp.CSS(`input[type=file]`), []string{file}), chromedp.Click(chromedp.CSS(`form.upload button`)))
		b.until(`location.pathname`, "/team/submissions/"+strconv.Itoa(number))
		b.until(`document.querySelector(".verdict.`+verdict+`") !== null`, "true") // the page follows
		said := b.eval(`document.querySelector(".verdict").textContent`)
		if !strings.Contains(said, want) {
			t.Errorf("submission %d: %q, without %q", number, said, want)
		}
		b.shoot(1200)
		a.took(said)
	}
	handIn(1, first, "accepted", "owls 1")
	onLadder("owls 1")

	const choice = "return rng.choice(legal)"
	if strings.Count(first, choice) != 1 {
		t.Fatalf("the kit's bot has no %q", choice)
	}
	handIn(2, strings.Replace(first, choice, "return legal[len(legal)]", 1), "rejected", "arena check")
	if log := b.eval(`document.querySelector(".step-refused pre").textContent`); !strings.Contains(log, "IndexError") {
		t.Errorf("the log of what was refused has no traceback:\n%s", log)
	}
	b.call(chromedp.Click(chromedp.CSS(`.actions a`)))
	b.until(`location.pathname + location.hash`, "/team#hand-in")
	handIn(3, strings.Replace(first, choice, "return legal[len(legal) - 1]", 1), "accepted", "owls 3")
	onLadder("owls 3")

	const game = `document.querySelector('main tbody a[href^="/games/"]')`
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(time.Second) {
		if b.open(url + "/events/league/games?bot=owls+3&result=lost"); b.eval(game+" !== null") == "true" {
			break
		}
		if time.Now().After(end) {
			t.Fatal("it has lost no game")
		}
	}
	b.eval(game + ".click()")
	b.until(`location.pathname.startsWith("/games/") && document.querySelector("[data-go=next]") !== null`, "true")
	const ply, pieces = `document.querySelector('[data-field="ply"]').textContent`, `document.querySelector(".board .pieces").outerHTML`
	b.open(url + b.eval("location.pathname") + "?ply=0")
	b.until(ply, "0")
	start := b.eval(pieces)
	b.call(chromedp.Click(chromedp.CSS("[data-go=next]")))
	b.until(ply, "1")
	if b.eval(pieces) == start {
		t.Error("no piece has moved at ply 1")
	}
	b.shoot(1200)
	a.took("a step through a game that owls 3 lost")
	b.quiet(url)
}

// kitBot downloads a starter kit, and returns the text of its bot.
func kitBot(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(answer.Body)
	if err := answer.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	kit, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatalf("%s: %v", answer.Status, err)
	}
	for _, f := range kit.File {
		if strings.HasSuffix(f.Name, ".py") {
			text, err := fs.ReadFile(kit, f.Name)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
	}
	t.Fatalf("%s has no Python", url)
	return ""
}
