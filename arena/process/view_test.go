//go:build linux && !portable && external

package process_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/process"
)

// tree writes files below a folder: path to text, "-> target" for a symbolic link;
// a text that begins with "#!" is a program's.
func tree(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		var err error
		if target, link := strings.CutPrefix(text, "-> "); link {
			err = os.Symlink(target, file)
		} else {
			err = os.WriteFile(file, []byte(strings.ReplaceAll(text, "ROOT", root)), mode)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// inside starts a command in a strict sandbox and returns all that it says; PATH
// begins with the folders.
func inside(t *testing.T, home, dir string, path []string, change func(*process.Spec), command ...string) string {
	t.Helper()
	s, err := process.NewStarter(process.Config{
		RunID: runID(t), Now: time.Now, Home: home,
		Environ: []string{"PATH=" + strings.Join(append(path, "/usr/bin", "/bin"), ":")},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	var said buffer
	spec := process.Spec{Command: command, Dir: dir, Sandbox: arena.SandboxStrict, Stderr: &said}
	if change != nil {
		change(&spec)
	}
	p, err := s.Start(context.Background(), spec)
	if err != nil {
		return "start: " + err.Error()
	}
	var lines []string
	for {
		line, err := p.ReadLine(in(generous))
		if err != nil {
			break
		}
		lines = append(lines, string(line))
	}
	if err := p.End(0); err != nil {
		t.Error(err)
	}
	return strings.Join(lines, "\n") + said.String()
}

// A pyenv of three lines, which knows the version as the real one does: from a file
// or the environment, not from the shim.
func pyenv() map[string]string {
	shim := "#!/bin/sh\nset -e\nprogram=\"${0##*/}\"\nexport PYENV_ROOT=\"ROOT/.pyenv\"\nexec \"ROOT/.pyenv/libexec/pyenv\" exec \"$program\" \"$@\"\n"
	manager := `#!/bin/sh
env > ROOT/asked
version=${PYENV_VERSION:-$(cat .python-version 2>/dev/null || echo 3.1)}
file=ROOT/.pyenv/versions/$version/bin/$2
[ -x "$file" ] || { echo "pyenv: version $version is not installed"; exit 1; }
case $1 in which) echo "$file";; exec) shift 2; exec "$file" "$@";; esac
`
	files := map[string]string{".pyenv/shims/python3": shim, ".pyenv/libexec/pyenv": manager, "secret": "the user's\n"}
	for _, version := range []string{"3.1", "3.2"} {
		at := ".pyenv/versions/" + version
		files[at+"/bin/python3"] = "-> python" + version
		files[at+"/bin/python"+version] = "#!/bin/sh\necho \"python " + version + ": $(cat ROOT/" + at + "/lib/python" + version + "/os.py)\"\n[ -e ROOT/secret ] && echo \"and the secret\"\nfor f; do cat \"$f\"; done\nexit 0\n"
		files[at+"/lib/python"+version+"/os.py"] = "its library"
	}
	return files
}

func TestExternalSandboxShim(t *testing.T) {
	home := t.TempDir()
	tree(t, home, pyenv())
	tree(t, home, map[string]string{
		"bots/bot.py":            "#!/usr/bin/env python3\nits program\n",
		"bots/run.sh":            "# starts it\nexec python3 bot.py\n",
		"older/.python-version":  "3.2\n",
		"older/bot.py":           "the older's program\n",
		"broken/.python-version": "3.9\n",
		"hostile/shims/python3":  "#!/bin/sh\necho sh: not the manager; exit 0\nexec \"./evil\" exec \"$program\" \"$@\"\n",
		"hostile/evil":           "#!/bin/sh\ntouch ROOT/outside; echo /bin/sh\n",
	})
	path := []string{filepath.Join(home, ".pyenv/shims")}
	newer, program := "python 3.1: its library", "\n#!/usr/bin/env python3\nits program"
	show := func(paths ...string) func(*process.Spec) {
		return func(s *process.Spec) { s.Show = paths }
	}
	for _, test := range []struct {
		name    string
		dir     string
		change  func(*process.Spec)
		command []string
		want    string
	}{
		{"by its name", "bots", nil, []string{"python3", "bot.py"}, newer + program},
		{"by its path", "bots", nil, []string{path[0] + "/python3", "bot.py"}, newer + program},
		{"of a script", "bots", nil, []string{"./bot.py"}, newer + program},
		{"behind env", "bots", nil, []string{"env", "python3", "bot.py"}, newer + program},
		{"in a shell line", "bots", nil, []string{"sh", "-c", "nice python3 bot.py"}, newer}, // bot.py is no argument of its own
		{"in a shell line with the folder", "bots", show("."), []string{"sh", "-c", "nice python3 bot.py"}, newer + program},
		{"in a shell script", "bots", show("bot.py"), []string{"sh", "run.sh"}, newer + program},
		{"of the version of the folder", "older", nil, []string{"python3", "bot.py"}, "python 3.2: its library\nthe older's program"},
		{"whatever the environment of the bot says", "bots", func(s *process.Spec) { s.Env = []string{"PYENV_VERSION=3.2"} }, []string{"python3", "bot.py"}, newer + program},
		{"in a folder of the bot", "hostile", show("."), []string{"shims/python3"}, "sh: not the manager"},
		{"a version that is missing", "broken", nil, []string{"python3"}, "pyenv: version 3.9 is not installed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := inside(t, home, filepath.Join(home, test.dir), path, test.change, test.command...)
			if test.dir == "broken" {
				if !strings.HasPrefix(got, "start: sandbox strict: ") || !strings.Contains(got, test.want) {
					t.Errorf("got %q, want an error with %q", got, test.want)
				}
				return
			}
			got, _, _ = strings.Cut(got, "\ncat: ") // a missing file is said in the shell's words
			if got = strings.TrimSuffix(got, "cat: bot.py: No such file or directory\n"); strings.TrimSpace(got) != strings.TrimSpace(test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A real virtual environment, made from the interpreter that PATH has, with a
// library of its own; by links and by copies.
func TestExternalSandboxVenv(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{"--symlinks", "--copies"} {
		t.Run(how, func(t *testing.T) {
			root := t.TempDir()
			venv := filepath.Join(root, "venv")
			if out, err := exec.Command(python, "-m", "venv", "--without-pip", how, venv).CombinedOutput(); err != nil {
				t.Fatalf("make a virtual environment: %v\n%s", err, out)
			}
			packages, err := filepath.Glob(filepath.Join(venv, "lib/python3*/site-packages"))
			if err != nil || len(packages) != 1 {
				t.Fatal(packages, err)
			}
			tree(t, packages[0], map[string]string{"mylib.py": "word = 'from the environment'\n"})
			tree(t, root, map[string]string{
				"bots/bot.py": "import mylib, json, sys, os\nprint(mylib.word, sys.prefix != sys.base_prefix, os.path.exists('../secret'))\n",
				"secret":      "the user's\n",
			})
			tree(t, root, map[string]string{"bots/direct.py": "#!ROOT/venv/bin/python\nimport mylib\nprint(mylib.word)\n"})
			home, dir := os.Getenv("HOME"), filepath.Join(root, "bots")
			if got := inside(t, home, dir, nil, nil, "../venv/bin/python3", "bot.py"); got != "from the environment True False" {
				t.Error(got)
			}
			if got := inside(t, home, dir, []string{filepath.Join(venv, "bin")}, nil, "python", "bot.py"); got != "from the environment True False" {
				t.Error(got)
			}
			if got := inside(t, home, dir, nil, nil, "./direct.py"); got != "from the environment" {
				t.Error(got)
			}
		})
	}
}

// A strict sandbox shows what the command names, and not what lies beside it.
func TestExternalSandboxShowsWhatIsNamed(t *testing.T) {
	root := t.TempDir()
	tree(t, root, map[string]string{
		"league/arena.db": "the games", "league/rival.py": "a rival's", "league/mine.sh": "cat \"$@\" 2>/dev/null; ls; ls ..\n",
		"league/own/mine.sh": "-> ../mine.sh", "nets/net": "weights ", "nets/other": "more ", "league/lib/a.jar": "a ", "league/lib/b.jar": "b ",
		"linked": "-> league",
	})
	league := filepath.Join(root, "league")
	for _, test := range []struct {
		name    string
		dir     string
		show    []string
		command []string
		want    string
	}{
		{"its program alone", league, nil, []string{"sh", "mine.sh", "arena.db-"}, "mine.sh\nleague"},
		{"files behind ..", league, nil, []string{"sh", "mine.sh", "../nets/net"}, "weights mine.sh\nleague\nnets"},
		{"a folder behind ..", league, []string{"../nets"}, []string{"sh", "mine.sh", "../nets/net", "../nets/other"}, "weights more mine.sh\nleague\nnets"},
		{"a list", league, nil, []string{"sh", "mine.sh", "-cp=lib/a.jar:lib/b.jar"}, "lib\nmine.sh\nleague"},
		{"a link", filepath.Join(league, "own"), nil, []string{"sh", "mine.sh", "x"}, "mine.sh\nmine.sh\nown"},
		{"a linked folder", filepath.Join(root, "linked"), nil, []string{"sh", "mine.sh", "../nets/net"}, "weights mine.sh\nleague\nlinked\nnets"},
		{"all of its folder", league, []string{"."}, []string{"sh", "mine.sh", "x"}, "arena.db\nlib\nmine.sh\nown\nrival.py\nleague"},
		{"from home", league, []string{"~/nets/net"}, []string{"sh", "mine.sh", "../nets/net"}, "weights mine.sh\nleague\nnets"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := inside(t, root, test.dir, nil, func(s *process.Spec) { s.Show = test.show }, test.command...)
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	for show, want := range map[string]string{"no/such": `sandbox_read names "no/such", which does not exist`, "..": "holds the user's home", "~": "holds the user's home"} {
		got := inside(t, root, league, nil, func(s *process.Spec) { s.Show = []string{show} }, "sh", "mine.sh")
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", show, got, want)
		}
	}
}

// What only a file in the bot's folder names, and not its entry, is not shown where it is
// kept from other users, whatever names it.
func TestExternalSandboxHidesPrivateFiles(t *testing.T) {
	root := t.TempDir()
	spy := "#!/bin/sh\ncat ROOT/private/key ROOT/bots/link ROOT/bots/venv/lib/key 2>/dev/null; cat /etc/passwd 2>/dev/null; echo done\n"
	tree(t, root, map[string]string{
		"private/key": "the user's key\n", "bots/spy.sh": spy, "bots/link": "-> ../private/key", "bots/folder": "-> ../private", "bots/evil": "#!ROOT/private/key\n",
		"bots/venv/bin/python": spy, "bots/venv/lib": "-> ../../private", "bots/venv/pyvenv.cfg": "home = ROOT/private/bin\nexecutable = ROOT/private/key\nbase-executable = ROOT/bots/evil\nexecutable = /usr/bin/passwd\n",
	})
	for path, mode := range map[string]os.FileMode{"private/key": 0o644, "private": 0o700} {
		if err := os.Chmod(filepath.Join(root, path), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name, show string
		command    []string
		want       string
	}{
		{"a link among the arguments", ".", []string{"./spy.sh", "link"}, "bots/link in the bot's folder leads to"},
		{"a linked folder", ".", []string{"./spy.sh", "folder"}, "bots/folder in the bot's folder leads to"},
		{"a link in sandbox_read", "link", []string{"./spy.sh"}, "bots/link in the bot's folder leads to"},
		{"a virtual environment", ".", []string{"venv/bin/python"}, "done"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := inside(t, filepath.Join(root, "home"), filepath.Join(root, "bots"), nil, func(s *process.Spec) { s.Show = []string{test.show} }, test.command...)
			if !strings.Contains(got, test.want) || strings.Contains(got, "the user's key") || strings.Contains(got, "root:") {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A program's own libraries, which it names by its own place, come with it.
func TestExternalSandboxLibraries(t *testing.T) {
	root := t.TempDir()
	tree(t, root, map[string]string{
		"a.c": "int b(void);\nint a(void) { return b(); }\n", "b.c": "int b(void) { return 7; }\n",
		"main.c": "#include <stdio.h>\nint a(void);\nint main(void) { printf(\"%d\\n\", a()); }\n",
		"so/x":   "", "bots/x": "",
	})
	for _, args := range [][]string{
		{"-shared", "-fPIC", "-o", "so/libb.so", "b.c"},
		{"-shared", "-fPIC", "-o", "so/liba.so", "a.c", "-Lso", "-lb", "-Wl,-rpath,$ORIGIN"},
		{"-o", "bots/bot", "main.c", "-Lso", "-la", "-Wl,-rpath,$ORIGIN/../so", "-Wl,-rpath-link,so"},
	} {
		cmd := exec.Command("gcc", args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	if got := inside(t, "", filepath.Join(root, "bots"), nil, nil, "./bot"); got != "7" {
		t.Error(got)
	}
}

func TestExternalSandboxShimIsAskedOnce(t *testing.T) {
	home := t.TempDir()
	tree(t, home, pyenv())
	asked := filepath.Join(home, "asked")
	tree(t, home, map[string]string{".pyenv/libexec/pyenv": fmt.Sprintf("#!/bin/sh\necho x >> %s\necho a warning >&2\necho ROOT/.pyenv/versions/3.1/bin/$2\n", asked)})
	s, err := process.NewStarter(process.Config{RunID: runID(t), Now: time.Now, Home: home, Environ: []string{"PATH=" + home + "/.pyenv/shims:/usr/bin:/bin"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for range 3 {
		p, err := s.Start(context.Background(), process.Spec{Command: []string{"python3"}, Dir: home + "/.pyenv/versions", Sandbox: arena.SandboxStrict})
		if err != nil {
			t.Fatal(err)
		}
		wantLine(t, p, "python 3.1: its library")
		if err := p.End(0); err != nil {
			t.Error(err)
		}
	}
	if text, err := os.ReadFile(asked); err != nil || string(text) != "x\n" {
		t.Errorf("asked %q, %v", text, err)
	}
	_, err = s.Start(context.Background(), process.Spec{Command: []string{"python4"}, Dir: home + "/.pyenv/versions", Sandbox: arena.SandboxStrict})
	var missing *process.NotFoundError
	if !errors.As(err, &missing) || !slices.Contains(missing.Looked, "/usr/bin/python4") {
		t.Error(err)
	}
}

// A stranger's program finds what it is told of the tools of PATH, with their
// installations, behind their managers, and no others.
func TestExternalSandboxTools(t *testing.T) {
	home := t.TempDir()
	tree(t, home, pyenv())
	tree(t, home, map[string]string{
		"go/bin/go":   "#!/bin/sh\nread -r v < ROOT/go/VERSION\necho \"go $v\"\n",
		"go/VERSION":  "1.26\n",
		"go/pkg/tool": "-> /usr",
		"go/secret":   "x",
		"bin/other":   "#!/bin/sh\necho other\n",
		"bots/bot.sh": "python3 </dev/null\ngo\nother\ncat ROOT/go/secret\n",
	})
	path := []string{filepath.Join(home, ".pyenv/shims"), filepath.Join(home, "go/bin"), filepath.Join(home, "bin")}
	dir := filepath.Join(home, "bots")
	for want, tools := range map[string][]string{
		"python 3.1: its library\ngo 1.26\n": {"python3", "go"},
		"go 1.26\n":                          {"go"},
		"":                                   nil,
	} {
		got := inside(t, home, dir, path, func(s *process.Spec) {
			s.Show, s.Within, s.Tools = []string{"."}, []string{dir}, tools
		}, "sh", "-c", "sh bot.sh 2>/dev/null; echo")
		if got = strings.TrimSpace(got); got != strings.TrimSpace(want) {
			t.Errorf("tools %q: %q, want %q", tools, got, want)
		}
	}
}

func TestExternalSandboxTmp(t *testing.T) {
	for size, want := range map[int64]string{0: "67108864", 5 << 20: "5242880", 100 << 20: "80000000"} {
		got := inside(t, "", t.TempDir(), nil, func(s *process.Spec) { s.Tmp = size },
			"sh", "-c", "head -c 80000000 /dev/zero > /tmp/x 2>/dev/null; stat -c %s /tmp/x")
		if got != want {
			t.Errorf("%d bytes of /tmp hold a file of %s, want %s", size, got, want)
		}
	}
}
