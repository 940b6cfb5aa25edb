//go:build unix

package bundle_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/fleet/bundle"
	"botarena/arena/process"
)

// packer is a Packer of a machine with programs in that PATH, which keeps archives in a
// folder of the test's.
func packer(t *testing.T, path string) bundle.Packer {
	t.Helper()
	return bundle.Packer{Path: path, Dir: t.TempDir(), BuiltinVersion: func(string) string { return "3" }}
}

// home is another machine, with programs of those names in its PATH.
func home(t *testing.T, p bundle.Packer, programs ...string) *bundle.Installer {
	t.Helper()
	starter, err := process.NewStarter(process.Config{RunID: "home", Environ: os.Environ(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := starter.Close(); err != nil {
			t.Error(err)
		}
	})
	return &bundle.Installer{
		Cache: cache(t), Starter: starter, Path: tools(t, programs...), Fetch: func(_ context.Context, id bundle.ID) (io.ReadCloser, error) { return p.Open(id) }, Dir: filepath.Join(t.TempDir(), "own"),
		BuiltinVersion: func(name string) string { return map[string]string{"minimax": "3"}[name] },
	}
}

func bots(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	tree(t, dir, map[string]string{"bot.py": "x", "arm": "arm", "engine*": "#!/bin/sh\n", "make.sh*": "#!/bin/sh\necho built > made\n"})
	return dir
}

// Each way in which a machine plays with a bot, or says why not.
func TestInstaller(t *testing.T) {
	dir := bots(t)
	here := tools(t, "python3", "sh")
	script := func(change func(*arena.Bot)) arena.Bot {
		b := arena.Bot{Name: "b", Command: []string{"python3", "bot.py"}, Dir: dir}
		change(&b)
		return b
	}
	for _, c := range []struct {
		name     string
		bot      arena.Bot
		programs []string
		owner    func(*bundle.Installer)
		want     string // the command, ROOT being the bundle's, or the reason
		note     string
	}{
		{name: "script", bot: script(func(*arena.Bot) {}), programs: []string{"python3"}, want: "python3 bot.py in ROOT/dir strict"},
		{name: "arguments", bot: script(func(b *arena.Bot) { b.Args = []string{"-v"} }), programs: []string{"python3"}, want: "python3 bot.py -v in ROOT/dir strict"},
		{name: "missing tool", bot: script(func(*arena.Bot) {}), want: `bot "b": it needs python3, which is not on this machine; install it`},
		{name: "as entered", bot: script(func(b *arena.Bot) { b.Sandbox = arena.SandboxNone }), programs: []string{"python3"}, owner: func(h *bundle.Installer) { h.AsEntered = true }, want: "python3 bot.py in COPY/dir none"},
		{name: "strict whatever it says", bot: script(func(b *arena.Bot) { b.Sandbox = arena.SandboxNone }), programs: []string{"python3"}, want: "python3 bot.py in ROOT/dir strict"},
		{name: "builtin", bot: arena.Bot{Name: "m", Builtin: "minimax"}, want: "in  strict"},
		{name: "other builtin", bot: arena.Bot{Name: "m", Builtin: "mcts"}, want: `no built-in bot "mcts"`},
		{name: "for any platform", bot: arena.Bot{Name: "b", Command: []string{"./engine"}, Dir: dir}, programs: []string{"sh"}, want: "ROOT/dir/engine in ROOT/dir strict"},
		{name: "installed", bot: script(func(b *arena.Bot) { b.Travel = arena.TravelInstalled }), programs: []string{"python3"}, owner: func(h *bundle.Installer) { h.Share = []string{dir} }, want: "python3 bot.py in " + dir + " strict"},
		{name: "installed and not shared", bot: script(func(b *arena.Bot) { b.Travel = arena.TravelInstalled }), programs: []string{"python3"}, want: "what is installed here is another program"},
		{name: "installed with a home", bot: script(func(b *arena.Bot) { b.Travel, b.SandboxRead = arena.TravelInstalled, []string{"~/.ssh"} }), programs: []string{"python3"}, owner: func(h *bundle.Installer) { h.Share, h.User = []string{dir}, "/home/me" }, want: "it names /home/me/.ssh, which the owner of this machine does not share"},
		{name: "installed with a path", bot: script(func(b *arena.Bot) { b.Travel, b.Args = arena.TravelInstalled, []string{"--x=a:/home/me/.ssh"} }), programs: []string{"python3"}, owner: func(h *bundle.Installer) { h.Share = []string{dir} }, want: "it names /home/me/.ssh"},
		{name: "installed with a way up", bot: script(func(b *arena.Bot) { b.Travel, b.Args = arena.TravelInstalled, []string{"../x"} }), programs: []string{"python3"}, owner: func(h *bundle.Installer) { h.Share = []string{dir} }, want: "it names ../x"},
		{name: "installed with an option", bot: script(func(b *arena.Bot) {
			b.Travel, b.Options = arena.TravelInstalled, []arena.Option{{Name: "Book", Value: "/home/me/book"}}
		}), programs: []string{"python3"}, owner: func(h *bundle.Installer) { h.Share = []string{dir} }, want: "it names /home/me/book"},
		{name: "builtin with a path", bot: arena.Bot{Name: "m", Builtin: "minimax", SandboxRead: []string{"/home/me"}}, want: "it names /home/me"},
		{name: "not installed", bot: script(func(b *arena.Bot) { b.Travel = arena.TravelInstalled }), want: "it should be installed here"},
	} {
		p := packer(t, here+":/bin")
		h := home(t, p, c.programs...)
		if c.owner != nil {
			c.owner(h)
		}
		source, err := p.Bot(t.Context(), c.bot)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if err := source.Check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		bot, placed, err := h.Bot(t.Context(), c.bot, source)
		got := strings.Join(bot.Command, " ") + " in " + bot.Dir + " " + string(bot.Sandbox)
		if err != nil {
			got = err.Error()
		} else {
			if bot.Sandbox == arena.SandboxStrict && bot.Within == nil {
				t.Errorf("%s: all of this machine may be shown to it", c.name)
			}
			got = strings.ReplaceAll(got, filepath.Join(h.Cache.Dir, string(source.Bundle)), "ROOT")
			if rest, ok := strings.CutPrefix(bot.Dir, h.Dir+"/"); ok {
				got = strings.ReplaceAll(got, h.Dir+"/"+filepath.Dir(rest), "COPY")
			}
			if err := placed.Release(); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			if left, _ := filepath.Glob(filepath.Join(h.Dir, "*")); len(left) > 0 {
				t.Errorf("%s left %q", c.name, left)
			}
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Another interpreter than the event's is told of.
func TestOtherTool(t *testing.T) {
	dir := bots(t)
	here := tools(t, "python3")
	write(t, filepath.Join(here, "python3"), "#!/bin/sh\n# newer\n", 0o755)
	bot := arena.Bot{Name: "b", Command: []string{"python3", "bot.py"}, Dir: dir}
	p := packer(t, here)
	source, err := p.Bot(t.Context(), bot)
	if err != nil {
		t.Fatal(err)
	}
	_, placed, err := home(t, p, "python3").Bot(t.Context(), bot, source)
	if err != nil || len(placed.Notes) != 1 || !strings.Contains(placed.Notes[0], "another python3") {
		t.Errorf("%+v, %v", placed, err)
	}
}

// A binary for another platform is refused with what to try.
func TestOtherPlatform(t *testing.T) {
	source := bundle.Source{Platform: "plan9/arm", Bundle: bundle.ID(strings.Repeat("0", 64))}
	_, _, err := home(t, bundle.Packer{}).Bot(t.Context(), arena.Bot{Name: "b", Command: []string{"x"}}, source)
	if err == nil || !strings.Contains(err.Error(), "its program is for plan9/arm, and this machine is "+process.Platform()) {
		t.Error(err)
	}
	if err := (bundle.Source{Bundle: "../x"}).Check(); err == nil {
		t.Error("a path is taken for a bundle")
	}
}

// A program that is no bot travels as well: the rules of a game.
func TestProgram(t *testing.T) {
	dir, p := bots(t), packer(t, tools(t, "python3"))
	source, err := p.Program(t.Context(), bundle.Program{Name: "rules", Command: []string{"python3", "bot.py"}, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	entry := arena.Bot{Command: []string{"elsewhere"}, Env: []string{"A=B"}, Sandbox: arena.SandboxNone}
	program, placed, err := home(t, p, "python3").Program(t.Context(), "rules", entry, source)
	if err != nil || program.Command[1] != "bot.py" || !strings.HasSuffix(program.Dir, "/dir") || program.Sandbox != arena.SandboxStrict || len(program.Env) != 1 {
		t.Fatalf("%+v, %v", program, err)
	}
	if err := placed.Release(); err != nil {
		t.Error(err)
	}
}
