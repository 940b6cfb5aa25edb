// Package owlman holds the rules of Owlman (2010), a game of unequal forces on
// the light squares of a chessboard: Doc and twelve helpers, who want Doc in the
// lair a8 with a helper on b7, against Owlman, who wants to catch the helpers.
//
// Doc's side moves first. Every step is one square diagonally onto an empty
// square; Owlman may swoop instead, a (1,3) leap over anything onto an empty
// square. An Owlman who steps takes the first piece that he then faces along the
// same diagonal, at any distance, if it is a helper. The tower h1 is closed to
// White, though Doc starts there and is lost if Owlman gets there first; from h1
// Owlman may only super-swoop, onto any helper, who is captured.
//
// # Repetition
//
// White is assumed always to demand that Owlman vary: in a position with Owlman to move
// that occurred before, every move that he made from it before is illegal. With none
// left he is trapped and White wins, so no game is endless and there are no draws.
// History counts from Start or Parse.
//
// The variant owlman:daybreak knows no such demand. There Owlman wins if Doc has
// not won by White's 49th move, counted from Start or Parse.
//
// # Text
//
// A move is its two squares, "d3c4". A reader also takes "d3-c4" and "h1xa6",
// with a capture in brackets after it, "a8-b7(xd5)". The bracket is a remark:
// it must name a square but not the right one, because the squares of the move
// say what it captures, and the game's own published sample has a wrong one.
//
// A position is like FEN, rank 8 first: D, H and O, digits that count all
// squares of the row, light and dark, and the side to move, w or b. At the start:
//
//	O7/8/8/3H1H1H/4H1H1/3H1H1H/4H1H1/3H1H1D w
//
// Positions that no game reaches can be read, as studies need them, but Owlman
// must be there, pieces stand on light squares, and there are at most twelve
// helpers. Without D the position is one where Doc was captured.
package owlman

import (
	_ "embed" // for the rules
	"fmt"

	"botarena/engine"
	"botarena/engine/owlman/board"
)

// The rules that end a game.
const (
	lairReached  = "lair reached"
	trapped      = "owlman trapped"
	docCaptured  = "doc captured"
	lastCaptured = "last helper captured"
	noLegalMove  = "no legal move"
	daybreak     = "daybreak"
)

const (
	name       = "owlman"
	startText  = "O7/8/8/3H1H1H/4H1H1/3H1H1H/4H1H1/3H1H1D w"
	maxHelpers = 12
)

// LastNight is White's last move in owlman:daybreak: after it day breaks.
const LastNight = 49

// Family opens owlman and owlman:daybreak.
type Family struct{}

// Name returns "owlman".
func (Family) Name() string { return name }

// Names lists the game and its variant.
func (Family) Names() []string { return []string{name, name + ":" + daybreak} }

//go:embed rules.md
var manual string

// Manual returns the rules for players.
func (Family) Manual() string { return manual }

// Open returns the game for "" or "daybreak".
func (Family) Open(variant string) (engine.Game, error) {
	switch variant {
	case "":
		return &game{name: name, maxPlies: 2000, geo: board.New()}, nil
	case daybreak:
		// Day breaks at ply 97, or 98 where Owlman moved first.
		return &game{name: name + ":" + daybreak, daybreak: true, maxPlies: 100, geo: board.New()}, nil
	}
	return nil, fmt.Errorf("no variant %q; the only one is %q", variant, daybreak)
}

type game struct {
	name     string
	daybreak bool
	maxPlies int
	geo      board.Geometry
}

func (g *game) Name() string         { return g.name }
func (g *game) SideNames() [2]string { return [2]string{"doc", "owlman"} }
func (g *game) Symmetric() bool      { return false }
func (g *game) MaxPlies() int        { return g.maxPlies }

// AtLimit returns Doc, whom the demand to vary favours: it only takes moves away from
// Owlman. In daybreak it returns Owlman, as Doc has not won by then.
func (g *game) AtLimit() engine.Side {
	if g.daybreak {
		return engine.Second
	}
	return engine.First
}

func (g *game) Start() engine.Position { return engine.MustParse(g, startText) }
