//go:build linux && !portable

package process

import (
	"errors"
	"io"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"botarena/arena"
)

// reader reads a bot's lines without a goroutine or an allocation: raw pipes, one
// buffer, and ppoll with the remaining time.
type reader struct {
	lines

	until   func(deadline time.Time) (time.Duration, bool)
	in, out int // arena's ends, non-blocking
	// fds holds the bot's output and its pidfd, for which ReadLine waits. Without the
	// latter, a child that keeps the output open would hide the bot's death.
	fds  [2]unix.PollFd
	wfds [2]unix.PollFd
	left unix.Timespec

	wrote bool // nothing has been read since Write
	asked int  // requests so far
	luck  int  // see more
	dead  bool
	late  time.Time // the deadline after which the one last look was taken
	sink  io.Writer // gets what is not read as lines; nil: dropped
}

// Write sends complete lines by the deadline; the zero deadline never comes. After an
// error the bot may have received a part, so that it can only be ended.
func (r *reader) Write(lines []byte, deadline time.Time) error {
	if r.in < 0 {
		return arena.ErrClosed
	}
	r.wrote = true
	for len(lines) > 0 {
		n, err := transfer(unix.SYS_WRITE, r.in, lines)
		switch err {
		case 0:
			lines = lines[n:]
		case unix.EINTR:
		case unix.EAGAIN:
			r.wfds = [2]unix.PollFd{{Fd: int32(r.in), Events: unix.POLLOUT}, r.fds[1]}
			if err := r.wait(&r.wfds, deadline); err != nil {
				return err
			}
			if r.wfds[1].Revents != 0 {
				return arena.ErrClosed
			}
		default: // EPIPE: nobody will read it
			r.settle()
			return arena.ErrClosed
		}
	}
	return nil
}

// ReadLine returns the next line without its newline and carriage return, valid until
// the next call. Lines that have been read from the pipe by the deadline are still
// returned after it; they fit into two buffers, so that a bot that keeps talking gains
// nothing. The zero deadline never comes. An error other than ErrTimeout and ErrFlood
// is final.
func (r *reader) ReadLine(deadline time.Time) ([]byte, error) {
	for {
		if line, err := r.next(); line != nil || err != nil {
			return line, err
		}
		if err := r.more(deadline); err != nil {
			return nil, err
		}
	}
}

// more reads at least a byte into the buffer.
func (r *reader) more(deadline time.Time) error {
	if !r.wrote {
		if left, ok := r.until(deadline); ok && left <= 0 {
			// Arena itself may have been kept from running while the line lay there.
			if r.late.Equal(deadline) {
				return arena.ErrTimeout
			}
			r.late = deadline
			if done, err := r.take(); done || err != nil {
				return err
			}
			return arena.ErrTimeout
		}
	}
	// On a core that they share, a bot that answers at once has often done so before
	// Write returns: to read before polling then saves a poll, which costs three times
	// what a read in vain does. Whether it is so is up to the kernel's scheduler: it is
	// tried while at least one try in four succeeds, and now and then. Yielding the
	// core after Write would nearly always find the answer, but costs half a
	// millisecond if another process waits for that core.
	const again, most = 64, 8
	wrote := r.wrote
	r.wrote = false
	if wrote {
		r.asked++
	}
	if !wrote || r.luck >= 0 || r.asked%again == 0 {
		done, err := r.take()
		switch {
		case wrote && done:
			r.luck = min(max(r.luck, 0)+3, most)
		case wrote:
			r.luck = max(r.luck-1, -1)
		}
		if done || err != nil {
			return err
		}
	}
	for {
		if err := r.wait(&r.fds, deadline); err != nil {
			return err
		}
		r.dead = r.fds[1].Revents != 0
		if done, err := r.take(); done || err != nil {
			return err
		}
	}
}

// take reads what is available, and reports whether there was anything.
func (r *reader) take() (bool, error) {
	for {
		n, err := transfer(unix.SYS_READ, r.out, r.buf[r.fill:])
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			if r.dead {
				r.failed = arena.ErrClosed
			}
			return false, r.failed
		case err != 0 || n == 0:
			r.settle()
			r.failed = arena.ErrClosed
			return false, r.failed
		}
		r.fill += n
		r.count += int64(n)
		return true, nil
	}
}

// transfer reads or writes on a pipe that does not block, so that Go's scheduler
// need not be told of it: that costs as much as the call.
func transfer(call uintptr, fd int, b []byte) (int, syscall.Errno) {
	if len(b) == 0 {
		return 0, 0
	}
	n, _, err := unix.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	return int(n), err
}

// settle waits a moment for the end of a process that has closed its end of a pipe, so
// that its exit status is available with ErrClosed.
func (r *reader) settle() {
	const moment = 100 * time.Millisecond
	fds := []unix.PollFd{r.fds[1]}
	_ = pollRestart(fds, moment)
}

// wait polls until the deadline.
func (r *reader) wait(fds *[2]unix.PollFd, deadline time.Time) error {
	for {
		timeout := &r.left
		if left, ok := r.until(deadline); !ok {
			timeout = nil
		} else {
			*timeout = unix.NsecToTimespec(max(0, left.Nanoseconds()))
		}
		n, err := unix.Ppoll(fds[:], timeout, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return err
		case n > 0:
			return nil
		default:
			if left, ok := r.until(deadline); ok && left <= 0 {
				return arena.ErrTimeout
			}
		}
	}
}

// dropUntilExit reads and drops until the process has ended or the deadline has
// come.
func (r *reader) dropUntilExit(deadline time.Time) {
	fds := r.fds
	for {
		if err := r.wait(&fds, deadline); err != nil || fds[1].Revents != 0 {
			return
		}
		if left, ok := r.until(deadline); ok && left <= 0 {
			return
		}
		n, err := r.drop()
		if n == 0 || (err != nil && !errors.Is(err, unix.EINTR) && !errors.Is(err, unix.EAGAIN)) {
			fds[0].Fd = -1 // it closed its output: only its end counts now
		}
	}
}

// drop reads what is available, and copies it to the sink if there is one.
func (r *reader) drop() (int, error) {
	n, err := unix.Read(r.out, r.buf)
	if n > 0 && r.sink != nil {
		if _, err := r.sink.Write(r.buf[:n]); err != nil {
			r.sink = nil // its owner knows, and the rest is of no use to it
		}
	}
	return n, err
}

// pollRestart polls for at most d, and restarts after interruptions.
func pollRestart(fds []unix.PollFd, d time.Duration) error {
	timeout := unix.NsecToTimespec(d.Nanoseconds())
	for {
		if _, err := unix.Ppoll(fds, &timeout, nil); err != unix.EINTR {
			return err
		}
	}
}
