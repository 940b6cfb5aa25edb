package web_test

import (
	"html"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"botarena/arena"
	"botarena/arena/gamelog"
	"botarena/arena/web"
)

// secretive is a record whose event file, faults and logs say what strangers must not read.
func secretive(t testing.TB) (r *record, logs string) {
	r = newRecord(t)
	e := league("spring")
	for i := range e.Bots {
		b := &e.Bots[i]
		b.Env, b.Args, b.Dir = []string{"API_KEY=s3cret-env"}, []string{"--token=s3cret-arg"}, "/home/s3cret-dir/bots"
		b.Build, b.SandboxRead = []string{"make", "s3cret-build"}, []string{"~/s3cret-read"}
		b.Options = []arena.Option{{Name: "EvalFile", Value: "/s3cret-option/x.nnue"}, {Name: "Key", Value: "s3cret-option"}}
	}
	e.Openings.File, e.Openings.Random = "/home/s3cret-book/book.epd", 0
	games := append(meet(e, 1, "ann", "bea"), meet(e, 3, "ann", "cat")...)
	h := r.event(e, games...)
	r.finish(h, won(games[0], arena.FirstWins, r.now))
	crash := won(games[1], arena.FirstWins, r.now)
	crash.Reason, crash.Blame = arena.Crash, "ann"
	crash.Detail = `could not be started: fork/exec /home/s3cret-detail/bot: no such file; it wrote "Traceback (most recent call last): s3cret-trace"`
	r.finish(h, crash)
	logs = filepath.Join(filepath.Dir(r.path), "logs")
	for n := range 4 {
		files := gamelog.Files(logs, "spring", n+1)
		for _, f := range []string{files.Protocol, files.Stderr[0], files.Stderr[1]} {
			write(t, f, "0.1 > ann: s3cret-log\n")
		}
	}
	return r, logs
}

var secrets = regexp.MustCompile(`s3cret-\w+`)

// found lists the secrets in a text, each once.
func found(text string) string {
	seen := ""
	for _, m := range secrets.FindAllString(text, -1) {
		if !strings.Contains(seen, m) {
			seen += m + " "
		}
	}
	return seen
}

// crawl reads all addresses that pages lead to from the first one, and the data beside them.
func crawl(t testing.TB, h http.Handler) (all string) {
	link := regexp.MustCompile(`\b(?:href|src|data-dialogue)="(/[^"#]*)`)
	queue, seen := []string{"/"}, map[string]bool{}
	for len(queue) > 0 {
		url := queue[0]
		queue = queue[1:]
		resp := get(h, "GET", url)
		text := body(t, resp)
		all += text
		if resp.StatusCode != http.StatusOK {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			to := html.UnescapeString(m[1])
			if !seen[to] && !strings.HasSuffix(to, "/live") && len(seen) < 1000 {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	if len(seen) < 30 {
		t.Fatalf("only %d addresses are linked", len(seen))
	}
	return all
}

// What only the owner should read is on no page and in no file beside it.
func TestSecretsStayAtHome(t *testing.T) {
	t.Parallel()
	r, logs := secretive(t)
	serve := func(a web.Audience) string {
		h := r.pages(func(c *web.Config) { c.LogDir, c.Audience = logs, a })
		all := crawl(t, h)
		for _, url := range []string{"/games/2/dialogue.txt", "/games/2/stderr.txt?side=first", "/games/2/stderr.txt?side=second", "/events/spring/games.json", "/index.json", "/games/2.json", "/games/2.pgn"} {
			all += body(t, get(h, "GET", url))
		}
		return found(all)
	}
	if got := serve(web.Anyone); got != "" {
		t.Errorf("anyone reads %s", got)
	}
	local := serve(web.Local)
	for _, word := range []string{"env", "arg", "dir", "build", "read", "option", "book"} {
		if strings.Contains(local, "s3cret-"+word) {
			t.Errorf("whoever sits at this machine reads %s", local)
		}
	}
	if !strings.Contains(local, "s3cret-log") || !strings.Contains(local, "s3cret-detail") {
		t.Errorf("whoever sits at this machine reads %s", local)
	}
	if owner := serve(web.Owner); !strings.Contains(owner, "s3cret-env") || !strings.Contains(owner, "s3cret-log") {
		t.Errorf("the owner reads %s", owner)
	}
	written := func(a web.Audience) (all string) {
		dir := site(r, func(c *web.Config) { c.LogDir, c.Audience = logs, a })
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			all += string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return found(all)
	}
	if got := written(web.Anyone); got != "" {
		t.Errorf("a site has %s", got)
	}
	if got := written(web.Owner); !strings.Contains(got, "s3cret-env") {
		t.Errorf("the owner's site has %s", got)
	}
}
