//go:build linux && !portable && external

package process_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/process"
	"botarena/arena/process/sandbox"
)

// strict starts a shell script in a strict sandbox; its folder holds bot.sh and
// its parent a secret.
func strict(t *testing.T, s *process.Starter, script string, change ...func(*process.Spec)) (p *process.Process, dir string) {
	t.Helper()
	home := t.TempDir()
	dir = filepath.Join(home, "bots", "mine")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		filepath.Join(home, "secret"): "the user's\n",
		filepath.Join(dir, "bot.sh"):  script,
		filepath.Join(dir, "book"):    "e2e4\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(home, "bots"), 0o700); err != nil { // only the bot's own folder need be open
		t.Fatal(err)
	}
	var said buffer
	spec := process.Spec{Command: []string{"sh", "bot.sh"}, Dir: dir, Show: []string{"."}, Sandbox: arena.SandboxStrict, Stderr: &said}
	for _, c := range change {
		c(&spec)
	}
	p, err := s.Start(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.End(0); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("its stderr: %s", said.String())
		}
	})
	return p, dir
}

// verdict runs a script that says what a sandboxed bot could do.
func verdict(t *testing.T, script, want string) {
	t.Helper()
	p, _ := strict(t, newStarter(t), script)
	wantLine(t, p, want)
}

func TestExternalSandboxPlays(t *testing.T) {
	p, dir := strict(t, newStarter(t), `pwd; cat book; while read -r x; do echo "got $x"; done; exit 7`)
	wantLine(t, p, dir)
	wantLine(t, p, "e2e4")
	write(t, p, "one\n")
	wantLine(t, p, "got one")
	if !p.Alive() {
		t.Error("dead")
	}
	if err := p.End(generous); err != nil {
		t.Fatal(err)
	}
	if got := p.ExitStatus(); got != "exit status 7" {
		t.Errorf("status %q", got)
	}
}

func TestExternalSandboxSignalStatus(t *testing.T) {
	p, _ := strict(t, newStarter(t), `kill -SEGV $$`)
	_, err := p.ReadLine(in(generous))
	wantError(t, err, arena.ErrClosed)
	if got := p.ExitStatus(); got != "killed by signal: segmentation fault" {
		t.Errorf("status %q", got)
	}
}

func TestExternalSandboxHidesFiles(t *testing.T) {
	verdict(t, `
		for f in ../../secret ~root/.bashrc /etc/shadow /var/log /run; do
			cat "$f" >/dev/null 2>&1 && echo "read $f"
			ls "$f"/* >/dev/null 2>&1 && echo "listed $f"
		done
		ls -d /home/*/ ~root/ 2>/dev/null
		for f in /etc/passwd /etc/hosts /etc/fstab /etc/hostname /etc/ssh /etc/cron.d /opt /srv; do
			[ -e $f ] && echo "sees $f"
		done
		[ -e /etc/ld.so.cache ] || echo "does not see what the loader needs"
		echo done`, "done")
	verdict(t, `python3 -c 'import ssl, hashlib; ssl.create_default_context(); print("python runs")'`, "python runs")
}

func TestExternalSandboxRefusesWriting(t *testing.T) {
	p, dir := strict(t, newStarter(t), `
		echo x > ../x # at most into its own /tmp
		for f in ./x /x /usr/x /etc/x /dev/x /proc/sys/kernel/hostname bot.sh; do
			(echo x > "$f") 2>/dev/null && echo "wrote $f"
		done
		mount -t tmpfs none /mnt 2>/dev/null && echo mounted
		echo x > /tmp/arena-sandbox-test && echo "own tmp: $(ls /tmp/arena-sandbox-test)"`)
	wantLine(t, p, "own tmp: /tmp/arena-sandbox-test")
	if _, err := os.Stat(filepath.Join(filepath.Dir(dir), "x")); err == nil {
		t.Error("it wrote beside its folder")
	}
	if _, err := os.Stat("/tmp/arena-sandbox-test"); err == nil {
		t.Error("the sandbox's /tmp is the machine's")
	}
}

func TestExternalSandboxBoundsTmp(t *testing.T) {
	verdict(t, `head -c 200000000 /dev/zero > /tmp/x 2>/dev/null; head -c 200000000 /dev/zero > /dev/shm/x 2>/dev/null
		echo $(( $(stat -c %s /tmp/x) <= 67108864 && $(stat -c %s /dev/shm/x) <= 16777216 ))`, "1")
}

func TestExternalSandboxHasNoNetwork(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	port := listener.Addr().(*net.TCPAddr).Port
	connect := fmt.Sprintf(`python3 -c '
import socket
try:
    socket.create_connection(("127.0.0.1", %d), 2)
    print("connected")
except OSError as e:
    print("refused")'`, port)
	verdict(t, connect, "refused")
	// The same program gets through outside.
	wantLine(t, sh(t, newStarter(t), connect), "connected")
	verdict(t, `grep -c : /proc/net/dev`, "1") // the loopback alone
}

func TestExternalSandboxShutsOffProcesses(t *testing.T) {
	s := newStarter(t)
	neighbour := sh(t, s, `echo; read -r x; echo alive; sleep 1000`)
	wantLine(t, neighbour, "")
	p, _ := strict(t, s, fmt.Sprintf(`
		for pid in %d %d $PPID 1 -1; do kill -9 $pid 2>/dev/null && [ $pid != -1 ] && [ $pid != 1 ] && echo "killed $pid"; done
		ls -d /proc/%d 2>/dev/null
		echo done`, os.Getpid(), neighbour.PID(), neighbour.PID()))
	wantLine(t, p, "done")
	write(t, neighbour, "go\n")
	wantLine(t, neighbour, "alive")
}

func TestExternalSandboxBoundsForking(t *testing.T) {
	const script = `
i=0
while [ $i -lt 64 ]; do
	i=$((i+1))
	(sleep 1000) &
	echo $i
done
echo all
wait`
	p, _ := strict(t, newStarter(t), script, func(s *process.Spec) { s.Limits.Processes = 16 })
	forked := 0
	for {
		line, err := p.ReadLine(in(generous))
		if err != nil { // the shell gives up where it cannot fork
			wantError(t, err, arena.ErrClosed)
			break
		}
		forked, _ = strconv.Atoi(string(line))
	}
	if forked < 10 || forked > 16 {
		t.Errorf("%d processes under a limit of 16", forked)
	}
}

// Bots side by side have limits of their own, though they may be one user's.
func TestExternalSandboxLimitsAreEachBotsOwn(t *testing.T) {
	s := newStarter(t)
	for range 3 {
		p, _ := strict(t, s, `for i in 1 2 3 4 5; do sleep 1000 & done; echo all; wait`, func(s *process.Spec) { s.Limits.Processes = 8 })
		wantLine(t, p, "all")
	}
}

func TestExternalSandboxEndsAll(t *testing.T) {
	s := newStarter(t)
	for _, script := range []string{
		`(setsid sleep 12345 &); setsid env -i sleep 12345 & trap '' TERM; echo; while :; do sleep 1; done`,
		`(setsid sleep 12345 &); echo; exit 0`,
	} {
		p, _ := strict(t, s, script)
		wantLine(t, p, "")
		if err := p.End(0); err != nil {
			t.Fatal(err)
		}
		if left := sleepers(t, "12345"); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
	// In its first moments, again and again.
	for range 20 {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Duration(time.Now().UnixNano()%10_000_000), cancel)
		p, err := s.Start(ctx, process.Spec{Command: []string{"sleep", "12346"}, Dir: "/usr", Sandbox: arena.SandboxStrict})
		if err == nil {
			if err := p.End(0); err != nil {
				t.Error(err)
			}
		}
		cancel()
	}
	eventually(t, "no sandboxed process is left", func() bool { return len(sleepers(t, "12346")) == 0 })
}

// sleepers lists processes whose command line has the argument.
func sleepers(t *testing.T, argument string) []string {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, name := range names {
		line, _ := os.ReadFile(name)
		if strings.HasSuffix(string(line), "\x00"+argument+"\x00") {
			found = append(found, name)
		}
	}
	return found
}

func TestExternalSandboxFacts(t *testing.T) {
	p, _ := strict(t, newStarter(t), `i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo; kill -STOP $$; sleep 1000`)
	wantLine(t, p, "")
	if got := p.CPUTime(); got < 20*time.Millisecond {
		t.Errorf("CPU time %v", got)
	}
	eventually(t, "stopped", p.Stopped)
	p.Continue()
	eventually(t, "continued", func() bool { return !p.Stopped() })
}

func TestExternalSandboxEnvironment(t *testing.T) {
	s, err := process.NewStarter(process.Config{RunID: runID(t), Now: time.Now, Environ: []string{"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TOKEN=secret", "HOME=/home/me"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	p, _ := strict(t, s, `
		echo "$TOKEN $HOME $LANG $MINE"
		for f in /proc/[0-9]*/environ; do grep -q secret $f 2>/dev/null && echo "$f tells"; done
		id -u`, func(s *process.Spec) { s.Env = []string{"MINE=1"} })
	wantLine(t, p, " /tmp C.UTF-8 1")
	line, err := p.ReadLine(in(generous))
	if uid, _ := strconv.Atoi(string(line)); err != nil || uid == 0 {
		t.Errorf("it runs as user %q, %v", line, err)
	}
}

// A bot gets its three pipes and nothing else that arena has open.
func TestExternalDescriptors(t *testing.T) {
	s := newStarter(t)
	for _, sandbox := range []arena.Sandbox{arena.SandboxNone, arena.SandboxStrict} {
		p, err := s.Start(context.Background(), process.Spec{Command: []string{"ls", "/proc/self/fd"}, Dir: "/usr", Sandbox: sandbox})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"0", "1", "2", "3"} { // 3 is ls's own
			wantLine(t, p, want)
		}
		_, err = p.ReadLine(in(generous))
		wantError(t, err, arena.ErrClosed)
		if err := p.End(0); err != nil {
			t.Error(err)
		}
	}
}

func TestExternalCPULimit(t *testing.T) {
	p := sh(t, newStarter(t), `trap '' XCPU; while :; do :; done`, func(s *process.Spec) {
		s.Limits, s.Sandbox = arena.Limits{CPUTime: 100 * time.Millisecond}, arena.SandboxLimits
	})
	_, err := p.ReadLine(in(generous))
	wantError(t, err, arena.ErrClosed)
	if got := p.ExitStatus(); got != "killed by signal: killed" {
		t.Errorf("status %q", got)
	}
}

func TestExternalSandboxLimits(t *testing.T) {
	p, _ := strict(t, newStarter(t), `ulimit -d; ulimit -f; ulimit -c; ulimit -t`, func(s *process.Spec) {
		s.Limits = arena.Limits{Memory: 512 << 20, FileSize: 1 << 20, CPUTime: 10 * time.Second}
	})
	for _, want := range []string{"524288", "2048", "0", "10"} {
		wantLine(t, p, want)
	}
}

func TestExternalSandboxPinning(t *testing.T) {
	cpus, err := process.CPUs()
	if err != nil {
		t.Fatal(err)
	}
	last := cpus[len(cpus)-1].ID
	p, _ := strict(t, newStarter(t), `grep Cpus_allowed_list /proc/self/status`, func(s *process.Spec) { s.CPUs = []int{last} })
	wantLine(t, p, fmt.Sprintf("Cpus_allowed_list:\t%d", last))
}

// A program outside the bot's folder is shown, and so are files that its
// arguments name, but not what lies beside them.
func TestExternalSandboxShowsProgram(t *testing.T) {
	home := t.TempDir()
	program, data := filepath.Join(home, "engine"), filepath.Join(home, "net")
	if err := os.WriteFile(program, []byte("#!/bin/sh\ncat $1; ls "+home+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{data, filepath.Join(home, "secret")} {
		if err := os.WriteFile(file, []byte("weights\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(home, "folder")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s := newStarter(t)
	p, err := s.Start(context.Background(), process.Spec{Command: []string{program, data}, Dir: dir, Sandbox: arena.SandboxStrict})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.End(0) }()
	for _, want := range []string{"weights", "engine", "folder", "net"} {
		wantLine(t, p, want)
	}
	_, err = p.ReadLine(in(generous))
	wantError(t, err, arena.ErrClosed)
}

func TestExternalSandboxErrors(t *testing.T) {
	home := t.TempDir()
	closed := filepath.Join(home, "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := process.NewStarter(process.Config{RunID: runID(t), Now: time.Now, Home: filepath.Join(home, "me"), Environ: []string{"PATH=/usr/bin"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := os.MkdirAll(filepath.Join(home, "me", "bots"), 0o755); err != nil {
		t.Fatal(err)
	}
	var shut *sandbox.Error
	for _, dir := range []string{"/", home, filepath.Join(home, "me")} {
		_, err := s.Start(context.Background(), process.Spec{Command: []string{"sh"}, Dir: dir, Show: []string{"."}, Sandbox: arena.SandboxStrict})
		if !errors.As(err, &shut) || !strings.Contains(err.Error(), "home") {
			t.Errorf("%s: %v", dir, err)
		}
	}
	_, err = s.Start(context.Background(), process.Spec{Command: []string{"sh"}, Dir: closed, Show: []string{"."}, Sandbox: arena.SandboxStrict})
	if os.Geteuid() == 0 && (!errors.As(err, &shut) || !strings.Contains(err.Error(), "chmod")) {
		t.Errorf("%s: %v", closed, err)
	}
	p, err := s.Start(context.Background(), process.Spec{Command: []string{"sh"}, Dir: filepath.Join(home, "me", "bots"), Show: []string{"."}, Sandbox: arena.SandboxStrict})
	if err != nil {
		t.Fatalf("the bot's own folder: %v", err)
	}
	if err := p.End(0); err != nil {
		t.Error(err)
	}
}

// What a killed arena leaves: the sandbox dies with it.
func TestExternalSandboxDiesWithBwrap(t *testing.T) {
	p, _ := strict(t, newStarter(t), `setsid sleep 12347 & echo; sleep 12347`)
	wantLine(t, p, "")
	if err := syscall.Kill(p.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the sandbox has ended", func() bool { return len(sleepers(t, "12347")) == 0 })
}
