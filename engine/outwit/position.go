package outwit

import (
	"slices"

	"botarena/engine"
)

// A Position is a state of play with its history. The methods beyond
// engine.Position are for evaluations.
type Position struct {
	game    *Game
	turn    engine.Side
	total   [2]uint8 // chips of each side: none is ever captured
	now     state
	past    []state  // before each move played
	hashes  []uint64 // of past, apart since the threefold rule scans them
	scratch []engine.Move
}

var _ engine.Position = (*Position)(nil)

// A state holds everything that a move changes. Play keeps a copy of each: Undo is then
// a copy back, whatever the move did.
type state struct {
	chips [2]Squares // of each side, the king included
	// ranks and files are the chips of both, as bits by file and by rank.
	ranks [Ranks]uint16
	files [Files]uint16
	kings [2]Square
	home  [2]uint8 // chips in their own corner
	seen  uint8    // how often the position has occurred, 3 at most
	move  engine.Move
	since int32 // the ply after the last irreversible move
	hash  uint64
}

func (s *state) taken() Squares { return s.chips[0].Or(s.chips[1]) }

func (s *state) soldiers(side engine.Side) Squares {
	b := s.chips[side&1]
	if king := s.kings[side&1]; king != NoSquare {
		return b.Flip(king)
	}
	return b
}

// flip adds a chip to a square or removes it.
func (s *state) flip(g *geometry, side engine.Side, at Square, king bool) {
	here := &g.places[at]
	s.chips[side] = s.chips[side].Flip(at)
	s.ranks[here.rank] ^= 1 << here.file
	s.files[here.file] ^= 1 << here.rank
	kind := 0
	if king {
		kind = 1
	}
	s.hash ^= g.keys[side][kind][at]
}

// shift moves a chip.
func (s *state) shift(g *geometry, side engine.Side, from, to Square) {
	king := s.kings[side] == from
	s.flip(g, side, from, king)
	s.flip(g, side, to, king)
	if king {
		s.kings[side] = to
	}
	if g.places[to].corner == side && g.places[from].corner != side {
		s.home[side]++
	}
}

// Game returns the *Game that the position belongs to.
func (p *Position) Game() engine.Game { return p.game }

// Turn returns the side to move.
func (p *Position) Turn() engine.Side { return p.turn }

// Ply counts the moves played since Start or Parse.
func (p *Position) Ply() int { return len(p.past) }

// Hash returns a 64-bit key of the placement and the side to move.
func (p *Position) Hash() uint64 {
	if p.turn == engine.Second {
		return p.now.hash ^ p.game.board.dark
	}
	return p.now.hash
}

// Reversible counts the plies since a chip last entered a corner, which it never
// leaves, so that no earlier position can occur again.
func (p *Position) Reversible() int { return len(p.past) - int(p.now.since) }

// Play makes a legal move.
func (p *Position) Play(m engine.Move) {
	p.past = append(p.past, p.now)
	p.hashes = append(p.hashes, p.now.hash)
	s, g, side := &p.now, &p.game.board, p.turn&1
	home := s.home
	from, to := From(m), To(m)
	if pushers, pushed := Pushed(m); pushers == 0 {
		s.shift(g, side, from, to)
	} else {
		step := int(to) - int(from)
		at := int(from) + step*(pushers+pushed-1)
		for i := range pushed {
			if lift := Lifted(m); i == 0 && lift != NoSquare {
				s.shift(g, 1-side, Square(at), lift)
			} else {
				s.shift(g, 1-side, Square(at), Square(at+step))
			}
			at -= step
		}
		for range pushers {
			s.shift(g, side, Square(at), Square(at+step))
			at -= step
		}
	}
	s.move = m
	p.turn = 1 - side
	if s.home != home {
		s.since = int32(len(p.past))
		s.seen = 1
		return
	}
	s.seen = p.occurrences()
}

// occurrences counts how often the position has occurred, itself included. The
// latest earlier occurrence knows those before it.
func (p *Position) occurrences() uint8 {
	now, since := p.now.hash, int(p.now.since)
	hashes := p.hashes[since:]
	for i := len(hashes) - 4; i >= 0; i -= 2 {
		if hashes[i] != now {
			continue
		}
		if old := &p.past[since+i]; old.chips == p.now.chips && old.kings == p.now.kings {
			return min(old.seen+1, 3)
		}
	}
	return 1
}

// Undo takes back the last move played; it panics if there is none.
func (p *Position) Undo() {
	last := len(p.past) - 1
	p.now = p.past[last]
	p.past, p.hashes = p.past[:last], p.hashes[:last]
	p.turn = 1 - p.turn
}

// winner returns the side whose chips are all in its corner. Where both are, in a
// push that completes the enemy's corner too, it is the side that moved last.
func (p *Position) winner() engine.Side {
	mover := 1 - p.turn&1
	switch {
	case p.now.home[mover] == p.total[mover]:
		return mover
	case p.now.home[1-mover] == p.total[1-mover]:
		return 1 - mover
	}
	return engine.NoSide
}

// Outcome reports whether a side has all its chips in its corner, the position has
// occurred three times, or the side to move has no legal move.
func (p *Position) Outcome() engine.Outcome {
	if w := p.winner(); w != engine.NoSide {
		return engine.Outcome{Over: true, Winner: w, Reason: AllHome}
	}
	if p.now.seen >= 3 {
		return engine.Outcome{Over: true, Winner: engine.NoSide, Reason: Repetition}
	}
	if !p.canMove() {
		return engine.Outcome{Over: true, Winner: engine.NoSide, Reason: NoMove}
	}
	return engine.Outcome{Winner: engine.NoSide}
}

// Clone returns an independent copy, history included.
func (p *Position) Clone() engine.Position {
	q := *p
	q.past, q.hashes = slices.Clone(p.past), slices.Clone(p.hashes)
	q.scratch = nil
	return &q
}

// Home returns the number of chips of a side that are in its own corner.
func (p *Position) Home(side engine.Side) int { return int(p.now.home[side&1]) }

// Soldiers returns the set of the squares of a side's soldiers.
func (p *Position) Soldiers(side engine.Side) Squares { return p.now.soldiers(side) }

// King returns the square of a side's king, NoSquare if it has none.
func (p *Position) King(side engine.Side) Square { return p.now.kings[side&1] }

// Taken returns the set of all occupied squares.
func (p *Position) Taken() Squares { return p.now.taken() }

// Rank returns the occupied squares of a rank (0 is rank 1), bit 0 being file a.
func (p *Position) Rank(rank int) uint16 { return p.now.ranks[rank] }

// File returns the occupied squares of a file (0 is a), bit 0 being rank 1.
func (p *Position) File(file int) uint16 { return p.now.files[file] }

// Ends returns the squares where a soldier of a side that stood on s would come to rest,
// along its rank and its file; s itself stands for ends that there are not.
func (p *Position) Ends(side engine.Side, s Square) [4]Square {
	g := &p.game.board
	at := &g.places[s]
	rank, file := g.alongRank(&p.now, at, side&1), g.alongFile(&p.now, at, side&1)
	return [4]Square{
		s + Square(int16(rank)>>toShift), s + Square(rank>>(16+toShift)),
		s + Square(int16(file)>>toShift*Files), s + Square(file>>(16+toShift)*Files),
	}
}

// PieceAt returns the letter of the position text for a square, 0 if it is
// empty.
func (p *Position) PieceAt(s Square) byte {
	switch {
	case s >= squares:
		return 0
	case s == p.now.kings[engine.First]:
		return 'K'
	case s == p.now.kings[engine.Second]:
		return 'k'
	case p.now.chips[engine.First].Has(s):
		return 'S'
	case p.now.chips[engine.Second].Has(s):
		return 's'
	}
	return 0
}

// side returns the owner of the chip on a square.
func (p *Position) side(s Square) engine.Side {
	switch {
	case p.now.chips[engine.First].Has(s):
		return engine.First
	case p.now.chips[engine.Second].Has(s):
		return engine.Second
	}
	return engine.NoSide
}

// Board describes the position for drawing; the corners are goals.
func (p *Position) Board() engine.Board {
	b := engine.Board{Cols: Files, Rows: Ranks, Cells: make([]engine.Cell, squares)}
	for s := range Square(squares) {
		cell := engine.Cell{Piece: p.PieceAt(s), Side: p.side(s)}
		switch CornerOf(s) {
		case engine.First:
			cell.Shade = engine.FirstGoal
		case engine.Second:
			cell.Shade = engine.SecondGoal
		}
		b.Cells[cellIndex(s)] = cell
	}
	if len(p.past) == 0 {
		return b
	}
	m := p.now.move
	from, step := int(From(m)), int(To(m))-int(From(m))
	b.Last = append(b.Last, cellIndex(From(m)), cellIndex(To(m)))
	pushers, pushed := Pushed(m)
	lift := Lifted(m)
	for i := 2; i <= pushers+pushed; i++ {
		if i == pushers+pushed && lift != NoSquare {
			if lift != From(m) {
				b.Last = append(b.Last, cellIndex(lift))
			}
			break
		}
		b.Last = append(b.Last, cellIndex(Square(from+i*step)))
	}
	return b
}

func cellIndex(s Square) int { return (Ranks-1-s.Rank())*Files + s.File() }
