//go:build external && linux

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A computation that a kill -9 or Ctrl-C ended in its midst goes on from what it kept,
// and comes to what an undisturbed one comes to.
func TestExternalSolveGoesOn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, kept, made, args, says string }{
		{"a layer", "owlman-03.part", "owlman-03.table", "owlman --pieces 3 --forced 0", "1,626,123 "},
		{"Doc's forced wins", "owlman-doc-03.part", "owlman-doc-03.table", "owlman --pieces 3 --forced 3", "1,626,123 "},
		{"a proof", "breakthrough-4x5.search", "breakthrough-4x5.proof", "breakthrough:4x5 --proof --hash 64", "Who wins? black"},
		{"a board", "breakthrough-4x5.part", "breakthrough-4x5.table", "breakthrough:4x5", "6,078,393"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			args := append([]string{"solve"}, strings.Fields(tt.args)...)
			whole, log, code := arenaCommand(t, dir, append(args, "--tables", "tables")...)
			if code != exitDone || !strings.Contains(whole, tt.says) {
				t.Fatalf("undisturbed: exit code %d\n%s%s", code, whole, log)
			}
			want, err := os.ReadFile(filepath.Join(dir, "tables", tt.made))
			if err != nil {
				t.Fatal(err)
			}
			for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT} {
				again := "tables-" + signal.String()
				// The tables below the one that is disturbed are there.
				if err := os.CopyFS(filepath.Join(dir, again), os.DirFS(filepath.Join(dir, "tables"))); err != nil {
					t.Fatal(err)
				}
				if err := os.Remove(filepath.Join(dir, again, tt.made)); err != nil {
					t.Fatal(err)
				}
				log := endedInItsMidst(t, dir, filepath.Join(dir, again, tt.kept), signal, append(args, "--tables", again, "--keep", "20ms")...)
				if signal == syscall.SIGINT && !strings.Contains(log, "interrupted; the same command goes on from what was kept last") {
					t.Errorf("interrupted: %s", log)
				}
				out, log, code := arenaCommand(t, dir, append(args, "--tables", again)...)
				if code != exitDone || !strings.Contains(log, ": going on from what was kept") || !strings.Contains(out, tt.says) {
					t.Errorf("after %v: exit code %d\n%s%s", signal, code, out, log)
				}
				got, err := os.ReadFile(filepath.Join(dir, again, tt.made))
				if err != nil || !bytes.Equal(got, want) && !strings.HasSuffix(tt.made, ".proof") { // one of several
					t.Errorf("after %v: another table, %v", signal, err)
				}
				if left, _ := filepath.Glob(filepath.Join(dir, again, tt.kept+"*")); len(left) > 0 {
					t.Errorf("after %v: left behind %v", signal, left)
				}
			}
			if strings.HasSuffix(tt.made, ".proof") {
				if out, log, code := arenaCommand(t, dir, append(args, "--tables", "tables-killed", "--verify")...); code != exitDone {
					t.Errorf("the proof: %s%s", out, log)
				}
			}
		})
	}
}

// endedInItsMidst runs arena until a file is there, ends it with a signal and returns
// what it wrote to stderr.
func endedInItsMidst(t *testing.T, dir, file string, signal syscall.Signal, args ...string) string {
	t.Helper()
	cmd := exec.Command("arena", args...)
	cmd.Dir = dir
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for kept := false; !kept; {
		select {
		case err := <-done:
			t.Fatalf("it came to its end before it had kept anything: %v\n%s", err, log.String())
		case <-tick.C:
			_, err := os.Stat(file)
			kept = err == nil
		}
	}
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := <-done; !errors.As(err, &exit) {
		t.Fatalf("it came to its end before %v: %v\n%s", signal, err, log.String())
	}
	return log.String()
}
