package event

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"botarena/arena"
	"botarena/arena/gamelog"
	"botarena/arena/session"
)

// The caps on logs.
const (
	mostLogs     = 512 << 20 // bytes of all logs of an event; the oldest games' go first
	mostDialogue = 4 << 20   // bytes of a game's dialogue: half from its beginning, and as much or more from its end
)

// logs keeps the logs of an event's games.
type logs struct {
	dir  string // "" keeps nothing
	base string
	name string

	mu    sync.Mutex
	sizes map[string]int64 // by file name
	total int64
	most  int64
	warn  func(string)
}

// openLogs makes the event's folder and counts the size of its files.
func openLogs(dir, event string, warn func(string)) (*logs, error) {
	l := &logs{dir: dir, base: dir, name: event, sizes: map[string]int64{}, most: mostLogs, warn: warn}
	if dir == "" {
		return l, nil
	}
	l.dir = gamelog.Dir(dir, event)
	if err := os.MkdirAll(l.dir, 0o777); err != nil {
		return nil, fmt.Errorf("folder of the logs: %w", err)
	}
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return nil, fmt.Errorf("folder of the logs: %w", err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			l.sizes[e.Name()] = info.Size()
			l.total += info.Size()
		}
	}
	return l, nil
}

// grew counts what was written to a file and removes the oldest games' logs beyond the
// cap.
func (l *logs) grew(file string, size int64, err error) {
	if err != nil {
		l.warn("a log could not be written: " + err.Error())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	name := filepath.Base(file)
	l.total += size - l.sizes[name]
	l.sizes[name] = size
	if l.total <= l.most {
		return
	}
	names := make([]string, 0, len(l.sizes))
	for n := range l.sizes {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(gameOf(a), gameOf(b)), cmp.Compare(a, b)) })
	for _, n := range names {
		if l.total <= l.most*9/10 {
			return
		}
		if n == name {
			continue
		}
		if err := os.Remove(filepath.Join(l.dir, n)); err == nil || errors.Is(err, os.ErrNotExist) {
			l.total -= l.sizes[n]
			delete(l.sizes, n)
		}
	}
}

// gameOf returns the number that a log's name begins with, 0 for none.
func gameOf(name string) int {
	digits, _, _ := strings.Cut(name, ".")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// stderr returns a writer to a file that is made at the first write; nil if no logs are
// kept.
func (l *logs) stderr(file string) io.Writer {
	if l.dir == "" {
		return nil
	}
	return &lazyFile{logs: l, path: file}
}

// game returns the writers of a game's two stderr logs.
func (l *logs) game(number int) [2]io.Writer {
	if l.dir == "" {
		return [2]io.Writer{}
	}
	files := gamelog.Files(l.base, l.name, number)
	return [2]io.Writer{l.stderr(files.Stderr[0]), l.stderr(files.Stderr[1])}
}

// output keeps the last lines of a bot that lost a game by a fault.
func (l *logs) output(number, side int, lines string) {
	if l.dir == "" || lines == "" {
		return
	}
	file := gamelog.Files(l.base, l.name, number).Output[side]
	n, err := writeLog(file, os.O_TRUNC, []byte(strings.TrimPrefix(lines, "\n")+"\n"))
	l.grew(file, int64(n), err)
}

// start returns the file of a bot's stderr before its first game.
func (l *logs) start(bot string) string {
	const before, after = "start.", ".stderr"
	return filepath.Join(l.dir, before+gamelog.FileName(bot, gamelog.MaxName-len(before+after))+after)
}

// A lazyFile is open only during each write, so that it needs no closing and a thousand
// of them no descriptors. The first write replaces an older file.
type lazyFile struct {
	logs *logs
	path string
	size int64
}

func (f *lazyFile) Write(b []byte) (int, error) {
	mode := os.O_APPEND
	if f.size == 0 {
		mode = os.O_TRUNC
	}
	n, err := writeLog(f.path, mode, b)
	f.size += int64(n)
	f.logs.grew(f.path, f.size, err)
	return n, err
}

func writeLog(path string, mode int, parts ...[]byte) (n int, err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|mode, 0o666)
	if err != nil {
		return 0, err
	}
	for _, b := range parts {
		written, writeErr := file.Write(b)
		n += written
		if err = writeErr; err != nil {
			break
		}
	}
	return n, errors.Join(err, file.Close())
}

// A dialogue collects the lines of one game.
type dialogue struct {
	start time.Time
	names [2]string
	head  []byte
	tail  []byte
	cut   bool
}

// begin resets the dialogue for a new game and reuses its memory.
func (d *dialogue) begin(start time.Time, names [2]string) {
	*d = dialogue{start: start, names: names, head: d.head[:0], tail: d.tail[:0]}
}

// of returns a function that logs one side's lines: "SECONDS > NAME: LINE" if sent to
// the bot, "<" if received from it.
func (d *dialogue) of(side int) func(session.Line) {
	return func(l session.Line) {
		to := &d.head
		if len(d.head) >= mostDialogue/2 {
			if to = &d.tail; len(d.tail) > mostDialogue {
				half := d.tail[len(d.tail)/2:]
				d.tail, d.cut = append(d.tail[:0], half[1+slices.Index(half, '\n'):]...), true
			}
		}
		arrow := byte('<')
		if l.ToBot {
			arrow = '>'
		}
		*to = strconv.AppendFloat(*to, l.At.Sub(d.start).Seconds(), 'f', 6, 64)
		*to = append(*to, ' ', arrow, ' ')
		*to = append(*to, d.names[side]...)
		*to = append(*to, ": "...)
		*to = append(*to, l.Text...)
		*to = append(*to, '\n')
	}
}

// save writes the dialogue to its file.
func (d *dialogue) save(l *logs, g *arena.Game) {
	if l.dir == "" {
		return
	}
	path := gamelog.Files(l.base, l.name, g.Number).Protocol
	if d.cut {
		d.head = append(d.head, "... (the middle is left out)\n"...)
	}
	n, err := writeLog(path, os.O_TRUNC, d.head, d.tail)
	l.grew(path, int64(n), err)
}
