package rules

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"botarena/engine"
	"botarena/protocol"
)

// A node is what the program said of a position.
type node struct {
	over   bool
	turn   engine.Side
	winner engine.Side
	legal  []string
	reason string // once it is over
}

// same reports how a node differs from what was said of it before; "" for not at
// all. The order of moves does not count: it decides openings only.
func (n *node) same(old *node) string {
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

// A position is a state of play: what the program said of each position since it
// began, as far as that was asked for.
type position struct {
	game  *Game
	begin string // "" for the game's own start
	line  protocol.PositionLine
	moves []string
	nodes []*node        // one more than moves; nil where it was not asked for
	text  map[int]string // of positions, by ply, where it was asked for
	// pictures are the rows of boards, by ply, where they were asked for.
	pictures map[int][]string
}

// at returns what the program says of the position.
func (p *position) at() *node {
	n := len(p.moves)
	if p.nodes[n] == nil {
		p.game.mu.Lock()
		defer p.game.mu.Unlock()
		p.game.look(p)
	}
	return p.nodes[n]
}

// Game is the game.
func (p *position) Game() engine.Game { return p.game.Several() }

// Turn is the side to move.
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

// Play makes a move. What comes of it is asked for when it is needed.
func (p *position) Play(m engine.Move) { p.play(p.at().legal[m-1]) }

func (p *position) play(move string) {
	p.line.Play(move)
	p.moves = append(p.moves, move)
	p.nodes = append(p.nodes, nil)
}

// Undo takes the last move back.
func (p *position) Undo() {
	n := len(p.moves) - 1
	delete(p.text, n+1)
	delete(p.pictures, n+1)
	p.moves, p.nodes = p.moves[:n], p.nodes[:n+1]
	p.line.Undo()
}

// Outcome is what the program says of the end.
func (p *position) Outcome() engine.Outcome {
	n := p.at()
	if !n.over {
		return engine.Outcome{Winner: engine.NoSide}
	}
	return engine.Outcome{Over: true, Winner: n.winner, Reason: n.reason}
}

// ParseMove looks the move up among the legal ones, and asks the program why it is
// none of them.
func (p *position) ParseMove(text string) (engine.Move, error) {
	n := p.at()
	if i := slices.Index(n.legal, text); i >= 0 {
		return engine.Move(i + 1), nil //nolint:gosec // a line has fewer moves
	}
	refused := &engine.MoveError{Move: text, Why: fmt.Sprintf("not one of the %d legal moves", len(n.legal))}
	switch {
	case n.over:
		refused.Why = "the game is over (" + n.reason + ")"
	case text == "" || len(strings.Fields(text)) != 1 || len(text) > mostMove, !utf8.ValidString(text), strings.ContainsRune(text, 0):
		refused.Why = "a move is one word"
	default:
		if why := p.game.why(p, text); why != "" {
			refused.Why = why
		}
	}
	return 0, refused
}

// mostMove bounds the bytes of a word that the program is asked about.
const mostMove = 100

// AppendMove appends the program's own text.
func (p *position) AppendMove(dst []byte, m engine.Move) []byte {
	return append(dst, p.at().legal[m-1]...)
}

// AppendText appends the program's text of the position. Where it has none, it is
// "startpos" and the moves, which nobody reads but people.
func (p *position) AppendText(dst []byte) []byte { return append(dst, p.String()...) }

// FromStart are the moves from the game's own start, where the program writes no
// positions.
func (p *position) FromStart() (moves []string, ok bool) {
	if p.game.offered[protocol.QueryFEN] {
		return nil, false
	}
	return slices.Clone(p.moves), true
}

// String is the text of AppendText.
func (p *position) String() string {
	if !p.game.offered[protocol.QueryFEN] {
		return strings.Join(append([]string{"startpos"}, p.moves...), " ")
	}
	n := len(p.moves)
	if text, ok := p.text[n]; ok {
		return text
	}
	answers := p.game.ask(p, protocol.QueryFEN, "")
	if len(answers) != 1 || strings.TrimSpace(answers[0]) == "" {
		p.game.mu.Lock()
		defer p.game.mu.Unlock()
		p.game.fail(`"query fen" had %d answers`, len(answers))
	}
	p.keep(n, strings.TrimSpace(answers[0]))
	return p.text[n]
}

func (p *position) keep(ply int, text string) {
	if p.text == nil {
		p.text = map[int]string{}
	}
	p.text[ply] = text
}

// Hash is of the text, but for words of digits alone, which count plies, and of the
// side to move.
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

// Reversible is Ply: what the rules need of the past is not known.
func (p *position) Reversible() int { return len(p.moves) }

// Clone returns an independent copy.
func (p *position) Clone() engine.Position {
	c := *p
	c.line, c.moves, c.nodes = p.line.Copy(), slices.Clone(p.moves), slices.Clone(p.nodes)
	c.text, c.pictures = nil, maps.Clone(p.pictures)
	for ply, text := range p.text {
		c.keep(ply, text)
	}
	return &c
}

// Perft counts paths.
func (p *position) Perft(depth int) uint64 {
	legal := p.at().legal
	switch {
	case depth <= 0:
		return 1
	case depth == 1:
		return uint64(len(legal))
	}
	bytes := 0
	for _, m := range legal {
		bytes += len(m) + 1
	}
	var nodes uint64
	for some := range slices.Chunk(legal, block) {
		paths := make([][]string, len(some))
		for i, m := range some {
			paths[i] = []string{m}
		}
		nodes += p.game.count(p, paths, depth-1, bytes)
	}
	return nodes
}
