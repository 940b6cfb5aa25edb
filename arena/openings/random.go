package openings

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"botarena/arena"
	"botarena/engine"
)

// Bounds on the search for one more opening.
const (
	fewTries  = 2_000   // random games without a new opening, before all are enumerated
	manyTries = 100_000 // the same, where there are too many to enumerate
	mostNodes = 200_000 // positions visited by the enumeration
)

// random draws openings one after another and keeps them.
type random struct {
	drawn
	game   engine.Game
	starts engine.Starts // nil for a game with one start
	plies  int
	many   bool            // there are too many to enumerate
	root   engine.Position // the one start, to which each walk comes back; nil for several
	legal  []engine.Move   // buffer
}

// Random returns a source of openings of so many random legal moves from the game's
// start, or from one of its starts drawn for each opening (engine.Starts, as
// Chess960 has them): opening i depends on the game, the plies, the seed and i alone, and no
// two lead to the same position. None is decided at once: the game is not over,
// the side to move cannot win with its move, and has a move after which its
// opponent cannot win with his. With 0 plies it is the start, once, or all starts
// in an order drawn by the seed.
//
// If a small board has no more openings, Len returns their number and they repeat from
// the first. Opening's error reports that there are none at all.
func Random(game engine.Game, plies int, seed uint64) Source {
	r := &random{game: game, plies: plies, drawn: drawn{rng: rand.New(rand.NewPCG(seed, randomStream)), seen: map[uint64]bool{}}}
	r.drawn.more, r.none = r.more, func() error {
		return fmt.Errorf("%s has no opening of %d random plies that is not decided at once: ask for another number of plies, or for a book", game.Name(), plies)
	}
	starts, several := game.(engine.Starts)
	several = several && starts.Starts() > 1
	switch {
	case several && plies == 0:
		for _, n := range r.rng.Perm(starts.Starts()) {
			r.found = append(r.found, arena.Opening{Name: startName(n), Position: starts.StartAt(n).String()})
		}
		r.ended = true
	case several:
		r.starts, r.many = starts, true // the tree of all moves from all starts is not walked
	case plies == 0:
		r.found, r.ended = []arena.Opening{{}}, true
	}
	return r
}

// startName names a start by its number, as players of Chess960 do.
func startName(n int) string { return fmt.Sprintf("start %d", n) }

// start draws a start, and returns its position and the beginning of an opening from
// it.
func (r *random) start() (engine.Position, arena.Opening) {
	if r.starts == nil {
		if r.root == nil {
			r.root = r.game.Start()
			engine.Spread(r.root)
		}
		return r.root, arena.Opening{}
	}
	n := r.rng.IntN(r.starts.Starts())
	pos := r.starts.StartAt(n)
	return pos, arena.Opening{Name: startName(n), Position: pos.String()}
}

// more finds another opening, or that there are no more.
func (r *random) more() error {
	path := make([]engine.Move, 0, r.plies)
	for try := range manyTries {
		pos, o := r.start()
		path = path[:0]
		for range r.plies {
			if r.legal = pos.Legal(r.legal[:0]); len(r.legal) == 0 {
				break
			}
			path = append(path, r.legal[r.rng.IntN(len(r.legal))])
			pos.Play(path[len(path)-1])
		}
		fresh := pos.Ply() == r.plies && !r.seen[pos.Hash()] && open(pos)
		if fresh {
			r.seen[pos.Hash()] = true
		}
		for range path {
			pos.Undo()
		}
		if fresh {
			r.found = append(r.found, line(o, pos, path))
			return nil
		}
		if try == fewTries && !r.many && r.enumerate() {
			return nil
		}
	}
	r.ended = true
	return nil
}

// enumerate appends all openings not yet found, in random order; it returns false if
// there are too many positions to visit.
func (r *random) enumerate() bool {
	type node struct {
		hash uint64
		ply  int
	}
	visited := map[node]bool{}
	var rest []arena.Opening
	seen := map[uint64]bool{}
	pos, _ := r.start()
	var texts []string // of the moves to pos
	var walk func() bool
	walk = func() bool {
		n := node{pos.Hash(), pos.Ply()}
		if visited[n] {
			return true
		}
		if visited[n] = true; len(visited) > mostNodes {
			return false
		}
		if pos.Ply() == r.plies {
			if !r.seen[n.hash] && !seen[n.hash] && open(pos) {
				seen[n.hash] = true
				rest = append(rest, arena.Opening{Moves: slices.Clone(texts)})
			}
			return true
		}
		engine.Spread(pos)
		for _, m := range pos.Legal(nil) {
			texts = append(texts, string(pos.AppendMove(nil, m)))
			pos.Play(m)
			whole := walk()
			pos.Undo()
			texts = texts[:len(texts)-1]
			if !whole {
				return false
			}
		}
		return true
	}
	if !walk() {
		r.many = true
		return false
	}
	r.rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	r.found, r.ended = append(r.found, rest...), true
	return true
}

// open reports whether neither side has won within its next move: see Random.
func open(pos engine.Position) bool {
	if pos.Outcome().Over || winsAtOnce(pos) {
		return false
	}
	me := pos.Turn()
	for _, m := range pos.Legal(nil) {
		pos.Play(m)
		out := pos.Outcome()
		safe := out.Over && out.Winner != me.Other() || !out.Over && !winsAtOnce(pos)
		pos.Undo()
		if safe {
			return true
		}
	}
	return false
}

// winsAtOnce reports whether the side to move has a move that wins.
func winsAtOnce(pos engine.Position) bool {
	me := pos.Turn()
	engine.Spread(pos)
	for _, m := range pos.Legal(nil) {
		pos.Play(m)
		out := pos.Outcome()
		pos.Undo()
		if out.Over && out.Winner == me {
			return true
		}
	}
	return false
}

// line returns o with the texts of these moves from pos, which it leaves unchanged.
func line(o arena.Opening, pos engine.Position, moves []engine.Move) arena.Opening {
	o.Moves = make([]string, len(moves))
	for i, m := range moves {
		o.Moves[i] = string(pos.AppendMove(nil, m))
		pos.Play(m)
	}
	for range moves {
		pos.Undo()
	}
	return o
}
