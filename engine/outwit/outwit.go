// Package outwit holds the rules of Outwit (Parker Brothers, 1978) and of the
// two variants that repair its blockade, "outwit:jump" and "outwit:push".
//
// The board has files a to i and ranks 1 to 10. Each side has eight soldiers
// (regular chips) and a king (the power chip), and wins when all of them are in
// its own corner: g8 to i10 for Light, who moves first, and a1 to c3 for Dark.
// A soldier slides along a rank or a file as far as it can go; a king slides any
// number of squares in any of eight directions. No chip enters the opponent's
// corner or leaves its own.
//
// Moves are written "f4f1", and in the push variant, where a pushed chip is
// lifted, "d9e9=a5"; the reader also accepts "f4-f1". Positions are written like
// FEN, rank 10 first: S and K for Light's soldiers and king, s and k for Dark's,
// then l or d for the side to move:
//
//	s8/Ss7/1Ss6/2Ss5/3Sk4/4Ks3/5Ss2/6Ss1/7Ss/8S l
package outwit

import (
	_ "embed" // for the rules
	"fmt"

	"botarena/engine"
)

// StartText is the text of the position that every game starts from.
const StartText = "s8/Ss7/1Ss6/2Ss5/3Sk4/4Ks3/5Ss2/6Ss1/7Ss/8S l"

// The reasons of an engine.Outcome of these games.
const (
	AllHome    = "all chips in corner"
	Repetition = "threefold repetition"
	NoMove     = "no legal move"
)

// maxPlies is the move limit; README.md has the game lengths behind it.
const maxPlies = 1000

// A rule is one of the three sets of rules.
type rule uint8

const (
	plain rule = iota
	jump
	push
)

// Family is Outwit with its variants: it opens "", "jump" and "push".
type Family struct{}

var _ engine.Family = Family{}

// Name returns "outwit".
func (Family) Name() string { return "outwit" }

// Names lists the three games.
func (Family) Names() []string { return []string{"outwit", "outwit:jump", "outwit:push"} }

//go:embed rules.md
var manual string

// Manual returns the rules for players.
func (Family) Manual() string { return manual }

// Open returns the game of a variant: "", "jump" or "push".
func (Family) Open(variant string) (engine.Game, error) {
	switch variant {
	case "":
		return newGame("outwit", plain), nil
	case "jump":
		return newGame("outwit:jump", jump), nil
	case "push":
		return newGame("outwit:push", push), nil
	}
	return nil, fmt.Errorf("outwit has no variant %.40q; it has jump and push", variant)
}

// A Game is Outwit under one of its three sets of rules.
type Game struct {
	name  string
	rule  rule
	board geometry
}

var _ engine.Game = (*Game)(nil)

func newGame(name string, r rule) *Game {
	g := &Game{name: name, rule: r}
	g.board.fill()
	return g
}

// Name returns "outwit", "outwit:jump" or "outwit:push".
func (g *Game) Name() string { return g.name }

// SideNames returns "light" and "dark".
func (g *Game) SideNames() [2]string { return [2]string{"light", "dark"} }

// Symmetric returns true: turning the board by half a turn swaps the sides.
func (g *Game) Symmetric() bool { return true }

// MaxPlies returns the default move limit.
func (g *Game) MaxPlies() int { return maxPlies }

// Start returns the initial position, Light to move.
func (g *Game) Start() engine.Position { return engine.MustParse(g, StartText) }
