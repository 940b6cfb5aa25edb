// Package breakthrough holds the rules of Breakthrough (Dan Troyka, 2000) on
// boards of 2 to 26 columns and 4 to 26 rows.
//
// White fills ranks 1 and 2, Black the top two, and White moves first. A piece
// steps one square straight or diagonally forward onto an empty square, or
// captures one step diagonally forward. A side wins by reaching the opponent's
// home row or by leaving it no pieces. Pieces only go forward, so every game
// ends, and there are no draws: the foremost piece always has a move.
//
// # Text
//
// A move is its two squares, a capture included: a2a3, c5d6, a9a10. The reader also
// takes a2-a3, a2xb3, a2b3*, capital letters and surrounding spaces; the marks of a
// capture are not checked against the board.
//
// A position is written as in FEN, from the top rank: P for White, p for Black, a
// number for a run of empty squares (12, not 93), then w or b for the side to
// move. The reader also takes, and drops, what chess-variant engines write after
// it: "-" fields, a count of plies and a move number. Any number of pieces is
// accepted. A position with a piece on the opponent's home row, or a side without
// pieces, is a game that is over, whoever is to move; both at once for both sides
// cannot happen and is refused.
package breakthrough

import (
	_ "embed" // for the rules
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"

	"botarena/engine"
)

// The reasons of an outcome.
const (
	ReachedHomeRow = "reached home row"
	NoPiecesLeft   = "no pieces left"
)

// The limits of the board's size.
const (
	MinCols = 2
	MaxCols = 26
	MinRows = 4
	MaxRows = 26
)

const (
	defaultCols, defaultRows = 8, 8
	familyName               = "breakthrough"
)

// maxWords is the number of 64-bit words of the largest board.
const maxWords = (MaxCols*MaxRows + 63) / 64

// A bitboard has one bit a square: rank*cols + file, a1 is bit 0.
type bitboard [maxWords]uint64

func (b *bitboard) set(sq int)      { b[sq>>6] |= 1 << (sq & 63) }
func (b *bitboard) clear(sq int)    { b[sq>>6] &^= 1 << (sq & 63) }
func (b *bitboard) has(sq int) bool { return b[sq>>6]>>(sq&63)&1 != 0 }

func (b *bitboard) overlaps(c *bitboard) bool {
	for i := range b {
		if b[i]&c[i] != 0 {
			return true
		}
	}
	return false
}

func (b *bitboard) count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// Family opens Breakthrough at any size: the variant is COLSxROWS, 8x8 where it
// is empty.
type Family struct{}

// Name returns "breakthrough".
func (Family) Name() string { return familyName }

// Names lists the default size and the usual small ones.
func (Family) Names() []string {
	return []string{familyName, familyName + ":5x5", familyName + ":6x6", familyName + ":7x7"}
}

//go:embed rules.md
var manual string

// Manual returns the rules for players.
func (Family) Manual() string { return manual }

// Open returns the game at the size COLSxROWS, such as "6x5".
func (Family) Open(variant string) (engine.Game, error) {
	if variant == "" {
		return New(defaultCols, defaultRows)
	}
	left, right, found := strings.Cut(variant, "x")
	cols, okCols := size(left)
	rows, okRows := size(right)
	if !found || !okCols || !okRows {
		return nil, errors.New("the size is no COLSxROWS; write it like 6x5")
	}
	return New(cols, rows)
}

// size reads a plain number without sign or leading zero.
func size(s string) (int, bool) {
	n, err := strconv.ParseUint(s, 10, 16)
	return int(n), err == nil && s == strconv.FormatUint(n, 10)
}

// A Game is Breakthrough at one size.
type Game struct {
	cols, rows, words int
	name              string
	full              bitboard    // all squares
	notFirst, notLast bitboard    // without the first, the last file
	goal              [2]bitboard // the row that each side wants to reach
	key               [2][]uint64 // hash keys by side and square
	blackToMove       uint64
}

// New returns the game at a size; the error says which limit it breaks.
func New(cols, rows int) (*Game, error) {
	switch {
	case cols < MinCols || cols > MaxCols:
		return nil, fmt.Errorf("board %dx%d has %d columns; use %d to %d", cols, rows, cols, MinCols, MaxCols)
	case rows < MinRows || rows > MaxRows:
		return nil, fmt.Errorf("board %dx%d has %d rows; use %d to %d", cols, rows, rows, MinRows, MaxRows)
	}
	g := &Game{cols: cols, rows: rows, words: (cols*rows + 63) / 64, name: familyName}
	if cols != defaultCols || rows != defaultRows {
		g.name = fmt.Sprintf("%s:%dx%d", familyName, cols, rows)
	}
	// A fixed seed: hashes are the same in every run.
	rng := rand.New(rand.NewPCG(uint64(cols), uint64(rows)))
	g.blackToMove = rng.Uint64()
	for sq := range cols * rows {
		g.full.set(sq)
		if sq%cols != 0 {
			g.notFirst.set(sq)
		}
		if sq%cols != cols-1 {
			g.notLast.set(sq)
		}
		if sq/cols == rows-1 {
			g.goal[engine.First].set(sq)
		}
		if sq/cols == 0 {
			g.goal[engine.Second].set(sq)
		}
		for side := range g.key {
			g.key[side] = append(g.key[side], rng.Uint64())
		}
	}
	return g, nil
}

// Name returns "breakthrough" for 8x8, else "breakthrough:COLSxROWS".
func (g *Game) Name() string { return g.name }

// SideNames returns white and black.
func (g *Game) SideNames() [2]string { return [2]string{"white", "black"} }

// Symmetric returns true: both sides have the same pieces and goals.
func (g *Game) Symmetric() bool { return true }

// MaxPlies returns a bound that no game can reach: each of at most cols*rows pieces
// steps forward less than rows times.
func (g *Game) MaxPlies() int { return g.cols * g.rows * (g.rows - 1) }

// Cols returns the number of files.
func (g *Game) Cols() int { return g.cols }

// Rows returns the number of ranks.
func (g *Game) Rows() int { return g.rows }

// Start returns a new position with two full rows a side, White to move.
func (g *Game) Start() engine.Position {
	p := &Position{game: g}
	for sq := range 2 * g.cols {
		p.bits[engine.First].set(sq)
		p.bits[engine.Second].set(g.cols*g.rows - 1 - sq)
	}
	p.settle()
	return p
}
