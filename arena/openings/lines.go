package openings

import (
	"fmt"
	"path/filepath"
	"strings"

	"botarena/arena"
	"botarena/arena/listing"
	"botarena/engine"
)

// ReadAny reads a book of any form. Of a Polyglot book it draws openings as an event with
// seed 1 does, up to a maximum number.
func ReadAny(data []byte, file string, game engine.Game) ([]arena.Opening, error) {
	const most = 1000
	if !IsPolyglot(file) {
		return ReadBook(data, file, game)
	}
	polyglot, err := ReadPolyglot(data, file, game)
	if err != nil {
		return nil, err
	}
	source, err := polyglot.Source(0, 1, 1)
	if err != nil {
		return nil, err
	}
	var book []arena.Opening
	for i := 0; i < most && (source.Len() == 0 || i < source.Len()); i++ {
		o, err := source.Opening(i)
		if err != nil {
			return nil, err
		}
		if source.Len() == 0 || i < source.Len() {
			book = append(book, o)
		}
	}
	return book, nil
}

// A Line is one opening as `arena openings list` prints it.
type Line struct {
	Number   int      `json:"number"`
	Name     string   `json:"name,omitempty"`
	Position string   `json:"position,omitempty"` // where it starts; "" for the game's own start
	Moves    []string `json:"moves"`
	Leads    string   `json:"leads_to"`
	Turn     string   `json:"turn"`
}

// Lines plays the openings of a book.
func Lines(game engine.Game, book []arena.Opening) ([]Line, error) {
	sides := game.SideNames()
	lines := make([]Line, len(book))
	for i, o := range book {
		pos, err := After(game, o)
		if err != nil {
			return nil, fmt.Errorf("opening %d: %w", i+1, err)
		}
		lines[i] = Line{Number: i + 1, Name: o.Name, Position: o.Position, Moves: o.Moves, Leads: pos.String(), Turn: sides[pos.Turn()]}
		if o.Moves == nil {
			lines[i].Moves = []string{}
		}
	}
	return lines, nil
}

// Table lists the openings of the book in a file.
func Table(file string, game engine.Game, lines []Line) listing.Table {
	t := listing.Table{
		Title: fmt.Sprintf("%s · %s · %d openings", filepath.Base(file), game.Name(), len(lines)),
		Columns: []listing.Column{
			{Name: "No"},
			{Name: "Moves", Left: true},
			{Name: "Leads to", Left: true},
		},
	}
	named, placed := false, false
	for _, l := range lines {
		named, placed = named || l.Name != "", placed || l.Position != ""
	}
	if named {
		t.Columns = append(t.Columns, listing.Column{Name: "Name", Left: true})
	}
	for _, l := range lines {
		moves := strings.Join(l.Moves, " ")
		if placed && moves == "" {
			moves = "-"
		}
		row := []any{l.Number, moves, l.Leads}
		if named {
			row = append(row, l.Name)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
