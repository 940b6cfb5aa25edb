//go:build unix

package misbehaving

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
)

func ignoreTerm() { signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP) }

// child starts a program that inherits the bot's output and that nobody waits for.
func (b *bot) child(attr *syscall.SysProcAttr, name string, args ...string) error {
	_ = b.out.Flush()
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = asFile(b.Stdout), asFile(b.Stderr), attr
	return cmd.Start()
}

// asFile prevents os/exec from using a pipe: nil is the null device.
func asFile(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok {
		return f
	}
	return nil
}

// seconds returns the bot's life in whole seconds, for a child's own limit.
func (b *bot) seconds() string { return strconv.Itoa(int(b.Life.Seconds()) + 1) }

func (b *bot) forkChild() verdict {
	if err := b.child(nil, "sleep", b.seconds()); err != nil {
		return b.cannot(err)
	}
	return exitOK
}

func (b *bot) forkMany() verdict {
	for i := range b.Children {
		if err := b.child(nil, "sleep", b.seconds()); err != nil {
			b.tell("could not start child %d: %v", i+1, err)
			return answer
		}
	}
	b.tell("started %d children", b.Children)
	return answer
}

// setsidGrandchild leaves an orphan that burns at most a minute of CPU time, at
// the lowest priority.
func (b *bot) setsidGrandchild() verdict {
	const burner = `(ulimit -t 60; exec nice -n 19 sh -c 'while :; do :; done') &`
	if err := b.child(&syscall.SysProcAttr{Setsid: true}, "sh", "-c", burner); err != nil {
		return b.cannot(err)
	}
	return answer
}

func (b *bot) killParent() verdict {
	if err := syscall.Kill(os.Getppid(), syscall.SIGKILL); err != nil {
		b.tell("could not kill the parent: %v", err)
	} else {
		b.tell("sent SIGKILL to the parent")
	}
	return answer
}

func (b *bot) stopSelf() verdict {
	if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err != nil {
		return b.cannot(err)
	}
	return answer
}

// markVariable is the environment variable by which arena marks bots: "RUN.N".
const markVariable = "ARENA_BOT="

// stopOpponent stops the other bots of the run, which it finds by their marks.
func (b *bot) stopOpponent() verdict {
	var mine string
	for _, entry := range b.Environ {
		if value, ok := strings.CutPrefix(entry, markVariable); ok {
			mine = value
		}
	}
	run, _, marked := strings.Cut(mine, ".")
	if !marked {
		return b.cannot(errors.New("nothing marks the opponent; run it under arena"))
	}
	names, err := os.ReadDir("/proc")
	if err != nil {
		return b.cannot(fmt.Errorf("find the opponent: %w", err))
	}
	stopped := 0
	for _, name := range names {
		environ, err := os.ReadFile("/proc/" + name.Name() + "/environ")
		if err != nil {
			continue
		}
		for entry := range bytes.SplitSeq(environ, []byte{0}) {
			value, ok := bytes.CutPrefix(entry, []byte(markVariable))
			pid, err := strconv.Atoi(name.Name())
			if ok && err == nil && string(value) != mine && bytes.HasPrefix(value, []byte(run+".")) && syscall.Kill(pid, syscall.SIGSTOP) == nil {
				stopped++
			}
		}
	}
	b.tell("stopped %d processes", stopped)
	return answer
}
