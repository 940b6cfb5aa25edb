package minimax

import (
	"math"
	"slices"
	"sync/atomic"

	"botarena/engine"
	"botarena/protocol"
)

// The depths, in plies, within which pruning and reductions apply.
const (
	futileDepth = 7 // a quiet position this near the leaves may be cut by its evaluation
	lateDepth   = 6 // late quiet moves this near the leaves may be left out
	nullDepth   = 3 // passing is tried from here on
	thinDepth   = 4 // a node without a move from the table is searched less deep from here on
	quietPlies  = 24
)

// A worker is one thread of a search: it has its own board and move statistics, and
// shares the table.
type worker struct {
	searcher *Searcher
	board    Board
	passer   Passer // nil if the board is none
	presser  Presser
	finder   Finder
	traits   Traits
	enough   int // quiet moves that late ones come after
	number   int

	nodes    atomic.Int64 // read by the thread that reports
	count    int64
	limit    int64
	seldom   int64 // a mask: at which counts the clock is looked at
	aborted  bool
	deepest  int
	rootPly  int // depth of the iteration under way
	killers  [maxPly + 2][2]engine.Move
	counters [2][1 << historyBits]engine.Move
	history  [2][1 << historyBits]int32 // by the move's bits, folded: a collision only spoils the order
	buffers  [maxPly + 2][]Candidate
	queues   [maxPly + 2]queue
	tried    [maxPly + 2][]engine.Move
	played   [maxPly + 2]engine.Move
	evals    [maxPly + 2]int
	pv       [maxPly + 2][]engine.Move
	path     []uint64 // keys of the positions from the last irreversible move on
	rootPath int      // how many of them are the game's own
}

func (w *worker) forget() {
	clear(w.counters[0][:])
	clear(w.counters[1][:])
	clear(w.history[0][:])
	clear(w.history[1][:])
	w.killers = [maxPly + 2][2]engine.Move{}
}

// step counts a node and reports whether the search has to end.
func (w *worker) step() bool {
	if w.aborted {
		return true
	}
	w.count++
	if w.limit > 0 && w.count >= w.limit {
		w.aborted = true
		return true
	}
	if w.count&w.seldom == 0 {
		w.nodes.Store(w.count)
		if w.searcher.halt.Load() || w.number == 0 && w.searcher.turn.Stop() {
			w.aborted = true
		}
	}
	return w.aborted
}

// settled returns the board's certain score, counted from the root.
func (w *worker) settled(ply int) (score int, ok bool) {
	score, ok = w.board.Settled()
	return fromTable(score, ply), ok
}

// A node is a position under search.
type node struct {
	ply, depth int
	pv         bool // its value is wanted, not only on which side of a bound it lies
	pressed    bool
	known      entry // of the table, where found
	found      bool
	eval       int
	improving  bool // the side to move stands better than two plies ago
}

// search returns the value of the board for the side to move by fail-soft principal
// variation search: exact between alpha and beta, else a bound.
func (w *worker) search(depth, ply, alpha, beta int, mayPass bool) int {
	w.pv[ply] = w.pv[ply][:0]
	full := w.searcher.full
	n := node{ply: ply, pv: beta-alpha > 1, pressed: !full && w.presser != nil && w.presser.Pressed()}
	if n.pressed && ply < 2*w.rootPly {
		depth = max(depth, 1) + 1 // not even to be judged before the threat is answered
	}
	if depth <= 0 {
		return w.quiesce(ply, 0, alpha, beta)
	}
	if w.step() {
		return 0
	}
	if score, ok := w.settled(ply); ok {
		return score
	}
	if ply >= maxPly {
		return w.board.Evaluate()
	}
	w.deepest = max(w.deepest, ply)
	// No result from here is better than winning at once, or worse than losing at once.
	alpha, beta = max(alpha, ply-Win), min(beta, Win-ply-1)
	if alpha >= beta {
		return alpha
	}
	key := w.board.Key()
	if w.traits.Repeats && !full && w.repeated(key, ply) {
		return 0
	}
	n.depth = depth
	n.known, n.found = w.searcher.table.find(key)
	if n.found && n.known.depth >= depth && !n.pv {
		score := fromTable(n.known.score, ply)
		if n.known.bound == exact || n.known.bound == lower && score >= beta || n.known.bound == upper && score <= alpha {
			return score
		}
	}
	w.judge(&n)
	if score, ok := w.prune(&n, beta, mayPass); ok {
		return score
	}
	if !n.found && depth >= thinDepth && !full {
		n.depth--
	}
	best, bestMove, kind := w.searchMoves(&n, alpha, beta)
	if w.aborted {
		return 0
	}
	if kind == upper {
		bestMove = 0 // all failed low: none is known to be the best
		if n.found {
			bestMove = n.known.move
		}
	}
	w.searcher.table.store(key, entry{move: bestMove, score: toTable(best, ply), depth: min(n.depth, 255), bound: kind})
	return best
}

// judge evaluates a node. The table's score replaces the evaluation if it bounds it.
func (w *worker) judge(n *node) {
	n.eval = w.board.Evaluate()
	w.evals[n.ply] = n.eval
	n.improving = n.ply >= 2 && n.eval > w.evals[n.ply-2]
	if !n.found {
		return
	}
	score := fromTable(n.known.score, n.ply)
	if n.known.bound == exact || n.known.bound == lower && score > n.eval || n.known.bound == upper && score < n.eval {
		n.eval = score
	}
}

// prune returns a score for a node that need not be searched: it is far above the
// window, or stays above it after a pass. It may also end the search.
func (w *worker) prune(n *node, beta int, mayPass bool) (score int, ok bool) {
	margin := w.traits.Margin
	if n.pv || w.searcher.full || n.pressed || margin <= 0 || beta <= -winning || beta >= winning {
		return 0, false
	}
	if n.depth <= futileDepth {
		far := margin * n.depth
		if n.improving {
			far -= margin
		}
		if n.eval-far >= beta && n.eval < winning {
			return n.eval, true
		}
	}
	if !mayPass || n.depth < nullDepth || w.passer == nil || n.eval < beta {
		return 0, false
	}
	r := 3 + n.depth/4
	w.passer.Pass()
	w.played[n.ply] = 0
	score = -w.search(n.depth-1-r, n.ply+1, -beta, -beta+1, false)
	w.board.Undo()
	if w.aborted {
		return 0, true
	}
	return min(score, winning), score >= beta
}

// searchMoves searches the moves of a node. The results are of no use where the search has
// to end.
func (w *worker) searchMoves(n *node, alpha, beta int) (best int, bestMove engine.Move, kind bound) {
	next := n.depth - 1
	moves := w.buffers[n.ply][:0]
	early := false // the table's move goes first, and the others are not listed yet
	if n.found && n.known.move != 0 && w.finder != nil {
		var c Candidate
		if c, early = w.finder.Find(n.known.move); early {
			moves = append(moves, c)
			w.queues[n.ply].fill(moves)
		}
	}
	if !early {
		moves = w.list(moves, n.ply, n.known.move)
		if len(moves) == 1 && n.ply < 2*w.rootPly && !w.searcher.full {
			next = n.depth
		}
	}
	best, kind = -Win, upper
	queue := &w.queues[n.ply]
	tried := w.tried[n.ply][:0]
	mayLeave := w.traits.Late && !n.pv && !w.searcher.full
	quiets := 0
	for i := 0; ; i++ {
		if early && i == 1 {
			early = false
			moves = w.list(moves[:0], n.ply, n.known.move)
			queue.next() // the table's move again
		}
		if len(*queue) == 0 {
			break
		}
		c := moves[queue.next()]
		if mayLeave && !c.Noisy && !c.Keep && best > -winning && n.late(quiets, w.enough, alpha, w.traits.Margin) {
			// What holds of this one holds of all that come after it.
			queue.leave(moves)
			continue
		}
		if !c.Noisy {
			quiets++
		}
		w.board.Play(c.Move)
		w.played[n.ply] = c.Move
		score := w.try(n, c, i, next, alpha, beta)
		w.board.Undo()
		if w.aborted {
			return 0, 0, none
		}
		if score > best || bestMove == 0 {
			best, bestMove = score, c.Move
		}
		if score > alpha {
			alpha, kind = score, exact
			w.follow(n.ply, c.Move)
		}
		if alpha >= beta {
			kind = lower
			w.reward(c, n.ply, n.depth, tried)
			break
		}
		if !c.Noisy {
			tried = append(tried, c.Move)
		}
	}
	w.buffers[n.ply], w.tried[n.ply] = moves, tried
	return best, bestMove, kind
}

// late reports whether quiet moves may be left out after so many others, near the leaves.
func (n *node) late(quiets, enough, alpha, margin int) bool {
	enough += n.depth * n.depth
	if !n.improving {
		enough /= 2
	}
	return n.depth <= lateDepth && quiets >= enough ||
		n.depth <= futileDepth && n.eval+margin*(n.depth+1) <= alpha && quiets > 2
}

// try searches the position after the i-th move of a node: all but the first with an empty
// window and less deep, and again where that says too little.
func (w *worker) try(n *node, c Candidate, i, next, alpha, beta int) int {
	if i == 0 {
		return -w.search(next, n.ply+1, -beta, -alpha, true)
	}
	r := 0
	if !w.searcher.full && next >= 2 && i >= 2 && !c.Keep && !c.Noisy && w.traits.Reduce > 0 {
		r = w.searcher.reduction(next, i)
		if n.pv {
			r--
		}
		if !n.improving {
			r++
		}
		r -= int(w.history[w.board.Turn().Other()][fold(c.Move)]) / 6000
		r = max(0, min(r, next-1))
	}
	score := -w.search(next-r, n.ply+1, -alpha-1, -alpha, true)
	if score > alpha && r > 0 {
		score = -w.search(next, n.ply+1, -alpha-1, -alpha, true)
	}
	if score > alpha && score < beta {
		score = -w.search(next, n.ply+1, -beta, -alpha, true)
	}
	return score
}

// remember notes the keys of the game so far, the position to move in being the last.
func (w *worker) remember(pos engine.Position) {
	w.path = w.path[:0]
	if !w.traits.Repeats {
		return
	}
	back := pos.Clone()
	for n := min(pos.Reversible(), 200); ; n-- {
		w.path = append(w.path, back.Hash())
		if n == 0 {
			break
		}
		back.Undo()
	}
	slices.Reverse(w.path)
	w.rootPath = len(w.path)
}

// repeated reports whether the position at this ply has come up before, with the same
// side to move, and notes it.
func (w *worker) repeated(key uint64, ply int) bool {
	at := w.rootPath + ply - 1
	w.path = append(w.path[:at], key)
	for i := at - 4; i >= 0; i -= 2 {
		if w.path[i] == key {
			return true
		}
	}
	return false
}

// quiesce searches noisy moves only, until the position is quiet.
func (w *worker) quiesce(ply, deep, alpha, beta int) int {
	if w.step() {
		return 0
	}
	if score, ok := w.settled(ply); ok {
		return score
	}
	if w.searcher.full {
		return w.board.Evaluate()
	}
	w.deepest = max(w.deepest, ply)
	moves := w.board.Moves(w.buffers[ply][:0], true)
	w.buffers[ply] = moves
	best := -Win + ply
	if forced := len(moves) > 0 && moves[0].Forced; !forced {
		best = w.board.Evaluate()
		if best >= beta || len(moves) == 0 || ply >= maxPly || deep >= quietPlies {
			return best
		}
		alpha = max(alpha, best)
	} else if ply >= maxPly {
		return w.board.Evaluate()
	}
	queue := &w.queues[ply]
	queue.fill(moves)
	for range moves {
		c := moves[queue.next()]
		w.board.Play(c.Move)
		w.played[ply] = c.Move
		score := -w.quiesce(ply+1, deep+1, -beta, -alpha)
		w.board.Undo()
		if w.aborted {
			return 0
		}
		if score > best {
			best = score
			if score >= beta {
				break
			}
			alpha = max(alpha, score)
		}
	}
	return best
}

// follow makes m and the line below it the principal variation of this ply.
func (w *worker) follow(ply int, m engine.Move) {
	w.pv[ply] = append(append(w.pv[ply][:0], m), w.pv[ply+1]...)
}

// list lists the moves of a position with their ranks.
func (w *worker) list(dst []Candidate, ply int, first engine.Move) []Candidate {
	dst = w.board.Moves(dst, false)
	w.rank(dst, ply, first)
	w.queues[ply].fill(dst)
	return dst
}

// rank orders the moves: the table's move, then noisy ones, killers, the counter-move,
// and the others by history.
func (w *worker) rank(moves []Candidate, ply int, first engine.Move) {
	side := w.board.Turn() & 1
	counter := engine.Move(0)
	if ply > 0 {
		counter = w.counters[side][fold(w.played[ply-1])]
	}
	for i := range moves {
		c := &moves[i]
		switch {
		case c.Move == first:
			c.Rank = math.MaxInt32
		case c.Noisy:
			c.Rank += 60_000
		case c.Move == w.killers[ply][0]:
			c.Rank = 40_001
		case c.Move == w.killers[ply][1]:
			c.Rank = 40_000
		case c.Move == counter:
			c.Rank = 39_999
		default:
			c.Rank += w.history[side][fold(c.Move)]
		}
	}
}

// A queue returns moves by their ranks, the highest first and equal ones in their
// order. An entry has a move's rank in the upper half, and the complement of its index
// in the lower.
type queue []int64

func (q *queue) fill(moves []Candidate) {
	*q = (*q)[:0]
	for i := range moves {
		*q = append(*q, int64(moves[i].Rank)<<32|int64(^uint32(i)))
	}
}

// next removes the highest move and returns its index. The queue must not be empty.
func (q *queue) next() int {
	left := *q
	best, at := left[0], 0
	for i, ranked := range left {
		if ranked > best {
			best, at = ranked, i
		}
	}
	last := len(left) - 1
	left[at] = left[last]
	*q = left[:last]
	return int(^uint32(best))
}

// leave removes the moves that may be pruned.
func (q *queue) leave(moves []Candidate) {
	kept := (*q)[:0]
	for _, ranked := range *q {
		if c := &moves[^uint32(ranked)]; c.Noisy || c.Keep {
			kept = append(kept, ranked)
		}
	}
	*q = kept
}

// reward updates the statistics after a move that caused a cutoff, and for the quiet
// ones tried before it.
func (w *worker) reward(c Candidate, ply, depth int, tried []engine.Move) {
	if c.Noisy {
		return
	}
	if w.killers[ply][0] != c.Move {
		w.killers[ply][1] = w.killers[ply][0]
		w.killers[ply][0] = c.Move
	}
	side := w.board.Turn() & 1
	if ply > 0 {
		w.counters[side][fold(w.played[ply-1])] = c.Move
	}
	bonus := int32(min(4*depth*depth+20*depth, 1500))
	w.credit(side, c.Move, bonus)
	for _, m := range tried {
		w.credit(side, m, -bonus)
	}
}

// credit moves a history value towards its bound, the slower the nearer.
func (w *worker) credit(side engine.Side, m engine.Move, bonus int32) {
	h := &w.history[side][fold(m)]
	size := bonus
	if size < 0 {
		size = -size
	}
	*h += bonus - *h*size/historyMost
}

func fold(m engine.Move) int { return int((m ^ m>>historyBits) & (1<<historyBits - 1)) }

// line returns the principal variation as text, as far as it is legal: the table may
// have shortened it.
func (s *Searcher) line(pv []engine.Move) []byte {
	pos := s.turn.Position
	var text []byte
	for i, m := range pv {
		if i > 0 {
			text = append(text, ' ')
		}
		text = pos.AppendMove(text, m)
		pos.Play(m)
	}
	for range pv {
		pos.Undo()
	}
	return text
}

// told converts a score for the protocol: beyond the winning bound to the number of
// moves to the end of the game.
func told(score int) protocol.Score {
	switch {
	case score > winning:
		return protocol.Score{Mate: true, Value: int64(Win-score+1) / 2}
	case score < -winning:
		return protocol.Score{Mate: true, Value: -int64(Win+score+1) / 2}
	}
	return protocol.Score{Value: int64(score)}
}
