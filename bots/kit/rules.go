package kit

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"botarena/engine"
	"botarena/protocol"
)

// Rules holds the rules of one's own game, for [NewGame]. S is a state of play: a value
// that holds everything that the rules need of the history. The functions must depend
// on their arguments alone, and must not change them.
type Rules[S any] struct {
	Name  string
	Sides [2]string // what the players are called; "first" and "second" where empty
	// MaxPlies is the number of plies after which a game is drawn; 0 is 1000.
	MaxPlies int
	Start    S
	// Moves appends the legal moves of a state that is not over: words, in an order
	// that is always the same.
	Moves func(s S, dst []string) []string
	// Play returns the state after a legal move.
	Play func(s S, move string) S
	// Outcome reports whether the game is over, who has won, and by which rule.
	Outcome func(s S) engine.Outcome

	// What follows may be left out.

	// Turn returns the side to move; nil if the sides alternate.
	Turn func(s S) engine.Side
	// Why explains to people why a move is not legal.
	Why func(s S, move string) string
	// Board returns the rows of a board: see query board in package protocol.
	Board func(s S) []string
	// Text formats a state on one line, Parse parses it. Set both or neither; they need
	// Turn.
	Text  func(s S) string
	Parse func(text string) (S, error)
}

// NewGame makes a game from its rules: for the Own of a [Bot], and for tests. The error
// names what is missing.
func NewGame[S any](r Rules[S]) (engine.Game, error) {
	switch {
	case r.Name == "" || r.Moves == nil || r.Play == nil || r.Outcome == nil:
		return nil, errors.New("rules need Name, Moves, Play and Outcome")
	case (r.Text == nil) != (r.Parse == nil) || r.Text != nil && r.Turn == nil:
		return nil, fmt.Errorf("rules of %s: Text needs Parse and Turn, and Parse needs Text", r.Name)
	}
	if r.Sides == [2]string{} {
		r.Sides = [2]string{"first", "second"}
	}
	if r.MaxPlies == 0 {
		r.MaxPlies = 1000
	}
	return &ownGame[S]{r}, nil
}

// A textless game has no text of positions, and perhaps no boards: queries for them
// are not answered.
type textless interface {
	hasText() bool
	hasBoard() bool
}

type ownGame[S any] struct{ rules Rules[S] }

func (g *ownGame[S]) Name() string           { return g.rules.Name }
func (g *ownGame[S]) SideNames() [2]string   { return g.rules.Sides }
func (g *ownGame[S]) Symmetric() bool        { return true }
func (g *ownGame[S]) MaxPlies() int          { return g.rules.MaxPlies }
func (g *ownGame[S]) Start() engine.Position { return g.at(g.rules.Start) }
func (g *ownGame[S]) hasText() bool          { return g.rules.Text != nil }
func (g *ownGame[S]) hasBoard() bool         { return g.rules.Board != nil }

func (g *ownGame[S]) at(s S) *ownPosition[S] {
	return &ownPosition[S]{game: g, states: []ownState[S]{g.state(s, engine.First)}}
}

func (g *ownGame[S]) state(s S, turn engine.Side) ownState[S] {
	if g.rules.Turn != nil {
		turn = g.rules.Turn(s)
	}
	return ownState[S]{state: s, turn: turn}
}

func (g *ownGame[S]) Parse(text string) (engine.Position, error) {
	if g.rules.Parse == nil {
		return nil, &engine.PositionError{Game: g.rules.Name, Text: text, Why: "its positions have no text; give the moves from the start instead"}
	}
	s, err := g.rules.Parse(text)
	if err != nil {
		return nil, &engine.PositionError{Game: g.rules.Name, Text: text, Why: err.Error()}
	}
	return g.at(s), nil
}

// An ownState is a state with cached answers of the rules.
type ownState[S any] struct {
	state   S
	turn    engine.Side
	move    string // that led to it
	asked   bool
	outcome engine.Outcome
	moves   []string
}

type ownPosition[S any] struct {
	game   *ownGame[S]
	states []ownState[S]
	free   [][]string // lists of moves to use again
}

func (p *ownPosition[S]) now() *ownState[S] {
	now := &p.states[len(p.states)-1]
	if now.asked {
		return now
	}
	now.asked = true
	if now.outcome = p.game.rules.Outcome(now.state); !now.outcome.Over {
		now.outcome.Winner = engine.NoSide
		var list []string
		if n := len(p.free); n > 0 {
			list, p.free = p.free[n-1], p.free[:n-1]
		}
		now.moves = p.game.rules.Moves(now.state, list[:0])
	}
	return now
}

func (p *ownPosition[S]) Game() engine.Game       { return p.game }
func (p *ownPosition[S]) Turn() engine.Side       { return p.states[len(p.states)-1].turn }
func (p *ownPosition[S]) Ply() int                { return len(p.states) - 1 }
func (p *ownPosition[S]) Reversible() int         { return p.Ply() }
func (p *ownPosition[S]) Outcome() engine.Outcome { return p.now().outcome }

// Legal numbers the moves from 1 on, in the order of the rules.
func (p *ownPosition[S]) Legal(dst []engine.Move) []engine.Move {
	for i := range p.now().moves {
		dst = append(dst, engine.Move(i+1)) //nolint:gosec // no list is that long
	}
	return dst
}

func (p *ownPosition[S]) Play(m engine.Move) {
	now := p.now()
	move := now.moves[m-1]
	next := p.game.state(p.game.rules.Play(now.state, move), now.turn.Other())
	next.move = move
	p.states = append(p.states, next)
}

func (p *ownPosition[S]) Undo() {
	if len(p.states) == 1 {
		panic("kit: no move to take back")
	}
	last := &p.states[len(p.states)-1]
	if last.moves != nil {
		p.free = append(p.free, last.moves)
	}
	*last = ownState[S]{}
	p.states = p.states[:len(p.states)-1]
}

func (p *ownPosition[S]) ParseMove(text string) (engine.Move, error) {
	now := p.now()
	if i := slices.Index(now.moves, text); i >= 0 {
		return engine.Move(i + 1), nil //nolint:gosec // no list is that long
	}
	why := "not a legal move"
	switch {
	case now.outcome.Over:
		why = "the game is over (" + now.outcome.Reason + ")"
	case p.game.rules.Why != nil:
		why = p.game.rules.Why(now.state, text)
	}
	return 0, &engine.MoveError{Move: text, Why: why}
}

func (p *ownPosition[S]) AppendMove(dst []byte, m engine.Move) []byte {
	return append(dst, p.now().moves[m-1]...)
}

// AppendText appends the text of the state, or, if it has none, the moves from the
// start.
func (p *ownPosition[S]) AppendText(dst []byte) []byte {
	if p.game.rules.Text != nil {
		return append(dst, p.game.rules.Text(p.states[len(p.states)-1].state)...)
	}
	dst = append(dst, "startpos"...)
	for _, s := range p.states[1:] {
		dst = append(append(dst, ' '), s.move...)
	}
	return dst
}

func (p *ownPosition[S]) String() string { return string(p.AppendText(nil)) }

// Hash returns a hash of the text, else of the board, else of the moves, and of the
// side to move.
func (p *ownPosition[S]) Hash() uint64 {
	h := fnv.New64a()
	if p.game.rules.Text == nil && p.game.rules.Board != nil {
		for _, row := range p.game.rules.Board(p.states[len(p.states)-1].state) {
			_, _ = io.WriteString(h, row)
		}
	} else {
		_, _ = io.WriteString(h, p.String())
	}
	_, _ = h.Write([]byte{byte(p.Turn())})
	return h.Sum64()
}

func (p *ownPosition[S]) Clone() engine.Position {
	c := &ownPosition[S]{game: p.game, states: slices.Clone(p.states)}
	for i := range c.states {
		c.states[i].moves = slices.Clone(c.states[i].moves)
	}
	return c
}

func (p *ownPosition[S]) Board() engine.Board {
	rows := []string{p.String()}
	if p.game.rules.Board != nil {
		rows = p.game.rules.Board(p.states[len(p.states)-1].state)
	}
	return engine.Board{Rows: len(rows), Text: rows}
}

// answered reports whether a game answers an optional query.
func answered(g engine.Game, fact string) bool {
	t, ok := g.(textless)
	switch {
	case !ok:
		return true
	case fact == protocol.QueryFEN:
		return t.hasText()
	case fact == protocol.QueryBoard:
		return t.hasBoard()
	}
	return true
}
