package exact

import (
	"io"

	"botarena/engine/tables/sealed"
)

// A Part is what was known of a layer before one of Doc's squares of a level, to go on
// from: the White states of the levels that were done, those of the level at hand, and
// all states with Owlman to move that were found. Its file is a layer's with these as
// its levels, and another first line.
type Part struct {
	layer Layer
	group int // the square of Doc's that comes next
}

const partMagic = "arena part owlman-2010/1\n"

// WriteTo writes the part's file.
func (p *Part) WriteTo(w io.Writer) (int64, error) { return p.layer.write(w, partMagic, p.group) }

// ReadPart reads a part from its file's bytes, which it goes on to refer to. The error
// is sealed.ErrVersion or a *sealed.DamagedError.
func ReadPart(data []byte) (*Part, error) {
	l, group, err := read(data, partMagic)
	if err != nil {
		return nil, err
	}
	if len(l.levels) < 2 || group < 0 || group >= groups {
		return nil, &sealed.DamagedError{What: "its header does not fit together"}
	}
	return &Part{*l, group}, nil
}
