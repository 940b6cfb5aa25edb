package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// A full device takes so many bytes and no more.
type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
	}
	return len(b), nil
}

// An interrupt is told as one, whatever it cut off.
func TestInterruptedSaysSo(t *testing.T) {
	var told bytes.Buffer
	a := &app{err: &told}
	if code := a.exit(fmt.Errorf("try the sandbox: %w", context.Canceled)); code != exitInterrupted || told.String() != "arena: try the sandbox: interrupted\n" {
		t.Errorf("code %d: %q", code, told.String())
	}
}

// What cannot be written is an error of the command, said once.
func TestOutputLost(t *testing.T) {
	configFile, err := filepath.Abs("../../configs/quickstart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	lines := [][]string{
		{"version"},
		{"perft", "breakthrough:5x5", "2"},
		{"perft", "breakthrough:5x5", "2", "--divide"},
		{"perft", "breakthrough:5x5", "2", "--json"},
		{"moves", "breakthrough:5x5"},
		{"moves", "breakthrough:5x5", "--json"},
		{"sprt", "calc", "--pairs", "0,0,1,0,16"},
		{"sprt", "calc", "--pairs", "0,0,1,0,16", "--json"},
		{"sprt", "plan"},
		{"sprt", "plan", "--json"},
		{"config", "validate", configFile},
		{"config", "show", configFile},
		{"run", configFile, "--dry-run"},
		{"bots", "list"},
		{"bots", "list", "--json"},
		{"bots", "list", "--csv"},
		{"bots", "list", "--markdown"},
		{"bot", "misbehaving", "--list"},
		{"completion", "bash"},
	}
	var help func(cmd *cobra.Command, path []string)
	help = func(cmd *cobra.Command, path []string) {
		lines = append(lines, append(path[:len(path):len(path)], "--help"))
		for _, sub := range cmd.Commands() {
			if !sub.Hidden {
				help(sub, append(path[:len(path):len(path)], sub.Name()))
			}
		}
	}
	help((&app{out: io.Discard, err: io.Discard}).rootCommand(), nil)
	for _, args := range lines {
		for _, room := range []int{0, 2} {
			var errs bytes.Buffer
			code := run(context.Background(), args, &app{
				in: &bytes.Buffer{}, out: &full{room}, err: &errs,
				getenv: func(string) string { return "" }, now: time.Now,
				terminal: func(io.Writer) (int, bool) { return 0, false },
			})
			if want := "arena: write the output: no space left on device\n"; code != exitFailed || errs.String() != want {
				t.Errorf("%q with room for %d bytes: exit code %d, stderr %q", args, room, code, errs.String())
			}
		}
	}
}
