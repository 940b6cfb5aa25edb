package exact

import (
	"encoding/binary"
	"io"

	"botarena/engine/tables/sealed"
)

// A Part is what was known of a table before a level, to go on from. Its file is a
// table's with another first line.
type Part struct {
	table Table
	level int // the one that comes next
}

const partMagic = "arena part breakthrough/1\n"

// WriteTo writes the part's file.
func (p *Part) WriteTo(w io.Writer) (int64, error) { return p.table.write(w, partMagic, p.level) }

// ReadPart reads a part from its file's bytes, which it goes on to refer to. The error
// is sealed.ErrVersion or a *sealed.DamagedError.
func ReadPart(data []byte) (*Part, error) {
	t, level, err := read(data, partMagic)
	if err != nil {
		return nil, err
	}
	if level < 1 {
		return nil, &sealed.DamagedError{What: "its header does not fit together"}
	}
	return &Part{*t, level}, nil
}

// resume takes up what was kept.
func (p *Part) resume(t *Table, words []uint64) error {
	if p.table.cols != t.cols || p.table.rows != t.rows {
		return &sealed.DamagedError{What: "it is part of another table"}
	}
	if err := p.table.Check(); err != nil {
		return err
	}
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(p.table.data[8*i:])
	}
	t.States, t.Won = p.table.States, p.table.Won
	return nil
}
