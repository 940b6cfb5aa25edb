// Package file implements what all files of exact knowledge have in common: their
// header, the errors of damaged ones, and progress, saving and resuming of their
// computation.
//
// A file begins with a line that names the kind of table and its edition, a header as
// one line of JSON, which holds the checksums of the rest, and that line's hash.
package file

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
)

// A DamagedError reports that a file does not hold what was written.
type DamagedError struct {
	What string
	Part bool // it is the file to go on from: Options.From
}

// Error reports what is damaged.
func (e *DamagedError) Error() string { return "damaged table: " + e.What }

// Damaged returns a *DamagedError.
func Damaged(format string, args ...any) error {
	return &DamagedError{What: fmt.Sprintf(format, args...)}
}

// ErrVersion reports that a file is of other rules, or of another program.
var ErrVersion = errors.New("not a table of this version")

// Write writes the beginning of a file: magic is its first line, with the newline.
func Write(w io.Writer, magic string, header any) (int64, error) {
	text, err := json.Marshal(header)
	if err != nil {
		return 0, err
	}
	n, err := fmt.Fprintf(w, "%s%s\n%016x\n", magic, text, xxhash.Sum64(text))
	return int64(n), err
}

// Read reads what Write wrote and returns what follows it. The error is ErrVersion
// or a *DamagedError.
func Read(data []byte, magic string, header any) (rest []byte, err error) {
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok {
		return nil, ErrVersion
	}
	text, rest, ok := bytes.Cut(rest, []byte("\n"))
	const sum = 16 + 1
	if !ok || len(rest) < sum || fmt.Sprintf("%016x\n", xxhash.Sum64(text)) != string(rest[:sum]) {
		return nil, Damaged("its header")
	}
	if err := json.Unmarshal(text, header); err != nil {
		return nil, Damaged("its header: %v", err)
	}
	return rest[sum:], nil
}

// Options configures how a file is computed.
type Options struct {
	Threads int
	// Tell, if set, is called with the progress, by one goroutine at a time.
	Tell func(fmt.Stringer)
	// Keep, if set, is called with the state so far whenever Due returns true. Its
	// error ends the work.
	Due  func() bool
	Keep func(io.WriterTo) error
	// From is a saved state to resume from; nil, or a state of another version, starts
	// from the beginning.
	From []byte
}

// IsDue reports whether it is time to save the state.
func (o *Options) IsDue() bool { return o.Due != nil && o.Due() }

// Resume passes the saved state to take. The error is a *DamagedError with Part.
func (o *Options) Resume(take func([]byte) error) error {
	if o.From == nil {
		return nil
	}
	err := take(o.From)
	var damaged *DamagedError
	switch {
	case errors.Is(err, ErrVersion):
		return nil
	case errors.As(err, &damaged):
		return &DamagedError{What: damaged.What, Part: true}
	}
	return err
}
