package session

import (
	"slices"
	"strings"

	"botarena/arena/text"
)

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

// LastLines returns up to five of the lines that the bot wrote last, and what it wrote
// after them without a newline. Control characters are escaped.
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
