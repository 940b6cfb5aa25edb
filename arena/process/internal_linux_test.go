//go:build linux && !portable

package process

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"botarena/arena"
)

// The pid of a bot that was reaped may be that of the next bot before the first
// one is forgotten; the sweep would then take the second for a leftover.
func TestForgetByIdentity(t *testing.T) {
	first, second := &Process{pid: 4711, number: 1}, &Process{pid: 4711, number: 2}
	s := &Starter{roster: roster{live: map[*Process]bool{first: true, second: true}}}
	s.forget(first)
	if !s.live[second] || s.live[first] {
		t.Errorf("first lives %v, second lives %v", s.live[first], s.live[second])
	}
}

func TestBusyErrors(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE} {
		for _, err := range []error{
			execError("/bin/x", fmt.Errorf("fork: %w", errno)),
			bwrapError([]byte("bwrap: Creating new namespace failed: " + upper(errno.Error()) + "\n")),
		} {
			var busy *BusyError
			if !errors.As(err, &busy) {
				t.Errorf("%v is %T, want a *BusyError", err, err)
			}
		}
	}
	for _, err := range []error{execError("/bin/x", syscall.ENOENT), bwrapError([]byte("bwrap: execvp x: No such file or directory\n")), bwrapError(nil)} {
		var busy *BusyError
		if errors.As(err, &busy) {
			t.Errorf("%v is a *BusyError", err)
		}
	}
}

func upper(s string) string { return string(s[0]-'a'+'A') + s[1:] }

// No name of a bot's environment is one of a program that confines it, and none of
// its values is an argument, which every user of the machine can read.
func TestEnvironmentIsDeferred(t *testing.T) {
	tools := t.TempDir()
	for _, name := range []string{"bwrap", "setpriv", "prlimit"} {
		if err := os.WriteFile(filepath.Join(tools, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := &Starter{config: Config{Environ: []string{"PATH=" + tools, "TOKEN=ours"}}}
	names := []string{"LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV", "PYTHONSTARTUP", "GIT_EXEC_PATH", "NODE_OPTIONS", "PATH"}
	for _, sandbox := range []arena.Sandbox{arena.SandboxLimits, arena.SandboxStrict} {
		spec := Spec{Command: []string{"/bin/true", "x"}, Dir: "/", Sandbox: sandbox, Limits: arena.Limits{Memory: 1 << 30}}
		for _, name := range names {
			spec.Env = append(spec.Env, name+"=a bot's")
		}
		l := launch{spec: spec, program: "/bin/true", argv: spec.Command, dir: "/", env: join(s.config.Environ, spec.Env)}
		if err := s.confine(context.Background(), &l); err != nil {
			t.Fatal(err)
		}
		for _, entry := range l.env {
			if name, value, _ := strings.Cut(entry, "="); strings.HasSuffix(value, "a bot's") && !strings.HasPrefix(name, deferredVariable) {
				t.Errorf("%s: the helpers' environment has %s", sandbox, entry)
			}
		}
		if argv := strings.Join(l.argv, " "); strings.Contains(argv, "a bot's") || !strings.HasSuffix(argv, "sh /bin/true x") {
			t.Errorf("%s: the command is %s", sandbox, argv)
		}
	}
	for _, entry := range []string{"A", "=b", "A=\x00", "ARENA_BOT=1", "ARENA_BOT_ENV0=1"} {
		if _, err := (Spec{Command: []string{"x"}, Env: []string{entry}}).withDefaults(); err == nil {
			t.Errorf("entry %q is accepted", entry)
		}
	}
}

// Whatever way a stranger's entry or file names something of the machine's owner, it
// is not shown.
func TestStrangers(t *testing.T) {
	home := t.TempDir()
	for name, text := range map[string]string{
		"secret/key": "private", "secret/bin/key": "#!/bin/sh\n", "secret/lib/python3/key": "x", "tools/private": "#!/bin/sh\n# password\n",
		"tools/python3": "#!/bin/sh\n", "shared/net": "weights",
		"bundle/dir/bot": "#!/bin/sh\n", "bundle/dir/net": "weights", "bundle/dir/bot.sh": "private; python3 x\n",
		"bundle/dir/by": "#!HOME/secret/bin/key\n", "bundle/dir/named": "#!/usr/bin/env private\n", "bundle/dir/tool": "#!HOME/tools/private\n",
		"bundle/bin/python3": "#!/bin/sh\n", "bundle/pyvenv.cfg": "home = HOME/secret/bin\nexecutable = HOME/secret/key\nbase-executable = HOME/tools/private\n",
	} {
		file := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "HOME", home)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"bundle/dir/link": home + "/secret", "shared/link": "../secret/key"} {
		if err := os.Symlink(target, filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(home, "bundle/dir")
	s := &Starter{config: Config{Environ: []string{"PATH=" + home + "/tools:/usr/bin:/bin"}, Home: home + "/owner"}}
	for _, c := range []struct {
		command, show string
		want          string // what is shown, HOME apart; or the error
	}{
		{command: "./bot net --net=net", want: "/bundle/dir/bot /bundle/dir/net"},
		{command: "./bot ../../secret", want: "/bundle/dir/bot"},
		{command: "./bot HOME/secret/key --key=HOME/secret/key x:HOME/secret link link/key", want: "/bundle/dir/bot"},
		{command: "./bot HOME/shared/net HOME/shared/link", want: "/bundle/dir/bot /shared/net"},
		{command: "./bot", show: "../../secret", want: "not among what the owner"},
		{command: "./bot", show: "HOME/secret", want: "not among what the owner"},
		{command: "./bot", show: "link", want: "not among what the owner"},
		{command: "./bot", show: "HOME/shared", want: "/bundle/dir/bot /shared"},
		{command: "HOME/secret/bin/key", want: "not among what the owner"},
		{command: "../../secret/bin/key", want: "not among what the owner"},
		{command: "./by", want: "not among what the owner"},
		{command: "./tool", want: "not among what the owner"},
		{command: "./named", want: "/bundle/dir/named"},
		{command: "HOME/bundle/bin/python3", want: "/bundle/bin/python3 /bundle/pyvenv.cfg"},
		{command: "python3 net", want: "/bundle/dir/net /tools/python3"},
		{command: "private", want: "/tools/private"},
		{command: "sh bot.sh", want: "/bundle/dir/bot.sh /tools/python3"},
	} {
		spec := Spec{Command: strings.Fields(strings.ReplaceAll(c.command, "HOME", home)), Dir: dir, Sandbox: arena.SandboxStrict, Within: []string{home + "/bundle", home + "/shared"}}
		if c.show != "" {
			spec.Show = []string{strings.ReplaceAll(c.show, "HOME", home)}
		}
		program, err := FindProgram(spec.Command[0], dir, s.config.path())
		if err != nil {
			t.Fatal(err)
		}
		n, _, err := s.look(t.Context(), program, spec)
		var got string
		if err != nil {
			got = err.Error()
		} else {
			got = strings.ReplaceAll(strings.Join(slices.Sorted(maps.Keys(n.shown)), " "), home, "")
		}
		if err == nil && got != c.want || err != nil && !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %q, want %q", c.command, c.show, got, c.want)
		}
		if err == nil && len(n.links) > 0 {
			t.Errorf("%s %s: the links %v are shown", c.command, c.show, n.links)
		}
	}
}
