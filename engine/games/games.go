// Package games lists the games that arena knows. A new game is one package
// below engine and one line here.
package games

import (
	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/chess"
	"botarena/engine/outwit"
	"botarena/engine/owlman"
)

// All returns the catalog of all games.
func All() engine.Catalog {
	return engine.Catalog{
		breakthrough.Family{},
		outwit.Family{},
		owlman.Family{},
		chess.Family{},
	}
}
