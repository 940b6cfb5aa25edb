// Package rulebook reads the rules of games in the form for players.
//
// A game brings its rules with its package: a family that has a method Manual (see
// [Family]) returns them as text in a small part of Markdown, for commands and pages
// alike:
//
//	# Title, ## Heading
//	- an item of a list
//	![what is to be seen](GAME: POSITION)
//	Any other line is a paragraph; `words` in it are what one types.
package rulebook

import (
	"fmt"
	"strings"

	"botarena/engine"
	"botarena/engine/nearest"
)

// A Family is a family of games that brings its rules.
type Family interface {
	engine.Family
	// Manual returns the rules as the package comment describes them.
	Manual() string
}

// A Kind is the kind of a block.
type Kind string

// The kinds of blocks.
const (
	Title     Kind = "title"
	Heading   Kind = "heading"
	Item      Kind = "item"
	Paragraph Kind = "paragraph"
	Picture   Kind = "picture"
)

// A Block is a part of the rules.
type Block struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"` // of a picture: what is to be seen
	// For a picture: the game, the position, and its board.
	Game     string       `json:"game,omitempty"`
	Position string       `json:"position,omitempty"`
	Board    engine.Board `json:"-"`
}

// Names lists the families of a catalog that bring rules.
func Names(c engine.Catalog) []string {
	var names []string
	for _, f := range c {
		if _, ok := f.(Family); ok {
			names = append(names, f.Name())
		}
	}
	return names
}

// Of returns the rules of a game's family. The error suggests another if it brings none.
func Of(c engine.Catalog, game string) ([]Block, error) {
	name, _, _ := strings.Cut(game, ":")
	for _, f := range c {
		if own, ok := f.(Family); ok && f.Name() == name {
			return read(c, own.Manual())
		}
	}
	known := Names(c)
	return nil, fmt.Errorf("no rules of %q; %s", game, nearest.Hint(name, known, "there are those of "+strings.Join(known, ", ")+", and who wrote a rules program knows its own"))
}

// read reads the text of rules.
func read(c engine.Catalog, manual string) ([]Block, error) {
	var list []Block
	for line := range strings.Lines(manual) {
		line = strings.TrimSpace(line)
		b := Block{Kind: Paragraph, Text: line}
		for prefix, kind := range map[string]Kind{"# ": Title, "## ": Heading, "- ": Item, "![": Picture} {
			if rest, found := strings.CutPrefix(line, prefix); found {
				b = Block{Kind: kind, Text: rest}
			}
		}
		if b.Text == "" {
			continue
		}
		if b.Kind == Picture {
			if err := b.draw(c); err != nil {
				return nil, err
			}
		}
		list = append(list, b)
	}
	return list, nil
}

// draw reads the position of a picture.
func (b *Block) draw(c engine.Catalog) error {
	text, rest, _ := strings.Cut(b.Text, "](")
	name, position, found := strings.Cut(strings.TrimSuffix(rest, ")"), ": ")
	if !found {
		return fmt.Errorf("picture %q: names no game and position", b.Text)
	}
	game, err := c.Lookup(name)
	if err != nil {
		return fmt.Errorf("picture %q: %w", text, err)
	}
	pos, err := game.Parse(position)
	if err != nil {
		return fmt.Errorf("picture %q: %w", text, err)
	}
	b.Text, b.Game, b.Position, b.Board = text, name, position, pos.Board()
	return nil
}
