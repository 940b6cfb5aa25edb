package boards

import (
	"math/bits"

	"botarena/bots/learnt"
	"botarena/bots/minimax"
	"botarena/engine"
	"botarena/engine/breakthrough"
)

const maxRows = 32 // rounded up, so that an index of 5 bits needs no check

// breakthroughBoard has a set of files for each row, counted from each side's own
// home: what one side does is what the other does, on boards of every size.
type breakthroughBoard struct {
	cols, rows int
	files      uint32 // all of them
	side       engine.Side
	row        [2][maxRows]uint32
	pieces     [2]int
	key        uint64
	keys       [2][]uint64 // by side and square
	sum        *learnt.Sum
	late       bool // the sum does not know of the last move yet
	past       []breakthroughMove
}

type breakthroughMove struct {
	move     engine.Move // 0 for a pass
	captured bool
	key      uint64
	sums     learnt.Sums
}

func newBreakthrough(g *breakthrough.Game, patterns *learnt.Patterns) minimax.Board {
	cols, rows := g.Cols(), g.Rows()
	b := &breakthroughBoard{cols: cols, rows: rows, files: 1<<cols - 1, sum: learnt.NewSum(patterns)}
	state := uint64(cols)<<32 | uint64(rows)
	for side := range b.keys {
		for range cols * rows {
			b.keys[side] = append(b.keys[side], splitMix(&state))
		}
	}
	return b
}

// splitMix returns the generator of Steele, Lea and Flood (2014).
func splitMix(state *uint64) uint64 {
	*state += 0x9e3779b97f4a7c15
	z := *state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (b *breakthroughBoard) Traits() minimax.Traits {
	return minimax.Traits{Margin: 150, Late: true, Reduce: 120}
}

func (b *breakthroughBoard) Set(position engine.Position) {
	pos := position.(*breakthrough.Position)
	b.side, b.key, b.past = pos.Turn(), 0, b.past[:0]
	b.row, b.pieces = [2][maxRows]uint32{}, [2]int{}
	b.sum.Clear()
	b.late = false
	for side := range engine.Side(2) {
		for word, set := range pos.Bits(side) {
			for ; set != 0; set &= set - 1 {
				sq := word*64 + bits.TrailingZeros64(set)
				row := sq / b.cols
				if side == engine.Second {
					row = b.rows - 1 - row
				}
				b.row[side][row] |= 1 << (sq % b.cols)
				b.pieces[side]++
				b.key ^= b.keys[side][sq]
				b.sum.Change(sq, int(side)+1)
			}
		}
	}
}

func (b *breakthroughBoard) Turn() engine.Side { return b.side }

func (b *breakthroughBoard) Key() uint64 {
	if b.side == engine.Second {
		return ^b.key
	}
	return b.key
}

func (b *breakthroughBoard) Evaluate() int {
	b.catchUp()
	return minimax.Clamp(int(b.sum.Sums[b.side&1]) / learnt.Unit)
}

// spread returns the files beside those of a row: where its pieces capture.
func spread(row uint32) uint32 { return row<<1 | row>>1 }

// Settled detects, beyond the rules, that a side has won
//
//   - that has two pieces on the last row but one, or one that cannot be captured;
//   - of which a piece runs home and nothing gets in its way in time.
func (b *breakthroughBoard) Settled() (score int, ok bool) {
	me, he := &b.row[b.side&1], &b.row[1-b.side&1]
	last := b.rows - 1
	switch {
	case he[last&31] != 0 || b.pieces[b.side&1] == 0:
		return -minimax.Win, true
	case me[last&31] != 0 || b.pieces[1-b.side&1] == 0:
		return minimax.Win, true
	case me[(last-1)&31] != 0:
		return minimax.Win - 1, true
	}
	if threats := he[(last-1)&31]; threats != 0 {
		if spread(me[0])&threats == 0 || threats&(threats-1) != 0 {
			return 2 - minimax.Win, true
		}
		if b.pieces[1-b.side&1] == 1 {
			return minimax.Win - 1, true
		}
		return 0, false
	}
	return b.race()
}

// Pressed reports whether an enemy piece would run home if it was the enemy's turn.
func (b *breakthroughBoard) Pressed() bool {
	mine, his := b.lead()
	return b.run(1-b.side, his, mine, 0) > 0
}

// threatened reports whether an enemy piece would go home next.
func (b *breakthroughBoard) threatened() bool { return b.row[1-b.side&1][(b.rows-2)&31] != 0 }

// Moves leaves only the captures of an enemy piece that would go home next.
func (b *breakthroughBoard) Moves(dst []minimax.Candidate, noisy bool) []minimax.Candidate {
	me, he := &b.row[b.side&1], &b.row[1-b.side&1]
	last := b.rows - 1
	if threat := he[(last-1)&31]; threat != 0 && me[(last-1)&31] == 0 {
		base := b.base(0)
		for from := spread(threat) & me[0]; from != 0; from &= from - 1 {
			move := base + breakthrough.NewMove(bits.TrailingZeros32(from), bits.TrailingZeros32(threat))
			dst = append(dst, minimax.Candidate{Move: move, Noisy: true, Keep: true, Forced: true})
		}
		return dst
	}
	for row := last - 1; row >= 0; row-- {
		pieces := me[row&31]
		if pieces == 0 {
			continue
		}
		own, enemy := me[(row+1)&31], he[(last-row-1)&31]
		left, right := pieces>>1&^own, pieces<<1&b.files&^own
		if noisy && (left|right)&enemy == 0 {
			continue
		}
		covered := b.covered(row)
		base := b.base(row)
		for targets := left & enemy; targets != 0; targets &= targets - 1 {
			to := bits.TrailingZeros32(targets)
			dst = append(dst, b.capture(base+breakthrough.NewMove(to+1, to), row, covered>>to&1 != 0))
		}
		for targets := right & enemy; targets != 0; targets &= targets - 1 {
			to := bits.TrailingZeros32(targets)
			dst = append(dst, b.capture(base+breakthrough.NewMove(to-1, to), row, covered>>to&1 != 0))
		}
		if noisy {
			continue
		}
		free, keep := ^enemy, row+1 == b.rows-2
		rank := int32(40 * row)
		hanging := covered &^ (pieces << 1)
		for targets := left & free; targets != 0; targets &= targets - 1 {
			to := bits.TrailingZeros32(targets)
			c := minimax.Candidate{Move: base + breakthrough.NewMove(to+1, to), Rank: rank, Keep: keep}
			if hanging>>to&1 != 0 {
				c.Rank = hopeless
			}
			dst = append(dst, c)
		}
		hanging = covered &^ (pieces >> 1)
		for targets := right & free; targets != 0; targets &= targets - 1 {
			to := bits.TrailingZeros32(targets)
			c := minimax.Candidate{Move: base + breakthrough.NewMove(to-1, to), Rank: rank, Keep: keep}
			if hanging>>to&1 != 0 {
				c.Rank = hopeless
			}
			dst = append(dst, c)
		}
		hanging = covered &^ spread(pieces)
		for targets := pieces &^ (own | enemy); targets != 0; targets &= targets - 1 {
			to := bits.TrailingZeros32(targets)
			c := minimax.Candidate{Move: base + breakthrough.NewMove(to, to), Rank: rank, Keep: keep}
			if hanging>>to&1 != 0 {
				c.Rank = hopeless
			}
			dst = append(dst, c)
		}
	}
	return dst
}

// hopeless is the rank of a quiet move onto a square that the enemy covers and none of
// the own side does.
const hopeless = -2500

// Find knows a move by its two squares.
func (b *breakthroughBoard) Find(m engine.Move) (c minimax.Candidate, ok bool) {
	from, to := breakthrough.From(m), breakthrough.To(m)
	if from >= b.cols*b.rows || to >= b.cols*b.rows || b.threatened() {
		return c, false
	}
	row, goal := from/b.cols, to/b.cols
	start, file := from-row*b.cols, to-goal*b.cols
	if b.side == engine.Second {
		row, goal = b.rows-1-row, b.rows-1-goal
	}
	me := &b.row[b.side&1]
	if goal != row+1 || file-start > 1 || start-file > 1 || me[row&31]>>start&1 == 0 || me[goal&31]>>file&1 != 0 {
		return c, false
	}
	covered := b.covered(row)>>file&1 != 0
	if b.row[1-b.side&1][(b.rows-1-goal)&31]>>file&1 != 0 {
		return b.capture(m, row, covered), start != file
	}
	c = minimax.Candidate{Move: m, Rank: int32(40 * row), Keep: goal == b.rows-2}
	if covered && spread(me[row&31]&^(1<<start))>>file&1 == 0 {
		c.Rank = hopeless
	}
	return c, true
}

// covered returns the files where the enemy takes what comes to the row ahead of row.
func (b *breakthroughBoard) covered(row int) uint32 {
	if row+2 < b.rows {
		return spread(b.row[1-b.side&1][(b.rows-row-3)&31])
	}
	return 0
}

// capture takes a piece: the further it has come the better, and best where nothing
// takes back.
func (b *breakthroughBoard) capture(m engine.Move, row int, covered bool) minimax.Candidate {
	rank := int32(100 * (b.rows - 1 - row))
	if !covered {
		rank += 1500
	}
	return minimax.Candidate{Move: m, Rank: rank, Noisy: true, Keep: !covered && row >= b.rows-5}
}

// base returns what a move from file 0 of a row to file 0 of the next is; the files are
// to be added.
func (b *breakthroughBoard) base(row int) engine.Move {
	if b.side == engine.First {
		return breakthrough.NewMove(row*b.cols, (row+1)*b.cols)
	}
	row = b.rows - 1 - row
	return breakthrough.NewMove(row*b.cols, (row-1)*b.cols)
}

func (b *breakthroughBoard) Play(m engine.Move) {
	b.catchUp()
	was := breakthroughMove{move: m, key: b.key, sums: b.sum.Sums}
	from, to, side := breakthrough.From(m), breakthrough.To(m), b.side&1
	row, file := from/b.cols, to%b.cols
	if side == engine.Second {
		row = b.rows - 1 - row
	}
	me, he := &b.row[side], &b.row[1-side]
	me[row&31] &^= 1 << (from % b.cols)
	me[(row+1)&31] |= 1 << file
	b.key ^= b.keys[side][from] ^ b.keys[side][to]
	if there := &he[(b.rows-2-row)&31]; *there>>file&1 != 0 {
		*there &^= 1 << file
		was.captured = true
		b.pieces[1-side]--
		b.key ^= b.keys[1-side][to]
	}
	b.side = 1 - side
	b.past = append(b.past, was)
	b.late = true
}

// catchUp brings the sum up to date with the last move: many a position is left again
// before it is judged.
func (b *breakthroughBoard) catchUp() {
	if !b.late {
		return
	}
	b.late = false
	last := &b.past[len(b.past)-1]
	lower, upper, byLower, byUpper := last.change(1 - b.side)
	b.sum.Move(lower, upper, byLower, byUpper)
}

// change returns what a move of the side does to the digits of its squares, the one
// nearer to row 0 first.
func (m *breakthroughMove) change(side engine.Side) (lower, upper, byLower, byUpper int) {
	from, to := breakthrough.From(m.move), breakthrough.To(m.move)
	digit := int(side&1) + 1
	leave, come := -digit, digit
	if m.captured {
		come = 2*digit - 3
	}
	if side == engine.First {
		return from, to, leave, come
	}
	return to, from, come, leave
}

// Pass is no move of the game: the search asks what it would lead to.
func (b *breakthroughBoard) Pass() {
	b.catchUp()
	b.past = append(b.past, breakthroughMove{key: b.key, sums: b.sum.Sums})
	b.side = 1 - b.side
}

func (b *breakthroughBoard) Undo() {
	was := b.past[len(b.past)-1]
	b.past = b.past[:len(b.past)-1]
	b.side = 1 - b.side
	if was.move == 0 {
		return
	}
	side := b.side & 1
	from, to := breakthrough.From(was.move), breakthrough.To(was.move)
	row, file := from/b.cols, to%b.cols
	if side == engine.Second {
		row = b.rows - 1 - row
	}
	me, he := &b.row[side], &b.row[1-side]
	me[row&31] |= 1 << (from % b.cols)
	me[(row+1)&31] &^= 1 << file
	if was.captured {
		he[(b.rows-2-row)&31] |= 1 << file
		b.pieces[1-side]++
	}
	if b.late {
		b.late = false
	} else {
		lower, upper, byLower, byUpper := was.change(side)
		b.sum.Restore(lower, upper, -byLower, -byUpper)
		b.sum.Sums = was.sums
	}
	b.key = was.key
}
