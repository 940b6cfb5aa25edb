package exact

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
	"github.com/dustin/go-humanize"
	"golang.org/x/sync/errgroup"

	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/solve/file"
)

// A space numbers the states that are not settled at sight. Own pieces stand on all
// rows but the last two, where their side would have won, the other's on all rows
// but the first, and at most one of them on the second. A state's number is that of
// its own pieces, of two reflections the lower, and then of the others among the
// squares that are left.
type space struct {
	board
	ownBits int
	// base is the first number of those with these own pieces; a set whose reflection
	// is lower has none. Each begins a word.
	base []uint64
	size uint64
	// rank is the number of a set of files among the subsets of another, by both.
	rank []uint16
}

func newSpace(cols, rows int) *space {
	s := &space{board: newBoard(cols, rows), ownBits: cols * (rows - 2)}
	s.rank = make([]uint16, 1<<(2*cols))
	for free := range 1 << cols {
		for set := range 1 << cols {
			at, n := uint16(0), 0
			for rest := free; rest != 0; rest &= rest - 1 {
				if set&rest&-rest != 0 {
					at |= 1 << n
				}
				n++
			}
			s.rank[free<<cols|set] = at
		}
	}
	s.base = make([]uint64, 1<<s.ownBits)
	for own := range uint64(len(s.base)) {
		s.base[own] = s.size
		if s.reflected(own) >= own {
			s.size += (s.choices(own) + 63) &^ 63
		}
	}
	return s
}

// choices returns how many numbers there are for the other side's pieces.
func (s *space) choices(own uint64) uint64 {
	free := 2 * s.cols
	for row := 2; row <= s.rows-3; row++ {
		free += s.cols - bits.OnesCount64(own>>(row*s.cols)&s.files)
	}
	return uint64(1+s.cols-bits.OnesCount64(own>>s.cols&s.files)) << free
}

// index returns the number of a state that is not settled.
func (s *space) index(x state) uint64 {
	if image := s.reflected(x.own); image < x.own {
		x = state{image, s.reflected(x.opp)}
	}
	at := x.opp >> ((s.rows - 2) * s.cols)
	for row := s.rows - 3; row >= 2; row-- {
		free := ^(x.own >> (row * s.cols)) & s.files
		at = at<<bits.OnesCount64(free) | uint64(s.rank[free<<s.cols|x.opp>>(row*s.cols)&s.files])
	}
	free := ^(x.own >> s.cols) & s.files
	at *= uint64(1 + bits.OnesCount64(free))
	if threat := x.opp >> s.cols & s.files; threat != 0 {
		at += 1 + uint64(bits.OnesCount64(free&(threat-1)))
	}
	return s.base[x.own] + at
}

// A Table holds who wins every position of a board.
type Table struct {
	*space
	// States counts the positions, for one side to move and up to reflection, that are
	// not settled at sight, and Won those of them that the side to move wins.
	States, Won uint64

	resumes int    // of one that is not finished, the level that comes next; 0 for a whole one
	data    []byte // a bit a state: the side to move wins
	hashes  []uint64
	checked []atomic.Bool
}

// A Progress reports the progress of solving a board.
type Progress struct {
	Done, Of int // levels: of how many steps the pieces have left, together
	States   uint64
}

// String returns the progress in words.
func (p Progress) String() string {
	return fmt.Sprintf("level %d of %d, %s states", p.Done, p.Of, humanize.Comma(int64(p.States)))
}

// Solve computes the table of a board. The error is ctx's, that of Options.Keep or of
// [Solvable], or a *file.DamagedError of Options.From.
func Solve(ctx context.Context, game engine.Game, o file.Options) (*Table, error) {
	if err := Solvable(game); err != nil {
		return nil, err
	}
	g := game.(*breakthrough.Game)
	t := &Table{space: newSpace(g.Cols(), g.Rows())}
	words := make([]uint64, t.size/64)
	if err := o.Resume(func(data []byte) error { return t.resume(data, words) }); err != nil {
		return nil, err
	}
	own, opp := t.bySteps()
	last := len(own) + len(opp) - 2
	// A move lessens the steps that are left, so a level needs those before it only.
	for level := t.resumes; level <= last; level++ {
		var group errgroup.Group
		group.SetLimit(max(o.Threads, 1))
		var states, won atomic.Uint64
		for steps := max(0, level-len(opp)+1); steps <= min(level, len(own)-1); steps++ {
			for part := range slices.Chunk(own[steps], 64) {
				if ctx.Err() != nil {
					break
				}
				group.Go(func() error {
					n, m := t.level(words, part, opp[level-steps])
					states.Add(n)
					won.Add(m)
					return nil
				})
			}
		}
		_ = group.Wait() // no work fails
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t.States += states.Load()
		t.Won += won.Load()
		if o.Tell != nil {
			o.Tell(Progress{Done: level + 1, Of: last + 1, States: t.States})
		}
		if o.IsDue() {
			if err := o.Keep(t.filled(words, level+1)); err != nil {
				return nil, err
			}
		}
	}
	return t.filled(words, 0), nil
}

// filled returns the table with the bits of words, before a level.
func (t *Table) filled(words []uint64, level int) *Table {
	f := &Table{space: t.space, States: t.States, Won: t.Won, resumes: level, data: make([]byte, 0, len(words)*8)}
	for _, w := range words {
		f.data = binary.LittleEndian.AppendUint64(f.data, w)
	}
	f.sum()
	return f
}

// resume loads the state of a table that is not finished.
func (t *Table) resume(data []byte, words []uint64) error {
	p, err := read(data, partMagic)
	switch {
	case err != nil:
		return err
	case p.resumes < 1:
		return file.Damaged("its header does not fit together")
	case p.cols != t.cols || p.rows != t.rows:
		return file.Damaged("it is part of another table")
	}
	if err := p.Check(); err != nil {
		return err
	}
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(p.data[8*i:])
	}
	t.States, t.Won, t.resumes = p.States, p.Won, p.resumes
	return nil
}

// bySteps lists the own sets that have numbers, and the other side's, by how many
// steps their pieces have left.
func (t *Table) bySteps() (own, opp [][]uint64) {
	add := func(list [][]uint64, set, pieces uint64) [][]uint64 {
		steps := 0
		for ; pieces != 0; pieces &= pieces - 1 {
			steps += t.rows - 1 - bits.TrailingZeros64(pieces)/t.cols
		}
		for len(list) <= steps {
			list = append(list, nil)
		}
		list[steps] = append(list[steps], set)
		return list
	}
	for set := range uint64(len(t.base)) {
		if t.reflected(set) >= set {
			own = add(own, set, set)
		}
	}
	for rest := range uint64(1) << (t.cols * (t.rows - 2)) {
		for threat := range uint64(t.cols + 1) {
			set := rest<<(2*t.cols) | uint64(1)<<threat>>1<<t.cols
			opp = add(opp, set, t.turned(set))
		}
	}
	return own, opp
}

// level solves the states of some own sets with some of the other side's. Each word of
// words is written by one goroutine only, and read by others for bits that were written
// before.
func (t *Table) level(words, own, opp []uint64) (states, won uint64) {
	for _, o := range own {
		for _, p := range opp {
			x := state{o, p}
			if o&p != 0 {
				continue
			}
			if _, ok := t.settled(x); ok {
				continue
			}
			states++
			if t.follows(x, func(at uint64) bool { return atomic.LoadUint64(&words[at/64])>>(at%64)&1 != 0 }) {
				at := t.index(x)
				atomic.OrUint64(&words[at/64], 1<<(at%64))
				won++
			}
		}
	}
	return states, won
}

// follows reports whether the side to move wins a state that is not settled, by the
// values of those after its moves.
func (t *Table) follows(x state, wins func(uint64) bool) bool {
	for i, set := range t.targets(x) { // as after does, which takes longer
		step := t.cols + [3]int{0, -1, 1}[i]
		for ; set != 0; set &= set - 1 {
			y := t.next(x, set&-set, step)
			w, ok := t.settled(y)
			if !ok {
				w = wins(t.index(y))
			}
			if !w {
				return true
			}
		}
	}
	return false
}

// Winner returns who wins a position of the table's board. The error is a
// *file.DamagedError.
func (t *Table) Winner(pos *breakthrough.Position) (engine.Side, error) {
	if out := pos.Outcome(); out.Over {
		return out.Winner, nil
	}
	x := t.stateOf(pos)
	wins, ok := t.settled(x)
	if !ok {
		var err error
		if wins, err = t.bit(t.index(x)); err != nil {
			return engine.NoSide, err
		}
	}
	if wins {
		return pos.Turn(), nil
	}
	return pos.Turn().Other(), nil
}

// Fits reports whether the table is for a game's board.
func (t *Table) Fits(game engine.Game) bool {
	g, ok := game.(*breakthrough.Game)
	return ok && g.Cols() == t.cols && g.Rows() == t.rows
}

// bit looks a state up, in a part of the table that fits its checksum.
func (t *Table) bit(at uint64) (bool, error) {
	if err := t.check(int(at / 8 / piece)); err != nil {
		return false, err
	}
	return t.data[at/8]>>(at%8)&1 != 0, nil
}

// The first lines of a table's file, and of that of one that is not finished.
const (
	magic     = "arena table breakthrough/1\n"
	partMagic = "arena part breakthrough/1\n"
)

// piece is the number of bytes covered by a checksum.
const piece = 1 << 16

type header struct {
	Cols   int      `json:"cols"`
	Rows   int      `json:"rows"`
	States uint64   `json:"states"`
	Won    uint64   `json:"won"`
	Hashes []uint64 `json:"hashes"` // of each part
	Level  int      `json:"level,omitempty"`
}

func (t *Table) parts() int { return (len(t.data) + piece - 1) / piece }

func (t *Table) piece(i int) []byte { return t.data[i*piece : min(len(t.data), (i+1)*piece)] }

// sum computes the checksums.
func (t *Table) sum() {
	t.hashes, t.checked = make([]uint64, t.parts()), make([]atomic.Bool, t.parts())
	for i := range t.hashes {
		t.hashes[i] = xxhash.Sum64(t.piece(i))
		t.checked[i].Store(true)
	}
}

func (t *Table) check(i int) error {
	if t.checked[i].Load() {
		return nil
	}
	if xxhash.Sum64(t.piece(i)) != t.hashes[i] {
		return file.Damaged("a part of it does not fit its checksum")
	}
	t.checked[i].Store(true)
	return nil
}

// WriteTo writes the table's file: the beginning as package file has it, and the
// bits.
func (t *Table) WriteTo(w io.Writer) (int64, error) {
	first := magic
	if t.resumes > 0 {
		first = partMagic
	}
	n, err := file.Write(w, first, header{t.cols, t.rows, t.States, t.Won, t.hashes, t.resumes})
	if err != nil {
		return n, err
	}
	m, err := w.Write(t.data)
	return n + int64(m), err
}

// Read reads a table from its file's bytes, which it goes on to refer to. It looks at
// the header only: the rest is checked when it is needed, or by [Table.Check]. The
// error is file.ErrVersion or a *file.DamagedError.
func Read(data []byte) (*Table, error) { return read(data, magic) }

func read(data []byte, magic string) (*Table, error) {
	var h header
	rest, err := file.Read(data, magic, &h)
	if err != nil {
		return nil, err
	}
	if h.Cols < breakthrough.MinCols || h.Rows < breakthrough.MinRows || h.Cols > 16 || h.Rows > 32 || size(h.Cols, h.Rows) > largest {
		return nil, file.Damaged("a board of %dx%d", h.Cols, h.Rows)
	}
	t := &Table{space: newSpace(h.Cols, h.Rows), States: h.States, Won: h.Won, resumes: h.Level, data: rest, hashes: h.Hashes}
	switch {
	case uint64(len(rest)) < t.size/8:
		return nil, file.Damaged("it is cut short")
	case uint64(len(rest)) > t.size/8:
		return nil, file.Damaged("something follows its end")
	case len(h.Hashes) != t.parts():
		return nil, file.Damaged("its header does not fit together")
	}
	t.checked = make([]atomic.Bool, t.parts())
	return t, nil
}

// Check reads the whole table. The error is a *file.DamagedError.
func (t *Table) Check() error {
	won := uint64(0)
	for i := range t.hashes {
		if err := t.check(i); err != nil {
			return err
		}
		for _, b := range t.piece(i) {
			won += uint64(bits.OnesCount8(b))
		}
	}
	if won != t.Won {
		return file.Damaged("it has %d won states instead of %d", won, t.Won)
	}
	return nil
}
