package process

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"
	"time"

	"botarena/arena"
)

var _ arena.Link = (*Process)(nil)

// roster holds the bots of a Starter, and how many use it.
type roster struct {
	// mu is held while a process is forked and while leftovers are swept up: a
	// child between fork and exec bears no mark yet.
	mu      sync.Mutex
	live    map[*Process]bool // not by pid: that of one who was reaped may be another's already
	started int
	shares  int // users beside the first
	closed  bool
}

func errClosed() error { return errors.New("the starter is closed; no bot starts after Close") }

// Share has one more user of the Starter close it: only the last Close ends what still
// runs. It reports false of a Starter that is closed. A process has one Starter at a time,
// since it sweeps up all that ended bots left, and would take what another Starter needs
// for such.
func (r *roster) Share() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.shares++
	return true
}

// endAll ends the bots that still run; last is false where others use the Starter, or
// where it was closed before.
func (r *roster) endAll() (last bool, err error) {
	r.mu.Lock()
	if r.closed || r.shares > 0 {
		r.shares = max(r.shares-1, 0)
		r.mu.Unlock()
		return false, nil
	}
	r.closed = true
	var left []*Process
	for p := range r.live {
		left = append(left, p)
	}
	r.mu.Unlock()
	var errs []error
	for _, p := range left {
		errs = append(errs, p.End(0))
	}
	return true, errors.Join(errs...)
}

// forget drops a process that has ended.
func (r *roster) forget(p *Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.live, p)
}

// SetStderr sends what the bot writes to stderr from now on to another writer,
// which takes StderrCap bytes anew: one log a game. Nil drops all. The writer
// that it had is not written to after SetStderr returns.
func (p *Process) SetStderr(w io.Writer) { p.stderr.set(w) }

// End ends the bot: it closes the bot's stdin, waits up to grace for it to end
// by itself while dropping what it says, kills it with its process group (on Windows,
// its job), and sweeps up its descendants where the platform tells them. A quit command
// is the caller's to send before. A bot that is stopped gets no grace. The error is a
// *LeftError if something could not be ended. Later calls answer the same.
func (p *Process) End(grace time.Duration) error {
	p.stop.Do(func() { p.endErr = p.end(grace) })
	return p.endErr
}

// lines cuts what was read of a bot's output into lines.
type lines struct {
	maxLine  int
	floodCap int64

	buf               []byte
	start, seen, fill int   // buf[start:fill] is unread, buf[start:seen] has no newline
	count             int64 // bytes since Reset
	failed            error // final
}

// Reset begins a new count of bytes for ErrFlood.
func (l *lines) Reset() { l.count = 0 }

// Unfinished returns what the bot has written since its last newline, as far as it was
// read. It is valid until the next ReadLine.
func (l *lines) Unfinished() []byte {
	unread := l.buf[l.start:l.fill]
	return unread[bytes.LastIndexByte(unread, '\n')+1:]
}

// next returns the next line that was read, without its newline and carriage return;
// nil where there is none and more has to be read, for which there is room then.
func (l *lines) next() ([]byte, error) {
	if i := bytes.IndexByte(l.buf[l.seen:l.fill], '\n'); i >= 0 {
		line := l.buf[l.start : l.seen+i]
		l.start = l.seen + i + 1
		l.seen = l.start
		if n := len(line); n > 0 && line[n-1] == '\r' {
			line = line[:n-1]
		}
		if len(line) > l.maxLine {
			return nil, l.tooLong()
		}
		return line, nil
	}
	l.seen = l.fill
	switch {
	case l.failed != nil:
		return nil, l.failed
	case l.count > l.floodCap:
		return nil, arena.ErrFlood
	}
	if l.start > 0 {
		l.fill = copy(l.buf, l.buf[l.start:l.fill])
		l.start, l.seen = 0, l.fill
	}
	if l.fill >= l.maxLine+len("\r\n") {
		return nil, l.tooLong()
	}
	return nil, nil
}

// tooLong drops what was read: what follows has no beginning.
func (l *lines) tooLong() error {
	l.failed = arena.ErrLineTooLong
	l.start, l.seen, l.fill = 0, 0, 0
	return l.failed
}

// watchdogDone is the message to a watchdog that arena ends normally.
const watchdogDone = 'q'

// ended reads to the end of arena: orderly is false where arena died.
func ended(r io.Reader) (orderly bool) {
	in := bufio.NewReaderSize(r, 16)
	for {
		b, err := in.ReadByte()
		if err != nil {
			return false
		}
		if b == watchdogDone {
			return true
		}
	}
}
