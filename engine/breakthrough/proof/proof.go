// Package proof stores and checks proofs of who wins a board of Breakthrough from its
// start. It knows nothing of the search that found them: only the rules of package
// breakthrough.
//
// A proof has one answer for each position in which the winner is to move and which
// the winner's own answers let happen, whatever the other side plays: a position that
// several lines reach has one answer, so a proof is a graph. It is finite and without
// circles, as each move goes forward. A position that is won within a few plies, by a
// full-width search, has no answer in the file: that keeps it small, and [Proof.Check]
// searches there itself.
package proof

import (
	"encoding/binary"
	"io"
	"maps"
	"slices"

	"github.com/cespare/xxhash/v2"

	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/solve/file"
)

// A Proof holds who wins a board from its start, and how.
type Proof struct {
	Cols, Rows int
	Winner     engine.Side
	Plies      int // positions won within so many have no answer

	// positions are numbers as [number] gives them, in order; answers are their moves.
	positions []uint64
	answers   []byte
}

// New returns a proof of the answers by position: both are seen from the winner's side,
// a1 being the square at the left end of its home row, and of a position and its
// reflection left to right the one with the lower number is meant, which has a digit for
// each square at base 3, the lowest for a1: 1 for a piece of the winner's, 2 for one of
// the other side's.
func New(g *breakthrough.Game, winner engine.Side, plies int, answers map[uint64]byte) *Proof {
	p := &Proof{Cols: g.Cols(), Rows: g.Rows(), Winner: winner, Plies: plies, positions: slices.Sorted(maps.Keys(answers))}
	for _, n := range p.positions {
		p.answers = append(p.answers, answers[n])
	}
	return p
}

// Answer returns a move as [New] takes it: from a square, to the next row's file that
// lies so many to the right, -1 to 1.
func Answer(from, right int) byte { return byte(3*from + right + 1) }

// Answers returns the number of answers.
func (p *Proof) Answers() int { return len(p.answers) }

const magic = "arena proof breakthrough/1\n"

// mostSquares is the largest number of squares for which a position's number fits in 64
// bits.
const mostSquares = 40

// mostPlies bounds the plies that a proof may leave to the checker.
const mostPlies = 9

type header struct {
	Cols    int         `json:"cols"`
	Rows    int         `json:"rows"`
	Winner  engine.Side `json:"winner"`
	Plies   int         `json:"plies"`
	Answers int         `json:"answers"`
	Hash    uint64      `json:"hash"` // of what follows
}

// WriteTo writes the proof's file: the beginning as package file has it, and for each
// position how much higher its number is than that before it, a varint, and its move.
func (p *Proof) WriteTo(w io.Writer) (int64, error) {
	var body []byte
	last := uint64(0)
	for i, n := range p.positions {
		body = append(binary.AppendUvarint(body, n-last), p.answers[i])
		last = n
	}
	n, err := file.Write(w, magic, header{p.Cols, p.Rows, p.Winner, p.Plies, len(p.answers), xxhash.Sum64(body)})
	if err != nil {
		return n, err
	}
	m, err := w.Write(body)
	return n + int64(m), err
}

// Read reads a proof from its file's bytes, all of which are held to the checksum. The
// error is file.ErrVersion or a *file.DamagedError.
func Read(data []byte) (*Proof, error) {
	var h header
	body, err := file.Read(data, magic, &h)
	if err != nil {
		return nil, err
	}

	switch {
	case h.Cols < breakthrough.MinCols || h.Rows < breakthrough.MinRows || h.Cols > mostSquares/h.Rows:
		return nil, file.Damaged("a board of %dx%d", h.Cols, h.Rows)
	case h.Winner != engine.First && h.Winner != engine.Second:
		return nil, file.Damaged("its winner")
	case h.Plies < 1 || h.Plies > mostPlies:
		return nil, file.Damaged("positions left out that are won within %s", plies(h.Plies))
	case xxhash.Sum64(body) != h.Hash:
		return nil, file.Damaged("it does not fit its checksum")
	case h.Answers < 0 || h.Answers > len(body)/2:
		return nil, file.Damaged("%d answers", h.Answers)
	}
	p := &Proof{
		Cols: h.Cols, Rows: h.Rows, Winner: h.Winner, Plies: h.Plies,
		positions: make([]uint64, 0, h.Answers), answers: make([]byte, 0, h.Answers),
	}
	last := uint64(0)
	for len(body) > 0 {
		more, n := binary.Uvarint(body)
		if n <= 0 || n == len(body) || more == 0 || last+more < last {
			return nil, file.Damaged("answer %d", len(p.answers)+1)
		}
		last += more
		p.positions, p.answers = append(p.positions, last), append(p.answers, body[n])
		body = body[n+1:]
	}
	if len(p.answers) != h.Answers {
		return nil, file.Damaged("it has %d answers instead of %d", len(p.answers), h.Answers)
	}
	return p, nil
}
