//go:build unix

package process_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"botarena/arena"
	"botarena/arena/process"
)

// sh starts a shell script as a bot.
func sh(t testing.TB, s *process.Starter, script string, change ...func(*process.Spec)) *process.Process {
	t.Helper()
	spec := process.Spec{Command: []string{"sh", "-c", script}, Dir: t.TempDir()}
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
	})
	return p
}

func TestLines(t *testing.T) {
	p := sh(t, newStarter(t), `while read -r line; do echo "got $line"; done; echo bye`)
	write(t, p, "one\ntwo\n")
	wantLine(t, p, "got one")
	wantLine(t, p, "got two")
	write(t, p, "three\n")
	wantLine(t, p, "got three")
	if !p.Alive() || p.ExitStatus() != "still running" {
		t.Errorf("alive %v, status %q", p.Alive(), p.ExitStatus())
	}
	if err := p.End(generous); err != nil {
		t.Fatal(err)
	}
	if got := p.ExitStatus(); got != "exit status 0" {
		t.Errorf("status %q after its input was closed", got)
	}
	wantError(t, p.Write([]byte("x\n"), in(generous)), arena.ErrClosed)
	_, err := p.ReadLine(in(generous))
	wantError(t, err, arena.ErrClosed)
}

func TestCarriageReturn(t *testing.T) {
	p := sh(t, newStarter(t), `printf 'one\r\n\r\n\na\rb\n'; read -r x`)
	for _, want := range []string{"one", "", "", "a\rb"} {
		wantLine(t, p, want)
	}
}

func TestReadDeadline(t *testing.T) {
	p := sh(t, newStarter(t), `read -r x; echo late`)
	start := time.Now()
	_, err := p.ReadLine(in(50 * time.Millisecond))
	wantError(t, err, arena.ErrTimeout)
	if took := time.Since(start); took < 50*time.Millisecond || took > generous {
		t.Errorf("took %v", took)
	}
	write(t, p, "go\n")
	wantLine(t, p, "late")
}

// What a bot began and has not ended is there for a message.
func TestUnfinished(t *testing.T) {
	p := sh(t, newStarter(t), `printf 'one\nbestmo'; read -r x; echo ve; read -r x`)
	wantLine(t, p, "one")
	_, err := p.ReadLine(in(50 * time.Millisecond))
	for end := time.Now().Add(generous); err == nil || len(p.Unfinished()) == 0 && time.Now().Before(end); {
		_, err = p.ReadLine(in(50 * time.Millisecond))
	}
	if got := string(p.Unfinished()); got != "bestmo" {
		t.Errorf("got %q", got)
	}
	write(t, p, "go\n")
	wantLine(t, p, "bestmove")
	if got := p.Unfinished(); len(got) > 0 {
		t.Errorf("got %q", got)
	}
}

// A bot that keeps talking does not win time.
func TestTalkerRunsOutOfTime(t *testing.T) {
	p := sh(t, newStarter(t), `while :; do echo info; done`, func(s *process.Spec) { s.FloodCap = 1 << 40 })
	start := time.Now()
	deadline := in(200 * time.Millisecond)
	var err error
	for err == nil {
		_, err = p.ReadLine(deadline)
	}
	wantError(t, err, arena.ErrTimeout)
	if took := time.Since(start); took > generous {
		t.Errorf("took %v", took)
	}
}

func TestWriteDeadline(t *testing.T) {
	p := sh(t, newStarter(t), `sleep 1000`)
	err := p.Write(bytes.Repeat([]byte("position\n"), 100_000), in(100*time.Millisecond))
	wantError(t, err, arena.ErrTimeout)
}

func TestWriteToClosedInput(t *testing.T) {
	p := sh(t, newStarter(t), `exec <&-; echo closed; sleep 1000`)
	wantLine(t, p, "closed")
	wantError(t, p.Write([]byte("go\n"), in(generous)), arena.ErrClosed)
}

func TestLongLine(t *testing.T) {
	limit := func(s *process.Spec) { s.MaxLine = 1000 }
	s := newStarter(t)
	for _, test := range []struct {
		length int
		end    string
		err    error
	}{{1000, `\n`, nil}, {1000, `\r\n`, nil}, {1001, `\n`, arena.ErrLineTooLong}, {1001, `\r\n`, arena.ErrLineTooLong}, {5000, ``, arena.ErrLineTooLong}} {
		p := sh(t, s, fmt.Sprintf(`printf '%%0%dd%s'; read -r x`, test.length, test.end), limit)
		line, err := p.ReadLine(in(generous))
		if !errors.Is(err, test.err) || (err == nil && len(line) != test.length) {
			t.Errorf("%d bytes and %q: %d bytes, %v", test.length, test.end, len(line), err)
		}
		if test.err != nil {
			_, err = p.ReadLine(in(generous))
			wantError(t, err, test.err) // what follows has no beginning
		}
	}
}

func TestFlood(t *testing.T) {
	p := sh(t, newStarter(t), `while read -r x; do yes info | head -n 1000; done`, func(s *process.Spec) { s.FloodCap = 6000 })
	for range 3 {
		p.Reset()
		write(t, p, "go\n")
		for range 1000 {
			wantLine(t, p, "info")
		}
	}
	write(t, p, strings.Repeat("go\n", 100))
	var err error
	lines := 0
	for ; err == nil; lines++ {
		_, err = p.ReadLine(in(generous))
	}
	wantError(t, err, arena.ErrFlood)
	if lines*len("info\n") > 6000+process.DefaultMaxLine {
		t.Errorf("%d lines before the flood was noticed", lines)
	}
}

func TestExit(t *testing.T) {
	s := newStarter(t)
	for script, want := range map[string]string{
		"echo; exit 3":        "exit status 3",
		"echo; kill -SEGV $$": "killed by signal: segmentation fault",
		"echo; kill -KILL $$": "killed by signal: killed",
	} {
		p := sh(t, s, script)
		wantLine(t, p, "")
		_, err := p.ReadLine(in(generous))
		wantError(t, err, arena.ErrClosed)
		eventually(t, "ended", func() bool { return !p.Alive() })
		if got := p.ExitStatus(); got != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
}

// The death of a bot shows although a child of its keeps its output open.
func TestDeathBehindOpenOutput(t *testing.T) {
	p := sh(t, newStarter(t), `sleep 1000 & echo $!; exit 4`)
	child, err := p.ReadLine(in(generous))
	if err != nil {
		t.Fatal(err)
	}
	pid := string(child)
	start := time.Now()
	_, err = p.ReadLine(in(generous))
	wantError(t, err, arena.ErrClosed)
	if time.Since(start) > generous/2 {
		t.Error("waited for the deadline")
	}
	if got := p.ExitStatus(); got != "exit status 4" {
		t.Errorf("status %q", got)
	}
	if err := p.End(0); err != nil {
		t.Error(err)
	}
	eventually(t, "the child has ended", func() bool { return exec.Command("sh", "-c", "kill -0 "+pid).Run() != nil })
}

func TestGrace(t *testing.T) {
	s := newStarter(t)
	// It takes its time to quit, and says more than a pipe holds on its way.
	slow := sh(t, s, `read -r x; yes goodbye | head -c 1000000; sleep 0.2; exit 5`)
	write(t, slow, "quit\n")
	if err := slow.End(generous); err != nil || slow.ExitStatus() != "exit status 5" {
		t.Errorf("%v, %s", err, slow.ExitStatus())
	}
	deaf := sh(t, s, `trap '' TERM INT HUP; while :; do sleep 1; done`)
	start := time.Now()
	if err := deaf.End(100 * time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took < 100*time.Millisecond || took > generous {
		t.Errorf("took %v", took)
	}
	if got := deaf.ExitStatus(); got != "killed by signal: killed" {
		t.Errorf("status %q", got)
	}
}

func TestContextEndsBot(t *testing.T) {
	s := newStarter(t)
	ctx, cancel := context.WithCancel(context.Background())
	p, err := s.Start(ctx, process.Spec{Command: []string{"sleep", "1000"}, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err = p.ReadLine(in(generous))
	wantError(t, err, arena.ErrClosed)
	if err := p.End(0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(ctx, process.Spec{Command: []string{"sleep", "1000"}, Dir: t.TempDir()}); !errors.Is(err, context.Canceled) {
		t.Errorf("started under a context that is done: %v", err)
	}
}

func TestStderr(t *testing.T) {
	var first, second buffer
	p := sh(t, newStarter(t), `
		while read -r n; do yes "err$n" | head -n 100000 >&2; echo done; done`,
		func(s *process.Spec) { s.Stderr, s.StderrCap = &first, 1000 })
	write(t, p, "1\n")
	wantLine(t, p, "done")
	eventually(t, "the cap is reached", func() bool { return strings.Contains(first.String(), "1000 bytes") })
	// What is still in the pipe belongs to the first; a second log starts anew.
	time.Sleep(50 * time.Millisecond)
	p.SetStderr(&second)
	write(t, p, "2\n")
	wantLine(t, p, "done")
	eventually(t, "the second log is full", func() bool { return strings.Contains(second.String(), "1000 bytes") })
	p.SetStderr(nil)
	write(t, p, "3\n")
	wantLine(t, p, "done")
	if err := p.End(generous); err != nil {
		t.Fatal(err)
	}
	for i, log := range []string{first.String(), second.String()} {
		if len(log) > 1100 || !strings.HasPrefix(log, fmt.Sprintf("err%d\n", i+1)) || strings.Contains(log, "err3") {
			t.Errorf("log %d: %d bytes, begins %.20q", i+1, len(log), log)
		}
	}
}

// What a bot says last, such as why it crashed, is in the log once End returns.
func TestLastWords(t *testing.T) {
	s := newStarter(t)
	for i := range 10 {
		var log buffer
		p := sh(t, s, `read -r quit; yes line | head -n 5000 >&2; echo last words >&2; exit 3`, func(s *process.Spec) { s.Stderr = &log })
		write(t, p, "quit\n")
		if err := p.End(generous); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(log.String(), "last words\n") {
			t.Fatalf("bot %d: the log ends in %q", i, log.String()[max(0, len(log.String())-40):])
		}
	}
}

// A log that cannot be written does not hurt the bot.
func TestStderrSinkFails(t *testing.T) {
	r, w := io.Pipe()
	_ = r.Close()
	p := sh(t, newStarter(t), `yes | head -c 1000000 >&2; echo done`, func(s *process.Spec) { s.Stderr = w })
	wantLine(t, p, "done")
}

func TestNoLeaks(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	s, err := process.NewStarter(process.Config{RunID: runID(t), Environ: os.Environ(), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	before := openFiles(t)
	for range 5 {
		p, err := s.Start(context.Background(), process.Spec{Command: []string{"sh", "-c", "echo; exec sleep 1000"}, Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		wantLine(t, p, "")
		if err := p.End(0); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Start(context.Background(), process.Spec{Command: []string{"sh"}, Dir: "/nowhere"}); err == nil {
			t.Fatal("started nowhere")
		}
	}
	left, err := s.Start(context.Background(), process.Spec{Command: []string{"sleep", "1000"}, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left.Alive() {
		t.Error("a bot outlived its starter")
	}
	if after := openFiles(t); after > before {
		t.Errorf("%d open files, %d before", after, before)
	}
	if _, err := s.Start(context.Background(), process.Spec{Command: []string{"sh"}, Dir: t.TempDir()}); err == nil {
		t.Error("a closed starter starts")
	}
}

// openFiles counts descriptors where the platform shows them, else returns 0.
func openFiles(t *testing.T) int {
	if runtime.GOOS != "linux" {
		return 0
	}
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

func TestStartErrors(t *testing.T) {
	s := newStarter(t)
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file("mybot.py", "print()", 0o644)
	file("engine", "#!/nowhere/python9 -u\n", 0o755)
	file("windows", "#!/bin/sh\r\necho\r\n", 0o755)
	file("data", "\x00\x01\x02 no program", 0o755)
	file("env", "#!/usr/bin/env python3\n", 0o755)
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	var (
		notFound      *process.NotFoundError
		notExecutable *process.NotExecutableError
		badDir        *process.DirError
	)
	for _, test := range []struct {
		command string
		dir     string
		as      any
		says    []string
	}{
		{"./mybot.pi", dir, &notFound, []string{"./mybot.pi", filepath.Join(dir, "mybot.pi"), `did you mean "mybot.py"`}},
		{"mybot", dir, &notFound, []string{`"mybot"`, `did you mean "mybot.py"`}},
		{"/nowhere/at/all", dir, &notFound, []string{"/nowhere/at/all"}},
		{"no-such-program-anywhere", dir, &notFound, []string{"/bin/no-such-program-anywhere"}},
		{"./mybot.py", dir, &notExecutable, []string{"is not executable", "chmod +x", "[python3, mybot.py]"}},
		{"./folder", dir, &notExecutable, []string{"is a directory"}},
		{"./data", dir, &notExecutable, []string{"neither a program", "#!"}},
		{"./engine", dir, &notExecutable, []string{"/nowhere/python9"}},
		{"./windows", dir, &notExecutable, []string{"carriage return"}},
		{"sh", filepath.Join(dir, "missing"), &badDir, []string{"missing", "no such file"}},
		{"sh", filepath.Join(dir, "data"), &badDir, []string{"is a file"}},
	} {
		_, err := s.Start(context.Background(), process.Spec{Command: []string{test.command}, Dir: test.dir})
		if err == nil {
			t.Errorf("%s started", test.command)
			continue
		}
		if !errors.As(err, test.as) {
			t.Errorf("%s: %T %v, want %T", test.command, err, err, test.as)
		}
		for _, part := range test.says {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q does not say %q", test.command, err, part)
			}
		}
	}
	if _, err := process.FindProgram("env", dir, "/usr/bin"); err != nil {
		t.Errorf("a script with arguments of its interpreter: %v", err)
	}
}

// A program in the bot's folder goes before one of that name in PATH, but only
// if it can be started.
func TestFindProgramOrder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sh")
	inPath, err := process.FindProgram("sh", dir, "/bin:relative")
	if err != nil || inPath != "/bin/sh" {
		t.Fatalf("%s, %v", inPath, err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := process.FindProgram("sh", dir, "/bin"); err != nil || got != "/bin/sh" {
		t.Errorf("%s, %v", got, err)
	}
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := process.FindProgram("sh", dir, "/bin"); err != nil || got != path {
		t.Errorf("%s, %v", got, err)
	}
}

// Processes are named as one types them behind ps -p.
func TestLeftErrorNamesProcesses(t *testing.T) {
	const want = "processes 12 13 could not be ended within 5 seconds; look at them with ps"
	if got := (&process.LeftError{PIDs: []int{12, 13}}).Error(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSpecErrors(t *testing.T) {
	s := newStarter(t)
	for want, spec := range map[string]process.Spec{
		"no command":      {},
		"unknown sandbox": {Command: []string{"sh"}, Sandbox: "tight"},
		"without a limit": {Command: []string{"sh"}, Sandbox: arena.SandboxLimits},
		"negative":        {Command: []string{"sh"}, Limits: arena.Limits{Memory: -1}},
		"NAME=VALUE":      {Command: []string{"sh"}, Env: []string{"THREADS"}},
		"absolute path":   {Command: []string{"sh"}},
		`"bots"`:          {Command: []string{"sh"}, Dir: "bots"},
	} {
		if _, err := s.Start(context.Background(), spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for _, config := range []process.Config{{Now: time.Now}, {RunID: "a.b", Now: time.Now}, {RunID: "a"}} {
		if _, err := process.NewStarter(config); err == nil {
			t.Errorf("%+v is accepted", config)
		}
	}
}

func TestSpecOf(t *testing.T) {
	built := process.SpecOf(arena.Bot{Builtin: "minimax", Args: []string{"--x"}, Dir: "/d"}, "/bin/arena")
	if got := strings.Join(built.Command, " "); got != "/bin/arena bot minimax --x" || built.Dir != "/d" {
		t.Errorf("%q in %q", got, built.Dir)
	}
	if got := process.SpecOf(arena.Bot{Builtin: "random"}, "/opt/arena/arena").Dir; got != "/opt/arena" {
		t.Errorf("a built-in bot without a folder runs in %q", got)
	}
	program := process.SpecOf(arena.Bot{Command: []string{"java", "-jar"}, Args: []string{"b.jar"}, Env: []string{"A=1"}}, "/bin/arena")
	if got := strings.Join(program.Command, " "); got != "java -jar b.jar" || len(program.Env) != 1 {
		t.Errorf("%q", got)
	}
}

// What two share goes on until the last of them closes it; then nobody gets it.
func TestShare(t *testing.T) {
	s := newStarter(t)
	if !s.Share() {
		t.Fatal("an open starter cannot be shared")
	}
	p := sh(t, s, `echo there; read line; echo "$line"`, func(*process.Spec) {})
	wantLine(t, p, "there")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, p, "still\n")
	wantLine(t, p, "still")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s.Share() {
		t.Error("a closed starter is shared")
	}
}
