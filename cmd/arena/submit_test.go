package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A scriptedHost answers as a host of a league does; each request for the submission
// brings it a step further.
type scriptedHost struct {
	mu     sync.Mutex
	state  string // of the league
	size   int
	refuse string // the step
	gone   int    // requests for the submission that are not answered
	lost   bool   // the answer to an upload is lost
	asked  int
	file   []byte
	name   string
	sum    string
}

const scriptedToken = "arena_abc"

func (h *scriptedHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	say := func(format string, args ...any) { fmt.Fprintf(w, format, args...) }
	if r.URL.Path == "/league.json" {
		say(`{"league": "cup", "state": %q, "opens": "2026-01-01T00:00:00Z", "closes": "2026-02-01T00:00:00Z", "submission_bytes": %d}`, h.state, h.size)
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+scriptedToken {
		w.WriteHeader(http.StatusUnauthorized)
		say(`{"error": "No team has this token."}`)
		return
	}
	switch r.URL.Path {
	case "/team.json":
		list := ""
		if h.name != "" {
			list = fmt.Sprintf(`{"number": 1, "file": %q, "sha256": %q, "state": "received", "pending": true, "reason": "why \u001b[2J"}`, h.name, h.sum)
		}
		say(`{"team": "owls", "league": "cup", "submissions_left": 3, "submissions": [%s], "versions": [{"number": 1, "rank": 2, "games": 7, "elo": 12.4}]}`, list)
	case "/team/submissions":
		part, err := r.MultipartReader()
		if err != nil {
			panic(err)
		}
		p, err := part.NextPart()
		if err != nil {
			panic(err)
		}
		h.name = p.FileName()
		h.file, _ = io.ReadAll(p)
		h.sum = sumOf(h.file)
		if h.lost {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(http.StatusCreated)
		say(`{"number": 1, "state": "received", "pending": true}`)
	case "/team/submissions/1.json":
		if h.gone--; h.gone >= 0 {
			panic(http.ErrAbortHandler)
		}
		h.asked++
		_ = json.NewEncoder(w).Encode(h.submission())
	case "/team/challenges":
		if r.PostFormValue("bot") != "minimax" {
			w.WriteHeader(http.StatusNotFound)
			say(`{"error": "There is no bot of this name."}`)
			return
		}
		w.WriteHeader(http.StatusCreated)
		say(`{"opponent": "minimax", "games": %s, "state": "waiting"}`, r.PostFormValue("games"))
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (h *scriptedHost) submission() map[string]any {
	var steps []map[string]any
	begun := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	all := []string{"received", "unpacked", "built", "checked", "tried", "entered"}
	s := map[string]any{"number": 1, "pending": true}
	for i, name := range all[:min(h.asked, len(all))] {
		state := "done"
		if name == h.refuse {
			state, s["state"], s["refused"], s["reason"], s["pending"] = "refused", "refused", name, "It does not compile: mend line 3.", false
		}
		steps = append(steps, map[string]any{"step": name, "state": state, "began": begun, "ended": begun.Add(time.Duration(i) * 1500 * time.Millisecond), "log": strings.Repeat("line\n", 30) + "error \x1b[31m: 3"})
		if state == "refused" {
			break
		}
		if name == "entered" {
			s["state"], s["bot"], s["pending"] = "entered", "owls 2", false
		}
	}
	s["steps"] = steps
	return s
}

// submitted runs arena submit.
func submitted(t *testing.T, h http.Handler, args ...string) (code int, out, errs string) {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = nil
	server.Start()
	defer server.Close()
	var stdout, stderr bytes.Buffer
	config := t.TempDir()
	a := &app{
		in: strings.NewReader(""), out: &stdout, err: &stderr, now: time.Now, signals: signals, terminal: func(io.Writer) (int, bool) { return 0, false },
		getenv: func(name string) string {
			return map[string]string{"ARENA_TOKEN": scriptedToken, "XDG_CONFIG_HOME": config}[name]
		},
	}
	code = run(t.Context(), append([]string{"submit", "--to", server.URL}, args...), a)
	clean := func(b *bytes.Buffer) string { return strings.ReplaceAll(b.String(), server.URL, "URL") }
	return code, clean(&stdout), clean(&stderr)
}

func scripted() *scriptedHost { return &scriptedHost{state: "open", size: 1000} }

func botFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bot.py")
	if err := os.WriteFile(path, []byte("print()\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSubmitShowsEachStep(t *testing.T) {
	t.Parallel()
	h := scripted()
	code, out, errs := submitted(t, h, botFile(t))
	want := "cup · team owls\nsubmission 1: bot.py, 8 bytes\n  received\n  unpacked   1.5 s\n  built      3.0 s\n  checked    4.5 s\n  tried      6.0 s\n  entered    7.5 s\nowls 2 plays: URL/bots/owls%202\n"
	if code != exitDone || out != want || errs != "" {
		t.Errorf("%d\n%s%s\nwant\n%s", code, out, errs, want)
	}
	if h.name != "bot.py" || string(h.file) != "print()\n" {
		t.Errorf("%q came as %q", h.file, h.name)
	}
	h = scripted()
	code, out, _ = submitted(t, h, botFile(t), "--json")
	if code != exitDone || !strings.Contains(out, `"bot": "owls 2"`) || !json.Valid([]byte(out)) {
		t.Errorf("JSON: %d\n%s", code, out)
	}
}

// A refusal has the reason and the end of the log, escaped.
func TestSubmitTellsWhyItIsRefused(t *testing.T) {
	t.Parallel()
	h := scripted()
	h.refuse = "built"
	code, out, errs := submitted(t, h, botFile(t))
	if code != exitFailed || !strings.Contains(errs, "submission 1 was refused when it should be built: It does not compile: mend line 3.") {
		t.Errorf("%d %s", code, errs)
	}
	if !strings.Contains(out, "  built      refused\n    (11 lines more; the page has them)\n    line\n") || !strings.Contains(out, `error \x1b[31m: 3`) || strings.Contains(out, "plays") {
		t.Errorf("%s", out)
	}
}

// A host that goes away meanwhile is asked again, also where its answer to the upload is lost.
func TestSubmitAsksAgain(t *testing.T) {
	t.Parallel()
	h := scripted()
	h.gone, h.lost = 3, true
	code, out, errs := submitted(t, h, botFile(t))
	if code != exitDone || !strings.Contains(out, "owls 2 plays") || strings.Count(errs, "the host does not answer; asking again") != 1 {
		t.Errorf("%d\n%s%s", code, out, errs)
	}
}

func TestSubmitErrors(t *testing.T) {
	t.Parallel()
	file := botFile(t)
	large := filepath.Join(t.TempDir(), "large.py")
	if err := os.WriteFile(large, make([]byte, 1001), 0o666); err != nil {
		t.Fatal(err)
	}
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("wrong\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	in := func(state string) *scriptedHost { return &scriptedHost{state: state, size: 1000} }
	html := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<!doctype html>") })
	other := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"hello": 1}`) })
	moved := http.RedirectHandler("https://league.example/", http.StatusMovedPermanently)
	for _, c := range []struct {
		why  string
		h    http.Handler
		args []string
		code int
		want string
	}{
		{"closed", in("closed"), []string{file}, 1, "the league has taken no more bots since 2026-02-01 00:00:00 UTC"},
		{"announced", in("announced"), []string{file}, 1, "the league takes bots from 2026-01-01 00:00:00 UTC on"},
		{"too large", in("open"), []string{large}, 1, "has 1001 bytes; the league takes at most 1000"},
		{"a wrong token", in("open"), []string{file, "--token-file", token}, 1, "No team has this token."},
		{"no token file", in("open"), []string{file, "--token-file", token + "s"}, 2, "--token-file"},
		{"no file", in("open"), []string{file + "s"}, 2, "no such file"},
		{"another site", html, []string{file}, 1, "there is no league of an arena host (200 OK); look at the address"},
		{"another server", other, []string{file}, 1, "there is no league of an arena host"},
		{"no page", http.NotFoundHandler(), []string{file}, 1, "there is no league of an arena host (404 Not Found)"},
		{"a redirect", moved, []string{file}, 1, "leads to https://league.example/: give that as --to"},
		{"no bot", in("open"), []string{"--challenge", "minmax"}, 1, "challenge minmax: There is no bot of this name."},
		{"nothing", in("open"), nil, 2, "name the file or the folder"},
		{"both", in("open"), []string{file, "--status"}, 2, "leave it out"},
		{"games of nothing", in("open"), []string{file, "--games", "3"}, 2, "--games goes with --challenge"},
		{"a later address", in("open"), []string{file, "--to", "ftp://x"}, 2, "write https://HOST or http://HOST:PORT"},
		{"nobody there", in("open"), []string{file, "--to", "127.0.0.1:1"}, 1, "http://127.0.0.1:1: "},
	} {
		code, out, errs := submitted(t, c.h, c.args...)
		if code != c.code || !strings.Contains(errs, c.want) || strings.Contains(out, "received") {
			t.Errorf("%s: %d\n%s%s", c.why, code, out, errs)
		}
	}
}

func TestSubmitStatusAndChallenge(t *testing.T) {
	t.Parallel()
	h := scripted()
	h.name = "bot.py"
	code, out, _ := submitted(t, h, "--status")
	if code != exitDone || !strings.Contains(out, "cup · team owls") || !strings.Contains(out, "+12") || !strings.Contains(out, "3 more submissions today.") || strings.Contains(out, "\x1b") {
		t.Errorf("%d\n%s", code, out)
	}
	if code, out, _ = submitted(t, h, "--status", "--json"); code != exitDone || !json.Valid([]byte(out)) {
		t.Errorf("%d\n%s", code, out)
	}
	code, out, _ = submitted(t, h, "--challenge", "minimax", "--games", "4")
	if code != exitDone || !strings.Contains(out, "4 games against minimax, unrated, waiting: URL/team#challenges") {
		t.Errorf("%d\n%s", code, out)
	}
}

// A folder is packed without what is no part of a bot, and always the same.
func TestSubmitPacksFolders(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "owl")
	for _, name := range []string{"main.py", "lib/a.py", ".git/config", "lib/__pycache__/a.pyc", "Cargo.toml", "target/debug/x", "lib/target/kept", "old.pyc"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(name), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	h := scripted()
	code, out, errs := submitted(t, h, dir)
	if code != exitDone || h.name != "owl.tar.gz" || !strings.Contains(errs, "left out: .git, __pycache__, old.pyc, target") {
		t.Fatalf("%d %q\n%s%s", code, h.name, out, errs)
	}
	first := h.file
	z, err := gzip.NewReader(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for r := tar.NewReader(z); ; {
		entry, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, entry.Name)
	}
	if want := []string{"Cargo.toml", "lib/", "lib/a.py", "lib/target/", "lib/target/kept", "main.py"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	again := scripted()
	if submitted(t, again, dir); !bytes.Equal(first, again.file) {
		t.Error("the same folder is packed otherwise the second time")
	}
	again.size = 20
	if code, _, errs = submitted(t, again, dir); code != exitFailed || !strings.Contains(errs, "more than the 20 bytes that the league takes") {
		t.Errorf("too large: %d %s", code, errs)
	}
}

// A token that was typed is kept for its host, in a file of the user's alone.
func TestTokensAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := &app{err: io.Discard, getenv: func(name string) string { return map[string]string{"XDG_CONFIG_HOME": dir}[name] }}
	a.keepToken("https://a", "one")
	a.keepToken("https://b", "two")
	a.keepToken("https://a", "three")
	if got := a.readTokens(); !slices.Equal(got, []keptToken{{"https://a", "three"}, {"https://b", "two"}}) {
		t.Errorf("%v", got)
	}
	info, err := os.Stat(a.tokensFile())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if token, asked, err := a.token("", "https://b", a.readTokens()); token != "two" || asked || err != nil {
		t.Errorf("%q %v %v", token, asked, err)
	}
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
