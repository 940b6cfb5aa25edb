package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"botarena/arena"
)

var _ arena.Link = (*Process)(nil)

// roster holds the bots of a Starter and counts its users.
type roster struct {
	// mu is held while a process is forked and while leftovers are swept up: a child
	// between fork and exec has no mark yet.
	mu      sync.Mutex
	live    map[*Process]bool // not by pid: that of one who was reaped may be another's already
	started int
	shares  int // users beside the first
	closed  bool
}

func errClosed() error { return errors.New("the starter is closed; no bot starts after Close") }

// Share adds a user of the Starter, who must close it: only the last Close ends what
// still runs. It returns false if the Starter is closed. A process has one Starter at a
// time, since a Starter would sweep up another one's processes.
func (r *roster) Share() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.shares++
	return true
}

// endAll ends the bots that still run; last is false if others use the Starter, or if
// it was closed before.
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

// forget removes a process that has ended.
func (r *roster) forget(p *Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.live, p)
}

// SetStderr directs the bot's stderr from now on to another writer, which takes up to
// StderrCap bytes: one log a game. Nil drops all. The previous writer is not written to
// after SetStderr returns.
func (p *Process) SetStderr(w io.Writer) { p.stderr.set(w) }

// Follow has the process be killed when ctx is done instead of Start's context, or that of the
// last Follow. It reports false if that one is done.
func (p *Process) Follow(ctx context.Context) bool {
	followed := p.stopWatching()
	p.stopWatching = context.AfterFunc(ctx, p.kill)
	return followed
}

// End ends the bot: it closes the bot's stdin, waits up to grace for it to end by
// itself while dropping what it says, kills it with its process group (on Windows, its
// job), and sweeps up its descendants on platforms that report them. The caller sends a
// quit command before. A stopped bot gets no grace. The error is a *LeftError if
// something could not be ended. Later calls return the same.
func (p *Process) End(grace time.Duration) error {
	p.stop.Do(func() { p.endErr = p.end(grace) })
	return p.endErr
}

// lines splits a bot's output into lines.
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

// Unfinished returns the bot's output since its last newline, as far as it was read. It
// is valid until the next ReadLine.
func (l *lines) Unfinished() []byte {
	unread := l.buf[l.start:l.fill]
	return unread[bytes.LastIndexByte(unread, '\n')+1:]
}

// next returns the next line without its newline and carriage return, or nil after
// making room in the buffer if more has to be read.
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

// tooLong drops the buffer: the rest of the line has no beginning.
func (l *lines) tooLong() error {
	l.failed = arena.ErrLineTooLong
	l.start, l.seen, l.fill = 0, 0, 0
	return l.failed
}

// watchdogDone tells the watchdog that arena ends normally.
const watchdogDone = 'q'

// ended blocks until arena ends: orderly is false if arena died.
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
