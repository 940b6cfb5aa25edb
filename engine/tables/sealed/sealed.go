// Package sealed writes and reads the beginning of a table's file, which says what
// the file is and holds the sums that the rest is checked by: a line that names the
// kind of table and its edition, a header as one line of JSON, and that line's hash.
package sealed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
)

// A DamagedError reports that a file does not hold what was written.
type DamagedError struct{ What string }

// Error reports what is damaged.
func (e *DamagedError) Error() string { return "damaged table: " + e.What }

// ErrVersion says that a file is of other rules, or of another program's making.
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
		return nil, &DamagedError{"its header"}
	}
	if err := json.Unmarshal(text, header); err != nil {
		return nil, &DamagedError{"its header: " + err.Error()}
	}
	return rest[sum:], nil
}
