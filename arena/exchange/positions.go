package exchange

import (
	"bufio"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"strings"

	"botarena/arena"
	"botarena/arena/text"
	"botarena/engine"
	"botarena/protocol/positions"
)

// PositionOptions choose the positions that are written.
type PositionOptions struct {
	JSON      bool    // lines of JSON instead of text
	Mover     bool    // scores and results are of the side to move, not of First
	SkipFirst int     // plies at the head of each game, its opening's among them
	MaxScore  int     // centipawns beyond which a position is left out; 0: none
	Quiet     bool    // only those that can be judged as they stand, in games that know which
	Share     float64 // of the positions, drawn at random
	Unique    bool    // each position once: the first
	Shuffle   bool
	Seed      uint64 // of what is random
	Dir       string // for temporary files, where many positions are shuffled or told apart
}

// The reasons for which positions are left out.
const (
	early = iota
	unscored
	far
	loud
	textless
	unsampled
	again
	reasons
)

// A Positions writes the positions at which a bot told a score, in the format of package
// positions. It keeps at most a few MiB of them in memory.
type Positions struct {
	PositionOptions
	Written int
	Faulty  int // games left out since a fault ended them
	left    [reasons]int
	unknown map[string]bool // games whose rules do not know quiet positions

	games  rulebook
	out    []*text.Writer
	bufs   []*bufio.Writer
	rng    *rand.Rand
	unique *spill // by position
	order  *spill // by the place in the file
	seen   uint64 // positions so far
	line   []byte
	pos    []byte
}

// NewPositions returns a writer of positions, which are dealt in turn to the outputs.
func NewPositions(out []io.Writer, c engine.Catalog, o PositionOptions) *Positions {
	p := &Positions{PositionOptions: o, unknown: map[string]bool{}, games: newRulebook(c), rng: rand.New(rand.NewPCG(o.Seed, sampleStream))}
	for _, w := range out {
		buf := bufio.NewWriterSize(w, 1<<16)
		p.bufs, p.out = append(p.bufs, buf), append(p.out, text.NewWriter(buf))
	}
	if o.Unique {
		p.unique = newSpill(o.Dir)
	}
	if o.Unique || o.Shuffle {
		p.order = newSpill(o.Dir)
	}
	return p
}

// The streams of random numbers drawn from one seed.
const (
	sampleStream  = 0x905a
	shuffleStream = 0x905b
)

// Write writes the positions of one game.
func (p *Positions) Write(g *Game) (err error) {
	defer engine.Catch(&err)
	if err := p.game(g); err != nil {
		return fmt.Errorf("event %q, game %d: %w", g.Event, g.Number, err)
	}
	return nil
}

func (p *Positions) game(g *Game) error {
	result, ok := g.Result.Score()
	if !ok {
		return errors.New("it has no result")
	}
	if g.Reason.Forfeit() {
		p.Faulty++
		return nil
	}
	game, err := p.games.lookup(g.Game.Game)
	if err != nil {
		return err
	}
	pos, err := start(game, g.Opening)
	if err != nil {
		return err
	}
	arena.Expect(pos, g.Opening.Moves, g.Moves, true)
	for i, m := range g.Opening.Moves {
		if err := play(pos, i, m); err != nil {
			return err
		}
	}
	for i := range g.Moves {
		ply := len(g.Opening.Moves) + i
		m, err := pos.ParseMove(g.Moves[i].Move)
		if err != nil {
			return fmt.Errorf("ply %d: %w", ply+1, err)
		}
		if why, out := p.leftOut(pos, m, ply, &g.Moves[i]); out {
			p.left[why]++
		} else if err := p.add(g, pos, ply, &g.Moves[i], result); err != nil {
			return err
		}
		pos.Play(m)
	}
	return nil
}

func play(pos engine.Position, ply int, text string) error {
	m, err := pos.ParseMove(text)
	if err != nil {
		return fmt.Errorf("ply %d: %w", ply+1, err)
	}
	pos.Play(m)
	return nil
}

// leftOut reports whether a position is left out, and why.
func (p *Positions) leftOut(pos engine.Position, m engine.Move, ply int, said *arena.MoveRecord) (why int, out bool) {
	score := positions.Centipawns(said.Score, said.Mate)
	switch {
	case ply < p.SkipFirst:
		return early, true
	case !said.HasScore:
		return unscored, true
	case p.MaxScore > 0 && max(score, -score) > p.MaxScore:
		return far, true
	}
	if p.Quiet {
		quiet, known := engine.Quiet(pos, m)
		if !known {
			p.unknown[arena.PlainName(pos.Game().Name())] = true
		} else if !quiet {
			return loud, true
		}
	}
	if t, ok := pos.(engine.Textless); ok {
		if _, none := t.FromStart(); none {
			return textless, true
		}
	}
	return unsampled, p.Share < 1 && p.rng.Float64() >= p.Share
}

// add writes a position, or queues it if positions are sorted first.
func (p *Positions) add(g *Game, pos engine.Position, ply int, said *arena.MoveRecord, result float64) error {
	p.pos = pos.AppendText(p.pos[:0])
	s := positions.Sample{
		Game: g.Game.Game, Event: g.Event, Number: g.Number, Ply: ply, Position: text.Escape(string(p.pos)),
		Move: said.Move, Score: positions.Centipawns(said.Score, said.Mate), Result: result,
	}
	if pos.Turn() == engine.Second { // the score is of the mover, the result of First
		if s.Score = -s.Score; p.Mover {
			s = s.Turned()
		}
	}
	if p.JSON {
		p.line = s.AppendJSON(p.line[:0])
	} else {
		p.line = s.AppendText(p.line[:0])
	}
	p.seen++
	switch {
	case p.unique != nil:
		h := fnv.New64a()
		_, _ = h.Write([]byte(g.Game.Game + "\n" + s.Position))
		return p.unique.add(h.Sum64(), p.seen, p.line)
	case p.order != nil:
		return p.arrange(p.seen, p.line)
	}
	return p.deal(p.line)
}

// arrange queues a line for its place in the output.
func (p *Positions) arrange(number uint64, line []byte) error {
	key := number
	if p.Shuffle {
		key = rand.NewPCG(p.Seed^shuffleStream, number).Uint64()
	}
	return p.order.add(key, number, line)
}

// deal writes a line to the output whose turn it is.
func (p *Positions) deal(line []byte) error {
	_, err := p.out[p.Written%len(p.out)].Write(line)
	p.Written++
	return err
}

// Flush writes the queued lines and all buffers.
func (p *Positions) Flush() error {
	if p.unique != nil {
		last, first := uint64(0), true
		err := p.unique.each(func(key, number uint64, line []byte) error {
			if !first && key == last {
				p.left[again]++
				return nil
			}
			last, first = key, false
			return p.arrange(number, line)
		})
		if err != nil {
			return err
		}
	}
	if p.order != nil {
		if err := p.order.each(func(_, _ uint64, line []byte) error { return p.deal(line) }); err != nil {
			return err
		}
	}
	for i, w := range p.out {
		if err := errors.Join(w.Flush(), p.bufs[i].Flush()); err != nil {
			return err
		}
	}
	return nil
}

// Close removes the temporary files.
func (p *Positions) Close() error { return errors.Join(p.unique.close(), p.order.close()) }

// LeftOut returns how many positions were left out and why, as text, "" for none; and the
// games whose rules do not know quiet positions although these were asked for.
func (p *Positions) LeftOut() (counts string, unknown []string) {
	var parts []string
	for why, label := range [reasons]string{
		early: "in the first plies", unscored: "without a score",
		far: "beyond the score", loud: "not quiet", textless: "of which the rules write no text", unsampled: "not drawn", again: "seen before",
	} {
		if n := p.left[why]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, label))
		}
	}
	for name := range p.unknown {
		unknown = append(unknown, name)
	}
	return strings.Join(parts, ", "), unknown
}
