// Package minimax searches a game tree by iterative deepening alpha-beta: principal
// variation search with aspiration windows, a transposition table, reductions and
// pruning as far as the game allows them, and a search of noisy moves at the leaves. It
// knows no game: rules, evaluation and what may be pruned come from a [Board].
package minimax

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"botarena/bots/kit"
	"botarena/engine"
	"botarena/protocol"
)

// Win is the score of a game won at the root; a win in n plies scores Win-n.
const Win = 30_000

// winning is the bound beyond which scores are wins.
const winning = Win - 2*maxPly - 500

const (
	maxPly      = 200
	historyBits = 14
	historyMost = 16_384
)

// Config configures a Searcher.
type Config struct {
	// Megabytes is the approximate size of the table.
	Megabytes int
	// Threads is the number of threads that search the same tree; with more than one a
	// search cannot be repeated. Turns that are limited by nodes or depth use one.
	Threads int
	// Lines is the number of first moves to report, best first; 0 is 1.
	Lines int
	// Margin and Reduce replace the board's traits of these names, in percent of them, and
	// Late is the number of quiet moves that are searched in any case, where late ones may
	// be left out; 0 is 100 percent, and usualLate.
	Margin, Reduce, Late int
}

// usualLate is Config.Late by default.
const usualLate = 8

// percent returns a share of a trait, at least 1 of one that is not 0.
func percent(trait, share int) int {
	if trait == 0 || share == 0 {
		return trait
	}
	return max(1, trait*share/100)
}

// A Searcher keeps the table and the move statistics between the moves of one game.
type Searcher struct {
	config     Config
	table      *table
	workers    []*worker
	reductions [64][64]int8
	full       bool // for tests: leave nothing out

	turn *kit.Turn
	halt atomic.Bool
}

// New returns a searcher on boards that newBoard makes, one a thread.
func New(config Config, newBoard func() Board) *Searcher {
	s := &Searcher{config: config, table: newTable(config.Megabytes)}
	for i := range max(1, config.Threads) {
		b := newBoard()
		w := &worker{searcher: s, board: b, number: i, traits: b.Traits(), enough: cmp.Or(config.Late, usualLate)}
		w.traits.Margin, w.traits.Reduce = percent(w.traits.Margin, config.Margin), percent(w.traits.Reduce, config.Reduce)
		w.passer, _ = b.(Passer)
		w.presser, _ = b.(Presser)
		w.finder, _ = b.(Finder)
		s.workers = append(s.workers, w)
	}
	if by := s.workers[0].traits.Reduce; by > 0 {
		for d := 1; d < 64; d++ {
			for i := 1; i < 64; i++ {
				s.reductions[d][i] = int8(math.Log(float64(d)) * math.Log(float64(i)) * 100 / float64(by))
			}
		}
	}
	return s
}

func (s *Searcher) reduction(depth, number int) int {
	return int(s.reductions[min(depth, 63)][min(number, 63)])
}

// NewGame clears the table and statistics, so that games do not depend on each other.
func (s *Searcher) NewGame() {
	s.table.clear()
	for _, w := range s.workers {
		w.forget()
	}
}

// A root is a move of the root position, with its search results.
type root struct {
	move  engine.Move
	score int
	line  []engine.Move
}

// Choose returns the best move found within the turn's limits, sending an info
// line after each depth. A turn without any limit is searched to depth 4. The
// position must not be over. Equal root moves are taken in an order that
// turn.Rand shuffles.
func (s *Searcher) Choose(turn *kit.Turn) engine.Move {
	return s.ChooseAmong(turn, turn.Position.Legal(nil))
}

// ChooseAmong is Choose, among some of the legal moves, whose order it changes.
func (s *Searcher) ChooseAmong(turn *kit.Turn, legal []engine.Move) engine.Move {
	s.turn = turn
	s.halt.Store(false)
	s.table.begin()
	depth := maxPly / 2
	if turn.Depth > 0 {
		depth = min(turn.Depth, depth)
	}
	if !turn.Limited() {
		depth = 4
	}
	turn.Rand.Shuffle(len(legal), func(i, j int) { legal[i], legal[j] = legal[j], legal[i] })
	roots := make([]root, len(legal))
	for i, m := range legal {
		roots[i] = root{move: m}
	}
	var helpers sync.WaitGroup
	if turn.Nodes == 0 && turn.Depth == 0 {
		for _, w := range s.workers[1:] {
			w.prepare(turn.Position.Clone(), 0)
			own := slices.Clone(roots)
			helpers.Go(func() { w.help(own, depth) })
		}
	}
	w := s.workers[0]
	w.prepare(turn.Position, turn.Nodes)
	w.lead(roots, depth)
	s.halt.Store(true)
	helpers.Wait()
	return roots[0].move
}

func (w *worker) prepare(pos engine.Position, limit int64) {
	w.remember(pos)
	w.board.Set(pos)
	w.count, w.limit, w.aborted, w.deepest = 0, limit, false, 0
	w.seldom = 1023
	if _, asks := pos.(engine.Foresight); asks { // a node takes as long as thousands by rules in memory
		w.seldom = 0
	}
	w.nodes.Store(0)
}

// lead deepens until a limit is reached, and leaves the best move first.
func (w *worker) lead(roots []root, depth int) {
	turn := w.searcher.turn
	steady := 0 // iterations that the best move has been the same
	for d := 1; d <= depth; d++ {
		before := roots[0].move
		lines := min(max(1, w.searcher.config.Lines), len(roots))
		if !w.iterate(roots, d, lines) {
			if roots[0].move != before { // found better on the way: what is played is to be told
				w.report(d, 0, lines, &roots[0])
			}
			break
		}
		if roots[0].move == before {
			steady++
		} else {
			steady = 0
		}
		best := roots[0].score
		if best > winning && Win-best <= d || best < -winning && Win+best <= d {
			break
		}
		if len(roots) == 1 && turn.Depth == 0 && turn.Nodes == 0 && !turn.Infinite && !turn.Pondering() {
			break
		}
		if turn.Early(min(steady, 4)) {
			break
		}
	}
}

// help fills the table for the leader; every second helper searches a ply deeper.
func (w *worker) help(roots []root, depth int) {
	for d := 1 + w.number&1; d <= depth; d++ {
		if !w.iterate(roots, d, 1) {
			return
		}
	}
}

// iterate searches to one depth and sorts the roots, the best lines first. It reports
// whether it was finished; if not, the first move is still the best known.
func (w *worker) iterate(roots []root, depth, lines int) bool {
	w.rootPly = depth
	for line := range lines {
		alpha, beta, wide := -Win, Win, 30
		if guess := roots[line].score; depth >= 5 && !w.searcher.full && guess > -winning && guess < winning {
			alpha, beta = max(-Win, guess-wide), min(Win, guess+wide)
		}
		for {
			score := w.searchRoot(roots[line:], depth, alpha, beta)
			if w.aborted {
				return false
			}
			low, high := score <= alpha && alpha > -Win, score >= beta && beta < Win
			if !low && !high {
				break
			}
			if low {
				alpha = max(-Win, score-wide)
			} else {
				beta = min(Win, score+wide)
			}
			wide *= 3
			if wide > 2000 {
				alpha, beta = -Win, Win
			}
		}
	}
	slices.SortStableFunc(roots[:lines], func(a, b root) int { return b.score - a.score })
	if w.number == 0 {
		for line := range lines {
			w.report(depth, line, lines, &roots[line])
		}
	}
	return true
}

// searchRoot searches the moves within a window and puts the best one first. The
// results of an aborted search count.
func (w *worker) searchRoot(roots []root, depth, alpha, beta int) int {
	best := -Win
	for i := range roots {
		m := roots[i].move
		w.board.Play(m)
		w.played[0] = m
		var score int
		if i == 0 {
			score = -w.search(depth-1, 1, -beta, -alpha, true)
		} else {
			r := 0
			if !w.searcher.full && depth >= 3 && i >= 4 && w.traits.Reduce > 0 {
				r = max(0, min(w.searcher.reduction(depth-1, i)-1, depth-2))
			}
			score = -w.search(depth-1-r, 1, -alpha-1, -alpha, true)
			if score > alpha && r > 0 && !w.aborted {
				score = -w.search(depth-1, 1, -alpha-1, -alpha, true)
			}
			if score > alpha && score < beta && !w.aborted {
				score = -w.search(depth-1, 1, -beta, -alpha, true)
			}
		}
		w.board.Undo()
		if w.aborted {
			break
		}
		if score > best {
			best = score
			if i == 0 || score > alpha {
				r := root{move: m, score: score, line: append(append(roots[i].line[:0], m), w.pv[1]...)}
				copy(roots[1:i+1], roots[:i])
				roots[0] = r
			}
		}
		alpha = max(alpha, score)
		if alpha >= beta {
			break
		}
	}
	return best
}

// report sends an info line.
func (w *worker) report(depth, line, lines int, r *root) {
	s := w.searcher
	nodes := w.count
	for _, other := range s.workers[1:] {
		nodes += other.nodes.Load()
	}
	info := protocol.Info{
		Has:   protocol.HasDepth | protocol.HasSelDepth | protocol.HasNodes | protocol.HasScore | protocol.HasHashFull,
		Depth: int64(depth), SelDepth: int64(max(w.deepest, depth)), Nodes: nodes, HashFull: int64(s.table.full()),
		Score: told(r.score), PV: s.line(w.expected(r.line)),
	}
	if lines > 1 {
		info.Has |= protocol.HasMultiPV
		info.MultiPV = int64(line + 1)
	}
	s.turn.Info(info)
}

// expected extends a line of one move by the table's answer, for pondering.
func (w *worker) expected(line []engine.Move) []engine.Move {
	if len(line) != 1 {
		return line
	}
	w.board.Play(line[0])
	known, found := w.searcher.table.find(w.board.Key())
	w.board.Undo()
	if !found || known.move == 0 {
		return line
	}
	pos := w.searcher.turn.Position
	pos.Play(line[0])
	legal := pos.Legal(nil) // none if the game is over
	pos.Undo()
	if !slices.Contains(legal, known.move) {
		return line
	}
	return append(line, known.move)
}
