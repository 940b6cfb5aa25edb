package rules

import (
	"slices"
	"strings"
	"time"

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
	const most = 32 << 10 // bytes each way: half of what a pipe has
	b := batch{game: g, text: shown && g.offered[protocol.QueryFEN], board: shown && g.offered[protocol.QueryBoard]}
	longest := most // of the answers about a position; the first is asked about alone
	together := 1
	for i := 0; i < count; {
		first := i
		b.reset(together)
		for more := true; more && i < count; i++ {
			if !set(i) {
				count = i
				break
			}
			b.add(&p.line)
			more = len(g.out) < most && (b.count()+1)*longest < most
		}
		if b.count() == 0 {
			return
		}
		since := g.cfg.Now()
		b.exchange()
		if longest = 0; b.board || g.cfg.Now().Sub(since) > time.Duration(b.count())*g.cfg.Within/promptly {
			together = 1
		} else {
			together = mostTogether
		}
		for k := range b.count() {
			n := node(first + k)
			if n == nil {
				return
			}
			answers := b.answers(k)
			bytes := 0
			for _, a := range answers {
				bytes += len("response \n") + len(a)
			}
			longest = max(longest, 2*bytes)
			if f := g.read(answers); !f.over {
				n.facts = f
			}
			if b.text {
				n.text = g.text(answers[mustAnswer : mustAnswer+1])
			}
			if b.board {
				n.rows, n.drawn = slices.Clone(answers[b.asked():]), true
			}
		}
	}
}

// So many positions are asked about with one isready, where the program takes less than
// this part of the time that it has for a position. It writes its answers at each
// isready, and waking arena for each takes longer than they do.
const (
	mostTogether = 32
	promptly     = 1000
)

// A batch are requests about positions, which are sent at once.
type batch struct {
	game        *Game
	text, board bool     // are asked for, too
	together    int      // positions with one isready; 1 where the answers cannot be counted
	spans       [][2]int // of g.out, of each position
	all         []string // the answers
	groups      []int    // to before which answer those to each isready are
}

func (b *batch) reset(together int) {
	b.together, b.spans, b.groups = together, b.spans[:0], b.groups[:0]
	b.game.out = b.game.out[:0]
}

// count returns how many positions there are.
func (b *batch) count() int { return len(b.spans) }

// asked returns how many answers there must be to a position, but for those of its board.
func (b *batch) asked() int { return mustAnswer + btoi(b.text) }

// add asks about a position.
func (b *batch) add(at *protocol.PositionLine) {
	g := b.game
	if n := len(b.spans); n > 0 && n%b.together == 0 {
		g.out = protocol.AppendIsReady(g.out)
	}
	begin := len(g.out)
	g.out = at.AppendTo(g.out)
	g.queryFacts()
	if b.text {
		g.query(protocol.QueryFEN, "")
	}
	if b.board { // the last, since it may have any number of answers
		g.query(protocol.QueryBoard, "")
	}
	b.spans = append(b.spans, [2]int{begin, len(g.out)})
}

// exchange sends the requests and reads all answers.
func (b *batch) exchange() {
	g := b.game
	if g.broken != nil {
		panic(g.broken)
	}
	g.heard.reset()
	last, requests := 0, (b.count()+b.together-1)/b.together
	b.groups = append(b.groups[:0], make([]int, requests)...)
	err := g.session.QueryEach(g.ctx, g.out, requests, g.cfg.Within, func(request int, text []byte) {
		g.heard.add(text)
		b.groups[request], last = len(g.heard.ends), request
	})
	b.all = g.heard.appendTo(b.all[:0])
	for i := 1; i < requests; i++ {
		b.groups[i] = max(b.groups[i], b.groups[i-1]) // one without answers
	}
	if err != nil {
		begin, end := b.group(last)
		g.asked = g.out[b.spans[begin][0]:b.spans[end-1][1]]
		g.answers = append(g.answers[:0], b.toGroup(last)...)
		g.broken = g.fault(err, "", g.dialogue())
		panic(g.broken)
	}
}

// toGroup returns the answers to a group.
func (b *batch) toGroup(n int) []string {
	begin := 0
	if n > 0 {
		begin = b.groups[n-1]
	}
	return b.all[begin:b.groups[n]]
}

// group returns the positions of a group: from the first to before the second.
func (b *batch) group(n int) (begin, end int) {
	return n * b.together, min((n+1)*b.together, b.count())
}

// answers returns those to a position, which a fault is about from here on, and checks
// their number. Where that of its group is not the right one, it is asked about once
// more, alone.
func (b *batch) answers(k int) []string {
	g := b.game
	group := k / b.together
	answers := b.toGroup(group)
	begin, end := b.group(group)
	request := g.out[b.spans[k][0]:b.spans[k][1]]
	switch {
	case end-begin == 1:
	case len(answers) == (end-begin)*b.asked():
		answers = answers[(k-begin)*b.asked():][:b.asked()]
	default:
		all := g.out
		g.out = slices.Clone(request)
		answers = slices.Clone(g.exchange())
		g.out, request = all, g.out
		if len(answers) == b.asked() && k == end-1 { // all of them are right when they are asked for alone
			g.asked, g.answers = g.out[b.spans[begin][0]:b.spans[k][1]], b.toGroup(group)
			g.check(g.answers, (end-begin)*b.asked())
		}
	}
	g.asked, g.answers = request, append(g.answers[:0], answers...)
	g.check(answers[:min(len(answers), b.asked()+btoi(!b.board))], b.asked())
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
