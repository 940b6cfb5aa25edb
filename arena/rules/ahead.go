package rules

import (
	"slices"
	"strings"

	"botarena/engine"
	"botarena/protocol"
)

// A way to the program and back costs more than an answer. Whoever knows which
// positions will be asked about says so, and they are asked about together.

// Expect asks about the positions of a line of moves that is about to be played, as
// far as they are legal, and for their texts and boards where those will be looked at.
func (p *position) Expect(moves []string, shown bool) {
	p.at()
	g := p.game
	g.mu.Lock()
	defer g.mu.Unlock()
	at, played := p.here(), 0
	defer func() {
		for range played {
			p.line.Undo()
		}
	}()
	g.survey(p, len(moves), shown, func(i int) bool {
		if !aWord(moves[i]) || p.line.Len()+1+len(moves[i]) > protocol.MaxLine {
			return false
		}
		p.line.Play(moves[i])
		played++
		return true
	}, func(i int) *node {
		if !slices.Contains(at.legal, moves[i]) {
			return nil // and what was said of the rest means nothing
		}
		to := &node{}
		at.next = append(at.next[:0:0], branch{moves[i], to})
		at = to
		return to
	})
}

// Spread asks about the positions after each of the legal moves.
func (p *position) Spread() {
	legal := p.at().legal
	here := p.here()
	if len(here.next) == len(legal) {
		return
	}
	g := p.game
	g.mu.Lock()
	defer g.mu.Unlock()
	next := make([]branch, 0, len(legal))
	within := p.line.Len()
	defer func() {
		if p.line.Len() > within {
			p.line.Undo()
		}
	}()
	g.survey(p, len(legal), false, func(i int) bool {
		if p.line.Len() > within {
			p.line.Undo()
		}
		if within+1+len(legal[i]) > protocol.MaxLine {
			return false
		}
		p.line.Play(legal[i])
		return true
	}, func(i int) *node {
		next = append(next, branch{legal[i], &node{}})
		return next[i].to
	})
	here.next = next
}

// survey asks about so many positions, as many at once as the pipes hold: the
// program must never have to wait for arena to read, while arena waits for it. set
// sets p.line to the i-th, or says that it is not to be asked about, nor what comes
// after it; node is where the answers belong, in the same order, nil for an end. An
// end of a game is left to look, which asks twice.
func (g *Game) survey(p *position, count int, shown bool, set func(i int) bool, node func(i int) *node) {
	const most = 16 << 10 // bytes each way
	text := shown && g.offered[protocol.QueryFEN]
	board := shown && g.offered[protocol.QueryBoard]
	longest := most // of the answers about a position; the first is asked about alone
	var ends []int  // in g.out, of each request
	for i := 0; i < count; {
		first := i
		g.out, ends = g.out[:0], ends[:0]
		for more := true; more && i < count; i++ {
			if !set(i) {
				count = i
				break
			}
			if i > first {
				g.out = protocol.AppendIsReady(g.out)
			}
			g.out = p.line.AppendTo(g.out)
			g.queryFacts()
			if text {
				g.query(protocol.QueryFEN, "")
			}
			if board { // the last, since it may have any number of answers
				g.query(protocol.QueryBoard, "")
			}
			ends = append(ends, len(g.out))
			more = len(g.out) < most && (len(ends)+1)*longest < most
		}
		if len(ends) == 0 {
			return
		}
		longest = 0
		for k, answers := range g.exchangeAll(ends) {
			bytes := 0
			for _, a := range answers {
				bytes += len("response \n") + len(a)
			}
			longest = max(longest, 2*bytes)
			n := node(first + k)
			if n == nil {
				return
			}
			g.focus(ends, k, answers)
			asked := mustAnswer + btoi(text)
			g.check(answers[:min(len(answers), asked+btoi(!board))], asked)
			if f := g.read(answers); !f.over {
				n.facts = f
			}
			if text {
				n.text = g.text(answers[mustAnswer : mustAnswer+1])
			}
			if board {
				n.rows, n.drawn = slices.Clone(answers[asked:]), true
			}
		}
	}
}

// exchangeAll sends the requests in g.out, which end there, and returns the answers to
// each.
func (g *Game) exchangeAll(ends []int) [][]string {
	if g.broken != nil {
		panic(g.broken)
	}
	groups := make([][]string, len(ends))
	last := 0
	err := g.session.QueryEach(g.ctx, g.out, len(ends), g.cfg.Within, func(request int, text []byte) {
		groups[request] = append(groups[request], string(text))
		last = request
	})
	if err != nil {
		g.focus(ends, last, groups[last])
		g.broken = g.fault(err, "", g.dialogue())
		panic(g.broken)
	}
	return groups
}

// focus makes one of the requests the one that a fault is about.
func (g *Game) focus(ends []int, k int, answers []string) {
	g.answers = append(g.answers[:0], answers...)
	begin := 0
	if k > 0 {
		begin = ends[k-1] + len(protocol.AppendIsReady(nil))
	}
	g.asked = g.out[begin:ends[k]]
}

// text reads the answer to "query fen".
func (g *Game) text(answers []string) string {
	if len(answers) != 1 || strings.TrimSpace(answers[0]) == "" {
		g.fail(`"query fen" had %d answers`, len(answers))
	}
	return strings.TrimSpace(answers[0])
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

var _ engine.Foresight = (*position)(nil)
