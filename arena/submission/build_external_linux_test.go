//go:build linux && !portable && external

package submission_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/process"
	"botarena/arena/submission"
	"botarena/bots/examples"
)

// strict returns a builder with the strict sandbox and this machine's languages, and with
// time for builds on a busy machine.
func strict(t *testing.T, change func(*submission.Config)) *submission.Builder {
	t.Helper()
	c := submission.Config{Starter: newStarter(t, os.Environ()), Path: os.Getenv("PATH"), Limits: submission.Limits{Time: 10 * time.Minute}}
	if change != nil {
		change(&c)
	}
	b, err := submission.New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestExternalLanguages(t *testing.T) {
	var got []string
	for _, l := range strict(t, nil).Languages() {
		got = append(got, l.Title)
		if !strings.ContainsAny(l.Version, "0123456789") {
			t.Errorf("%s is of version %q", l.Title, l.Version)
		}
		t.Log(l.Title, l.Version)
	}
	if want := []string{"C", "C++", "Go", "Java", "JavaScript", "Python", "Rust"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q: install the others (gcc, g++, default-jdk-headless, nodejs, python3, rustc)", got, want)
	}
}

// Programs of several files, as people write them, are built and speak in the sandbox.
func TestExternalPrograms(t *testing.T) {
	first := func(name string) string {
		text, err := examples.FirstBots().ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	c, rust, java, python := first("c/first_bot.c"), first("rust/first_bot.rs"), first("java/FirstBot.java"), first("python/first_bot.py")
	b := strict(t, func(c *submission.Config) { c.Languages = []string{"c", "cpp", "go", "java", "python", "rust"} })
	for name, files := range map[string][]entry{
		"c":                   {{name: "main.c", text: strings.Replace(c, "int main(", "#include \"more.h\"\nint main(", 1)}, {name: "more.c", text: "#include <math.h>\nint more(void) { return (int)sqrt(2); }"}, {name: "more.h", text: "int more(void);"}},
		"c++ in src":          {{name: "src/first_bot.cpp", text: first("cpp/first_bot.cpp")}, {name: "src/more.cpp", text: "int more() { return 1; }"}, {name: "README", text: "x"}},
		"go module":           {{name: "go.mod", text: "module mine\n\ngo 1.21\n"}, {name: "main.go", text: strings.Replace(first("go/first_bot/main.go"), "func main() {", "func main() {\n\tboard.New()", 1)}, {name: "board/board.go", text: "package board\n\nfunc New() {}\n"}},
		"cargo":               {{name: "Cargo.toml", text: "[package]\nname = \"my-bot\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"}, {name: "src/main.rs", text: strings.Replace(rust, "use std::io", "mod board;\nuse std::io", 1)}, {name: "src/board.rs", text: "#[allow(dead_code)] pub fn new() {}\n"}},
		"java packages":       {{name: "README", text: "x"}, {name: "src/a/FirstBot.java", text: "package a;\n" + strings.Replace(java, "first-java", "grün", 1)}, {name: "src/a/b/Board.java", text: "package a.b;\npublic class Board {}\n"}},
		"python modules":      {{name: "bot.py", text: "import board\n" + python}, {name: "board/__init__.py", text: "from . import more"}, {name: "board/more.py", text: ""}},
		"make":                {{name: "Makefile", text: "mine: first_bot.c\n\t$(CC) -o $@ $<\n"}, {name: "first_bot.c", text: c}, {name: "bot.yaml", text: "build: make\ncommand: ./mine\nprotocol: ugi\n"}},
		"a script of Windows": {{name: "run", text: "#!/bin/sh\nexec python3 bot.py\n"}, {name: "bot.py", text: python}, {name: "bot.yaml", text: "command: ./run\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.HasPrefix(name, "go") {
				files[1].text = strings.Replace(files[1].text, `"bufio"`, "\"bufio\"\n\t\"mine/board\"", 1)
			}
			bot, log := built(t, b, "bot.zip", zipOf(t, files...))
			t.Logf("%q\n%s", bot.Command, log)
			speaks(t, bot)
		})
	}
	for name, c := range map[string]struct {
		files []entry
		want  string
	}{
		"go module from the network":   {[]entry{{name: "go.mod", text: "module mine\n\ngo 1.21\n\nrequire golang.org/x/text v0.3.0\n"}, {name: "main.go", text: "package main\n\nimport _ \"golang.org/x/text\"\n\nfunc main() {}\n"}}, "go mod vendor"},
		"crate from the network":       {[]entry{{name: "Cargo.toml", text: "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nrand = \"0.8\"\n"}, {name: "src/main.rs", text: "fn main() {}"}}, "cargo vendor"},
		"two programs":                 {[]entry{{name: "Cargo.toml", text: "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"}, {name: "src/bin/x.rs", text: "fn main() {}"}, {name: "src/bin/y.rs", text: "fn main() {}"}}, "several programs (x, y); call the bot's bot"},
		"public class of another name": {[]entry{{name: "mine.java", text: java}}, "its log says why"},
	} {
		t.Run(name, func(t *testing.T) {
			_, log, err := handIn(t, b, "bot.zip", zipOf(t, c.files...))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want words %q\n%s", err, c.want, log)
			}
		})
	}
}

// built hands in a file and returns the bot that it becomes.
func built(t *testing.T, b *submission.Builder, name string, data []byte) (arena.Bot, string) {
	t.Helper()
	bot, log, err := handIn(t, b, name, data)
	if err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	return bot, log
}

// speaks starts a bot and greets it.
func speaks(t *testing.T, bot arena.Bot) {
	t.Helper()
	s := newStarter(t, os.Environ())
	p, err := s.Start(t.Context(), spec(bot))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.End(0) }()
	if err := p.Write([]byte("ugi\n"), time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	for {
		line, err := p.ReadLine(time.Now().Add(time.Minute))
		if err != nil {
			t.Fatalf("it does not answer: %v", err)
		}
		if string(line) == "ugiok" {
			return
		}
	}
}

// What a build may not do ends it or comes to nothing, and is told in a sentence.
func TestExternalHostileBuilds(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("token"), 0o644); err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().String()[strings.LastIndex(listener.Addr().String(), ":")+1:]
	b := strict(t, func(c *submission.Config) {
		c.Languages = []string{"python"}
		c.Limits = submission.Limits{Time: 5 * time.Second, Disk: 20 << 20, Size: 10 << 20, Files: 100, Processes: 50, Memory: 500 << 20}
	})
	for name, c := range map[string]struct{ build, want string }{
		"fails":           {`echo wrong >&2; exit 3`, "the build failed (exit status 3); its log says why"},
		"never ends":      {`while :; do :; done`, "took longer than 5s"},
		"ignores signals": {`trap '' TERM INT HUP; (trap '' TERM; sleep 1000) & sleep 1000`, "took longer than 5s"},
		"forks":           {`f() { sleep 3 & f; }; f`, "more than 50 processes"},
		"fills the disk":  {`cat /dev/zero > big`, "writes more than 20 MiB"},
		"many small":      {`i=0; while [ $i -lt 200 ]; do i=$((i+1)); mkdir d$i; done`, "after the build, it has more than 100 files"},
		"large result":    {`head -c 12000000 /dev/zero > big`, "after the build, its files have more than 10 MiB"},
		"sparse":          {`truncate -s 1T big`, "writes more than 20 MiB"},
		"memory":          {`python3 -c 'x = b"x" * (1 << 30)'`, "needs more than 500 MiB of memory"},
		"link out":        {`ln -s /etc/hostname x`, `after the build, "x" is a link to "/etc/hostname"`},
		"pipe":            {`mkfifo x`, "device or a pipe"},
		"killed":          {`kill -9 $PPID`, "the build failed (killed by signal: killed)"},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			_, log, err := handIn(t, b, "bot.zip", zipOf(t, entry{name: "bot.py", text: "x"}, entry{name: "bot.yaml", text: "build: [sh, build.sh]\ncommand: python3 bot.py"}, entry{name: "build.sh", text: c.build}))
			var refused *submission.RefusedError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) || refused.Log != log {
				t.Errorf("%v, want words %q\n%s", err, c.want, log)
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
	for name, c := range map[string]struct{ build, want string }{
		"writes outside": {`for f in / /usr /etc /var /home ` + filepath.Dir(secret) + `; do (echo x > $f/arena-build-test) 2>/dev/null && echo "wrote $f"; done; echo x > ../x; true`, ""},
		"reads":          {`cat ` + secret + ` /etc/shadow /etc/passwd /root/.profile /root/.bashrc 2>/dev/null; ls -A /home /srv 2>/dev/null; true`, ""},
		"socket":         {`python3 -c 'import socket; socket.create_connection(("127.0.0.1", ` + port + `), 2); print("connected")' 2>/dev/null; true`, ""},
		"environment":    {`env | grep -i secret; true`, ""},
		"floods":         {`yes | head -c 5000000; echo end`, "y\ny\nend\n"},
		"leaves":         {`(while :; do sleep 1; echo still; done) & true`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bot, log := built(t, b, "bot.zip", zipOf(t, entry{name: "bot.py", text: "x"}, entry{name: "bot.yaml", text: "build: [sh, build.sh]\ncommand: python3 bot.py"}, entry{name: "build.sh", text: c.build}))
			if !strings.HasSuffix(log, c.want) || c.want == "" && log != "" || len(log) > 64<<10 {
				t.Errorf("it said %q", log[max(0, len(log)-1000):])
			}
			if got := contents(t, bot.Dir); len(got) != 3 {
				t.Errorf("%q", got)
			}
		})
	}
}

// With a folder for it, Go's library is compiled once, by a program of the builder's own;
// what is handed in writes to a copy of that cache.
func TestExternalSeed(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "cache")
	b := strict(t, func(c *submission.Config) {
		c.Languages, c.Cache, c.Limits.Size = []string{"go"}, cache, 16<<20
	})
	files := []entry{
		{name: "main.go", text: "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(1) }\n"},
		{name: "bot.yaml", text: "build: sh build.sh\ncommand: ./bot"},
		{name: "build.sh", text: `[ -d "$GOCACHE/00" ] && echo seeded; go build -x -o bot main.go 2>&1 | grep -c /compile; touch "$GOCACHE/00/mine"`},
	}
	var before []string
	for i := range 2 {
		bot, log := built(t, b, "bot.zip", zipOf(t, files...))
		if log != "seeded\n1\n" {
			t.Errorf("build %d: %q, want that the bot alone is compiled", i, log)
		}
		if got := contents(t, bot.Dir); len(got) != 4 {
			t.Errorf("build %d leaves %d files", i, len(got))
		}
		now := contents(t, cache)
		if i > 0 && !slices.Equal(before, now) {
			t.Error("the cache has changed")
		}
		before = now
	}
	entries, err := os.ReadDir(cache)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

func spec(bot arena.Bot) process.Spec { return process.SpecOf(bot, "") }
