//go:build linux && !portable && external

package process_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"botarena/arena"
	"botarena/arena/process"
)

// A library that notes in two files which programs load it: one that only programs
// outside of the sandbox can reach, and one that only those inside have.
const intruder = `
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
__attribute__((constructor)) static void load(void) {
	char program[4096];
	ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
	if (n < 0) n = 0;
	program[n++] = '\n';
	const char *files[] = {OUTSIDE, "/tmp/inside-of-the-sandbox"};
	for (int i = 0; i < 2; i++) {
		int fd = open(files[i], O_WRONLY | O_CREAT | O_APPEND, 0666);
		if (fd >= 0) { write(fd, program, n); close(fd); }
	}
}`

// Code that a bot's environment brings along runs in the bot's own program only: not
// in bubblewrap, nor in what drops rights or sets limits.
func TestExternalEnvironmentOfHelpers(t *testing.T) {
	home := t.TempDir()
	outside := filepath.Join(home, "outside")
	tree(t, home, map[string]string{
		"bot/intruder.c": strings.ReplaceAll(intruder, "OUTSIDE", `"`+outside+`"`),
		"bot/bot.sh":     "echo $MINE; echo $BASH_ENV; cat /tmp/inside-of-the-sandbox\n",
		"bot/a=b/bot":    "#!/bin/sh\necho \"$MINE\"\n",
	})
	dir := filepath.Join(home, "bot")
	if out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", dir+"/libintruder.so", dir+"/intruder.c").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v: %s; install gcc and libc6-dev", err, out)
	}
	for _, limits := range []arena.Limits{{}, {Memory: 512 << 20}} {
		got := inside(t, home, dir, nil, func(s *process.Spec) {
			s.Show, s.Limits = []string{"."}, limits
			s.Env = []string{"MINE=a 'b' $c", "LD_PRELOAD=" + dir + "/libintruder.so", "BASH_ENV=./bot.sh"}
		}, "sh", "bot.sh")
		if want := "a 'b' $c\n./bot.sh"; !strings.HasPrefix(got, want) {
			t.Errorf("limits %v: the bot's environment is %q, want %q", limits, got, want)
		}
		for _, helper := range []string{"bwrap", "setpriv", "prlimit", "/env"} {
			if strings.Contains(got, helper) {
				t.Errorf("limits %v: %s loaded the bot's library:\n%s", limits, helper, got)
			}
		}
		if !strings.Contains(got, "sh\n") {
			t.Errorf("limits %v: the bot did not load its own library:\n%s", limits, got)
		}
	}
	if loaded, err := os.ReadFile(outside); err == nil {
		t.Errorf("the bot's library was loaded outside of the sandbox, by %s", loaded)
	}
	got := inside(t, home, dir, nil, func(s *process.Spec) { s.Show, s.Env = []string{"."}, []string{"MINE=1"} }, "a=b/bot")
	if got != "1" {
		t.Errorf("a program with = in its path says %q", got)
	}
}

// A version manager is asked with the user's environment, not with the bot's.
func TestExternalEnvironmentOfManagers(t *testing.T) {
	home := t.TempDir()
	files := pyenv()
	files[".pyenv/libexec/pyenv"] = strings.Replace(files[".pyenv/libexec/pyenv"], "#!/bin/sh", "#!/bin/bash", 1)
	files["bots/bot.py"] = ""
	files["bots/evil.sh"] = "touch ROOT/outside\n"
	tree(t, home, files)
	dir := filepath.Join(home, "bots")
	names := []string{"BASH_ENV", "ENV", "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "PYTHONSTARTUP", "PYTHONPATH", "GIT_SSH_COMMAND", "GIT_EXEC_PATH", "NODE_OPTIONS", "PERL5OPT", "RUBYOPT", "PYENV_ROOT", "PYENV_VERSION"}
	inside(t, home, dir, []string{filepath.Join(home, ".pyenv/shims")}, func(s *process.Spec) {
		for _, name := range names {
			s.Env = append(s.Env, name+"="+dir+"/evil.sh")
		}
	}, "python3", "bot.py")
	asked, err := os.ReadFile(filepath.Join(home, "asked"))
	if err != nil {
		t.Fatalf("the manager was not asked: %v", err)
	}
	if strings.Contains(string(asked), "evil.sh") {
		t.Errorf("the manager was asked with the bot's environment:\n%s", asked)
	}
	if _, err := os.Stat(filepath.Join(home, "outside")); err == nil {
		t.Error("the bot's BASH_ENV ran outside of the sandbox")
	}
}

// A stranger's executable cannot have a library shown to it by naming its place.
func TestExternalStrangersLibraries(t *testing.T) {
	home := t.TempDir()
	tree(t, home, map[string]string{
		"secret/key.c": "int key(void) { return 7; }\n", "bundle/bot.c": "int key(void); int puts(const char *);\nint main(void) { puts(key() == 7 ? \"it sees\" : \"\"); return 0; }\n",
	})
	for _, args := range [][]string{
		{"-shared", "-fPIC", "-o", home + "/secret/libkey.so", home + "/secret/key.c"},
		{"-o", home + "/bundle/bot", home + "/bundle/bot.c", "-L" + home + "/secret", "-lkey", "-Wl,-rpath," + home + "/secret"},
	} {
		if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
			t.Fatalf("gcc: %v: %s; install gcc and libc6-dev", err, out)
		}
	}
	dir := filepath.Join(home, "bundle")
	if got := inside(t, home+"/owner", dir, nil, nil, "./bot"); got != "it sees" {
		t.Fatalf("one's own bot says %q", got)
	}
	got := inside(t, home+"/owner", dir, nil, func(s *process.Spec) { s.Within = []string{dir} }, "./bot")
	if !strings.Contains(got, "libkey.so: cannot open") {
		t.Errorf("a stranger's bot says %q", got)
	}
}
