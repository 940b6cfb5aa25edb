package session

import (
	"context"
	"io"
	"slices"
	"strings"
	"sync"

	"botarena/arena/text"
)

// A Start starts a bot's process again, with its stderr going to the writer.
type Start func(ctx context.Context, stderr *Tail) (Process, error)

// A Tail is a writer that keeps the last bytes, such as those of a bot's stderr. It is
// safe for concurrent use.
type Tail struct {
	// Next, if set, receives everything that is written. Its errors are Write's.
	Next io.Writer

	mu      sync.Mutex
	text    []byte
	written int64
}

// Write appends to the tail. It fails if Next does.
func (t *Tail) Write(b []byte) (int, error) {
	const kept = 8 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.written += int64(len(b))
	t.text = append(t.text, b...)
	if len(t.text) > 2*kept {
		t.text = append(t.text[:0], t.text[len(t.text)-kept:]...)
	}
	if t.Next == nil {
		return len(b), nil
	}
	return t.Next.Write(b)
}

// Lines returns at most the n last lines, with control characters escaped.
func (t *Tail) Lines(n int) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := strings.TrimSpace(string(t.text))
	if kept == "" {
		return nil
	}
	list := strings.Split(kept, "\n")
	list = list[max(0, len(list)-n):]
	for i := range list {
		list[i] = text.Escape(strings.ReplaceAll(strings.TrimRight(list[i], "\r"), "\t", "    "))
	}
	return list
}

// Written returns the number of bytes written.
func (t *Tail) Written() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.written
}

// recent keeps the beginnings of the last lines that a bot wrote.
type recent struct {
	lines [5][]byte
	count int // of all lines
}

func (r *recent) add(line []byte) {
	l := &r.lines[r.count%len(r.lines)]
	*l = append((*l)[:0], line[:min(len(line), mostText)]...)
	r.count++
}

// LastLines returns up to five of the bot's last lines, and its unfinished line.
// Control characters are escaped.
func (s *Session) LastLines() []string {
	var list []string
	for i := max(0, s.recent.count-len(s.recent.lines)); i < s.recent.count; i++ {
		list = append(list, text.Line(string(s.recent.lines[i%len(s.recent.lines)]), mostText))
	}
	if rest := s.Process.Unfinished(); len(rest) > 0 {
		list = append(list, text.Line(string(rest), mostText))
	}
	return slices.DeleteFunc(list, func(line string) bool { return strings.TrimSpace(line) == "" })
}
