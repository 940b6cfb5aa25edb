package protocol

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// A ParseError reports where and why a line breaks the protocol.
type ParseError struct {
	Line   string // the line, shortened where it is very long
	Column int    // 1-based byte of the line; 0 if the whole of it is at fault
	Why    string
}

// Error quotes the line, so that it is safe to print whatever a bot sent.
func (e *ParseError) Error() string {
	if e.Column > 0 {
		return fmt.Sprintf("line %q, column %d: %s", e.Line, e.Column, e.Why)
	}
	return fmt.Sprintf("line %q: %s", e.Line, e.Why)
}

// clip bounds the text that an error keeps.
func clip(line []byte) string {
	const most = 120
	if len(line) <= most {
		return string(line)
	}
	return strings.ToValidUTF8(string(line[:most]), "") + "..."
}

// A scanner walks over the words of a line and keeps the first error.
type scanner struct {
	line []byte
	at   int // start of the word read last
	next int // where to look for the next word
	err  *ParseError
}

// A newline cannot be inside a line; where a caller leaves one on, it is harmless.
func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// word returns the next word, empty at the end of the line.
func (s *scanner) word() []byte {
	i := s.next
	for i < len(s.line) && blank(s.line[i]) {
		i++
	}
	s.at = i
	for i < len(s.line) && !blank(s.line[i]) {
		i++
	}
	s.next = i
	return s.line[s.at:i]
}

// back makes the word read last the next one again.
func (s *scanner) back() { s.next = s.at }

// rest returns what follows the word read last, without blanks around it.
func (s *scanner) rest() []byte {
	text := trim(s.line[s.next:])
	s.next = len(s.line)
	return text
}

// until returns the text before the next word that stop accepts, without blanks
// around it. That word is the next one.
func (s *scanner) until(stop func(word []byte) bool) []byte {
	from := s.next
	for w := s.word(); len(w) > 0; w = s.word() {
		if stop(w) {
			s.back()
			break
		}
	}
	return trim(s.line[from:s.next])
}

func trim(text []byte) []byte { return bytes.Trim(text, " \t\r\n") }

// fail keeps the first error of a line.
func (s *scanner) fail(why string) {
	if s.err == nil {
		s.err = &ParseError{Line: clip(s.line), Column: s.at + 1, Why: why}
	}
}

// number reads a word as an integer, saturating at the ends of int64. Another word
// remains the next one.
func (s *scanner) number(what string) (int64, bool) {
	w := s.word()
	n, ok := parseInt(w)
	if !ok {
		if len(w) == 0 {
			s.fail("no number after " + what)
		} else {
			s.fail("not an integer after " + what)
		}
		s.back()
	}
	return n, ok
}

// count is number for values that cannot be negative.
func (s *scanner) count(what string) (int64, bool) {
	n, ok := s.number(what)
	if ok && n < 0 {
		s.fail(what + " is negative")
		return 0, false
	}
	return n, ok
}

// parseInt reads a decimal integer with an optional sign. It saturates at
// ±math.MaxInt64, so that negating the result is always safe.
func parseInt(w []byte) (int64, bool) {
	neg := false
	if len(w) > 0 && (w[0] == '-' || w[0] == '+') {
		neg = w[0] == '-'
		w = w[1:]
	}
	if len(w) == 0 {
		return 0, false
	}
	var n int64
	for _, c := range w {
		if c < '0' || c > '9' {
			return 0, false
		}
		if d := int64(c - '0'); n > (math.MaxInt64-d)/10 {
			n = math.MaxInt64
		} else {
			n = n*10 + d
		}
	}
	if neg {
		n = -n
	}
	return n, true
}

// checkBytes finds bytes that no line may contain.
func checkBytes(line []byte, freeText bool) *ParseError {
	if len(line) > MaxLine {
		return &ParseError{Line: clip(line), Column: MaxLine + 1, Why: "longer than 64 KiB"}
	}
	if i := bytes.IndexByte(line, 0); i >= 0 {
		return &ParseError{Line: clip(line), Column: i + 1, Why: "NUL byte"}
	}
	if freeText || utf8.Valid(line) {
		return nil
	}
	at := 0
	for at < len(line) {
		r, size := utf8.DecodeRune(line[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return &ParseError{Line: clip(line), Column: at + 1, Why: "invalid UTF-8"}
}

// appendText appends text as part of one line: what would end or spoil the line
// becomes a blank.
func appendText[T string | []byte](dst []byte, text T) []byte {
	for i := range len(text) {
		c := text[i]
		if c == '\n' || c == '\r' || c == 0 {
			c = ' '
		}
		dst = append(dst, c)
	}
	return dst
}
