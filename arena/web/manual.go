package web

import (
	"context"
	"html/template"
	"slices"
	"strings"

	"botarena/engine"
	"botarena/engine/draw"
	"botarena/engine/nearest"
	"botarena/engine/rulebook"
)

// manualURL returns the address of the rules of a game's family.
func manualURL(game string) string {
	family, _, _ := strings.Cut(game, ":")
	return "/rules/" + segment(family)
}

// hasManual reports whether a game brings its rules.
func hasManual(c engine.Catalog, game string) bool {
	family, _, _ := strings.Cut(game, ":")
	return slices.Contains(rulebook.Names(c), family)
}

// A manualBlock is a part of a game's rules as the page shows it.
type manualBlock struct {
	rulebook.Block
	Words []string // of the text: every second one is what one types
	Board template.HTML
}

func loadManuals(_ context.Context, r *request) (*content, error) {
	names := rulebook.Names(r.config.Catalog)
	return &content{Title: "Rules", JSON: names, Data: names}, nil
}

func loadManual(_ context.Context, r *request) (*content, error) {
	name, err := r.name("game")
	if err != nil {
		return nil, err
	}
	blocks, err := rulebook.Of(r.config.Catalog, name)
	if err != nil {
		return nil, noneCalled("There are no rules of this game here.", nearest.Of(name, rulebook.Names(r.config.Catalog)), manualURL)
	}
	var list []manualBlock
	var games []string
	for i := range blocks {
		b := manualBlock{Block: blocks[i], Words: strings.Split(blocks[i].Text, "`")}
		if b.Kind == rulebook.Picture {
			if b.Board, err = boardOf(b.Block.Board, draw.Picture{Game: b.Game, Title: b.Text}); err != nil {
				return nil, err
			}
			games = append(games, b.Game)
		}
		list = append(list, b)
	}
	symbols, err := symbolsOf(games...)
	if err != nil {
		return nil, err
	}
	return &content{
		Title: "Rules of " + name, Crumbs: []crumb{{"Rules", "/rules"}}, JSON: blocks, Styles: []string{"pieces.css", "board.css"},
		Data: map[string]any{"Blocks": list, "Symbols": symbols},
	}, nil
}
