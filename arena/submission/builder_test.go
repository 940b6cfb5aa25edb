//go:build unix

package submission_test

import (
	"bytes"
	"encoding/json"
	"errors"
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

// newStarter returns the only Starter at a time: tests with one are not parallel to others.
func newStarter(t *testing.T, environ []string) *process.Starter {
	t.Helper()
	s, err := process.NewStarter(process.Config{RunID: "submission", Environ: environ, Home: os.Getenv("HOME"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// machine returns the configuration of a host that trusts all teams and has those programs,
// each a script. A compiler's writes a bot that repeats its arguments.
func machine(t *testing.T, programs ...string) submission.Config {
	t.Helper()
	dir := t.TempDir()
	const script = `#!/bin/sh
case $1 in
-version|--version|version) echo "$(basename "$0") 1.2 (fake)"; echo more; exit ;;
esac
[ -e fails ] && { echo "error: wrong"; exit 2; }
echo "compiles $*" >&2
echo "echo $*" > bot
chmod +x bot
mkdir -p classes bin
cp bot bin/mine
`
	for _, name := range programs {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return submission.Config{
		Starter: newStarter(t, []string{"PATH=" + dir + ":/usr/bin:/bin"}), Path: dir, Trusted: true,
	}
}

func builder(t *testing.T, c submission.Config) *submission.Builder {
	t.Helper()
	b, err := submission.New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// everything are the programs of all languages.
func everything() []string {
	return []string{"gcc", "g++", "go", "javac", "java", "node", "python3", "rustc", "cargo"}
}

// unpacked hands in a file and unpacks it.
func unpacked(t *testing.T, name string, data []byte) (dir string, err error) {
	t.Helper()
	return unpack(t, name, data, submission.Limits{})
}

// handIn takes a file all the way.
func handIn(t *testing.T, b *submission.Builder, name string, data []byte) (bot arena.Bot, log string, err error) {
	t.Helper()
	dir, err := unpacked(t, name, data)
	if err != nil {
		return bot, "", err
	}
	plan, err := b.Plan(dir)
	if err != nil {
		return bot, "", err
	}
	return b.Build(t.Context(), dir, filepath.Join(filepath.Dir(dir), "built"), plan)
}

func TestLanguages(t *testing.T) {
	b := builder(t, machine(t, "python3", "clang", "javac", "nodejs"))
	want := []submission.Language{
		{Name: "c", Title: "C", Version: "clang 1.2 (fake)", Endings: []string{".c"}},
		{Name: "javascript", Title: "JavaScript", Version: "Node.js nodejs 1.2 (fake)", Endings: []string{".js", ".mjs", ".cjs"}},
		{Name: "python", Title: "Python", Version: "python3 1.2 (fake)", Endings: []string{".py"}},
	}
	if got := b.Languages(); !slices.EqualFunc(got, want, func(a, b submission.Language) bool {
		return a.Name == b.Name && a.Title == b.Title && a.Version == b.Version && slices.Equal(a.Endings, b.Endings)
	}) {
		t.Errorf("%+v", got)
	}
	for name, c := range map[string]struct {
		languages []string
		want      string
	}{
		"unknown":   {[]string{"pyton"}, `unknown language "pyton"; did you mean "python"?`},
		"missing":   {[]string{"c", "java"}, "bots cannot be made here in Java (no java in PATH); install"},
		"two parts": {[]string{"rust"}, "in Rust (no rustc in PATH)"},
	} {
		config := machine(t, "python3", "gcc", "javac")
		config.Languages = c.languages
		if _, err := submission.New(t.Context(), config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want words %q", name, err, c.want)
		}
	}
	if _, err := submission.New(t.Context(), machine(t)); err == nil || !strings.Contains(err.Error(), "C (no gcc in PATH), C++") {
		t.Errorf("nothing is installed: %v", err)
	}
}

// How files become a bot: the build and the command, each a line.
func TestPlan(t *testing.T) {
	b := builder(t, machine(t, everything()...))
	const javaMain = "class Helper {}\npublic class Main {\n\tpublic static void main(String[] a) {}\n}"
	for name, c := range map[string]struct {
		files                    []entry
		language, build, command string
	}{
		"python":              {[]entry{{name: "mine.py"}}, "python", "", "python3 mine.py"},
		"python of several":   {[]entry{{name: "aaa.py"}, {name: "main.py"}, {name: "bot.py"}, {name: "lib/bot.py"}}, "python", "", "python3 bot.py"},
		"python main":         {[]entry{{name: "aaa.py"}, {name: "main.py"}}, "python", "", "python3 main.py"},
		"python in src":       {[]entry{{name: "src/bot.py"}, {name: "README.md"}}, "python", "", "python3 src/bot.py"},
		"javascript":          {[]entry{{name: "index.mjs"}, {name: "lib.js"}, {name: "node_modules/x/bot.js"}}, "javascript", "", "node index.mjs"},
		"c":                   {[]entry{{name: "b.c"}, {name: "a.c"}, {name: "a.h"}}, "c", "gcc -O2 -o bot a.c b.c -lm -pthread", "./bot"},
		"c++ and c":           {[]entry{{name: "b.c"}, {name: "a.cpp"}, {name: "d.cc"}}, "cpp", "g++ -std=c++20 -O2 -o bot a.cpp d.cc b.c -pthread", "./bot"},
		"go file":             {[]entry{{name: "mine.go"}, {name: "mine_test.go"}}, "go", "go build -o bot mine.go", "./bot"},
		"go module":           {[]entry{{name: "go.mod"}, {name: "main.go", text: "// doc\npackage main // x\n"}, {name: "cmd/x/x.go", text: "package main"}}, "go", "go build -o bot .", "./bot"},
		"go module's command": {[]entry{{name: "go.mod"}, {name: "lib.go", text: "package lib"}, {name: "cmd/x/x.go", text: "package main"}, {name: "vendor/y/y.go", text: "package main"}}, "go", "go build -o bot ./cmd/x", "./bot"},
		"rust file":           {[]entry{{name: "main.rs"}, {name: "board.rs"}}, "rust", "rustc -O --edition 2021 -o bot main.rs", "./bot"},
		"cargo":               {[]entry{{name: "Cargo.toml"}, {name: "src/main.rs"}, {name: "bot.py"}, {name: "x.md"}}, "", "", ""},
		"cargo alone":         {[]entry{{name: "Cargo.toml"}, {name: "src/main.rs"}}, "rust", "cargo install --offline --path . --root .", ""},
		"java":                {[]entry{{name: "Main.java", text: javaMain}}, "java", "javac -encoding UTF-8 -d classes Main.java", "java -cp classes Main"},
		"java by its class":   {[]entry{{name: "mine.java", text: "class A {}\nclass Mine {\n\tpublic static final void main(String... a) {}\n}"}}, "java", "javac -encoding UTF-8 -d classes mine.java", "java -cp classes Mine"},
		"java packages":       {[]entry{{name: "src/a/b/Bot.java", text: "package a.b;\n" + strings.ReplaceAll(javaMain, "Main", "Bot")}, {name: "src/a/Main.java", text: "package a;\n" + javaMain}, {name: "README"}}, "java", "javac -encoding UTF-8 -d classes src/a/Main.java src/a/b/Bot.java", "java -cp classes a.b.Bot"},
		"two by name":         {[]entry{{name: "bot.py"}, {name: "tool.c"}}, "python", "", "python3 bot.py"},
		"bot.yaml":            {[]entry{{name: "a.py"}, {name: "b.py"}, {name: "bot.yaml", text: "command: python3 b.py --deep"}}, "", "", "python3 b.py --deep"},
		"bot.yaml only":       {[]entry{{name: "bot.sh", text: "#!/bin/sh"}, {name: "bot.yaml", text: "command: ./bot.sh\nprotocol: uci\noptions: {Hash: 1}"}}, "", "", "./bot.sh"},
		"bot.yaml for others": {[]entry{{name: "bot.rb"}, {name: "bot.yaml", text: "build: sh make.sh\ncommand: ./bot"}}, "", "sh make.sh", "./bot"},
		"bot.yaml's protocol": {[]entry{{name: "bot.py"}, {name: "bot.yaml", text: "protocol: uci\noptions: {Hash: 1}"}}, "python", "", "python3 bot.py"},
		"bot.yaml builds":     {[]entry{{name: "bot.c"}, {name: "Makefile"}, {name: "bot.yaml", text: "build: make all\ncommand: ./out"}}, "c", "make all", "./out"},
		"bot.yaml prepares":   {[]entry{{name: "bot.py"}, {name: "bot.yaml", text: "build: python3 prepare.py"}}, "python", "python3 prepare.py", "python3 bot.py"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := unpacked(t, "bot.zip", zipOf(t, c.files...))
			if err != nil {
				t.Fatal(err)
			}
			p, err := b.Plan(dir)
			if name == "cargo" {
				if err == nil || !strings.Contains(err.Error(), "sources in Python and Rust") {
					t.Errorf("%v", err)
				}
				return
			}
			if name == "bot.yaml" {
				c.language = "python"
			}
			if err != nil || p.Language != c.language || strings.Join(p.Build, " ") != c.build || strings.Join(p.Command, " ") != c.command {
				t.Errorf("%+v, %v", p, err)
			}
			uci := strings.Contains(c.files[len(c.files)-1].text, "uci")
			if (p.Protocol == arena.ProtocolUCI) != uci || (len(p.Options) == 1) != uci {
				t.Errorf("protocol %q, options %v", p.Protocol, p.Options)
			}
		})
	}
}

func TestPlanRefuses(t *testing.T) {
	b := builder(t, machine(t, "python3", "gcc", "rustc", "go", "javac", "java"))
	yaml := func(text string) []entry { return []entry{{name: "bot.yaml", text: text}, {name: "bot.py"}} }
	for name, c := range map[string]struct {
		files []entry
		want  string
	}{
		"no source":        {[]entry{{name: "notes.txt"}}, "there is no source file at its top; this host takes C (.c), Go (.go), Java (.java), Python (.py) and Rust (.rs)"},
		"too deep":         {[]entry{{name: "a/b/bot.py"}, {name: "x"}}, "no source file at its top"},
		"not here":         {[]entry{{name: "bot.js"}}, "its sources are in JavaScript, which this host does not take; it takes C (.c)"},
		"not here, but":    {[]entry{{name: "bot.js"}, {name: "bot.yaml", text: "command: ./bot.js"}}, "its sources are in JavaScript"},
		"which":            {[]entry{{name: "a.py"}, {name: "b.py"}}, "several Python files, and none that starts the bot by its name; call that one bot.py"},
		"languages":        {[]entry{{name: "a.py"}, {name: "b.c"}}, "sources in C and Python; call the main file bot"},
		"no cargo":         {[]entry{{name: "Cargo.toml"}, {name: "src/main.rs"}}, "this host has no Cargo"},
		"no go main":       {[]entry{{name: "go.mod"}, {name: "x.go", text: "package x"}}, "none of its Go files is of package main"},
		"go mains":         {[]entry{{name: "go.mod"}, {name: "cmd/x/x.go", text: "package main"}, {name: "cmd/y/x.go", text: "package main"}}, "several programs (cmd/x, cmd/y)"},
		"no java main":     {[]entry{{name: "Bot.java", text: "class Bot {}"}}, "none of its Java files has a method"},
		"unknown key":      {yaml("comand: python3 bot.py"), `bot.yaml:1:1: comand: unknown key; did you mean "command"?`},
		"host's key":       {yaml("protocol: ugi\nsandbox: none"), "bot.yaml:2:1: sandbox: unknown key"},
		"outside":          {yaml("command: ../bot"), `command: "../bot" leads out of the folder`},
		"absolute":         {yaml("command: /usr/bin/python3 bot.py"), `command: "/usr/bin/python3" leads out of the folder`},
		"argument outside": {yaml("command: [python3, bot.py, a/../../x]"), `leads out of the folder`},
		"build outside":    {yaml("build: make -C ..\ncommand: ./bot"), `build: ".." leads out of the folder`},
		"no program":       {yaml("command: ./bto.py"), `there is no program "./bto.py" in the folder or on this host; did you mean "bot.py"?`},
		"no script":        {yaml("command: python3 bto.py"), `there is no "bto.py" in the folder; did you mean "bot.py"?`},
		"no command":       {[]entry{{name: "bot.c"}, {name: "bot.yaml", text: "build: make"}}, "add the command that starts what it builds"},
		"large settings":   {yaml("#" + strings.Repeat("x", 70_000)), "larger than 64 KiB"},
		"bot.yml":          {[]entry{{name: "bot.py"}, {name: "bot.yml"}}, "call it bot.yaml"},
		"a folder":         {[]entry{{name: "bot.py"}, {name: "bot.yaml/x"}}, "bot.yaml is a folder"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := unpacked(t, "bot.zip", zipOf(t, c.files...))
			if err != nil {
				t.Fatal(err)
			}
			_, err = b.Plan(dir)
			var refused *submission.RefusedError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) || strings.Contains(refused.Reason, dir) {
				t.Errorf("%v\nwant words\n%s", err, c.want)
			}
		})
	}
}

// A reason is a sentence, where it is not a place in a file.
func TestReason(t *testing.T) {
	b := builder(t, machine(t, "python3"))
	for file, want := range map[string]string{
		"bot.c":       "Its sources are in C, which this host does not take; it takes Python (.py).",
		"notes.txt":   "There is no source file at its top; this host takes Python (.py).",
		"bot.yaml":    `bot.yaml:1:1: x: unknown key; known keys: command, build, options, protocol`,
		"bot.pdf.zip": `"bot.pdf.zip" is named as an archive and is none, or only a part of one; make it anew and hand in all of it`,
	} {
		_, _, err := handIn(t, b, file, []byte("x: 1"))
		var refused *submission.RefusedError
		if !errors.As(err, &refused) || refused.Reason != want {
			t.Errorf("%s:\n%q, want\n%q", file, refused.Reason, want)
		}
	}
}

func TestBuild(t *testing.T) {
	b := builder(t, machine(t, everything()...))
	bot, log, err := handIn(t, b, "my bot.c", []byte("int main() {}"))
	if err != nil || log != "compiles -O2 -o bot my bot.c -lm -pthread\n" {
		t.Fatalf("%q, %v", log, err)
	}
	if got := contents(t, bot.Dir); !slices.Equal(got, []string{"bin/mine*: echo -O2 -o bot my bot.c -lm -pthread\n", "bot*: echo -O2 -o bot my bot.c -lm -pthread\n", "classes/", "my bot.c: int main() {}"}) {
		t.Errorf("%q", got)
	}
	if !slices.Equal(bot.Command, []string{"./bot"}) || filepath.Base(bot.Dir) != "built" || bot.Sandbox != arena.SandboxNone {
		t.Errorf("%+v", bot)
	}
	bot, _, err = handIn(t, b, "bot.zip", zipOf(t, entry{name: "Cargo.toml"}, entry{name: "src/main.rs"}))
	if err != nil || !slices.Equal(bot.Command, []string{"./bin/mine"}) {
		t.Errorf("%q, %v", bot.Command, err)
	}
	bot, log, err = handIn(t, b, "bot.py", []byte("x"))
	if err != nil || log != "" || filepath.Base(bot.Dir) != "bot" {
		t.Errorf("nothing to build: %+v, %q, %v", bot, log, err)
	}
	bot.Name = "bot"
	if err := bot.Validate(arena.Known{}); err != nil {
		t.Error(err)
	}
	again := arena.Bot{}
	if text, err := json.Marshal(bot); err != nil || json.Unmarshal(text, &again) != nil || again.Dir != bot.Dir {
		t.Errorf("%s, %v", text, err)
	}
}

func TestBuildRefuses(t *testing.T) {
	c := machine(t, everything()...)
	c.Limits.Time = time.Minute
	b := builder(t, c)
	for name, c := range map[string]struct {
		files []entry
		want  string
		log   string
	}{
		"fails":      {[]entry{{name: "bot.c"}, {name: "fails"}}, "the build failed (exit status 2); its log says why", "error: wrong\n"},
		"no program": {[]entry{{name: "bot.c"}, {name: "bot.yaml", text: "build: touch x\ncommand: ./bto"}}, `there is no program "./bto"`, ""},
		"no tool":    {[]entry{{name: "bot.c"}, {name: "bot.yaml", text: "build: no-such-tool x\ncommand: ./bot"}}, "the build failed (exit status 127)", "no-such-tool"},
		"a link out": {[]entry{{name: "bot.c"}, {name: "bot.yaml", text: "build: ln -s ../secret x\ncommand: ./x"}}, "leads out of the folder", ""},
		"links out":  {[]entry{{name: "bot.c"}, {name: "build.sh", text: "ln -s ../../../etc/passwd x"}, {name: "bot.yaml", text: "build: sh build.sh\ncommand: ./x"}}, `after the build, "x" is a link to "../../../etc/passwd"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, log, err := handIn(t, b, "bot.zip", zipOf(t, c.files...))
			var refused *submission.RefusedError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) || refused.Log != log || !strings.Contains(log, c.log) {
				t.Errorf("%v, want words %q\n%s", err, c.want, log)
			}
		})
	}
}

// Where the host cannot make its own cache, no team is refused for it.
func TestBuildWithoutSeed(t *testing.T) {
	c := machine(t, "go") // which leaves no cache
	c.Cache = filepath.Join(t.TempDir(), "cache")
	_, _, err := handIn(t, builder(t, c), "bot.go", []byte("package main"))
	if refused := new(submission.RefusedError); err == nil || errors.As(err, &refused) || !strings.Contains(err.Error(), "fill the cache of Go's compiler: the build failed") {
		t.Errorf("%#v", err)
	}
}

// A build that is begun again replaces what an earlier one left.
func TestBuildAgain(t *testing.T) {
	b := builder(t, machine(t, everything()...))
	dir, err := unpacked(t, "bot.c", []byte("int main() {}"))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := b.Plan(dir)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(filepath.Dir(dir), "built")
	for _, old := range []string{to, to + ".part"} {
		if err := os.MkdirAll(filepath.Join(old, "bot", "old"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if _, log, err := b.Build(t.Context(), dir, to, plan); err != nil || log == "" {
			t.Fatal(log, err)
		}
		if got := contents(t, to); len(got) != 4 {
			t.Errorf("%q", got)
		}
		if _, err := os.Stat(to + ".part"); err == nil {
			t.Error("a part is left")
		}
	}
}

func TestKit(t *testing.T) {
	about := submission.About{League: "autumn cup", Game: "breakthrough:6x6", URL: "http://league.test"}
	b := builder(t, machine(t, everything()...))
	for _, l := range b.Languages() {
		kit, err := submission.Kit(examples.FirstBots(), l.Name, about)
		if err != nil {
			t.Fatal(err)
		}
		again, err := submission.Kit(examples.FirstBots(), l.Name, about)
		if err != nil || !bytes.Equal(kit, again) {
			t.Errorf("%s: another kit each time: %v", l.Name, err)
		}
		dir, err := unpacked(t, "kit.zip", kit)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := b.Plan(dir); err != nil || p.Language != l.Name {
			t.Errorf("%s: %+v, %v", l.Name, p, err)
		}
		readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
		for _, want := range []string{"# A first bot for autumn cup\n", " --game breakthrough:6x6\n", "arena submit ", " --to http://league.test\n"} {
			if err != nil || !strings.Contains(string(readme), want) {
				t.Errorf("%s has not %q: %v\n%s", l.Name, want, err, readme)
			}
		}
	}
	if _, err := submission.Kit(examples.FirstBots(), "cobol", about); err == nil || !strings.Contains(err.Error(), `"cobol"`) {
		t.Error(err)
	}
	about.Game, about.Rules, about.URL = "hex", true, ""
	kit, err := submission.Kit(examples.FirstBots(), "python", about)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := unpacked(t, "kit.zip", kit)
	if err != nil {
		t.Fatal(err)
	}
	const want = `# A first bot for autumn cup

` + "`first_bot.py`" + ` is a whole bot: it plays a random legal move, and arena tells it which moves are legal.

1. Change its function ` + "`choose`" + `.
2. Check it:  arena check first_bot.py
3. Play against it:  arena play first_bot.py
4. Hand it in:  arena submit first_bot.py --to URL

The league's page takes it as well: choose the file there, or a zip of the whole folder if the bot grows to several files.
The rules of hex are a program of the organiser's; without it, check and play at home with another game.
`
	if got, err := os.ReadFile(filepath.Join(dir, "README.md")); err != nil || string(got) != want {
		t.Errorf("%s\n%v", got, err)
	}
}
