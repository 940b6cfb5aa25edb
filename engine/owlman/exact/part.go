package exact

import (
	"io"

	"botarena/engine/solve/file"
)

// A part is the saved state of a layer before one of Doc's squares of a level: the
// White states of the levels that were done, those of the level at hand, and all states
// with Owlman to move that were found. Its file is a layer's with these as its levels,
// and another first line.
type part struct {
	layer Layer
	group int // the square of Doc's that comes next
}

const partMagic = "arena part owlman-2010/1\n"

// WriteTo writes the part's file.
func (p *part) WriteTo(w io.Writer) (int64, error) { return p.layer.write(w, partMagic, p.group) }

// readPart reads a part from its file's bytes, to which the layer goes on to refer.
func readPart(data []byte) (l *Layer, group int, err error) {
	l, group, err = read(data, partMagic)
	if err == nil && (len(l.levels) < 2 || group < 0 || group >= groups) {
		err = file.Damaged("its header does not fit together")
	}
	return l, group, err
}
