// Package minimax searches a game tree by iterative deepening alpha-beta with a
// transposition table, killer moves and a history table. It knows no game: the
// rules come through [engine.Position], the judgement through an Evaluate
// function.
package minimax

import (
	"slices"

	"botarena/bots/kit"
	"botarena/engine"
	"botarena/protocol"
)

// Win is the score of a game won at the root; a win in n plies scores Win-n.
const Win = 1_000_000

// winning scores lie beyond this bound.
const winning = Win - 10_000

const (
	maxDepth    = 128
	historyBits = 14
)

// A Searcher keeps the transposition table between the moves of one game.
type Searcher struct {
	evaluate func(engine.Position) int
	table    []entry
	mask     uint64
	killers  [maxDepth + 1][2]engine.Move
	history  [1 << historyBits]int // by the move's bits, folded: a collision only spoils the order
	buffers  [maxDepth + 1][]engine.Move
	keys     [maxDepth + 1][]int

	turn    *kit.Turn
	pos     engine.Position
	nodes   int64
	limit   int64
	aborted bool
}

type bound uint8

const (
	none bound = iota
	exact
	lower
	upper
)

type entry struct {
	key   uint64
	score int32
	move  engine.Move
	depth int16
	bound bound
}

// New returns a searcher with a table of about the given number of megabytes.
// evaluate scores a position that is not over in centipawns for the side to
// move, well inside +-winning scores.
func New(megabytes int, evaluate func(engine.Position) int) *Searcher {
	size := uint64(1)
	for size*2*24 <= uint64(max(megabytes, 1))<<20 {
		size *= 2
	}
	return &Searcher{evaluate: evaluate, table: make([]entry, size), mask: size - 1}
}

// NewGame forgets everything learnt, so that games do not depend on each other.
func (s *Searcher) NewGame() {
	clear(s.table)
	clear(s.history[:])
	s.killers = [maxDepth + 1][2]engine.Move{}
}

// Choose returns the best move found within the turn's limits, sending an info
// line after each depth. A turn without any limit is searched to depth 4. The
// position must not be over. Equal root moves are taken in an order that
// turn.Rand shuffles.
func (s *Searcher) Choose(turn *kit.Turn) engine.Move {
	s.turn, s.pos, s.nodes, s.aborted = turn, turn.Position, 0, false
	s.limit = turn.Nodes
	depth := maxDepth - 1
	if turn.Depth > 0 {
		depth = min(turn.Depth, depth)
	}
	if !turn.Limited() {
		depth = 4
	}
	root := s.pos.Legal(nil)
	turn.Rand.Shuffle(len(root), func(i, j int) { root[i], root[j] = root[j], root[i] })
	best := root[0]
	for d := 1; d <= depth; d++ {
		move, score := s.searchRoot(root, d)
		if move != 0 { // an unfinished depth counts as far as it came
			best = move
			i := slices.Index(root, move)
			copy(root[1:i+1], root[:i])
			root[0] = move
		}
		if s.aborted {
			break
		}
		s.report(d, score, best)
		if score > winning || score < -winning {
			break
		}
		if len(root) == 1 && turn.Depth == 0 && turn.Nodes == 0 {
			break
		}
	}
	return best
}

func (s *Searcher) searchRoot(moves []engine.Move, depth int) (engine.Move, int) {
	alpha := -Win
	var best engine.Move
	for _, m := range moves {
		s.pos.Play(m)
		score := -s.search(depth-1, 1, -Win, -alpha)
		s.pos.Undo()
		if s.aborted {
			break
		}
		if best == 0 || score > alpha {
			best, alpha = m, score
		}
	}
	return best, alpha
}

func (s *Searcher) search(depth, ply, alpha, beta int) int {
	s.nodes++
	if (s.limit > 0 && s.nodes >= s.limit) || (s.nodes&1023 == 0 && s.turn.Stop()) {
		s.aborted = true
		return 0
	}
	if out := s.pos.Outcome(); out.Over {
		switch out.Winner {
		case engine.NoSide:
			return 0
		case s.pos.Turn():
			return Win - ply
		}
		return ply - Win
	}
	if depth <= 0 || ply >= maxDepth {
		return s.evaluate(s.pos)
	}
	key := s.pos.Hash()
	slot := &s.table[key&s.mask]
	var hashMove engine.Move
	if slot.bound != none && slot.key == key {
		hashMove = slot.move
		if int(slot.depth) >= depth {
			score := fromTable(int(slot.score), ply)
			if slot.bound == exact || (slot.bound == lower && score >= beta) || (slot.bound == upper && score <= alpha) {
				return score
			}
		}
	}
	moves := s.order(ply, hashMove)
	bestScore, bestMove, kind := -Win, engine.Move(0), upper
	for _, m := range moves {
		s.pos.Play(m)
		score := -s.search(depth-1, ply+1, -beta, -alpha)
		s.pos.Undo()
		if s.aborted {
			return 0
		}
		if score > bestScore || bestMove == 0 {
			bestScore, bestMove = score, m
		}
		if score > alpha {
			alpha, kind = score, exact
		}
		if alpha >= beta {
			kind = lower
			s.reward(m, ply, depth)
			break
		}
	}
	*slot = entry{key: key, score: int32(toTable(bestScore, ply)), move: bestMove, depth: int16(depth), bound: kind}
	return bestScore
}

// order lists the legal moves, the promising ones first: the table's move, the
// killers of this ply, then by history. The sort is stable, so that the order
// does not depend on chance.
func (s *Searcher) order(ply int, hashMove engine.Move) []engine.Move {
	moves := s.pos.Legal(s.buffers[ply][:0])
	keys := s.keys[ply][:0]
	for _, m := range moves {
		key := s.history[fold(m)]
		switch m {
		case hashMove:
			key = 1 << 60
		case s.killers[ply][0]:
			key = 1 << 59
		case s.killers[ply][1]:
			key = 1 << 58
		}
		keys = append(keys, key)
	}
	// insertion sort: the lists are short and mostly in order
	for i := 1; i < len(moves); i++ {
		m, k := moves[i], keys[i]
		j := i
		for ; j > 0 && keys[j-1] < k; j-- {
			moves[j], keys[j] = moves[j-1], keys[j-1]
		}
		moves[j], keys[j] = m, k
	}
	s.buffers[ply], s.keys[ply] = moves, keys
	return moves
}

func (s *Searcher) reward(m engine.Move, ply, depth int) {
	if s.killers[ply][0] != m {
		s.killers[ply][1] = s.killers[ply][0]
		s.killers[ply][0] = m
	}
	s.history[fold(m)] += depth * depth
}

func fold(m engine.Move) int { return int((m ^ m>>historyBits) & (1<<historyBits - 1)) }

// Scores of won games count plies from the root, but a table entry is reached
// at several plies: inside the table they count from the entry's own position.
func toTable(score, ply int) int {
	switch {
	case score > winning:
		return score + ply
	case score < -winning:
		return score - ply
	}
	return score
}

func fromTable(score, ply int) int {
	switch {
	case score > winning:
		return score - ply
	case score < -winning:
		return score + ply
	}
	return score
}

// report sends an info line; a score beyond the winning bound is told as the
// number of moves to the end of the game.
func (s *Searcher) report(depth, score int, best engine.Move) {
	info := protocol.Info{
		Has:   protocol.HasDepth | protocol.HasNodes | protocol.HasScore,
		Depth: int64(depth), Nodes: s.nodes, PV: s.turn.Text(best),
	}
	switch {
	case score > winning:
		info.Score = protocol.Score{Mate: true, Value: int64(Win-score+1) / 2}
	case score < -winning:
		info.Score = protocol.Score{Mate: true, Value: -int64(Win+score+1) / 2}
	default:
		info.Score = protocol.Score{Value: int64(score)}
	}
	s.turn.Info(info)
}
