//go:build linux && !portable

package process

import (
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A watchdog is a process that survives if arena is killed and then ends the bots'
// descendants.
type watchdog struct {
	pid  int
	pipe *os.File
}

// StartWatchdog starts a watchdog over the Starter's run: the program exe (an absolute
// path; arena itself) with arguments that make it call RunWatchdog with its stdin and
// the run's id. It has a session of its own, where Ctrl-C does not reach it, writes
// nothing, and sleeps until arena ends or the Starter is closed.
func (s *Starter) StartWatchdog(exe string, args []string) error {
	r, w, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start the watchdog: %w", err)
	}
	defer func() { _ = r.Close() }()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		_ = w.Close()
		return fmt.Errorf("start the watchdog: %w", err)
	}
	defer func() { _ = null.Close() }()
	s.mu.Lock()
	defer s.mu.Unlock()
	pid, err := syscall.ForkExec(exe, append([]string{exe}, args...), &syscall.ProcAttr{
		Dir: "/", Env: s.config.Environ, Files: []uintptr{r.Fd(), null.Fd(), null.Fd()},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		_ = w.Close()
		return fmt.Errorf("start the watchdog %s: %w", exe, err)
	}
	s.ours[pid] = true
	s.watchdog = &watchdog{pid, w}
	return nil
}

// dismiss tells the watchdog, if there is one, that arena ends normally, and waits for
// its end.
func (s *Starter) dismiss() error {
	s.mu.Lock()
	w := s.watchdog
	s.watchdog = nil
	s.mu.Unlock()
	if w == nil {
		return nil
	}
	_, err := w.pipe.Write([]byte{watchdogDone}) // fails where it is gone already
	_ = w.pipe.Close()
	for {
		_, waitErr := syscall.Wait4(w.pid, nil, 0, nil)
		if waitErr != syscall.EINTR {
			break
		}
	}
	s.mu.Lock()
	delete(s.ours, w.pid)
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("the watchdog had ended before arena: %w", err)
	}
	return nil
}

// RunWatchdog is the main function of the watchdog's process: it waits until arena ends
// and, if arena died, kills every process marked with the run. Outside a strict sandbox
// a program that has left its parents and erased its environment escapes. The error is
// a *LeftError.
func RunWatchdog(stdin io.Reader, runID string) error {
	if ended(stdin) {
		return nil
	}
	// The marked ones die in any order, and may fork until they do: two looks that find
	// none mean that none is left.
	var left []int
	const looks = 500
	for clean, look := 0, 0; clean < 2 && look < looks; look++ {
		var err error
		if left, err = killMarked(runID); err != nil {
			return err
		}
		if len(left) == 0 {
			clean++
		} else {
			clean = 0
		}
		time.Sleep(10 * time.Millisecond)
	}
	if len(left) > 0 {
		return &LeftError{PIDs: left}
	}
	return nil
}

// killMarked kills the processes of a run and returns their ids.
func killMarked(runID string) ([]int, error) {
	pids, err := allProcesses()
	if err != nil {
		return nil, err
	}
	slices.Sort(pids)
	var found []int
	for _, pid := range pids {
		// The descriptor is taken first, so that what is killed is what was read.
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		if run, _, ok := readMark(pid); ok && run == runID && pid != os.Getpid() {
			_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
			found = append(found, pid)
		}
		_ = unix.Close(fd)
	}
	return found, nil
}
