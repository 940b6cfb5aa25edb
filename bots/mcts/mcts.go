// Package mcts searches by upper confidence bounds applied to trees (UCT; Kocsis and
// Szepesvári 2006) with improvements for games of attack:
//
//   - evaluation cut-off (Lorentz 2011): a simulation ends in the judgement of its
//     leaf, after a search of the captures there. Only games whose judgement says
//     little are played on at random;
//   - implicit minimax back-ups (Lanctot, Winands, Pepels and Sturtevant 2014): beside
//     the mean of its simulations each node keeps the minimax value of the judgements
//     below it, and both choose the way down;
//   - a solver (Winands, Björnsson and Saito 2008): a node whose outcome is certain is
//     never simulated again, and certainty moves up the tree.
//
// It knows no game: rules and evaluation come from a [minimax.Board].
package mcts

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"botarena/bots/kit"
	"botarena/bots/minimax"
	"botarena/engine"
	"botarena/protocol"
)

const (
	// exploration is the constant of the confidence bound. Evaluations of good and bad
	// moves differ by a few per cent of a win, which the theory's 1/sqrt 2 for rewards
	// of 0 or 1 would drown.
	exploration = 0.15
	// implicit is the share of the minimax value in the selection of a child.
	implicit = 0.4
	// quietPlies and quietNodes bound the search of captures at a leaf in plies and in
	// positions, playoutPlies bounds a random playout. Otherwise a position full of
	// captures would lead to thousands of positions below each leaf.
	quietPlies   = 6
	quietNodes   = 16
	playoutPlies = 60
	// defaultSimulations is the number of simulations if the turn has no limit.
	defaultSimulations = 2000
	// nodeBytes is the size of a node in bytes.
	nodeBytes = 32
)

// Config configures a Searcher.
type Config struct {
	// Megabytes is the approximate size of the tree: a full one does not grow, and only
	// its statistics are updated.
	Megabytes int
	// Threads search the same tree side by side; more than one is not the same search
	// twice. Turns that are limited by nodes or depth use one.
	Threads int
}

// proof is the proven result of a node, for the side that moved into it.
type proof int8

const (
	open proof = iota
	won
	lost
	drawn
)

// A node is a position. Rewards are for the side that moved into it.
type node struct {
	move     engine.Move
	first    int32 // index of the first child; 0: not expanded
	visits   int32
	children int16
	end      int16 // plies to the end of the game, where it is certain
	sum      float64
	back     float32 // minimax value of the judgements below
	proof    proof
	busy     bool // a thread is about to expand it
}

// A Searcher holds the tree of one move; the tree is built anew for each.
type Searcher struct {
	config  Config
	most    int // nodes
	workers []*worker

	mu      sync.Mutex // of what follows, where there are several threads
	nodes   []node
	turn    *kit.Turn
	limit   int64
	done    int64
	told    int64
	stopped bool
}

// A worker is a thread of a search.
type worker struct {
	*Searcher
	board   minimax.Board
	vague   bool
	rand    *rand.Rand
	path    []int32
	moves   []minimax.Candidate
	buffers [max(quietPlies, 1) + 1][]minimax.Candidate
	made    []node
	quiet   int // positions that the search of captures may still look at below this leaf
}

// New returns a searcher on boards that newBoard makes, one a thread.
func New(config Config, newBoard func() minimax.Board) *Searcher {
	s := &Searcher{config: config, most: max(1, config.Megabytes) << 20 / nodeBytes}
	for range max(1, config.Threads) {
		b := newBoard()
		s.workers = append(s.workers, &worker{Searcher: s, board: b, vague: b.Traits().Vague})
	}
	return s
}

// Choose runs simulations until the turn's nodes (one simulation each) or time are used
// up or the root is solved, and returns the most visited move, or a proven win.
// turn.Depth counts as 4^Depth*50 simulations, since the tree has no uniform depth. The
// position must not be over.
func (s *Searcher) Choose(turn *kit.Turn) engine.Move {
	s.turn, s.limit, s.done, s.told, s.stopped = turn, turn.Nodes, 0, 1, false
	if turn.Depth > 0 {
		byDepth := int64(50) << (2 * min(turn.Depth, 16))
		if s.limit == 0 || byDepth < s.limit {
			s.limit = byDepth
		}
	}
	if !turn.Limited() {
		s.limit = defaultSimulations
	}
	s.nodes = append(s.nodes[:0], node{})
	w := s.workers[0]
	w.rand = turn.Rand
	w.board.Set(turn.Position)
	w.moves = w.moves[:0]
	for _, m := range turn.Position.Legal(nil) {
		w.moves = append(w.moves, minimax.Candidate{Move: m})
	}
	w.shuffle()
	s.grow(0, w.judgeMoves())
	s.prove(0)
	var helpers sync.WaitGroup
	if s.limit == 0 {
		for _, other := range s.workers[1:] {
			other.rand = rand.New(rand.NewPCG(turn.Rand.Uint64(), 0))
			other.board.Set(turn.Position.Clone())
			helpers.Go(func() { other.run(false) })
		}
	}
	w.run(true)
	helpers.Wait()
	s.report()
	return s.nodes[s.best()].move
}

// Positions returns the size of the tree of the last move.
func (s *Searcher) Positions() int { return len(s.nodes) }

// run simulates until the search ends. The leader reads the clock and reports.
func (w *worker) run(leader bool) {
	s := w.Searcher
	for {
		if leader && s.turn.Stop() {
			s.mu.Lock()
			s.stopped = true
			s.mu.Unlock()
		}
		s.mu.Lock()
		if s.stopped || s.nodes[0].proof != open || s.limit > 0 && s.done >= s.limit {
			s.stopped = true
			s.mu.Unlock()
			return
		}
		s.done++
		if leader && s.done >= s.told*10 {
			s.told = s.done
			s.report()
		}
		w.simulate()
		s.mu.Unlock()
	}
}

// simulate selects a leaf, expands it, and backs its value up. The searcher is locked,
// except while the leaf is evaluated.
func (w *worker) simulate() {
	s := w.Searcher
	w.path = append(w.path[:0], 0)
	at := int32(0)
	for s.nodes[at].first != 0 && s.nodes[at].proof == open {
		at = s.selectChild(at)
		w.board.Play(s.nodes[at].move)
		w.path = append(w.path, at)
	}
	for _, i := range w.path { // a loss until it is known, so that other threads go elsewhere
		s.nodes[i].visits++
	}
	n := &s.nodes[at]
	var reward float64
	switch {
	case n.proof != open:
		reward = certain(n.proof)
	case n.visits == 1 && w.vague || n.busy || len(s.nodes) >= s.most:
		s.mu.Unlock()
		reward = 1 - w.leaf()
		s.mu.Lock()
	default:
		n.busy = true
		s.mu.Unlock()
		w.moves = w.board.Moves(w.moves[:0], false)
		w.shuffle()
		made := w.judgeMoves()
		if w.vague {
			reward = 1 - w.leaf()
		}
		s.mu.Lock()
		s.grow(at, made)
		s.prove(at)
		if n = &s.nodes[at]; n.proof != open {
			reward = certain(n.proof)
		} else if !w.vague {
			reward = float64(n.back)
		}
	}
	for i := len(w.path) - 1; i >= 0; i-- {
		n := &s.nodes[w.path[i]]
		n.sum += reward
		reward = 1 - reward
		if i > 0 {
			w.board.Undo()
			above := w.path[i-1]
			s.prove(above)
		}
	}
}

// shuffle puts equal moves in an order that depends on the seed.
func (w *worker) shuffle() {
	w.rand.Shuffle(len(w.moves), func(i, j int) { w.moves[i], w.moves[j] = w.moves[j], w.moves[i] })
}

func certain(p proof) float64 {
	switch p {
	case won:
		return 1
	case lost:
		return 0
	}
	return 0.5
}

// judgeMoves returns a node for each of w.moves.
func (w *worker) judgeMoves() []node {
	w.made = w.made[:0]
	for _, c := range w.moves {
		w.board.Play(c.Move)
		n := node{move: c.Move}
		switch score, ok := w.board.Settled(); {
		case !ok && w.vague:
			n.back = 0.5
		case !ok:
			n.back = float32(1 - w.judge())
		case score > 0:
			n.proof, n.end, n.back = lost, int16(minimax.Win-score), 0
		case score < 0:
			n.proof, n.end, n.back = won, int16(minimax.Win+score), 1
		default:
			n.proof, n.back = drawn, 0.5
		}
		w.board.Undo()
		w.made = append(w.made, n)
	}
	return w.made
}

// grow gives a node its children.
func (s *Searcher) grow(at int32, children []node) {
	s.nodes[at].first, s.nodes[at].children, s.nodes[at].busy = int32(len(s.nodes)), int16(len(children)), false
	s.nodes = append(s.nodes, children...)
}

// leaf returns the reward of the position on the board for the side to move.
func (w *worker) leaf() float64 {
	if !w.vague {
		return w.judge()
	}
	plies := 0
	var reward float64
	for ; ; plies++ {
		if score, ok := w.board.Settled(); ok {
			reward = chance(score)
			break
		}
		w.moves = w.board.Moves(w.moves[:0], false)
		if plies == playoutPlies {
			reward = chance(w.board.Evaluate())
			break
		}
		w.board.Play(w.moves[w.rand.IntN(len(w.moves))].Move)
	}
	for n := plies; n > 0; n-- {
		w.board.Undo()
	}
	if plies&1 == 1 {
		reward = 1 - reward
	}
	return reward
}

func chance(score int) float64 { return 1 / (1 + math.Exp(-float64(score)/minimax.Logit)) }

// judge returns the expected reward of the position on the board for the side to move,
// after a search of captures.
func (w *worker) judge() float64 {
	w.quiet = quietNodes
	return chance(w.quiesce(0, -minimax.Win, minimax.Win))
}

// quiesce searches captures, the most promising first, until the position is quiet or
// quietNodes are used up.
func (w *worker) quiesce(ply, alpha, beta int) int {
	w.quiet--
	if score, ok := w.board.Settled(); ok {
		return score
	}
	if ply == quietPlies || w.quiet <= 0 {
		return w.board.Evaluate()
	}
	moves := w.board.Moves(w.buffers[ply][:0], true)
	w.buffers[ply] = moves
	best := -minimax.Win
	if len(moves) == 0 || !moves[0].Forced {
		best = w.board.Evaluate()
	}
	if best >= beta {
		return best
	}
	alpha = max(alpha, best)
	slices.SortStableFunc(moves, func(a, b minimax.Candidate) int { return cmp.Compare(b.Rank, a.Rank) })
	for _, c := range moves {
		w.board.Play(c.Move)
		best = max(best, -w.quiesce(ply+1, -beta, -alpha))
		w.board.Undo()
		if best >= beta {
			break
		}
		alpha = max(alpha, best)
	}
	return best
}

// selectChild picks the child with the highest confidence bound among those that are
// not surely lost. A child counts as visited once with its own evaluation.
func (s *Searcher) selectChild(at int32) int32 {
	n := &s.nodes[at]
	logVisits := math.Log(float64(n.visits) + 1)
	best, bestBound := n.first, math.Inf(-1)
	for i := n.first; i < n.first+int32(n.children); i++ {
		c := &s.nodes[i]
		if c.proof == lost {
			continue
		}
		visits, back := float64(c.visits)+1, float64(c.back)
		u := (1-implicit)*(c.sum+back)/visits + implicit*back + exploration*math.Sqrt(logVisits/visits)
		if u > bestBound {
			best, bestBound = i, u
		}
	}
	return best
}

// prove updates a node from its children: the minimax of the evaluations, and the
// proven result. A winning child makes the node lost; if all are proven, the best of
// them decides.
func (s *Searcher) prove(at int32) {
	n := &s.nodes[at]
	allLost, allSettled := true, true
	high, longest := float32(0), int16(0)
	for i := n.first; i < n.first+int32(n.children); i++ {
		c := &s.nodes[i]
		high = max(high, c.back)
		switch c.proof {
		case won:
			if n.proof != lost || c.end+1 < n.end {
				n.proof, n.end, n.back = lost, c.end+1, 0
			}
		case open:
			allLost, allSettled = false, false
		case drawn:
			allLost = false
		case lost:
			longest = max(longest, c.end)
		}
	}
	switch {
	case n.proof == lost:
	case allLost:
		n.proof, n.end, n.back = won, longest+1, 1
	case allSettled:
		n.proof, n.back = drawn, 0.5
	default:
		n.back = 1 - high
	}
}

// best returns the child to play: the shortest proven win, else the most visited that
// is not proven lost, else the longest loss.
func (s *Searcher) best() int32 {
	root := &s.nodes[0]
	best, most := root.first, math.Inf(-1)
	for i := root.first; i < root.first+int32(root.children); i++ {
		c := &s.nodes[i]
		worth := float64(c.visits) + float64(c.back)
		switch c.proof {
		case won:
			worth = 1e12 - float64(c.end)
		case lost:
			worth = float64(c.end) - 1e6
		case open, drawn:
		}
		if worth > most {
			best, most = i, worth
		}
	}
	return best
}

// report sends the best move so far, with the most visited line.
func (s *Searcher) report() {
	info := protocol.Info{Has: protocol.HasNodes | protocol.HasScore, Nodes: s.done}
	c := &s.nodes[s.best()]
	switch c.proof {
	case won:
		info.Score = protocol.Score{Mate: true, Value: int64(c.end)/2 + 1}
	case lost:
		info.Score = protocol.Score{Mate: true, Value: -int64(c.end+1) / 2}
	case drawn:
	default:
		p := min(max((c.sum+float64(c.back))/(float64(c.visits)+1), 1e-4), 1-1e-4)
		info.Score.Value = int64(math.Round(minimax.Logit * math.Log(p/(1-p))))
	}
	pos := s.turn.Position
	line := []int32{s.best()}
	for at := line[0]; s.nodes[at].first != 0; {
		next, most := int32(0), int32(0)
		for i := s.nodes[at].first; i < s.nodes[at].first+int32(s.nodes[at].children); i++ {
			if v := s.nodes[i].visits; v > most {
				next, most = i, v
			}
		}
		if next == 0 {
			break
		}
		line = append(line, next)
		at = next
	}
	for i, at := range line {
		if i > 0 {
			info.PV = append(info.PV, ' ')
		}
		info.PV = pos.AppendMove(info.PV, s.nodes[at].move)
		pos.Play(s.nodes[at].move)
	}
	for range line {
		pos.Undo()
	}
	s.turn.Info(info)
}
