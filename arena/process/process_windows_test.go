package process_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/process"
)

// TestMain lets the test program play a bot, as its first argument says.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || !strings.HasPrefix(os.Args[1], "bot-") {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case "bot-echo":
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			fmt.Println("got " + lines.Text())
		}
	case "bot-say": // its arguments, then to stderr, then the status of a fault
		fmt.Println(strings.Join(os.Args[2:], " "))
		fmt.Fprintln(os.Stderr, "words on stderr")
		os.Exit(3)
	case "bot-parent": // leaves a child that writes to a file for ever
		child := exec.Command(os.Args[0], "bot-beat", os.Args[2])
		if err := child.Start(); err != nil {
			fmt.Println(err)
		}
		fmt.Println("started")
		time.Sleep(time.Hour)
	case "bot-beat":
		for {
			_ = os.WriteFile(os.Args[2], []byte("x"), 0o644)
			time.Sleep(10 * time.Millisecond)
		}
	}
	os.Exit(0)
}

// bot starts the test program as a bot.
func bot(t *testing.T, s *process.Starter, args []string, change ...func(*process.Spec)) *process.Process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	spec := process.Spec{Command: append([]string{self}, args...), Dir: t.TempDir()}
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
	p := bot(t, newStarter(t), []string{"bot-echo"})
	write(t, p, "one\ntwo\r\n")
	wantLine(t, p, "got one")
	wantLine(t, p, "got two")
	if !p.Alive() || p.ExitStatus() != "still running" {
		t.Errorf("alive %v, status %q", p.Alive(), p.ExitStatus())
	}
	_, err := p.ReadLine(in(50 * time.Millisecond))
	wantError(t, err, arena.ErrTimeout)
	if err := p.End(generous); err != nil {
		t.Fatal(err)
	}
	if got := p.ExitStatus(); got != "exit status 0" {
		t.Errorf("status %q after its input was closed", got)
	}
	wantError(t, p.Write([]byte("x\n"), in(generous)), arena.ErrClosed)
}

func TestExit(t *testing.T) {
	var said buffer
	p := bot(t, newStarter(t), []string{"bot-say", "a b", `"quoted"`, `back\slash\`}, func(s *process.Spec) { s.Stderr = &said })
	wantLine(t, p, `a b "quoted" back\slash\`)
	_, err := p.ReadLine(in(generous))
	wantError(t, err, arena.ErrClosed)
	if got := p.ExitStatus(); got != "exit status 3" {
		t.Errorf("status %q", got)
	}
	if err := p.End(0); err != nil || said.String() != "words on stderr\n" {
		t.Errorf("%q, %v", said.String(), err)
	}
}

// What a bot started ends with it.
func TestChildrenEnd(t *testing.T) {
	beat := filepath.Join(t.TempDir(), "beat")
	p := bot(t, newStarter(t), []string{"bot-parent", beat})
	wantLine(t, p, "started")
	eventually(t, "the child writes", func() bool { _, err := os.Stat(beat); return err == nil })
	if err := p.End(0); err != nil {
		t.Fatal(err)
	}
	// One write may still be under way.
	eventually(t, "the child has ended", func() bool {
		if os.Remove(beat) != nil {
			return false
		}
		time.Sleep(200 * time.Millisecond)
		_, err := os.Stat(beat)
		return err != nil
	})
}

func TestFindProgram(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	for _, file := range []string{filepath.Join(dir, "a.bat"), filepath.Join(dir, "a.exe"), filepath.Join(other, "b.cmd"), filepath.Join(other, "c.v2.exe"), filepath.Join(dir, "bot.py")} {
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"a": filepath.Join(dir, "a.exe"), "a.bat": filepath.Join(dir, "a.bat"), "./A.EXE": filepath.Join(dir, "A.EXE"),
		"b": filepath.Join(other, "b.cmd"), "c.v2": filepath.Join(other, "c.v2.exe"), filepath.Join(other, "b"): filepath.Join(other, "b.cmd"),
	} {
		if got, err := process.FindProgram(name, dir, other); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
	var script *process.NotExecutableError
	if _, err := process.FindProgram("bot.py", dir, other); !errors.As(err, &script) || !strings.Contains(err.Error(), "command: [python") {
		t.Errorf("a script: %v", err)
	}
	var missing *process.NotFoundError
	if _, err := process.FindProgram("bott", dir, other); !errors.As(err, &missing) {
		t.Errorf("%v", err)
	}
	var broken *process.NotExecutableError
	if _, err := newStarter(t).Start(context.Background(), process.Spec{Command: []string{"a"}, Dir: dir}); !errors.As(err, &broken) {
		t.Errorf("an empty .exe: %v", err)
	}
}

func TestBatchFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mybot.bat"), []byte("@echo hello from %1\r\n@exit 4\r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := newStarter(t)
	p, err := s.Start(context.Background(), process.Spec{Command: []string{"./mybot", "there"}, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	wantLine(t, p, "hello from there")
	if err := p.End(generous); err != nil || p.ExitStatus() != "exit status 4" {
		t.Errorf("%s, %v", p.ExitStatus(), err)
	}
}

func TestRun(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := newStarter(t)
	said, err := s.Run(context.Background(), process.Task{Spec: process.Spec{Command: []string{self, "bot-say", "built"}, Dir: t.TempDir()}})
	var failed *process.TaskError
	if !errors.As(err, &failed) || failed.Status != "exit status 3" || string(said) != "built\nwords on stderr\n" {
		t.Errorf("%q, %v", said, err)
	}
	_, err = s.Run(context.Background(), process.Task{Spec: process.Spec{Command: []string{self, "bot-parent", filepath.Join(t.TempDir(), "beat")}, Dir: t.TempDir()}, Timeout: time.Second})
	if !errors.As(err, &failed) || failed.Timeout != time.Second {
		t.Errorf("%v", err)
	}
}
