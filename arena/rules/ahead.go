package rules

import (
	"slices"
	"strings"

	"botarena/engine"
	"botarena/protocol"
)

// A round trip to the program costs more than an answer. Callers that know the
// positions to come announce them, and all are asked about in one request.

// Expect asks in advance about the positions of a line of moves that is about to be
// played, up to the first illegal one, and for their texts and boards if those will be
// needed.
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
		to := at.after()
		at.next = append(at.next[:0:0], branch{moves[i], to})
		at = to
		return to
	})
}

// Spread asks in advance about the positions after each of the legal moves.
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
		next = append(next, branch{legal[i], here.after()})
		return next[i].to
	})
	here.next = next
}

// survey asks about count positions, as many at once as the pipes hold: the program
// must never block on writing while arena waits for it. set sets p.line to the i-th, or
// returns false to end the survey; node returns the node for its answers, in the same
// order, nil to end. The end of a game is left to look, which asks twice.
func (g *Game) survey(p *position, count int, shown bool, set func(i int) bool, node func(i int) *node) {
	const most = 32 << 10 // bytes each way: half of what a pipe has
	text, board := shown && g.offered[protocol.QueryFEN], shown && g.offered[protocol.QueryBoard]
	must := mustAnswer + btoi(text)
	longest := most // of the answers about a position; the first is asked about alone
	for i := 0; i < count; {
		first := i
		g.out, g.spans = g.out[:0], g.spans[:0]
		for more := true; more && i < count; i++ {
			if !set(i) {
				count = i
				break
			}
			g.askAbout(&p.line, text, board)
			more = len(g.out) < most && (len(g.spans)+1)*longest < most
		}
		if len(g.spans) == 0 {
			return
		}
		longest = 0
		for k, answers := range g.exchangeEach() {
			n := node(first + k)
			if n == nil {
				return
			}
			g.asked, g.answers = g.out[g.spans[k][0]:g.spans[k][1]], append(g.answers[:0], answers...)
			g.check(answers[:min(len(answers), must+btoi(!board))], must)
			bytes := 0
			for _, a := range answers {
				bytes += len("response \n") + len(a)
			}
			longest = max(longest, 2*bytes)
			if f := g.read(answers); !f.over {
				g.inTurn(&f, n)
				n.facts = f
			}
			if text {
				n.text = g.text(answers[mustAnswer:must])
			}
			if board {
				n.rows, n.drawn = slices.Clone(answers[must:]), true
			}
		}
	}
}

// askAbout adds the queries about a position to the request.
func (g *Game) askAbout(at *protocol.PositionLine, text, board bool) {
	if len(g.spans) > 0 {
		g.out = protocol.AppendIsReady(g.out)
	}
	begin := len(g.out)
	g.out = at.AppendTo(g.out)
	g.queryFacts()
	if text {
		g.query(protocol.QueryFEN, "")
	}
	if board { // the last, since it may have any number of answers
		g.query(protocol.QueryBoard, "")
	}
	g.spans = append(g.spans, [2]int{begin, len(g.out)})
}

// exchangeEach sends the request about the positions of g.spans and returns the answers
// about each.
func (g *Game) exchangeEach() [][]string {
	if g.broken != nil {
		panic(g.broken)
	}
	g.heard.reset()
	ends, last := make([]int, len(g.spans)), 0
	err := g.session.Query(g.ctx, g.out, len(ends), g.cfg.Within, func(request int, text []byte) {
		g.heard.add(text)
		ends[request], last = len(g.heard.ends), request
	})
	rest := g.heard.appendTo(nil)
	answers := make([][]string, len(ends))
	for i, begin := 0, 0; i < len(ends); i++ {
		n := max(ends[i]-begin, 0) // none for one without answers
		answers[i], rest, begin = rest[:n], rest[n:], begin+n
	}
	if err != nil {
		g.asked, g.answers = g.out[g.spans[last][0]:g.spans[last][1]], answers[last]
		g.broken = g.fault(err, "", g.dialogue())
		panic(g.broken)
	}
	return answers
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
