package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"botarena/arena"
	"botarena/arena/session"
	"botarena/engine"
	"botarena/protocol"
)

// begin begins a request about a position. The lock is held from here to exchange.
func (g *Game) begin(at *protocol.PositionLine) { g.out = at.AppendTo(g.out[:0]) }

// query adds a query to the request.
func (g *Game) query(fact, argument string) { g.out = protocol.AppendQuery(g.out, fact, argument) }

// exchange sends the request and returns the answers, valid until the next one.
func (g *Game) exchange() []string {
	if g.broken != nil {
		panic(g.broken)
	}
	g.asked = g.out
	g.heard.reset()
	err := g.session.Query(g.ctx, g.out, 1, g.cfg.Within, func(_ int, text []byte) { g.heard.add(text) })
	g.answers = g.heard.appendTo(g.answers[:0])
	if err != nil {
		g.broken = g.fault(err, "", g.dialogue())
		panic(g.broken)
	}
	return g.answers
}

// heard buffers answers and converts them to strings together: one allocation a
// request.
type heard struct {
	text []byte
	ends []int
}

func (h *heard) reset() { h.text, h.ends = h.text[:0], h.ends[:0] }

func (h *heard) add(text []byte) {
	h.text = append(h.text, text...)
	h.ends = append(h.ends, len(h.text))
}

func (h *heard) appendTo(dst []string) []string {
	all, begin := string(h.text), 0
	for _, end := range h.ends {
		dst = append(dst, all[begin:end])
		begin = end
	}
	return dst
}

// ask sends a request about a position with one query and returns the answer.
func (g *Game) ask(p *position, fact, argument string) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.begin(&p.line)
	g.query(fact, argument)
	return slices.Clone(g.exchange())
}

// why returns why a move is not legal, "" if the program does not say.
func (g *Game) why(p *position, move string) string {
	answers := g.ask(p, protocol.QueryWhy, move)
	if len(answers) == 0 || answers[0] == protocol.Unknown {
		return ""
	}
	return strings.TrimSpace(answers[0])
}

// look asks for all facts about a position, and checks that they are consistent with
// each other and with earlier answers. It asks about the end of a game twice, the
// second time with its reason, since it decides results.
func (g *Game) look(p *position) {
	ply := len(p.moves)
	if p.line.Len() > protocol.MaxLine {
		g.fail("its games grow too long: after %d plies, the position line is over %d bytes; set max_plies", ply, protocol.MaxLine)
	}
	n := g.facts(p, false)
	if n.over {
		again := g.facts(p, g.offered[protocol.QueryReason])
		g.agrees(&again, &n)
		if n = again; n.reason == "" {
			n.reason = "game over"
		}
	}
	old := g.known[p.begin]
	switch {
	case ply > 0:
		g.inTurn(&n, p.nodes[ply])
	case old != nil:
		g.agrees(&n, old)
	case len(g.known) < mostKnown:
		known := n
		known.legal = slices.Clone(n.legal) // without the array that it shares
		g.known[p.begin] = &known
	}
	p.nodes[ply].facts = n
}

// agrees fails if facts differ from earlier ones.
func (g *Game) agrees(n, old *facts) {
	if differs := n.same(old); differs != "" {
		g.fail("it disagrees with its own earlier answer about this position: %s", differs)
	}
}

// inTurn fails if one side is to move twice in a row, where the sides move in turn.
func (g *Game) inTurn(said *facts, n *node) {
	if !said.over && said.turn != n.turn {
		g.fail("p1turn is %v before a move and after it: the sides move in turn, and one that cannot move passes by a move of its own", said.turn == engine.First)
	}
}

// facts asks for the facts of a position, and for the reason of an end.
func (g *Game) facts(p *position, reason bool) facts {
	g.begin(&p.line)
	if reason {
		g.query(protocol.QueryReason, "")
	}
	g.queryFacts()
	answers := g.exchange()
	g.check(answers, mustAnswer+btoi(reason))
	why := ""
	if reason {
		why, answers = strings.TrimSpace(answers[0]), answers[1:]
	}
	n := g.read(answers)
	n.reason = why
	return n
}

// mostKnown is the maximum number of starts kept for comparison.
const mostKnown = 10_000

// mustAnswer is the number of queries that queryFacts adds.
const mustAnswer = 4

// queryFacts adds the queries that the rules of a game must answer to the request.
func (g *Game) queryFacts() {
	g.query(protocol.QueryGameOver, "")
	g.query(protocol.QueryP1Turn, "")
	g.query(protocol.QueryResult, "")
	g.query(protocol.QueryMoves, "")
}

// check checks that a position was accepted, and each query about it answered.
func (g *Game) check(answers []string, asked int) {
	if i := slices.IndexFunc(answers, invalid); i >= 0 {
		g.fail("it does not take a position that follows from its own answers: %s", answers[i])
	}
	if len(answers) != asked {
		g.fail("it was asked %d queries and gave %d answers", asked, len(answers))
	}
}

// read reads the answers to queryFacts.
func (g *Game) read(answers []string) facts {
	n := facts{asked: true, winner: engine.NoSide}
	n.over = g.truth(protocol.QueryGameOver, answers[0])
	if g.truth(protocol.QueryP1Turn, answers[1]) {
		n.turn = engine.First
	} else {
		n.turn = engine.Second
	}
	switch result := strings.TrimSpace(answers[2]); {
	case result == protocol.NoResult && n.over:
		g.fail("it contradicts itself: the game is over, and its result is none")
	case result == protocol.NoResult:
	case !slices.Contains([]string{protocol.P1Win, protocol.P2Win, protocol.DrawGame}, result):
		g.fail(`"query result" must be answered with p1win, p2win, draw or none, not %q`, result)
	case !n.over:
		g.fail("it contradicts itself: the game is not over, and its result is %s", result)
	case result == protocol.P1Win:
		n.winner = engine.First
	case result == protocol.P2Win:
		n.winner = engine.Second
	}
	g.moves(&n, answers[3])
	return n
}

// invalid reports whether an answer is that the position line cannot be read.
func invalid(answer string) bool {
	first, _, _ := strings.Cut(answer, " ")
	return first == protocol.Invalid
}

// moves reads the legal moves.
func (g *Game) moves(n *facts, answer string) {
	n.legal = g.words(answer)
	switch {
	case len(n.legal) == 1 && n.legal[0] == protocol.Unknown:
		g.fail(`it does not answer "query moves", which the rules of a game must`)
	case len(n.legal) == 1 && n.legal[0] == protocol.NoResult && n.over:
		n.legal = nil
	case n.over && len(n.legal) > 0:
		g.fail("it contradicts itself: the game is over, and there are legal moves")
	case !n.over && len(n.legal) == 0:
		g.fail("it contradicts itself: the game is not over, and there are no legal moves")
	}
	if len(n.legal) > 1 {
		clear(g.seen)
		for i, m := range n.legal {
			if g.seen[m] = true; len(g.seen) == i {
				g.fail("it names the move %s twice", m)
			}
		}
	}
}

// words splits an answer into words. The slices share arrays, which are replaced when
// they are full.
func (g *Game) words(answer string) []string {
	const usual = 2048
	begin := len(g.list)
	for word := range strings.FieldsSeq(answer) {
		if len(g.list) == cap(g.list) {
			more := make([]string, 0, max(usual, 2*(len(g.list)-begin)))
			g.list, begin = append(more, g.list[begin:]...), 0
		}
		g.list = append(g.list, word)
	}
	return slices.Clip(g.list[begin:])
}

// truth parses true or false.
func (g *Game) truth(fact, answer string) bool {
	switch strings.TrimSpace(answer) {
	case "true":
		return true
	case "false":
		return false
	case protocol.Unknown:
		g.fail(`it does not answer "query %s", which the rules of a game must`, fact)
	}
	g.fail(`"query %s" must be answered with true or false, not %q`, fact, answer)
	return false
}

// fail panics with a fault of the program in the last request.
func (g *Game) fail(format string, args ...any) {
	g.broken = g.fault(nil, fmt.Sprintf(format, args...), g.dialogue())
	panic(g.broken)
}

// dialogue returns the last request and its answers.
func (g *Game) dialogue() []string {
	var lines []string
	for line := range strings.Lines(string(g.asked)) {
		lines = append(lines, dialogueLine(true, []byte(strings.TrimSuffix(line, "\n"))))
	}
	for _, a := range g.answers {
		lines = append(lines, dialogueLine(false, protocol.AppendResponse(nil, a)))
	}
	return lines
}

func dialogueLine(to bool, line []byte) string {
	if to {
		return "> " + string(line)
	}
	return "< " + strings.TrimSuffix(string(line), "\n")
}

// fault returns the error for a session's fault, or for what.
func (g *Game) fault(err error, what string, dialogue []string) *engine.RulesError {
	f := &Fault{Game: arena.PlainName(g.name), Command: g.cfg.Command, What: what, Dialogue: shorten(dialogue), Err: err}
	var of *session.Fault
	switch {
	case errors.As(err, &of):
		f.What = strings.Replace(of.Detail, "the bot ", "the program ", 1)
		f.Void = of.Reason == arena.Void
	case err != nil:
		f.What = strings.TrimPrefix(err.Error(), fmt.Sprintf("bot %q: ", g.cfg.Name))
	}
	if !f.Void {
		_ = g.session.End(0) // its last words have certainly arrived then
		f.Stderr = g.stderr.Lines(5)
	}
	return &engine.RulesError{Game: g.name, Err: f}
}

func resultWord(n *facts) string {
	switch n.winner {
	case engine.First:
		return protocol.P1Win
	case engine.Second:
		return protocol.P2Win
	}
	return protocol.DrawGame
}
