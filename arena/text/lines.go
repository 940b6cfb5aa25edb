package text

import (
	"bufio"
	"errors"
	"fmt"
)

// MaxLine is the maximum length in bytes of a line of a file: enough for a game of a
// million plies in JSON Lines.
const MaxLine = 128 << 20

// A LongLineError reports a line that is longer than it may be.
type LongLineError struct {
	Number int
	Most   int // bytes
}

// Error names the maximum length.
func (e *LongLineError) Error() string {
	return fmt.Sprintf("line %d is longer than %d MiB", e.Number, e.Most>>20)
}

// A Lines reads line by line, and buffers no more than one.
type Lines struct {
	Number int // of the line read last, from 1

	in     *bufio.Reader
	most   int
	joined []byte // backs a line that is longer than the reader's buffer
	long   bool   // the rest of the last line is still to be skipped
}

// NewLines returns a reader of the lines of in, each of at most most bytes.
func NewLines(in *bufio.Reader, most int) *Lines { return &Lines{in: in, most: most} }

// Next returns the next line with its end, which is valid until the call after. The
// error is io.EOF with what follows the last line end, a *LongLineError, after which
// lines go on, or that of reading.
func (l *Lines) Next() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	for ; l.long; line, err = l.in.ReadSlice('\n') {
		if l.long = errors.Is(err, bufio.ErrBufferFull); !l.long && err != nil {
			return nil, err
		}
	}
	l.Number++
	l.joined = l.joined[:0]
	for {
		if len(l.joined)+len(line) > l.most {
			l.long = err != nil
			return nil, &LongLineError{l.Number, l.most}
		}
		if full := errors.Is(err, bufio.ErrBufferFull); !full && len(l.joined) == 0 {
			return line, err
		} else if l.joined = append(l.joined, line...); !full {
			return l.joined, err
		}
		line, err = l.in.ReadSlice('\n')
	}
}
