package session

import (
	"botarena/engine"
	"botarena/protocol"
)

// A Path is a position and the moves that led to it, in the form of a position line.
type Path struct {
	Position engine.Position
	Moves    []string // played from where the path began, in the game's own spelling
	// Short begins position lines at the last irreversible move. Without it a bot gets
	// every move.
	Short bool

	begin string // the text of the position that Moves start at; "" for the game's own start
	line  protocol.PositionLine
	text  []byte
}

// NewPath returns a path at the game's own start.
func NewPath(game engine.Game) *Path {
	p := &Path{Position: game.Start()}
	p.line.Start("")
	return p
}

// PathFrom returns a path at a position; if the position has no text, at the game's own
// start with the moves from there.
func PathFrom(position engine.Position) *Path {
	if t, ok := position.(engine.Textless); ok {
		if moves, ok := t.FromStart(); ok {
			p := &Path{Position: position, Moves: moves}
			p.line.Start("")
			for _, text := range moves {
				p.line.Play(text)
			}
			return p
		}
	}
	p := &Path{Position: position, begin: position.String()}
	p.line.Start(p.begin)
	return p
}

// Play makes a legal move.
func (p *Path) Play(m engine.Move) { p.PlayText(m, "") }

// PlayText plays the legal move that text spells and returns the game's own spelling,
// which is text itself if they are equal.
func (p *Path) PlayText(m engine.Move, text string) string {
	p.text = p.Position.AppendMove(p.text[:0], m)
	if string(p.text) != text {
		text = string(p.text)
	}
	p.Position.Play(m)
	p.Moves = append(p.Moves, text)
	if p.Short && p.Position.Reversible() == 0 {
		p.restart()
		return text
	}
	p.line.Play(text)
	if p.line.Len() > protocol.MaxLine {
		p.shorten()
	}
	return text
}

// Undo takes the last move back and reports whether there was one.
func (p *Path) Undo() bool {
	n := len(p.Moves) - 1
	if n < 0 {
		return false
	}
	p.Moves = p.Moves[:n]
	p.Position.Undo()
	p.line.Start(p.begin)
	for _, text := range p.Moves {
		p.line.Play(text)
	}
	if p.line.Len() > protocol.MaxLine {
		p.shorten()
	}
	return true
}

// Bare returns the position without its history, if it can be written without.
func (p *Path) Bare() *Path { return PathFrom(p.Position) }

// restart begins the line anew at the current position.
func (p *Path) restart() {
	p.text = p.Position.AppendText(p.text[:0])
	p.line.Start(string(p.text))
}

// shorten begins the line anew after the last irreversible move, or at the current
// position if that line would still be too long.
func (p *Path) shorten() {
	n := min(p.Position.Reversible(), len(p.Moves))
	before := p.Position.Clone()
	for range n {
		before.Undo()
	}
	p.line.Start(before.String())
	for _, text := range p.Moves[len(p.Moves)-n:] {
		p.line.Play(text)
	}
	if p.line.Len() > protocol.MaxLine {
		p.restart()
	}
}
