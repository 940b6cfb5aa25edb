// Package games lists the games that arena knows. A new game is one package
// below engine and one line here.
package games

import "botarena/engine"

// All answers the catalog of all games.
func All() engine.Catalog {
	return engine.Catalog{}
}
