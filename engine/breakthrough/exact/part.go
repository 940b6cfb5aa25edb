package exact

import (
	"encoding/binary"
	"io"

	"botarena/engine/solve/file"
)

// A part is the saved state of a table before a level. Its file is a table's with
// another first line.
type part struct {
	table Table
	level int // the one that comes next
}

const partMagic = "arena part breakthrough/1\n"

// WriteTo writes the part's file.
func (p *part) WriteTo(w io.Writer) (int64, error) { return p.table.write(w, partMagic, p.level) }

// resume loads the saved state, and returns the next level.
func (t *Table) resume(data []byte, words []uint64) (level int, err error) {
	p, level, err := read(data, partMagic)
	switch {
	case err != nil:
		return 0, err
	case level < 1:
		return 0, file.Damaged("its header does not fit together")
	case p.cols != t.cols || p.rows != t.rows:
		return 0, file.Damaged("it is part of another table")
	}
	if err := p.Check(); err != nil {
		return 0, err
	}
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(p.data[8*i:])
	}
	t.States, t.Won = p.States, p.Won
	return level, nil
}
