package exact

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/dustin/go-humanize"

	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/breakthrough/proof"
	"botarena/engine/solve/file"
)

// A ProofProgress reports the progress of a proof search.
type ProofProgress struct {
	Nodes   uint64
	Answers int // of the proof, once the winner is known
}

// String returns the progress in words.
func (p ProofProgress) String() string {
	text := humanize.Comma(int64(p.Nodes)) + " nodes"
	if p.Answers > 0 {
		text += fmt.Sprintf("; solved, %s answers of the proof", humanize.Comma(int64(p.Answers)))
	}
	return text
}

// Winner returns who wins a position of the prover's board, engine.NoSide if nodes are
// not enough to know. The error is ctx's.
func (p *Prover) Winner(ctx context.Context, pos *breakthrough.Position, nodes uint64) (engine.Side, error) {
	if out := pos.Outcome(); out.Over {
		return out.Winner, nil
	}
	p.begin(ctx, nodes)
	phi, delta := p.numbers(p.stateOf(pos))
	switch {
	case phi == 0:
		return pos.Turn(), nil
	case delta == 0:
		return pos.Turn().Other(), nil
	}
	return engine.NoSide, ctx.Err()
}

func (p *Prover) begin(ctx context.Context, nodes uint64) {
	p.ctx, p.nodes, p.limit, p.stopped, p.tell, p.failed = ctx, 0, nodes, false, nil, nil
}

// numbers searches a state until it is known who wins, or the search is stopped.
func (p *Prover) numbers(s state) (phi, delta uint64) {
	if wins, ok := p.sight(s); ok {
		if wins {
			return 0, infinite
		}
		return infinite, 0
	}
	key, _ := p.number(s)
	if data, ok := p.look(key); ok {
		if phi, delta = data&infinite, data>>numberBits&infinite; phi == 0 || delta == 0 {
			return phi, delta
		}
	}
	phi, delta, _ = p.search(s, key, infinite, infinite, 0)
	return phi, delta
}

// Prove finds who wins the board from its start, and returns a proof in which positions
// won within plies, at least 3, need no answer. The error is ctx's, that of
// Options.Keep or of [Provable], or a *file.DamagedError of Options.From.
func (p *Prover) Prove(ctx context.Context, g *breakthrough.Game, plies int, o file.Options) (*proof.Proof, error) {
	if err := Provable(g); err != nil {
		return nil, err
	}
	if plies < 3 {
		return nil, errors.New("a proof leaves out what is won within three plies, or more")
	}
	if err := o.Resume(p.load); err != nil {
		return nil, err
	}
	p.begin(ctx, math.MaxUint64)
	answers := map[uint64]byte{}
	p.tell = func() error {
		if o.Tell != nil {
			o.Tell(ProofProgress{p.nodes, len(answers)})
		}
		if o.IsDue() {
			return o.Keep(p)
		}
		return nil
	}
	start := p.stateOf(g.Start().(*breakthrough.Position))
	phi, delta := p.numbers(start)
	w := writer{p, plies, answers}
	winner := engine.First
	switch {
	case phi == 0:
		w.win(start)
	case delta == 0:
		winner = engine.Second
		w.replies(start)
	}
	if err := errors.Join(p.failed, ctx.Err()); err != nil {
		return nil, err
	}
	return proof.New(g, winner, plies, answers), nil
}

// A writer collects the answers of the side that wins.
type writer struct {
	*Prover
	plies   int
	answers map[uint64]byte
}

// win adds the answers that a state which its side to move wins needs.
func (w *writer) win(s state) {
	key, mirrored := w.number(s)
	if _, ok := w.answers[key]; ok || w.stopped || w.wonWithin(s, w.plies) {
		return
	}
	after, ok := w.answer(s, key)
	if !ok {
		return // stopped
	}
	from := s.own &^ w.turned(after.opp)
	to := w.turned(after.opp) &^ s.own
	if mirrored {
		from, to = w.reflected(from), w.reflected(to)
	}
	at := bits.TrailingZeros64(from)
	w.answers[key] = proof.Answer(at, bits.TrailingZeros64(to)-at-w.cols)
	w.replies(after)
}

// replies adds what is needed after each move of the side that loses.
func (w *writer) replies(s state) {
	for after := range w.after(s, w.targets(s)) {
		w.win(after)
	}
}

// answer returns the state after a winning move: of the known ones, that which took the
// fewest nodes. If the table has none left, the state is searched again.
func (w *writer) answer(s state, key uint64) (after state, ok bool) {
	least := uint64(math.MaxUint64)
	for _, k := range w.expand(s, 0) {
		if k.delta != 0 {
			continue
		}
		data, _ := w.look(k.key)
		if data>>(2*numberBits) < least {
			least, after, ok = data>>(2*numberBits), k.state, true
		}
	}
	if ok {
		return after, true
	}
	phi, _, best := w.search(s, key, infinite, infinite, 0)
	if phi != 0 {
		return state{}, false
	}
	return best.state, true
}

// wonWithin reports whether the side to move can force the end of the game in its
// favour within so many plies.
func (b *board) wonWithin(s state, plies int) bool {
	if plies < 1 {
		return false
	}
	if s.own>>((b.rows-2)*b.cols) != 0 {
		return true
	}
	targets := b.targets(s)
	threats := s.opp & b.row(b.files, 1)
	switch {
	case s.opp&(s.opp-1) == 0 && (targets[1]|targets[2])&s.opp != 0:
		return true
	case plies < 3 || threats&(threats-1) != 0:
		return false
	case threats != 0:
		targets = [3]uint64{0, targets[1] & threats, targets[2] & threats}
	case plies < 5:
		// The move has to threaten to go home.
		for i := range targets {
			targets[i] &= b.row(b.files, b.rows-2)
		}
	}
	for after := range b.after(s, targets) {
		if b.lostWithin(after, plies-1) {
			return true
		}
	}
	return false
}

// lostWithin reports whether the other side wins within so many plies after each move.
func (b *board) lostWithin(s state, plies int) bool {
	targets := b.targets(s)
	if (targets[0]|targets[1]|targets[2])>>((b.rows-1)*b.cols) != 0 {
		return false
	}
	for after := range b.after(s, targets) {
		if after.own == 0 || !b.wonWithin(after, plies-1) {
			return false
		}
	}
	return true
}
