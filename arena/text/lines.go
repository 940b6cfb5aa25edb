package text

import (
	"bufio"
	"errors"
	"fmt"
)

// MaxLine is the most bytes of a line that [Lines] reads: a game of a million plies in
// JSON Lines.
const MaxLine = 128 << 20

// A Lines reads a file line by line, and holds no more than one.
type Lines struct {
	Number int // of the line read last, from 1

	in     *bufio.Reader
	joined []byte // backs a line that is longer than the reader's buffer
}

// NewLines returns a reader of the lines of in.
func NewLines(in *bufio.Reader) *Lines { return &Lines{in: in} }

// Next returns the next line with its end, which is valid until the call after. The
// error is io.EOF with what follows the last line end, or that of reading.
func (l *Lines) Next() ([]byte, error) {
	l.Number++
	line, err := l.in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	l.joined = append(l.joined[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = l.in.ReadSlice('\n')
		if l.joined = append(l.joined, line...); len(l.joined) > MaxLine {
			return nil, fmt.Errorf("line %d is longer than %d MiB", l.Number, MaxLine>>20)
		}
	}
	return l.joined, err
}
