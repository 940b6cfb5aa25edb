package exact

import (
	"bufio"
	"encoding/binary"
	"io"

	"github.com/cespare/xxhash/v2"

	"botarena/engine/solve/file"
)

const searchMagic = "arena search breakthrough/1\n"

type searchHeader struct {
	Cols  int    `json:"cols"`
	Rows  int    `json:"rows"`
	Bytes uint64 `json:"bytes"`
	Hash  uint64 `json:"hash"` // of what follows: keys and numbers, 8 bytes each
}

// WriteTo saves the prover's table, for resuming.
func (p *Prover) WriteTo(w io.Writer) (int64, error) {
	sum := xxhash.New()
	h := searchHeader{Cols: p.cols, Rows: p.rows}
	size, err := p.dump(sum)
	if err != nil {
		return 0, err
	}
	h.Bytes, h.Hash = uint64(size), sum.Sum64()
	n, err := file.Write(w, searchMagic, h)
	if err != nil {
		return n, err
	}
	m, err := p.dump(w)
	return n + m, err
}

func (p *Prover) dump(w io.Writer) (n int64, err error) {
	b := bufio.NewWriterSize(w, 1<<16)
	var e [16]byte
	for i := range p.entries {
		if p.entries[i] == (entry{}) {
			continue
		}
		binary.LittleEndian.PutUint64(e[:8], p.entries[i].key)
		binary.LittleEndian.PutUint64(e[8:], p.entries[i].data)
		m, err := b.Write(e[:])
		n += int64(m)
		if err != nil {
			return n, err
		}
	}
	return n, b.Flush()
}

// load loads the table saved by a prover of the same board; if this one's table is
// smaller, it keeps the entries that took the most nodes.
func (p *Prover) load(data []byte) error {
	var h searchHeader
	rest, err := file.Read(data, searchMagic, &h)
	if err != nil {
		return err
	}
	switch {
	case h.Cols != p.cols || h.Rows != p.rows:
		return file.Damaged("it is another board's")
	case h.Bytes != uint64(len(rest)) || len(rest)%16 != 0 || xxhash.Sum64(rest) != h.Hash:
		return file.Damaged("it does not fit its checksum")
	}
	for ; len(rest) > 0; rest = rest[16:] {
		key, numbers := binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint64(rest[8:])
		p.store(key, numbers&infinite, numbers>>numberBits&infinite, numbers>>(2*numberBits))
	}
	return nil
}
