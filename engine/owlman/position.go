package owlman

import (
	"math/bits"
	"slices"

	"botarena/engine"
	"botarena/engine/owlman/board"
)

// Squares by their place in the row, for shifts between rows that are offset.
const (
	evenRowsNotLeft = 0x0e0e0e0e // c8 e8 g8 c6 ...
	oddRowsNotRight = 0x70707070 // b7 d7 f7 b5 ...
)

// A state holds everything that a move changes, so that Undo is one copy.
type state struct {
	helpers uint32
	barred  uint32 // squares that Owlman, to move, may not go to again from here
	doc     uint8  // or board.Nowhere
	owl     uint8
	turn    engine.Side
	nights  uint8 // White's moves since Start or Parse, at most LastNight
	since   int32 // the ply after the last irreversible move
}

type played struct {
	before state
	move   engine.Move
}

type position struct {
	state
	game  *game
	moves []played
}

// A move is its two squares. No move has both the same, so none is zero.
func newMove(from, to uint8) engine.Move { return engine.Move(from) | engine.Move(to)<<5 }

func split(m engine.Move) (from, to uint8) {
	return uint8(m & 31), uint8(m >> 5 & 31)
}

func (p *position) Game() engine.Game { return p.game }
func (p *position) Turn() engine.Side { return p.turn }
func (p *position) Ply() int          { return len(p.moves) }
func (p *position) String() string    { return string(p.AppendText(nil)) }

// Reversible stops at captures and at Doc's leaving the tower, as neither can be
// undone by play. In daybreak the text lacks White's count of moves, so there
// all moves are needed.
func (p *position) Reversible() int {
	if p.game.daybreak {
		return len(p.moves)
	}
	return len(p.moves) - int(p.since)
}

func (s *state) white() uint32 { return s.helpers | board.Bit(s.doc) }
func (s *state) free() uint32  { return ^(s.white() | board.Bit(s.owl)) }

// owlTargets returns the squares that Owlman may go to, the demand to vary included.
func (g *game) owlTargets(s *state) uint32 {
	if s.owl == board.H1 {
		return s.helpers // a capture is never a repetition
	}
	open := s.free()
	if s.doc == board.H1 {
		open |= board.Bit(board.H1) // where Doc is captured
	}
	return (g.geo.Step[s.owl] | g.geo.Swoop[s.owl]) & open &^ s.barred
}

// movers returns the pieces that can step, by how the step changes the number of
// their square: a diagonal step adds or takes away 3, 4 or 5.
func (s *state) movers() (up3, up4, up5, down3, down4, down5 uint32) {
	white, free := s.white(), s.free()&^board.Bit(board.H1)
	up4, down4 = white&(free>>4), white&(free<<4)
	up3, down5 = white&(free>>3)&evenRowsNotLeft, white&(free<<5)&evenRowsNotLeft
	up5, down3 = white&(free>>5)&oddRowsNotRight, white&(free<<3)&oddRowsNotRight
	return
}

// decided returns the outcome by placement alone, before asking for legal moves.
func (s *state) decided() (reason string, winner engine.Side) {
	switch {
	case s.doc == board.Nowhere:
		return docCaptured, engine.Second
	case s.helpers == 0:
		return lastCaptured, engine.Second
	case s.doc == board.A8 && s.helpers&board.Bit(board.B7) != 0:
		return lairReached, engine.First
	}
	return "", engine.NoSide
}

func (p *position) Outcome() engine.Outcome {
	if reason, winner := p.decided(); reason != "" {
		return engine.Outcome{Over: true, Winner: winner, Reason: reason}
	}
	if p.turn == engine.Second {
		if p.game.owlTargets(&p.state) == 0 {
			return engine.Outcome{Over: true, Winner: engine.First, Reason: trapped}
		}
	} else if a, b, c, d, e, f := p.movers(); a|b|c|d|e|f == 0 {
		return engine.Outcome{Over: true, Winner: engine.Second, Reason: noLegalMove}
	}
	if p.game.daybreak && p.nights >= LastNight {
		return engine.Outcome{Over: true, Winner: engine.Second, Reason: daybreak}
	}
	return engine.Outcome{Winner: engine.NoSide}
}

func (p *position) Legal(dst []engine.Move) []engine.Move {
	return p.game.legal(&p.state, dst)
}

func (g *game) legal(s *state, dst []engine.Move) []engine.Move {
	if reason, _ := s.decided(); reason != "" || g.daybreak && s.nights >= LastNight {
		return dst
	}
	if s.turn == engine.Second {
		for t := g.owlTargets(s); t != 0; t &= t - 1 {
			dst = append(dst, newMove(s.owl, uint8(bits.TrailingZeros32(t))))
		}
		return dst
	}
	up3, up4, up5, down3, down4, down5 := s.movers()
	dst = appendSteps(dst, down5, -5)
	dst = appendSteps(dst, down4, -4)
	dst = appendSteps(dst, down3, -3)
	dst = appendSteps(dst, up3, 3)
	dst = appendSteps(dst, up4, 4)
	return appendSteps(dst, up5, 5)
}

func appendSteps(dst []engine.Move, movers uint32, by int) []engine.Move {
	for ; movers != 0; movers &= movers - 1 {
		from := bits.TrailingZeros32(movers)
		dst = append(dst, newMove(uint8(from), uint8(from+by)))
	}
	return dst
}

func (p *position) Play(m engine.Move) {
	p.moves = append(p.moves, played{p.state, m})
	if p.game.play(&p.state, m) {
		p.since = int32(len(p.moves))
	}
	if p.turn == engine.Second && !p.game.daybreak {
		p.barRepeated()
	}
}

// barRepeated finds the moves that Owlman made from this position before.
func (p *position) barRepeated() {
	// A position comes back after four plies at the earliest.
	for i := len(p.moves) - 4; i >= int(p.since); i -= 2 {
		was := &p.moves[i]
		if was.before.helpers == p.helpers && was.before.doc == p.doc && was.before.owl == p.owl {
			_, again := split(was.move)
			p.barred |= board.Bit(again)
		}
	}
}

// play makes a move without regard to history, and reports whether it is irreversible:
// a capture, or Doc's leaving the tower.
func (g *game) play(s *state, m engine.Move) (irreversible bool) {
	from, to := split(m)
	s.barred = 0
	if s.turn == engine.First {
		s.turn = engine.Second
		s.nights = min(s.nights+1, LastNight)
		if from == s.doc {
			s.doc = to
			return from == board.H1
		}
		s.helpers ^= board.Bit(from) | board.Bit(to)
		return false
	}
	captured := board.Bit(to) & s.helpers // by super swoop
	switch d := g.geo.Direction[from][to]; {
	case to == s.doc:
		s.doc = board.Nowhere
	case from != board.H1 && d != board.NoDirection:
		captured = g.geo.FirstOn(s.white(), to, d) & s.helpers
	}
	s.owl, s.turn = to, engine.First
	s.helpers &^= captured
	return captured != 0 || s.doc == board.Nowhere
}

// Perft counts by placement alone: like chess's, it knows no repetition, so the
// count of a text does not depend on how its paths cross.
func (p *position) Perft(depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	s := p.state
	s.barred = 0
	return p.game.perft(s, depth, make([][]engine.Move, depth))
}

// perft keeps one list of moves for each depth in bufs.
func (g *game) perft(s state, depth int, bufs [][]engine.Move) uint64 {
	moves := g.legal(&s, bufs[depth-1][:0])
	bufs[depth-1] = moves
	if depth == 1 {
		return uint64(len(moves))
	}
	var nodes uint64
	for _, m := range moves {
		next := s
		g.play(&next, m)
		nodes += g.perft(next, depth-1, bufs)
	}
	return nodes
}

func (p *position) Undo() {
	if len(p.moves) == 0 {
		panic("owlman: Undo at ply 0")
	}
	last := len(p.moves) - 1
	p.state = p.moves[last].before
	p.moves = p.moves[:last]
}

// Hash scrambles the placement and the side to move one to one, so different
// positions never share a key.
func (p *position) Hash() uint64 {
	h := uint64(p.helpers) | uint64(p.doc)<<32 | uint64(p.owl)<<38 | uint64(p.turn)<<44
	h = (h ^ 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9 // odd factors and shifts: each step is a bijection
	h = (h ^ h>>29) * 0x94d049bb133111eb
	return h ^ h>>32
}

func (p *position) Clone() engine.Position {
	c := *p
	c.moves = slices.Clone(p.moves)
	return &c
}

func (p *position) Board() engine.Board {
	b := engine.Board{Cols: 8, Rows: 8, Cells: make([]engine.Cell, 64)}
	for i := range b.Cells {
		b.Cells[i] = engine.Cell{Side: engine.NoSide, Shade: engine.Off}
	}
	for sq := range uint8(board.Squares) {
		cell := &b.Cells[cellOf(sq)]
		cell.Shade = engine.Plain
		switch cell.Piece = p.pieceOn(sq); cell.Piece {
		case 'O':
			cell.Side = engine.Second
		case 'D', 'H':
			cell.Side = engine.First
		}
	}
	b.Cells[cellOf(board.A8)].Shade = engine.SecondGoal // Owlman's lair
	b.Cells[cellOf(board.H1)].Shade = engine.FirstGoal  // Doc's tower
	if n := len(p.moves); n > 0 {
		last := &p.moves[n-1]
		from, to := split(last.move)
		b.Last = []int{cellOf(from), cellOf(to)}
		if last.before.turn == engine.Second {
			gone := last.before.helpers &^ p.helpers &^ board.Bit(to)
			for ; gone != 0; gone &= gone - 1 {
				b.Last = append(b.Last, cellOf(uint8(bits.TrailingZeros32(gone))))
			}
		}
	}
	return b
}

func cellOf(sq uint8) int {
	col, row := board.Place(sq)
	return row*8 + col
}

// pieceOn returns the letter of the piece on a square, 0 for none.
func (p *position) pieceOn(sq uint8) byte { return board.Letter(sq, p.doc, p.owl, p.helpers) }
