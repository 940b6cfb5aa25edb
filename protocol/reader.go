package protocol

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ErrLineTooLong is returned by a Reader for a line over MaxLine.
var ErrLineTooLong = errors.New("line longer than 64 KiB")

// A Reader reads lines of at most MaxLine bytes.
type Reader struct{ r *bufio.Reader }

// NewReader returns a Reader that reads from r.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, MaxLine+2)} // and \r\n
}

// ReadLine returns the next line without its newline and carriage return, valid
// until the next call. The error is io.EOF after the last line, ErrLineTooLong
// for an overlong line, after which reading goes on at the next one, or that of
// the underlying reader. A last line without newline is a line.
func (r *Reader) ReadLine() ([]byte, error) {
	line, err := r.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = r.r.ReadSlice('\n')
		}
		return nil, ErrLineTooLong
	}
	if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
		return nil, err
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(line) > MaxLine {
		return nil, ErrLineTooLong
	}
	return line, nil
}
