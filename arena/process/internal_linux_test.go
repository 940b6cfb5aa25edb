//go:build linux && !portable

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
