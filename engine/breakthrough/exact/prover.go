package exact

import (
	"context"
	"fmt"
	"math/bits"

	"botarena/engine"
	"botarena/engine/breakthrough"
)

// A Prover finds who wins a position by proof-number search, depth first (Nagai 2002),
// with a table of bounded size: evicted states are searched again. It settles two more
// kinds of states than the package comment names:
//
//   - one piece of the other side's one step from home has to be captured, so no
//     other move is looked at;
//   - else a piece two steps from home that has a move onto a square which no piece
//     of the other side's covers wins in three plies.
//
// It is not safe for concurrent use.
type Prover struct {
	board
	digits, mirrored []uint64 // of a row's files: the sum of 3^file, and its reflection's
	radix            uint64   // 3^cols
	entries          []entry
	kids             [][]kid // by how deep the search is
	nodes, limit     uint64
	ctx              context.Context
	stopped          bool
	tell             func() error // an error stops the search
	failed           error        // that error
}

// An entry holds the results of a state: its number, and the proof number of its side
// to move, that of the other side, and the binary logarithm of the nodes spent on it.
type entry struct{ key, data uint64 }

// Proof numbers are capped; infinite is that of a disproved state.
const (
	numberBits = 28
	infinite   = 1<<numberBits - 1
	bucket     = 4 // entries that a number may be in: one cache line
)

// A kid is a child: a state after a move.
type kid struct {
	state
	key        uint64
	phi, delta uint64 // the numbers of its side to move, and of the other side
}

// mostSquares is the largest number of squares for which a state's number fits in 64
// bits.
const mostSquares = 40

// mostProved is the largest number of squares of a board that Prove tries: 7x5 and 5x7.
const mostProved = 35

// Searchable returns an error if a [Prover] cannot search positions of a game.
func Searchable(game engine.Game) error { return fits(game, mostSquares) }

// Provable returns an error if [Prover.Prove] cannot try the start of a game.
func Provable(game engine.Game) error { return fits(game, mostProved) }

func fits(game engine.Game, squares int) error {
	g, ok := game.(*breakthrough.Game)
	if !ok {
		return fmt.Errorf("%s is another game", game.Name())
	}
	if g.Cols()*g.Rows() > squares || g.Cols() > 10 {
		return fmt.Errorf("%s has more than %d squares, or 10 columns: the board is too large", game.Name(), squares)
	}
	return nil
}

// NewProver returns a prover for a board, with a table of about so many bytes. The
// error is from [Searchable].
func NewProver(g *breakthrough.Game, bytes int64) (*Prover, error) {
	if err := Searchable(g); err != nil {
		return nil, err
	}
	p := &Prover{board: newBoard(g.Cols(), g.Rows()), radix: 1, ctx: context.Background()}
	p.digits, p.mirrored = make([]uint64, 1<<p.cols), make([]uint64, 1<<p.cols)
	for file := range p.cols {
		for set := range p.digits {
			if set>>file&1 != 0 {
				p.digits[set] += p.radix
			}
		}
		p.radix *= 3
	}
	for set := range p.mirrored {
		p.mirrored[set] = p.digits[p.reflect[set]]
	}
	p.entries = make([]entry, 1<<max(bits.Len64(uint64(bytes)/16)-1, 10))
	p.kids = make([][]kid, p.cols*p.rows*2*p.rows)
	return p, nil
}

// number returns one number for a state and its reflection: of the two that have the
// digit 1 at base 3 for an own piece, and 2 for one of the other side's, the lower.
// mirrored reports whether that is the reflection's.
func (p *Prover) number(s state) (n uint64, mirrored bool) {
	var here, there uint64
	for row := p.rows - 1; row >= 0; row-- {
		own, opp := s.own>>(row*p.cols)&p.files, s.opp>>(row*p.cols)&p.files
		here = here*p.radix + p.digits[own] + 2*p.digits[opp]
		there = there*p.radix + p.mirrored[own] + 2*p.mirrored[opp]
	}
	return min(here, there), there < here
}

// sight is settled, and the piece that nobody covers.
func (p *Prover) sight(s state) (wins, ok bool) {
	if wins, ok = p.settled(s); ok || s.opp>>p.cols&p.files != 0 {
		return wins, ok
	}
	runners := s.own >> ((p.rows - 3) * p.cols) & p.files
	if runners == 0 {
		return false, false
	}
	defenders, facing := s.opp>>((p.rows-1)*p.cols), s.opp>>((p.rows-2)*p.cols)&p.files
	covered := defenders<<1 | defenders>>1
	reached := runners&^facing | runners<<1 | runners>>1
	return true, reached&p.files&^covered != 0
}

// moves returns the targets, of captures only where one is forced.
func (p *Prover) moves(s state) [3]uint64 {
	targets := p.targets(s)
	if threat := s.opp & p.row(p.files, 1); threat != 0 {
		return [3]uint64{0, targets[1] & threat, targets[2] & threat}
	}
	return targets
}

func (p *Prover) look(key uint64) (data uint64, ok bool) {
	at := p.slot(key)
	for i := range bucket {
		if e := &p.entries[at+uint64(i)]; e.key == key {
			return e.data, true
		}
	}
	return 0, false
}

func (p *Prover) slot(key uint64) uint64 {
	hi, _ := bits.Mul64(key*0x9e3779b97f4a7c15, uint64(len(p.entries)/bucket))
	return hi * bucket
}

// store keeps the numbers of a state in place of what is known of it, else of what
// the fewest nodes were spent on, of which effort is the binary logarithm.
func (p *Prover) store(key, phi, delta, effort uint64) {
	at := p.slot(key)
	worst := &p.entries[at]
	for i := range bucket {
		e := &p.entries[at+uint64(i)]
		if e.key == key {
			worst, effort = e, max(effort, e.data>>(2*numberBits))
			break
		}
		if e.data>>(2*numberBits) < worst.data>>(2*numberBits) {
			worst = e
		}
	}
	*worst = entry{key, phi | delta<<numberBits | effort<<(2*numberBits)}
}

// expand lists the states after each move of one that is not settled, or only one of
// them that is lost at sight.
func (p *Prover) expand(s state, depth int) []kid {
	kids := p.kids[depth][:0]
	for after := range p.after(s, p.moves(s)) {
		k := kid{state: after}
		if wins, ok := p.sight(after); ok {
			if wins {
				continue // the move loses: it adds to neither number
			}
			k.phi, k.delta = infinite, 0
			p.kids[depth] = append(kids[:0], k)
			return p.kids[depth]
		}
		k.key, _ = p.number(after)
		k.phi, k.delta = guess(after)
		if data, ok := p.look(k.key); ok {
			k.phi, k.delta = data&infinite, data>>numberBits&infinite
		}
		kids = append(kids, k)
	}
	p.kids[depth] = kids
	return kids
}

// search searches a state that is not settled until one of its numbers reaches its
// threshold, and returns both, and a winning child if there is one.
func (p *Prover) search(s state, key, phiMost, deltaMost uint64, depth int) (phi, delta uint64, best *kid) {
	p.nodes++
	p.stopped = p.stopped || p.nodes > p.limit
	if p.nodes&(1<<14-1) == 0 {
		p.stopped = p.stopped || p.ctx.Err() != nil
		if p.tell != nil {
			if p.failed = p.tell(); p.failed != nil {
				p.stopped = true
			}
		}
	}
	begun := p.nodes
	kids := p.expand(s, depth)
	for {
		phi, delta, best = infinite, 0, nil
		second := uint64(infinite)
		for i := range kids {
			k := &kids[i]
			delta += k.phi
			switch {
			case k.delta < phi:
				second, phi, best = phi, k.delta, k
			case k.delta < second:
				second = k.delta
			}
		}
		switch phi {
		case 0:
			delta = infinite
		case infinite:
			delta = 0
		default:
			delta = min(delta, infinite-1)
		}
		if phi >= phiMost || delta >= deltaMost || p.stopped {
			p.store(key, phi, delta, uint64(bits.Len64(p.nodes-begun+1)))
			return phi, delta, best
		}
		// The best child is searched until another is better by more than a quarter,
		// so that less is left and entered again (Pawlewicz and Lew 2007).
		best.phi, best.delta, _ = p.search(best.state, best.key,
			min(deltaMost-delta+best.phi, infinite), min(phiMost, second+second/4+1), depth+1)
	}
}

// guess returns the initial numbers of a state, from the piece counts.
func guess(s state) (phi, delta uint64) {
	ahead := bits.OnesCount64(s.own) - bits.OnesCount64(s.opp)
	return uint64(max(1, 4-ahead)), uint64(max(1, 4+ahead))
}
