package exact

import (
	"bytes"
	"io"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cespare/xxhash/v2"

	"botarena/engine/solve/file"
)

// A file of a layer begins as package file has it, with this line; the bitmaps of
// each level follow, block by block. Another edition of the rules or of the
// numbering of states is another line.
const (
	magic     = "arena table owlman-2010/1\n"
	partMagic = "arena part owlman-2010/1\n" // of a layer that is not finished
)

type header struct {
	Kind    Kind     `json:"kind"`
	Helpers int      `json:"helpers"`
	White   uint64   `json:"white"` // states that are won, by the side to move
	Owl     uint64   `json:"owl"`
	Sizes   [][]int  `json:"sizes"`           // of the bitmaps in bytes, by level and block
	Hashes  []uint64 `json:"hashes"`          // of each level's bitmaps taken together, block by block
	Group   int      `json:"group,omitempty"` // the square of Doc's that comes next
}

// A chunk is one level's states in one block. It is read and checked when it is
// first needed.
type chunk struct {
	bitmap atomic.Pointer[roaring.Bitmap]
	data   []byte
	hash   uint64
}

func (c *chunk) get() (*roaring.Bitmap, error) {
	if b := c.bitmap.Load(); b != nil {
		return b, nil
	}
	if xxhash.Sum64(c.data) != c.hash {
		return nil, file.Damaged("a part of it does not fit its checksum")
	}
	b := roaring.New()
	if _, err := b.FromBuffer(c.data); err != nil {
		return nil, file.Damaged("%v", err)
	}
	c.bitmap.Store(b)
	return b, nil
}

// WriteTo writes the layer's file.
func (l *Layer) WriteTo(w io.Writer) (int64, error) {
	first := magic
	if l.next > 0 {
		first = partMagic
	}
	h := header{Kind: l.Kind, Helpers: l.Helpers, White: l.White, Owl: l.Owl, Group: max(l.next-1, 0)}
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
	n, err := file.Write(w, first, h)
	if err != nil {
		return n, err
	}
	m, err := data.WriteTo(w)
	return n + m, err
}

// Read reads a layer from its file's bytes, which it goes on to refer to. It looks
// at the header only: the rest is checked when it is needed, or by [Layer.Check].
// The error is file.ErrVersion or a *file.DamagedError.
func Read(data []byte) (*Layer, error) {
	l, _, err := read(data, magic)
	return l, err
}

func read(data []byte, magic string) (_ *Layer, group int, err error) {
	var h header
	rest, err := file.Read(data, magic, &h)
	if err != nil {
		return nil, 0, err
	}
	l := &Layer{space: newSpace(), Kind: h.Kind, Helpers: h.Helpers, White: h.White, Owl: h.Owl}
	if h.Helpers < 1 || h.Helpers > Most || len(h.Hashes) != len(h.Sizes)*len(l.blocks) {
		return nil, 0, file.Damaged("its header does not fit together")
	}
	for i, sizes := range h.Sizes {
		if len(sizes) != len(l.blocks) {
			return nil, 0, file.Damaged("its header does not fit together")
		}
		level := make([]chunk, len(sizes))
		for j, size := range sizes {
			if size < 0 || size > len(rest) {
				return nil, 0, file.Damaged("it is cut short")
			}
			level[j].data, level[j].hash = rest[:size:size], h.Hashes[i*len(l.blocks)+j]
			rest = rest[size:]
		}
		l.levels = append(l.levels, level)
	}
	if len(rest) > 0 {
		return nil, 0, file.Damaged("something follows its end")
	}
	return l, h.Group, nil
}

// Check reads the whole layer. The error is a *file.DamagedError.
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
		return file.Damaged("it has %d states instead of %d", won, l.White)
	}
	return nil
}
