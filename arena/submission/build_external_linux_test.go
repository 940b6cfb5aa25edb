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
	"botarena/arena/submission"
	"botarena/bots/examples"
)

// strict returns a builder with the strict sandbox and this machine's languages.
func strict(t *testing.T, change func(*submission.Config)) *submission.Builder {
	t.Helper()
	c := submission.Config{Starter: newStarter(t, os.Environ()), Path: os.Getenv("PATH")}
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

// Each starter kit, handed in as it is, is built and speaks in the sandbox.
func TestExternalKits(t *testing.T) {
	b := strict(t, nil)
	for _, l := range b.Languages() {
		t.Run(l.Name, func(t *testing.T) {
			kit, err := submission.Kit(examples.FirstBots(), l.Name, submission.About{League: "autumn", Game: "breakthrough:6x6"})
			if err != nil {
				t.Fatal(err)
			}
			bot, log := built(t, b, "kit.zip", kit)
			t.Logf("%q\n%s", bot.Command, log)
			speaks(t, bot)
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
		"memory":          {`python3 -c 'x = b"x" * (1 << 30)'`, "the build failed"},
		"link out":        {`ln -s /etc/hostname x`, `after the build, "x" is a link to "/etc/hostname"`},
		"pipe":            {`mkfifo x`, "device or a pipe"},
		"killed":          {`kill -9 $PPID`, "the build failed (killed by signal: killed)"},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			_, log, err := handIn(t, b, "bot.zip", zipOf(t, entry{name: "bot.py", text: "x"}, entry{name: "bot.yaml", text: "build: [sh, build.sh]\ncommand: python3 bot.py"}, entry{name: "build.sh", text: c.build}))
			var refused *submission.RefusedError
			if !errors.As(err, &refused) || refused.Step != submission.Building || !strings.Contains(refused.Reason, c.want) || refused.Log != log {
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
