//go:build linux && !portable

package process

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"botarena/arena"
	"botarena/arena/process/sandbox"
)

// confine adds limits and the sandbox to a launch.
//
// Limits are set by util-linux's prlimit(1), which sets its own and then execs:
// prlimit(2) from outside needs CAP_SYS_RESOURCE for a bot of another user, and
// Go cannot set limits between fork and exec.
func (s *Starter) confine(ctx context.Context, l *launch) error {
	strict := l.spec.Sandbox == arena.SandboxStrict
	if strict {
		v, err := s.look(ctx, l.program, l.spec)
		if err != nil {
			return err
		}
		if l.shows, err = v.Arguments(); err != nil {
			return &DirError{Dir: l.dir, Err: err}
		}
		l.program, l.path = v.Program, v.Path
	}
	if l.spec.Limits.Processes > 0 && !strict && os.Geteuid() == 0 {
		return &UnsupportedError{
			What: "limit of processes", Why: "the kernel does not hold root to it",
			Hint: "use sandbox strict, which gives the bot a user of its own, or run arena as an ordinary user",
		}
	}
	limited := l.spec.Limits != (arena.Limits{})
	if strict || limited {
		l.env = s.config.Environ
		if strict {
			l.env = sandboxEnv(s.config.Environ, l.path)
		}
		l.deferEnv()
	}
	if limited {
		if err := s.limit(l, strict); err != nil {
			return err
		}
	}
	if strict {
		return s.shutIn(l)
	}
	return nil
}

// deferredVariable is the prefix, followed by a number, of the variables in which a
// bot's own environment passes through the programs that confine it.
const deferredVariable = MarkVariable + "_ENV"

// deferEnv sets the bot's own environment in the last step before the program itself.
// Bubblewrap, setpriv and prlimit run with arena's environment: with the bot's,
// LD_PRELOAD would run its code in them, outside of its sandbox and limits. The entries
// pass through them as values of numbered variables, not as arguments, which every user
// of the machine can read.
func (l *launch) deferEnv() {
	if len(l.spec.Env) == 0 {
		return
	}
	script := "exec /usr/bin/env"
	entries := ""
	for i, entry := range l.spec.Env {
		name := deferredVariable + strconv.Itoa(i)
		l.env = append(slices.Clip(l.env), name+"="+entry)
		script += " -u " + name
		entries += ` "$` + name + `"`
	}
	script += " --" + entries
	if strings.Contains(l.program, "=") { // env would take it for another entry
		script += ` /bin/sh -c 'exec "$0" "$@"'`
	}
	l.argv = slices.Concat([]string{"/bin/sh", "-c", script + ` "$@"`, "sh", l.program}, l.argv[1:])
	l.program = "/bin/sh"
}

// limit puts prlimit before the program.
func (s *Starter) limit(l *launch, strict bool) error {
	prlimit, err := s.tool("prlimit", "limits", "util-linux")
	if err != nil {
		return err
	}
	argv := []string{"prlimit"}
	set := func(name string, soft, hard int64) {
		argv = append(argv, fmt.Sprintf("--%s=%d:%d", name, soft, hard))
	}
	limits := l.spec.Limits
	if limits.Memory > 0 {
		set("data", limits.Memory, limits.Memory) // not the address space, of which Go and Node reserve far more than they use
	}
	if limits.Processes > 0 {
		processes := int64(limits.Processes)
		if strict && os.Geteuid() != 0 {
			processes++ // the sandbox's own first process is the same user's
		}
		set("nproc", processes, processes)
	}
	if limits.CPUTime > 0 {
		seconds := int64((limits.CPUTime + time.Second - 1) / time.Second)
		set("cpu", seconds, seconds+1) // SIGXCPU can be ignored, the hard limit's SIGKILL cannot
	}
	if limits.FileSize > 0 {
		set("fsize", limits.FileSize, limits.FileSize)
	}
	set("core", 0, 0)
	argv = append(argv, "--", l.program)
	l.argv = append(argv, l.argv[1:]...)
	l.program = prlimit
	return nil
}

// tool finds a system program.
func (s *Starter) tool(name, what, pkg string) (string, error) {
	path := s.config.path() + ":/usr/bin:/bin:/usr/sbin:/sbin"
	file, err := FindProgram(name, "/", path)
	if err != nil {
		return "", &UnsupportedError{
			What: what, Why: "the program " + name + " is not installed",
			Hint: fmt.Sprintf("install it (Debian, Ubuntu: apt install %s; Fedora: dnf install %s)", pkg, pkg),
		}
	}
	return file, nil
}

// sandboxShm is the size in bytes of a sandbox's /dev/shm, which is memory, as its /tmp is.
const sandboxShm = 16 << 20

// shutIn runs the program under bubblewrap.
func (s *Starter) shutIn(l *launch) error {
	bwrap, err := s.tool("bwrap", "sandbox strict", "bubblewrap")
	if err != nil {
		return err
	}
	root := os.Geteuid() == 0
	argv := []string{"bwrap", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"}
	add := func(args ...string) { argv = append(argv, args...) }
	if !root {
		add("--unshare-user")
	}
	add("--die-with-parent", "--new-session", "--info-fd", "3", "--cap-drop", "ALL")
	if root {
		add("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID") // for setpriv, which drops them
	}
	for _, dir := range sandbox.SystemDirs() {
		if target, err := os.Readlink(dir); err == nil {
			add("--symlink", target, dir)
		} else {
			add("--ro-bind-try", dir, dir)
		}
	}
	add("--perms", "0755", "--dir", "/etc")
	for _, pattern := range sandbox.SystemSettings() {
		found, _ := filepath.Glob(pattern)
		for _, path := range found {
			if dir := filepath.Dir(path); dir != "/etc" {
				add("--perms", "0755", "--dir", dir)
			}
			add("--ro-bind-try", path, path)
		}
	}
	add("--proc", "/proc", "--dev", "/dev",
		"--perms", "1777", "--size", strconv.Itoa(sandboxShm), "--tmpfs", "/dev/shm",
		"--perms", "1777", "--size", strconv.FormatInt(l.spec.Tmp, 10), "--tmpfs", "/tmp")
	add(l.shows...)
	add("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", l.dir, "--")
	if root {
		setpriv, err := s.tool("setpriv", "sandbox strict", "util-linux")
		if err != nil {
			return err
		}
		user := strconv.FormatInt(sandboxUser(os.Getpid(), s.nextUser()), 10)
		add(setpriv, "--reuid", user, "--regid", user, "--clear-groups", "--inh-caps=-all", "--no-new-privs", "--")
	}
	add(l.program)
	l.argv = append(argv, l.argv[1:]...)
	l.program, l.dir, l.strict = bwrap, "/", true
	return nil
}

// look computes what a sandbox must show for a program.
func (s *Starter) look(ctx context.Context, program string, spec Spec) (*sandbox.View, error) {
	return sandbox.Look(sandbox.Entry{
		Program: program, Arguments: spec.Command[1:], Dir: spec.Dir, Show: spec.Show, Within: spec.Within, Tools: spec.Tools,
		Home: s.config.Home, Path: s.config.path(), Known: &s.shims,
		Find: func(name string) (string, error) { return FindProgram(name, "/", s.config.path()) },
		Ask: func(dir string, env []string, command ...string) (string, error) {
			said, err := s.Run(ctx, Task{Spec: Spec{Command: command, Dir: dir, Env: env}, Timeout: shimTime})
			return string(said), err
		},
	})
}

// shimTime limits how long a version manager may take to resolve a program.
const shimTime = 20 * time.Second

// Missing lists existing files and folders that a strict sandbox does not show and that
// the bot's last output on stderr names: a file that it could not open, a module that
// it could not import. Those under Dir are relative to it, as Spec.Show takes them.
func (s *Starter) Missing(ctx context.Context, spec Spec, said string) ([]string, error) {
	program, err := FindProgram(spec.Command[0], spec.Dir, s.config.path())
	if err != nil {
		return nil, err
	}
	v, err := s.look(ctx, program, spec)
	if err != nil {
		return nil, err
	}
	return v.Missing(said), nil
}

// sandboxUser returns a user id that no other process has: RLIMIT_NPROC counts by
// user, and root is not held to it. Systemd keeps ids from 0x70000000 free;
// pids have at most 22 bits, and 64 bots of one arena can live at once before
// two share an id.
func sandboxUser(pid, number int) int64 {
	user := int64(0x70000000) + int64(pid&0x3fffff)<<6 + int64(number&63)
	if top := highestID(); user > top {
		user = top - int64((pid*64+number)%1000) - 1 // a container that maps few ids
	}
	return user
}

// highestID returns the highest user id that exists in arena's user namespace.
func highestID() int64 {
	text, err := os.ReadFile("/proc/self/uid_map")
	top := int64(1<<32 - 3)
	if err != nil {
		return top
	}
	var last int64
	for line := range strings.Lines(string(text)) {
		var inside, outside, count int64
		if _, err := fmt.Sscan(line, &inside, &outside, &count); err == nil {
			last = max(last, inside+count-1)
		}
	}
	if last == 0 {
		return top
	}
	return min(last, top)
}

// nextUser counts the sandboxed bots.
func (s *Starter) nextUser() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sandboxed++
	return s.sandboxed
}

// sandboxEnv returns the part of arena's environment that a sandboxed bot gets: PATH,
// with folders before its own, and the language, but no secrets.
func sandboxEnv(environ, folders []string) []string {
	env := []string{"HOME=/tmp", "TMPDIR=/tmp"}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if name == "PATH" {
			entry = "PATH=" + strings.Join(append(slices.Clone(folders), value), ":")
		}
		if name == "PATH" || name == "LANG" || name == "TZ" || strings.HasPrefix(name, "LC_") {
			env = append(env, entry)
		}
	}
	return env
}

// awaitSandbox reads the pid of the sandbox's first process from bwrap, and waits until
// the bot runs in it. If bwrap fails, its stderr is the error.
func (p *Process) awaitSandbox(info, stderr int) error {
	const patience = 10 * time.Second
	end := p.starter.config.Now().Add(patience)
	var about struct {
		Child int `json:"child-pid"`
	}
	if err := json.Unmarshal(readObject(info), &about); err != nil || about.Child <= 0 {
		p.reap()
		return bwrapError(readAvailable(stderr))
	}
	fd, err := unix.PidfdOpen(about.Child, 0)
	if err == unix.EMFILE || err == unix.ENFILE {
		p.reap()
		return busy("start the sandbox", err)
	}
	if err != nil {
		p.reap()
		return bwrapError(readAvailable(stderr))
	}
	p.mu.Lock()
	p.inner, p.innerFD = about.Child, fd
	p.mu.Unlock()
	for p.starter.config.Now().Before(end) {
		if p.exited() {
			// The bot may have come and gone already; then stderr is its own.
			said := readAvailable(stderr)
			if bytes.HasPrefix(said, []byte("bwrap: ")) {
				return bwrapError(said)
			}
			if p.spec.Stderr != nil {
				_, _ = p.spec.Stderr.Write(said)
			}
			return nil
		}
		if children, err := childrenOf(about.Child); err == nil && len(children) > 0 {
			return nil
		}
		time.Sleep(200 * time.Microsecond)
	}
	return &BusyError{What: "start the sandbox", Err: fmt.Errorf("bwrap did not start the bot within %v", patience)}
}

func bwrapError(said []byte) error {
	why := strings.TrimSpace(string(said))
	if why == "" {
		why = "bwrap failed without a word"
	}
	for _, passing := range []syscall.Errno{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE} {
		if strings.HasSuffix(strings.ToLower(why), ": "+passing.Error()) {
			return &BusyError{What: "start the sandbox", Err: errors.New(why)}
		}
	}
	return &sandbox.Error{Why: why, Hint: "check that this user may make namespaces (a container may need more rights: try bwrap --unshare-all --ro-bind / / true)"}
}

// readObject reads a JSON object that ends with its first closing brace.
func readObject(fd int) []byte {
	buf := make([]byte, 0, 4096)
	for len(buf) < cap(buf) && !bytes.ContainsRune(buf, '}') {
		n, err := unix.Read(fd, buf[len(buf):cap(buf)])
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			break
		}
		buf = buf[:len(buf)+n]
	}
	return buf
}

// readAvailable reads up to 4 KiB from a non-blocking pipe.
func readAvailable(fd int) []byte {
	buf := make([]byte, 4096)
	n, err := unix.Read(fd, buf)
	if err != nil {
		n = 0
	}
	return buf[:n]
}
