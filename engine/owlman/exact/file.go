package exact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cespare/xxhash/v2"
)

// A file of a layer is this line, the header as one line of JSON, the header's
// hash, and the bitmaps of each level, block by block. Another edition of the rules
// or of the numbering of states is another line.
const magic = "arena table owlman-2010/1\n"

type header struct {
	Kind    Kind     `json:"kind"`
	Helpers int      `json:"helpers"`
	White   uint64   `json:"white"` // states that are won, by the side to move
	Owl     uint64   `json:"owl"`
	Sizes   [][]int  `json:"sizes"`  // of the bitmaps in bytes, by level and block
	Hashes  []uint64 `json:"hashes"` // of each level's bitmaps taken together, block by block
}

// A chunk is one level's states in one block. It is read and checked when it is
// first needed.
type chunk struct {
	bitmap atomic.Pointer[roaring.Bitmap]
	data   []byte
	hash   uint64
}

// A DamagedError says that a file does not hold what was written.
type DamagedError struct{ What string }

// Error says what is damaged.
func (e *DamagedError) Error() string { return "damaged table: " + e.What }

// ErrVersion says that a file is of other rules, or of another program's making.
var ErrVersion = errors.New("not a table of this version")

func (c *chunk) get() (*roaring.Bitmap, error) {
	if b := c.bitmap.Load(); b != nil {
		return b, nil
	}
	if xxhash.Sum64(c.data) != c.hash {
		return nil, &DamagedError{"a part of it does not fit its checksum"}
	}
	b := roaring.New()
	if _, err := b.FromBuffer(c.data); err != nil {
		return nil, &DamagedError{err.Error()}
	}
	c.bitmap.Store(b)
	return b, nil
}

// WriteTo writes the layer's file.
func (l *Layer) WriteTo(w io.Writer) (int64, error) {
	h := header{Kind: l.Kind, Helpers: l.Helpers, White: l.White, Owl: l.Owl}
	var data bytes.Buffer
	for _, level := range l.levels {
		sizes := make([]int, len(level))
		for i := range level {
			b, err := level[i].get()
			if err != nil {
				return 0, err
			}
			before := data.Len()
			if _, err := b.WriteTo(&data); err != nil {
				return 0, err
			}
			sizes[i] = data.Len() - before
			h.Hashes = append(h.Hashes, xxhash.Sum64(data.Bytes()[before:]))
		}
		h.Sizes = append(h.Sizes, sizes)
	}
	text, err := json.Marshal(h)
	if err != nil {
		return 0, err
	}
	start := fmt.Sprintf("%s%s\n%016x\n", magic, text, xxhash.Sum64(text))
	n, err := io.WriteString(w, start)
	if err != nil {
		return int64(n), err
	}
	m, err := data.WriteTo(w)
	return int64(n) + m, err
}

// Read reads a layer from its file's bytes, which it goes on to refer to. It looks
// at the header only: the rest is checked when it is needed, or by [Layer.Check].
// The error is ErrVersion or a *DamagedError.
func Read(data []byte) (*Layer, error) {
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok {
		return nil, ErrVersion
	}
	text, rest, ok := bytes.Cut(rest, []byte("\n"))
	const sum = 16 + 1
	if !ok || len(rest) < sum || fmt.Sprintf("%016x\n", xxhash.Sum64(text)) != string(rest[:sum]) {
		return nil, &DamagedError{"its header"}
	}
	rest = rest[sum:]
	var h header
	if err := json.Unmarshal(text, &h); err != nil {
		return nil, &DamagedError{"its header: " + err.Error()}
	}
	l := &Layer{space: newSpace(), Kind: h.Kind, Helpers: h.Helpers, White: h.White, Owl: h.Owl}
	if h.Helpers < 1 || h.Helpers > Most || len(h.Hashes) != len(h.Sizes)*len(l.blocks) {
		return nil, &DamagedError{"its header does not fit together"}
	}
	for i, sizes := range h.Sizes {
		if len(sizes) != len(l.blocks) {
			return nil, &DamagedError{"its header does not fit together"}
		}
		level := make([]chunk, len(sizes))
		for j, size := range sizes {
			if size < 0 || size > len(rest) {
				return nil, &DamagedError{"it is cut short"}
			}
			level[j].data, level[j].hash = rest[:size:size], h.Hashes[i*len(l.blocks)+j]
			rest = rest[size:]
		}
		l.levels = append(l.levels, level)
	}
	if len(rest) > 0 {
		return nil, &DamagedError{"something follows its end"}
	}
	return l, nil
}

// Check reads the whole layer. The error is a *DamagedError.
func (l *Layer) Check() error {
	won := uint64(0)
	for _, level := range l.levels {
		for i := range level {
			b, err := level[i].get()
			if err != nil {
				return err
			}
			won += b.GetCardinality()
		}
	}
	if won != l.White {
		return &DamagedError{fmt.Sprintf("it has %d states instead of %d", won, l.White)}
	}
	return nil
}
