package openings

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"botarena/arena"
	"botarena/arena/pgn"
)

// pgn reads a PGN book: tags and main lines; comments, variations, annotations and
// results are skipped.
func (b *book) pgn(text string) {
	s := pgn.NewScanner(bufio.NewReader(strings.NewReader(text)))
	var g pgnOpening
	for {
		tok, err := s.Next()
		if err != nil {
			if !errors.Is(err, io.EOF) { // a line beyond all measure
				g.line, g.err = max(1, g.line), err
			}
			b.finish(&g)
			return
		}
		switch tok.Kind {
		case pgn.Tag:
			if len(g.moves) > 0 {
				b.finish(&g)
			}
			g.note(tok)
			switch value := pgn.Text(tok.Value); string(tok.Name) {
			case "FEN":
				g.position = value
			case "Opening":
				g.name = value
			case "ECO":
				g.code = value
			case "Variation":
				g.variation = value
			}
		case pgn.Move:
			g.note(tok)
			if move := strings.TrimRight(string(tok.Value), "!?"); move != "" {
				g.moves = append(g.moves, move)
			}
		case pgn.Bad:
			if len(g.moves) > 0 && tok.Gap {
				b.finish(&g)
			}
			g.note(tok)
			if g.err == nil {
				g.err = fmt.Errorf("column %d: %w", tok.Column, tok.Err)
			}
		case pgn.Result:
			g.note(tok)
			b.finish(&g)
		}
	}
}

// pgnOpening is the state of the opening that is being read.
type pgnOpening struct {
	line                            int // of its first token, 0 if it has none yet
	position, name, code, variation string
	moves                           []string
	err                             error
}

// note records where the opening begins.
func (g *pgnOpening) note(t *pgn.Token) {
	if g.line == 0 {
		g.line = t.Line
	}
}

// finish adds the opening to the book, if it has a position or moves.
func (b *book) finish(g *pgnOpening) {
	if g.line == 0 {
		return
	}
	name := g.name
	switch {
	case name == "":
		name = g.code
	case g.variation != "":
		name += ", " + g.variation
	}
	b.add(g.line, arena.Opening{Position: g.position, Moves: g.moves, Name: name}, g.err)
	*g = pgnOpening{}
}
