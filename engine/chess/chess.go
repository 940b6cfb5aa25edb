// Package chess holds the rules of chess as match runners play it: draws that a
// player could claim are taken at once.
//
// A game ends by checkmate, stalemate, insufficient material, threefold
// repetition or the fifty-move rule. Fivefold repetition and the
// seventy-five-move rule can never come first. Checkmate goes before the rest: a
// mating move that is the hundredth ply without a capture or pawn move wins.
//
//   - Insufficient material: nothing but kings and one knight, or nothing but
//     kings and bishops that all stand on squares of one colour (no bishop at all
//     included). Other dead positions are played on.
//   - Threefold repetition: the third occurrence, since Start or Parse, of the
//     same placement, side to move, castling rights and legal en-passant capture.
//   - Fifty-move rule: a hundred plies without a capture or a pawn move, the
//     position text's counter included.
//
// # Text
//
// A position is FEN. The en-passant square is written only where such a capture
// is legal, so that positions with equal rights have equal texts; the reader
// takes the square after any double step, and does without the two counters. It
// refuses positions that cannot be played: a side without its one king, the side
// that just moved in check, pawns on the first or last rank, rights to castle
// without king and rook at home, an en-passant square without its pawn.
//
// A move is written as in UCI: e2e4, e1g1, e7e8q. A reader also takes castling as
// O-O, 0-0 or king takes rook (e1h1), and standard algebraic notation with or
// without its marks: Nf3, exd5, Nbd7, e8=Q+, e8Q, Ng1-f3.
//
// # Chess960
//
// chess:960 has 960 starts, numbered as Scharnagl numbers them; 518 is that of
// chess, and the game's own. Castling takes king and rook to the same squares as
// in chess, from wherever they start: the squares that either passes must be
// empty but for the two, those that the king passes not attacked. It is written as
// the king taking his rook, e1h1, and the rights as the files of the rooks, HAha
// (Shredder-FEN). The reader takes KQkq as well, K meaning the outermost rook on
// that side (X-FEN), O-O, and the king going to where castling takes him (e1g1)
// where that is no step of his.
package chess

import (
	_ "embed" // for the rules
	"fmt"
	"slices"

	"botarena/engine"
)

// The rules that end a game.
const (
	checkmate    = "checkmate"
	stalemate    = "stalemate"
	insufficient = "insufficient material"
	threefold    = "threefold repetition"
	fiftyMoves   = "fifty-move rule"
)

const (
	name      = "chess"
	name960   = "chess:960"
	startText = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
	start960  = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1"
)

// Family opens chess and Chess960.
type Family struct{}

// Name returns "chess".
func (Family) Name() string { return name }

// Names lists the two games.
func (Family) Names() []string { return []string{name, name960} }

// Aliases returns other names of chess:960.
func (Family) Aliases() []string { return []string{"chess960", "fischerandom"} }

//go:embed rules.md
var manual string

// Manual returns the rules for players.
func (Family) Manual() string { return manual }

// Open returns the game for "", "960" or an alias.
func (f Family) Open(variant string) (engine.Game, error) {
	switch {
	case variant == "":
		return &game{tables: newTables(), name: name, start: startText}, nil
	case variant == "960" || slices.Contains(f.Aliases(), variant):
		return shuffledGame{&game{tables: newTables(), name: name960, start: start960, shuffled: true}}, nil
	}
	return nil, fmt.Errorf("no variant %q; chess has 960", variant)
}

type game struct {
	tables
	name, start string
	shuffled    bool // Chess960
}

func (g *game) Name() string         { return g.name }
func (g *game) SideNames() [2]string { return [2]string{"white", "black"} }
func (g *game) Symmetric() bool      { return true }
func (g *game) MaxPlies() int        { return 1000 }

func (g *game) Start() engine.Position { return engine.MustParse(g, g.start) }
