package bundle_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"botarena/arena/fleet/bundle"
)

// tb is a test, of package testing or rapid.
type tb interface {
	Helper()
	Fatal(...any)
}

// tree writes files; a name that ends in "*" is executable.
func tree(t tb, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		mode := fs.FileMode(0o644)
		name, executable := strings.CutSuffix(name, "*")
		if executable {
			mode = 0o755
		}
		write(t, filepath.Join(dir, name), text, mode)
	}
}

func write(t tb, name, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// tools is a folder for PATH with programs of those names.
func tools(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		write(t, filepath.Join(dir, name), "#!/bin/sh\n", 0o755)
	}
	return dir
}

func pack(t tb, p bundle.Packer, program bundle.Program) (bundle.Info, []byte) {
	t.Helper()
	var b bytes.Buffer
	info, err := p.Pack(context.Background(), program, &b)
	if err != nil {
		t.Fatal(err)
	}
	return info, b.Bytes()
}

func cache(t *testing.T) *bundle.Cache {
	t.Helper()
	return &bundle.Cache{Dir: filepath.Join(t.TempDir(), "cache"), Now: time.Now}
}

// give returns a fetch of an archive that counts.
func give(archive []byte, times *int) func(context.Context) (io.ReadCloser, error) {
	return func(context.Context) (io.ReadCloser, error) {
		*times++
		return io.NopCloser(bytes.NewReader(archive)), nil
	}
}

// list is what of a bundle is on the disk: names, modes of files, contents.
func list(t *testing.T, root string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(root, func(at string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(at)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, at)
		if err != nil {
			return err
		}
		if rel != "bundle.json" {
			all = append(all, filepath.ToSlash(rel)+": "+string(text))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// What a bundle has, and the command on the other machine.
func TestPack(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	tree(t, other, map[string]string{"net.bin": "net", "books/a.txt": "a", "books/b/c.txt": "c"})
	tree(t, dir, map[string]string{
		"bot.py": "import lib", "lib.py": "lib", "data/x": "x", "data/.git/config": "no", "data/__pycache__/x.pyc": "no", ".git/HEAD": "no", "run*": "#!/usr/bin/env python3\n",
	})
	path := tools(t, "python3", "java")
	for _, c := range []struct {
		program bundle.Program
		files   []string
		command []string // ROOT is where it is unpacked
		tools   []string
	}{
		{bundle.Program{Command: []string{"python3", "bot.py", "-v"}}, []string{"dir/bot.py: import lib"}, []string{"python3", "bot.py", "-v"}, []string{"python3"}},
		{
			bundle.Program{Command: []string{"python3", "bot.py"}, Show: []string{"."}},
			[]string{"dir/bot.py: import lib", "dir/data/x: x", "dir/lib.py: lib", "dir/run: #!/usr/bin/env python3\n"},
			[]string{"python3", "bot.py"},
			[]string{"python3"},
		},
		{
			bundle.Program{Command: []string{"python3", "bot.py", "--net=" + other + "/net.bin", other + "/books", "data"}},
			[]string{"dir/bot.py: import lib", "dir/data/x: x", "out/0/net.bin: net", "out/1/books/a.txt: a", "out/1/books/b/c.txt: c"},
			[]string{"python3", "bot.py", "--net=ROOT/out/0/net.bin", "ROOT/out/1/books", "data"},
			[]string{"python3"},
		},
		{
			bundle.Program{Command: []string{"java", "-cp", "lib.py:" + other + "/net.bin:nowhere", "Main"}},
			[]string{"dir/lib.py: lib", "out/0/net.bin: net"},
			[]string{"java", "-cp", "lib.py:ROOT/out/0/net.bin:nowhere", "Main"},
			[]string{"java"},
		},
		{bundle.Program{Command: []string{"python3", dir + "/bot.py"}}, []string{"dir/bot.py: import lib"}, []string{"python3", "ROOT/dir/bot.py"}, []string{"python3"}},
	} {
		c.program.Name, c.program.Dir = "bot", dir
		info, archive := pack(t, bundle.Packer{Path: path}, c.program)
		times := 0
		held, err := cache(t).Hold(t.Context(), info.ID, give(archive, &times))
		if err != nil {
			t.Errorf("%q: %v", c.program.Command, err)
			continue
		}
		if got := list(t, held.Root); !slices.Equal(got, c.files) {
			t.Errorf("%q: files %q, want %q", c.program.Command, got, c.files)
		}
		var command []string
		for _, word := range held.Command() {
			command = append(command, filepath.ToSlash(strings.ReplaceAll(word, held.Root, "ROOT")))
		}
		if !slices.Equal(command, c.command) {
			t.Errorf("%q: starts as %q, want %q", c.program.Command, command, c.command)
		}
		var names []string
		for _, tool := range held.Manifest.Tools {
			names = append(names, tool.Name)
		}
		if !slices.Equal(names, c.tools) || held.Manifest.Platform != "" {
			t.Errorf("%q: needs %q on %q", c.program.Command, names, held.Manifest.Platform)
		}
		if err := held.Release(); err != nil {
			t.Error(err)
		}
	}
}

// A program that is started itself goes along, as executable, for its platform.
func TestPackExecutable(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, archive := pack(t, bundle.Packer{}, bundle.Program{Name: "bot", Command: []string{exe, "-x"}, Dir: t.TempDir()})
	if info.Manifest.Platform != runtime.GOOS+"/"+runtime.GOARCH {
		t.Errorf("platform %q", info.Manifest.Platform)
	}
	times := 0
	held, err := cache(t).Hold(t.Context(), info.ID, give(archive, &times))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Release() }()
	stat, err := os.Stat(held.Command()[0])
	if err != nil || runtime.GOOS != "windows" && stat.Mode().Perm() != 0o555 {
		t.Errorf("%v, %v", stat, err)
	}
}

// The same files have the same ID, wherever and whenever they are.
func TestDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := rapid.MapOfN(rapid.StringMatching(`[a-f]{1,3}/[a-f]{1,40}\*?`), rapid.String(), 1, 3).Draw(t, "files")
		var ids [2]bundle.ID
		for i := range ids {
			dir, err := os.MkdirTemp("", "bundle")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = os.RemoveAll(dir) }()
			tree(t, dir, files)
			write(t, filepath.Join(dir, "bot"), "x", 0o755)
			if runtime.GOOS == "windows" {
				write(t, filepath.Join(dir, "bot.exe"), "x", 0o755)
			}
			when := time.Unix(int64(1_000_000*(i+1)), 0)
			if err := os.Chtimes(filepath.Join(dir, "bot"), when, when); err != nil {
				t.Fatal(err)
			}
			info, archive := pack(t, bundle.Packer{}, bundle.Program{Name: "bot", Command: []string{"bot"}, Dir: dir, Show: []string{"."}})
			ids[i] = info.ID
			if i == 0 {
				continue
			}
			root, err := os.MkdirTemp("", "bundle")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = os.RemoveAll(root) }()
			if _, err := bundle.Unpack(context.Background(), bytes.NewReader(archive), info.ID, root, bundle.DefaultLimits()); err != nil {
				t.Fatal(err)
			}
			if _, err := bundle.Verify(context.Background(), root, info.ID); err != nil {
				t.Fatal(err)
			}
		}
		if ids[0] != ids[1] {
			t.Errorf("%s and %s", ids[0], ids[1])
		}
	})
}

// Whatever differs in what a bundle has is another bundle.
func TestOtherBundle(t *testing.T) {
	seen := map[bundle.ID]string{}
	for name, change := range map[string]func(dir string, p *bundle.Program){
		"nothing":     func(string, *bundle.Program) {},
		"a file":      func(dir string, _ *bundle.Program) { write(t, filepath.Join(dir, "a"), "other", 0o644) },
		"one more":    func(dir string, _ *bundle.Program) { write(t, filepath.Join(dir, "b"), "", 0o644) },
		"an argument": func(_ string, p *bundle.Program) { p.Command = append(p.Command, "x") },
		"the order":   func(_ string, p *bundle.Program) { p.Command = []string{"python3", "--", "a"} },
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "a"), "a", 0o644)
		p := bundle.Program{Name: "bot", Command: []string{"python3", "a"}, Dir: dir, Show: []string{"."}}
		change(dir, &p)
		info, _ := pack(t, bundle.Packer{Path: tools(t, "python3")}, p)
		if other, ok := seen[info.ID]; ok {
			t.Errorf("%s is the same as %s", name, other)
		}
		seen[info.ID] = name
	}
}

// What cannot travel is refused with a reason that says what to try.
func TestCannot(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "bot")
	tree(t, dir, map[string]string{"bot.py": "x", "big": strings.Repeat("x", 5000), "venv/pyvenv.cfg": "", "venv/bin/python*": "#!/bin/sh\n", "venv/bin/python.exe*": "x", "fifo/x": "", "games/g.db": "x", "games/g.db-wal": "x"})
	path := tools(t, "python3")
	links := os.Symlink(home, filepath.Join(dir, "fifo", "up")) == nil
	for _, c := range []struct {
		program bundle.Program
		want    string
		links   bool
	}{
		{bundle.Program{Command: []string{"venv/bin/python", "bot.py"}}, "virtual environment", false},
		{bundle.Program{Command: []string{"python3", "bot.py"}, Show: []string{"~/nets"}}, "~/nets, which is not in its dir", false},
		{bundle.Program{Command: []string{"python3", "bot.py"}, Show: []string{"../x"}}, "../x, which is not in its dir", false},
		{bundle.Program{Command: []string{"python3", "bot.py"}, Show: []string{"big"}}, "the largest being " + filepath.Join(dir, "big") + " with 4.9 KiB", false},
		{bundle.Program{Command: []string{"python3", "fifo"}}, "is a link to a folder", true},
		{bundle.Program{Command: []string{"python3", "bot.py"}, Dir: home, Show: []string{"."}}, "holds your home", false},
		{bundle.Program{Command: []string{"python3", "bot.py"}, Show: []string{"games"}}, "is a database in use", false},
	} {
		if c.links && !links {
			continue // this user may not make links on Windows
		}
		c.program.Name = "bot \"b\""
		if c.program.Dir == "" {
			c.program.Dir = dir
		}
		_, err := bundle.Packer{Path: path, Home: home, Limits: bundle.Limits{Size: 4000, Files: 10}}.Pack(t.Context(), c.program, io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `bot "b"`) || !strings.Contains(err.Error(), "fleet: installed") {
			t.Errorf("%q %q: %v", c.program.Command, c.program.Show, err)
		}
	}
}

// A bundle is fetched once, verified each time, fetched again where it was changed.
func TestCache(t *testing.T) {
	dir := t.TempDir()
	tree(t, dir, map[string]string{"bot.py": "good", "lib/x.py": "x"})
	info, archive := pack(t, bundle.Packer{Path: tools(t, "python3")}, bundle.Program{Name: "b", Command: []string{"python3", "bot.py"}, Dir: dir, Show: []string{"."}})
	c := cache(t)
	times := 0
	use := func() *bundle.Held {
		t.Helper()
		held, err := c.Hold(t.Context(), info.ID, give(archive, &times))
		if err != nil {
			t.Fatal(err)
		}
		if got := list(t, held.Root); !slices.Equal(got, []string{"dir/bot.py: good", "dir/lib/x.py: x"}) {
			t.Fatalf("%q", got)
		}
		return held
	}
	one := use()
	two := use() // while it is in use
	if times != 1 {
		t.Errorf("fetched %d times", times)
	}
	root := one.Root
	for _, h := range []*bundle.Held{one, one, two} {
		if err := h.Release(); err != nil {
			t.Fatal(err)
		}
	}
	for name, tamper := range map[string]func() error{
		"contents": func() error {
			file := filepath.Join(root, "dir", "bot.py")
			return errors.Join(os.Chmod(file, 0o644), os.WriteFile(file, []byte("evil"), 0o644))
		},
		"a file more": func() error { return os.WriteFile(filepath.Join(root, "dir", "lib", "evil.py"), nil, 0o644) },
		"a file less": func() error { return os.Remove(filepath.Join(root, "dir", "lib", "x.py")) },
		"manifest":    func() error { return os.Remove(filepath.Join(root, "bundle.json")) },
		"all":         func() error { return os.RemoveAll(root) },
		"mode": func() error {
			if runtime.GOOS == "windows" {
				return os.RemoveAll(root)
			}
			return os.Chmod(filepath.Join(root, "dir", "lib", "x.py"), 0o755)
		},
	} {
		before := times
		if err := tamper(); err != nil {
			t.Fatal(name, err)
		}
		if err := use().Release(); err != nil {
			t.Fatal(name, err)
		}
		if times != before+1 {
			t.Errorf("%s: fetched %d times", name, times-before)
		}
	}
}

// An archive that is not what was asked for never gets into the cache.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "bot.py"), strings.Repeat("good", 1000), 0o644)
	info, archive := pack(t, bundle.Packer{Path: tools(t, "python3")}, bundle.Program{Name: "b", Command: []string{"python3", "bot.py"}, Dir: dir})
	other := bundle.ID(strings.Repeat("0", 64))
	flipped := slices.Clone(archive)
	flipped[len(flipped)/2] ^= 1
	for name, c := range map[string]struct {
		id      bundle.ID
		archive []byte
	}{
		"another": {other, archive}, "cut": {info.ID, archive[:len(archive)-3]}, "empty": {info.ID, nil}, "flipped": {info.ID, flipped},
		"garbage": {info.ID, []byte("hello")}, "longer": {info.ID, append(slices.Clone(archive), "x"...)},
	} {
		cached := cache(t)
		times := 0
		_, err := cached.Hold(t.Context(), c.id, give(c.archive, &times))
		var damaged *bundle.DamagedError
		if !errors.As(err, &damaged) {
			t.Errorf("%s: %v", name, err)
		}
		left, _ := filepath.Glob(filepath.Join(cached.Dir, "*"))
		if len(left) != 1 || !strings.HasSuffix(left[0], ".lock") {
			t.Errorf("%s left %q", name, left)
		}
	}
	if _, err := cache(t).Hold(t.Context(), "../x", nil); err == nil {
		t.Error("an id that is a path is taken")
	}
}

// What was not used for longest goes first, and nothing that is in use.
func TestEviction(t *testing.T) {
	c := cache(t)
	now := time.Now()
	c.Now = func() time.Time { now = now.Add(time.Minute); return now }
	c.Bound = 25_000
	path := tools(t, "python3")
	times := 0
	get := func(n int) *bundle.Held {
		t.Helper()
		dir := t.TempDir()
		write(t, filepath.Join(dir, "bot.py"), strings.Repeat(fmt.Sprint(n), 10_000), 0o644)
		info, archive := pack(t, bundle.Packer{Path: path}, bundle.Program{Name: "b", Command: []string{"python3", "bot.py"}, Dir: dir})
		held, err := c.Hold(t.Context(), info.ID, give(archive, &times))
		if err != nil {
			t.Fatal(err)
		}
		return held
	}
	first := get(1) // stays in use
	for _, n := range []int{2, 3, 2, 4} {
		if err := get(n).Release(); err != nil {
			t.Fatal(err)
		}
	}
	if times != 5 { // 1, 2, 3 drove 2 out, 2 drove 3 out, 4 drove 2 out
		t.Errorf("fetched %d times", times)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	if err := get(1).Release(); err != nil || times != 5 {
		t.Errorf("what was in use is gone: %d, %v", times, err)
	}
}

// Bytes of anyone make nothing outside of the folder, and what is taken is what its
// hash says.
func FuzzUnpack(f *testing.F) {
	dir := f.TempDir()
	write(f, filepath.Join(dir, "bot.py"), "x", 0o644)
	write(f, filepath.Join(dir, "bin", "python3"), "#!/bin/sh\n", 0o755)
	if runtime.GOOS == "windows" {
		write(f, filepath.Join(dir, "bin", "python3.exe"), "", 0o755)
	}
	_, archive := pack(f, bundle.Packer{Path: filepath.Join(dir, "bin")}, bundle.Program{Name: "b", Command: []string{"python3", "bot.py"}, Dir: dir})
	f.Add(archive)
	for _, a := range hostile() {
		f.Add(a.bytes)
	}
	f.Fuzz(func(t *testing.T, data []byte) { _ = unpackSafely(t, data) })
}
