package exchange

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
)

// spillAt is the number of bytes of lines that a spill holds in memory.
const spillAt = 8 << 20

// A spill sorts lines by keys, and by numbers where keys are the same. What does not fit
// into memory is in a temporary file, as sorted runs.
type spill struct {
	dir   string
	most  int // bytes
	lines []keyed
	data  []byte // of the lines
	file  *os.File
	out   *bufio.Writer
	ends  []int64 // of the runs in the file
	end   int64
}

// A keyed is a line of a spill, of which data holds the text.
type keyed struct {
	key, number uint64
	at, length  int32
}

func (a keyed) compare(b keyed) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.number, b.number))
}

func newSpill(dir string) *spill { return &spill{dir: dir, most: spillAt} }

// add takes a line.
func (s *spill) add(key, number uint64, line []byte) error {
	if len(s.data)+len(line) > s.most && len(s.lines) > 0 {
		if err := s.write(); err != nil {
			return err
		}
	}
	if s.data == nil { // whole, so that growing leaves nothing behind
		s.data, s.lines = make([]byte, 0, s.most), make([]keyed, 0, s.most/32)
	}
	s.lines = append(s.lines, keyed{key, number, int32(len(s.data)), int32(len(line))}) //nolint:gosec // below spillAt, or one line
	s.data = append(s.data, line...)
	return nil
}

// write moves what is in memory to the file.
func (s *spill) write() error {
	if s.file == nil {
		var err error
		if s.file, err = os.CreateTemp(s.dir, ".positions-*"); err != nil {
			return err
		}
		s.out = bufio.NewWriterSize(s.file, 1<<16)
	}
	slices.SortFunc(s.lines, keyed.compare)
	var head [24]byte
	for _, l := range s.lines {
		binary.LittleEndian.PutUint64(head[:], l.key)
		binary.LittleEndian.PutUint64(head[8:], l.number)
		binary.LittleEndian.PutUint64(head[16:], uint64(l.length)) //nolint:gosec // not negative
		_, _ = s.out.Write(head[:])
		_, _ = s.out.Write(s.data[l.at : l.at+l.length])
		s.end += int64(len(head)) + int64(l.length)
	}
	s.ends = append(s.ends, s.end)
	s.lines, s.data = s.lines[:0], s.data[:0]
	return s.out.Flush()
}

// each calls f for all lines in order, and takes them out. f must not keep the line.
func (s *spill) each(f func(key, number uint64, line []byte) error) error {
	if s.file == nil {
		slices.SortFunc(s.lines, keyed.compare)
		for _, l := range s.lines {
			if err := f(l.key, l.number, s.data[l.at:l.at+l.length]); err != nil {
				return err
			}
		}
		s.lines, s.data = nil, nil
		return nil
	}
	if err := s.write(); err != nil {
		return err
	}
	s.lines, s.data = nil, nil
	var all runs
	begin := int64(0)
	for _, end := range s.ends {
		r := &run{in: bufio.NewReader(io.NewSectionReader(s.file, begin, end-begin))}
		begin = end
		if ok, err := r.next(); err != nil {
			return err
		} else if ok {
			all = append(all, r)
		}
	}
	for heap.Init(&all); len(all) > 0; {
		r := all[0]
		if err := f(r.key, r.number, r.line); err != nil {
			return err
		}
		switch ok, err := r.next(); {
		case err != nil:
			return err
		case ok:
			heap.Fix(&all, 0)
		default:
			heap.Pop(&all)
		}
	}
	return nil
}

// close removes the file.
func (s *spill) close() error {
	if s == nil || s.file == nil {
		return nil
	}
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}

// A run is a sorted part of a spill's file.
type run struct {
	keyed
	in   *bufio.Reader
	line []byte
}

// next reads the run's next line; ok is false at its end.
func (r *run) next() (ok bool, err error) {
	var head [24]byte
	if _, err := io.ReadFull(r.in, head[:]); err != nil {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return false, err
	}
	r.key, r.number = binary.LittleEndian.Uint64(head[:]), binary.LittleEndian.Uint64(head[8:])
	r.line = slices.Grow(r.line[:0], int(binary.LittleEndian.Uint64(head[16:])))[:binary.LittleEndian.Uint64(head[16:])] //nolint:gosec // as written
	_, err = io.ReadFull(r.in, r.line)
	return err == nil, err
}

// runs is a heap of them by their next lines.
type runs []*run

func (h runs) Len() int           { return len(h) }
func (h runs) Less(i, j int) bool { return h[i].compare(h[j].keyed) < 0 }
func (h runs) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *runs) Push(x any)        { *h = append(*h, x.(*run)) }

// Pop implements heap.Interface.
func (h *runs) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
