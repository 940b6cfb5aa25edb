package text

import (
	"io"
	"unicode/utf8"
)

// A Writer escapes what is written through it, but for newlines (also after a
// carriage return) and tabs. Call Flush at the end.
type Writer struct {
	w       io.Writer
	held    []byte // the beginning of a character, of which the rest is to come
	escaped []byte
}

// NewWriter returns a writer that escapes on the way to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Unwrap returns the underlying writer.
func (w *Writer) Unwrap() io.Writer { return w.w }

// Write writes p, escaped. It keeps an incomplete character at the end of p for the
// next call.
func (w *Writer) Write(p []byte) (int, error) {
	if len(w.held) == 0 && plain(p) {
		n, err := w.w.Write(p)
		return n, err
	}
	return len(p), w.write(append(w.held, p...), false)
}

// Flush writes an incomplete character kept by Write.
func (w *Writer) Flush() error { return w.write(w.held, true) }

func (w *Writer) write(p []byte, end bool) error {
	b := w.escaped[:0]
	var held []byte
	for at := 0; at < len(p); {
		c := p[at]
		if c >= ' ' && c < 0x7f || c == '\n' || c == '\t' {
			b = append(b, c)
			at++
			continue
		}
		rest := p[at:]
		if !end && (!utf8.FullRune(rest) || c == '\r' && len(rest) == 1) {
			held = rest
			break
		}
		r, size := utf8.DecodeRune(rest)
		switch {
		case c == '\r' && len(rest) > 1 && rest[1] == '\n', visible(r, size):
			b = append(b, rest[:size]...)
		default:
			b = appendEscape(b, string(rest[:size]))
		}
		at += size
	}
	w.held = append([]byte(nil), held...)
	w.escaped = b
	if len(b) == 0 {
		return nil
	}
	n, err := w.w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

func plain(p []byte) bool {
	for _, c := range p {
		if (c < ' ' && c != '\n' && c != '\t') || c >= 0x7f {
			return false
		}
	}
	return true
}
