// Package mcts searches by upper confidence bounds applied to trees (UCT;
// Kocsis and Szepesvari 2006) with a solver (Winands, Björnsson and Saito 2008):
// a node whose outcome is certain is never simulated again, and certainty moves
// up the tree. It knows no game: the rules come through [engine.Position].
package mcts

import (
	"math"

	"botarena/bots/kit"
	"botarena/engine"
	"botarena/protocol"
)

const (
	// exploration weighs curiosity against the mean. The evaluation tells good
	// moves from bad ones by a few per cent of a win, which the theory's 1/sqrt 2
	// for rewards of 0 or 1 would drown: with it, 2000 simulations won no game of
	// 20 in Breakthrough against minimax at depth 2, with this every second one.
	exploration = 0.15
	// playoutPlies bounds a random playout; then the evaluation decides. Short ones
	// cost less and say more, most of all in games that random play seldom ends.
	playoutPlies = 4
	// scale turns centipawns into a winning probability: 1/(1+e^(-score/scale)).
	scale = 120
	// defaultSimulations are made where the turn has no limit.
	defaultSimulations = 2000
	maxNodes           = 4_000_000
)

// proof is what is certain of a node, for the side that moved into it.
type proof int8

const (
	open proof = iota
	won
	lost
	drawn
)

type node struct {
	move     engine.Move
	first    int32 // index of the first child; 0: not expanded
	children int32
	visits   int32
	value    float64 // sum of rewards for the side that moved into the node
	proof    proof
}

// A Searcher holds the tree of one move; the tree is built anew for each.
type Searcher struct {
	evaluate func(engine.Position) int
	nodes    []node
	path     []int32
	moves    []engine.Move
	turn     *kit.Turn
	pos      engine.Position
}

// New returns a searcher; evaluate scores a position that is not over in
// centipawns for the side to move.
func New(evaluate func(engine.Position) int) *Searcher {
	return &Searcher{evaluate: evaluate}
}

// Choose runs simulations until the turn's nodes (one simulation each) or time
// are used up or the root is solved, and returns the move that was tried most,
// or one that surely wins. turn.Depth is honoured as 4^Depth*50 simulations,
// since a tree of this kind has no even depth. The position must not be over.
func (s *Searcher) Choose(turn *kit.Turn) engine.Move {
	s.turn, s.pos = turn, turn.Position
	s.nodes = append(s.nodes[:0], node{})
	limit := turn.Nodes
	if turn.Depth > 0 {
		byDepth := int64(50) << (2 * min(turn.Depth, 16))
		if limit == 0 || byDepth < limit {
			limit = byDepth
		}
	}
	if !turn.Limited() {
		limit = defaultSimulations
	}
	s.expand(0)
	done, told := int64(0), int64(1)
	for s.nodes[0].proof == open && (limit == 0 || done < limit) && len(s.nodes) < maxNodes {
		if done&63 == 63 && turn.Stop() {
			break
		}
		s.simulate()
		done++
		if done == told*10 {
			told = done
			s.report(done)
		}
	}
	best := s.best()
	s.report(done)
	return s.nodes[best].move
}

// simulate goes down the tree, adds one node, plays on at random from there and
// brings the reward up again.
func (s *Searcher) simulate() {
	s.path = append(s.path[:0], 0)
	at := int32(0)
	for s.nodes[at].first != 0 && s.nodes[at].proof == open {
		at = s.selectChild(at)
		s.pos.Play(s.nodes[at].move)
		s.path = append(s.path, at)
	}
	n := &s.nodes[at]
	var reward float64 // for the side that moved into the node
	switch n.proof {
	case won:
		reward = 1
	case lost:
		reward = 0
	case drawn:
		reward = 0.5
	default:
		if n.visits > 0 {
			s.expand(at)
			if s.nodes[at].proof == open {
				child := s.selectChild(at)
				s.pos.Play(s.nodes[child].move)
				s.path = append(s.path, child)
				at = child
			}
		}
		reward = s.leaf(at)
	}
	for i := len(s.path) - 1; i >= 0; i-- {
		n := &s.nodes[s.path[i]]
		n.visits++
		n.value += reward
		reward = 1 - reward
		if i > 0 {
			s.pos.Undo()
			if n.proof != open {
				s.prove(s.path[i-1])
			}
		}
	}
}

// leaf returns the reward of a new node for the side that moved into it.
func (s *Searcher) leaf(at int32) float64 {
	mover := s.pos.Turn().Other()
	out := s.pos.Outcome()
	if out.Over {
		p := &s.nodes[at].proof
		switch out.Winner {
		case mover:
			*p = won
			return 1
		case engine.NoSide:
			*p = drawn
			return 0.5
		}
		*p = lost
		return 0
	}
	plies := 0
	for !out.Over && plies < playoutPlies {
		s.moves = s.pos.Legal(s.moves[:0])
		s.pos.Play(s.moves[s.turn.Rand.IntN(len(s.moves))])
		plies++
		out = s.pos.Outcome()
	}
	reward := 0.5
	switch {
	case !out.Over:
		reward = 1 / (1 + math.Exp(-float64(s.evaluate(s.pos))/scale))
		if s.pos.Turn() != mover {
			reward = 1 - reward
		}
	case out.Winner == mover:
		reward = 1
	case out.Winner != engine.NoSide:
		reward = 0
	}
	for ; plies > 0; plies-- {
		s.pos.Undo()
	}
	return reward
}

// expand adds all children of a node at the current position.
func (s *Searcher) expand(at int32) {
	s.moves = s.pos.Legal(s.moves[:0])
	first := int32(len(s.nodes))
	s.turn.Rand.Shuffle(len(s.moves), func(i, j int) { s.moves[i], s.moves[j] = s.moves[j], s.moves[i] })
	for _, m := range s.moves {
		s.nodes = append(s.nodes, node{move: m})
	}
	s.nodes[at].first, s.nodes[at].children = first, int32(len(s.moves))
}

// selectChild picks the child with the highest confidence bound among those
// that are not surely lost; untried ones first.
func (s *Searcher) selectChild(at int32) int32 {
	n := &s.nodes[at]
	logVisits := math.Log(float64(n.visits) + 1)
	best, bestBound := n.first, math.Inf(-1)
	for i := n.first; i < n.first+n.children; i++ {
		c := &s.nodes[i]
		if c.proof == lost {
			continue
		}
		if c.visits == 0 {
			return i
		}
		visits := float64(c.visits)
		if u := c.value/visits + exploration*math.Sqrt(logVisits/visits); u > bestBound {
			best, bestBound = i, u
		}
	}
	return best
}

// prove settles a node from its children: one that wins for the side to move
// loses the node; where all are settled, the best of them decides.
func (s *Searcher) prove(at int32) {
	n := &s.nodes[at]
	allLost, allSettled := true, true
	for i := n.first; i < n.first+n.children; i++ {
		switch s.nodes[i].proof {
		case won:
			n.proof = lost
			return
		case open:
			allLost, allSettled = false, false
		case drawn:
			allLost = false
		case lost:
		}
	}
	switch {
	case allLost:
		n.proof = won
	case allSettled:
		n.proof = drawn
	}
}

// best is the child to play: a sure win, else the most visited that is not
// surely lost, else any.
func (s *Searcher) best() int32 {
	root := &s.nodes[0]
	best, most := root.first, int32(-1)
	for i := root.first; i < root.first+root.children; i++ {
		c := &s.nodes[i]
		if c.proof == won {
			return i
		}
		visits := c.visits
		if c.proof == lost {
			visits = -1
		}
		if visits > most {
			best, most = i, visits
		}
	}
	return best
}

func (s *Searcher) report(done int64) {
	c := &s.nodes[s.best()]
	info := protocol.Info{Has: protocol.HasNodes | protocol.HasScore, Nodes: done, PV: s.turn.Text(c.move)}
	switch {
	case c.proof == won:
		info.Score = protocol.Score{Mate: true, Value: 1}
	case c.visits > 0:
		p := min(max(c.value/float64(c.visits), 1e-4), 1-1e-4)
		info.Score.Value = int64(math.Round(scale * math.Log(p/(1-p))))
	}
	s.turn.Info(info)
}
