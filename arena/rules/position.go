package rules

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"unicode/utf8"

	"botarena/engine"
	"botarena/protocol"
)

// facts holds the program's answers about a position.
type facts struct {
	asked  bool // false: nothing of what follows is known
	over   bool
	turn   engine.Side
	winner engine.Side
	legal  []string
	reason string // once it is over
}

// node holds the answers about one position.
type node struct {
	facts

	text  string   // "" if it was not asked for
	drawn bool     // rows were asked for
	rows  []string // of its board
	next  []branch // what follows on it, where that was asked for ahead
}

// A branch is a move and the node that it leads to.
type branch struct {
	move string
	to   *node
}

// after returns a node for a position after one move, of which only the side to move is
// known.
func (n *node) after() *node { return &node{facts: facts{turn: n.turn.Other()}} }

// same describes how facts differ from earlier ones, "" if they do not. The order of
// moves does not count: it matters only for openings.
func (n *facts) same(old *facts) string {
	mine, others := slices.Sorted(slices.Values(n.legal)), slices.Sorted(slices.Values(old.legal))
	switch {
	case n.over != old.over:
		return fmt.Sprintf("gameover is %v and was %v", n.over, old.over)
	case n.over && n.winner != old.winner:
		return fmt.Sprintf("result is %s and was %s", resultWord(n), resultWord(old))
	case !n.over && n.turn != old.turn:
		return fmt.Sprintf("p1turn is %v and was %v", n.turn == engine.First, old.turn == engine.First)
	case !slices.Equal(mine, others):
		return "the legal moves are not those of before"
	}
	return ""
}

// A position is a state of play. It caches the program's answers about each position
// since the start.
type position struct {
	game  *Game
	begin string // "" for the game's own start
	line  protocol.PositionLine
	moves []string
	nodes []*node // one more than moves
}

// here returns the node of the position.
func (p *position) here() *node { return p.nodes[len(p.moves)] }

// at returns the program's facts about the position.
func (p *position) at() *facts {
	n := p.here()
	if !n.asked {
		p.game.mu.Lock()
		defer p.game.mu.Unlock()
		p.game.look(p)
	}
	return &n.facts
}

// Game returns the game.
func (p *position) Game() engine.Game { return p.game }

// Turn returns the side to move.
func (p *position) Turn() engine.Side { return p.at().turn }

// Ply counts the moves played.
func (p *position) Ply() int { return len(p.moves) }

// Legal lists the moves in the order of the program: move n is the n-th.
func (p *position) Legal(dst []engine.Move) []engine.Move {
	for i := range p.at().legal {
		dst = append(dst, engine.Move(i+1)) //nolint:gosec // a line has fewer moves
	}
	return dst
}

// Play plays a move. Facts about the new position are requested when they are needed.
func (p *position) Play(m engine.Move) { p.play(p.at().legal[m-1]) }

func (p *position) play(move string) {
	known := p.here().next
	to := p.here().after()
	if i := slices.IndexFunc(known, func(b branch) bool { return b.move == move }); i >= 0 {
		to = known[i].to
	}
	p.line.Play(move)
	p.moves = append(p.moves, move)
	p.nodes = append(p.nodes, to)
}

// Undo takes the last move back and drops what was cached after it, so that a tree
// search keeps only its own path.
func (p *position) Undo() {
	n := len(p.moves) - 1
	p.nodes[n+1].next = nil
	p.moves, p.nodes = p.moves[:n], p.nodes[:n+1]
	p.line.Undo()
}

// Outcome returns the program's answer about the end of the game.
func (p *position) Outcome() engine.Outcome {
	n := p.at()
	if !n.over {
		return engine.Outcome{Winner: engine.NoSide}
	}
	return engine.Outcome{Over: true, Winner: n.winner, Reason: n.reason}
}

// ParseMove finds the move among the legal ones, or asks the program why it is not
// legal.
func (p *position) ParseMove(text string) (engine.Move, error) {
	n := p.at()
	if i := slices.Index(n.legal, text); i >= 0 {
		return engine.Move(i + 1), nil //nolint:gosec // a line has fewer moves
	}
	refused := &engine.MoveError{Move: text, Why: fmt.Sprintf("not one of the %d legal moves", len(n.legal))}
	switch {
	case n.over:
		refused.Why = "the game is over (" + n.reason + ")"
	case !aWord(text):
		refused.Why = "a move is one word"
	default:
		if why := p.game.why(p, text); why != "" {
			refused.Why = why
		}
	}
	return 0, refused
}

// aWord reports whether the program can be asked about a text as a move.
func aWord(text string) bool {
	const most = 100 // bytes
	return text != "" && len(text) <= most && len(strings.Fields(text)) == 1 && strings.TrimSpace(text) == text &&
		utf8.ValidString(text) && !strings.ContainsRune(text, 0)
}

// AppendMove appends the program's own text.
func (p *position) AppendMove(dst []byte, m engine.Move) []byte {
	return append(dst, p.at().legal[m-1]...)
}

// AppendText appends the program's text of the position. If it has none, it is
// "startpos" and the moves, which only people read.
func (p *position) AppendText(dst []byte) []byte { return append(dst, p.String()...) }

// FromStart returns the moves from the game's own start if the program writes no
// positions.
func (p *position) FromStart() (moves []string, ok bool) {
	if p.game.offered[protocol.QueryFEN] {
		return nil, false
	}
	return slices.Clone(p.moves), true
}

// String returns the text of AppendText.
func (p *position) String() string {
	if !p.game.offered[protocol.QueryFEN] {
		return strings.Join(append([]string{"startpos"}, p.moves...), " ")
	}
	n := p.here()
	if n.text == "" {
		answers := p.game.ask(p, protocol.QueryFEN, "")
		p.game.mu.Lock()
		defer p.game.mu.Unlock()
		n.text = p.game.text(answers)
	}
	return n.text
}

// Hash hashes the side to move and the text, except for words of digits alone, which
// count plies.
func (p *position) Hash() uint64 {
	h := fnv.New64a()
	for word := range strings.FieldsSeq(p.String()) {
		if strings.Trim(word, "0123456789") != "" {
			_, _ = h.Write([]byte(word + " "))
		}
	}
	_, _ = h.Write([]byte{byte(p.Turn())})
	return h.Sum64()
}

// Reversible returns Ply: the program's rules may need all of the past.
func (p *position) Reversible() int { return len(p.moves) }

// Clone returns an independent copy.
func (p *position) Clone() engine.Position {
	c := *p
	c.line, c.moves, c.nodes = p.line.Copy(), slices.Clone(p.moves), make([]*node, len(p.nodes))
	nodes := make([]node, len(p.nodes))
	for i := range nodes {
		nodes[i] = *p.nodes[i]
		nodes[i].next = nil
		c.nodes[i] = &nodes[i]
	}
	return &c
}

// Perft counts paths, and asks about the successors of each position together.
func (p *position) Perft(depth int) uint64 {
	legal := p.at().legal
	switch {
	case depth <= 0:
		return 1
	case depth == 1:
		return uint64(len(legal))
	}
	p.Spread()
	var nodes uint64
	for _, move := range legal {
		p.play(move)
		nodes += p.Perft(depth - 1)
		p.Undo()
	}
	return nodes
}
