package draw

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
)

// A set holds the shapes of one game's pieces, each drawn in a square of 40 units.
type set struct {
	// letters holds the letters of pieces that have a shape.
	letters string
	// shape returns the markup of a piece's shape. Its fill and stroke are those of its
	// side, .piece-mark and .piece-dot are details in the contrasting colour.
	shape func(letter byte) string
	// names are those of the pieces, by their upper-case letters.
	names map[byte]string
	// signs mark the goals of the first and the second side, and goals name them.
	signs, goals [2]string
	// tree is drawn on squares that no piece can use.
	tree string
	// homeRows reports that the outermost rows are goals: each side's own is the
	// opponent's.
	homeRows bool
}

func (s *set) has(letter byte) bool { return strings.IndexByte(s.letters, letter) >= 0 }

// define writes a piece's shape for reference by its symbol.
func (s *set) define(out *bytes.Buffer, letter byte) {
	fmt.Fprintf(out, "<g id=%q>%s</g>", symbol(letter), s.shape(letter))
}

// symbol returns the name of a piece's shape.
func symbol(letter byte) string { return fmt.Sprintf("piece-%c", letter) }

// setOf returns the shapes of a game by its canonical name, or an empty set.
func setOf(game string) set {
	family, _, _ := strings.Cut(game, ":")
	switch family {
	case "chess":
		return set{
			letters: "PNBRQKpnbrqk", shape: func(letter byte) string { return chessman(letter &^ 0x20) },
			names: map[byte]string{'P': "pawn", 'N': "knight", 'B': "bishop", 'R': "rook", 'Q': "queen", 'K': "king"},
		}
	case "breakthrough":
		return set{letters: "Pp", shape: func(byte) string { return chessman('P') }, names: map[byte]string{'P': "pawn"}, homeRows: true}
	case "outwit":
		return set{letters: "SKsk", shape: chip, names: map[byte]string{'S': "chip", 'K': "power chip"}}
	case "owlman":
		return set{
			letters: "DHO", shape: villager, names: map[byte]string{'D': "Doc", 'H': "helper", 'O': "Owlman"},
			tree: tree, signs: [2]string{tower, lair}, goals: [2]string{"the tower", "the lair"},
		}
	}
	return set{}
}

// PieceName returns the name of a piece, for people: its letter in a game whose pieces
// have no names here.
func PieceName(game string, letter byte) string {
	return cmp.Or(setOf(game).names[letter&^0x20], string(rune(letter)))
}

// GoalNames describes the squares that a game's board marks for the first and for the
// second side.
func GoalNames(game string, sides [2]string) [2]string {
	return cmp.Or(setOf(game).goals, [2]string{"the goal of " + sides[0], "the goal of " + sides[1]})
}

// foot is the base that chessmen stand on.
const foot = `<path d="M10.5 35.5v-2.2c0-1.5 1-2.3 2.4-2.3h14.2c1.4 0 2.4.8 2.4 2.3v2.2z"/>`

// chessman draws a chess piece.
func chessman(letter byte) string {
	switch letter {
	case 'N':
		return `<path d="M13 31c.3-5.2 2.8-8 6.6-11.3-2.2.3-3.7 1-5 2.3-1.2 1.3-2.4 2.6-4 2.2-2-.5-2.8-2.6-2-4.6 1-2.6 2.6-4.2 3.6-6.9.5-1.3 1.2-2.4 2.4-3.3l-.2-4.6 4 3.1C25.8 7.7 30.4 14 29.6 23c-.2 2.8-.7 5.4-1.2 8z"/>` +
			`<path class="piece-mark" d="M20.5 10.5c4 2.2 6 7.5 5.3 14.5"/><circle class="piece-dot" cx="15.6" cy="13.8" r="1.5"/><circle class="piece-dot" cx="10.6" cy="21" r=".9"/>` + foot
	case 'B':
		return `<circle cx="20" cy="6.4" r="2.2"/><path d="M15.5 31c1-1.8 1.6-3.2 1.8-5-3.5-1.5-5.3-4-5.1-7.2.3-4.2 4-7.4 7.8-10.6 3.8 3.2 7.5 6.4 7.8 10.6.2 3.2-1.6 5.7-5.1 7.2.2 1.8.8 3.2 1.8 5z"/>` +
			`<path class="piece-mark" d="M15 26h10M20 13v7M16.5 16.5h7"/>` + foot
	case 'R':
		return `<path d="M14 31l1-13-3.2-3V7.5h4.3v3h2.2v-3h3.4v3h2.2v-3h4.3V15L25 18l1 13z"/><path class="piece-mark" d="M12.2 15h15.6M15.2 18h9.6M14.3 27.5h11.4"/>` + foot
	case 'Q':
		return `<path d="M13.5 31L8.3 14.5l6.3 7L16 10.3l4 9.9 4-9.9 1.4 11.2 6.3-7L26.5 31z"/><circle cx="8" cy="12.6" r="2.1"/><circle cx="15.8" cy="8.3" r="2.1"/><circle cx="24.2" cy="8.3" r="2.1"/><circle cx="32" cy="12.6" r="2.1"/>` +
			`<path class="piece-mark" d="M13 27.5c4.5-1.4 9.5-1.4 14 0"/>` + foot
	case 'K':
		return `<path d="M18.6 13V9.3h-3V6.5h3v-3h2.8v3h3v2.8h-3V13z"/><path d="M14 31c-3.8-3-6.3-6.3-6.3-9.9 0-3.5 2.5-6 5.7-6 2.6 0 4.9 1.5 6.6 4.4 1.7-2.9 4-4.4 6.6-4.4 3.2 0 5.7 2.5 5.7 6 0 3.6-2.5 6.9-6.3 9.9z"/><path d="M20 11.5c2.3 2 3 4.6 0 8-3-3.4-2.3-6 0-8z"/>` +
			`<path class="piece-mark" d="M13 27.5c4.5-1.4 9.5-1.4 14 0"/>` + foot
	}
	return `<path d="M14.2 31c2.5-2.3 3.6-5.3 3.9-9.5h3.8c.3 4.2 1.4 7.2 3.9 9.5z"/><rect x="14.6" y="18.8" width="10.8" height="2.9" rx="1.4"/><circle cx="20" cy="13.6" r="5.6"/>` + foot
}

// chip draws a chip of Outwit: S a regular one, K the power chip.
func chip(letter byte) string {
	const disc = `<circle cx="20" cy="20" r="15"/>`
	if letter&^0x20 == 'K' {
		return disc + `<circle class="piece-mark" cx="20" cy="20" r="12.5"/><path class="piece-dot" d="M20 9.8l2.5 6.7 7.2.3-5.6 4.5 1.9 6.9L20 24.3l-6 3.9 1.9-6.9-5.6-4.5 7.2-.3z"/>`
	}
	return disc + `<circle class="piece-mark" cx="20" cy="20" r="10"/>`
}

// villager draws Doc in his hat, a helper with a torch, or Owlman.
func villager(letter byte) string {
	switch letter {
	case 'D':
		return `<path d="M9 35.5c0-7.5 4.2-12 11-12s11 4.5 11 12z"/><circle cx="20" cy="18" r="6.3"/><path d="M14.3 12.5V4.3h11.4v8.2h4.4v2.6H9.9v-2.6z"/><path class="piece-mark" d="M14.3 10.3h11.4M20 27v6M17 30h6"/>`
	case 'H':
		return `<path d="M9.5 34c0-7 4-11 10.5-11s10.5 4 10.5 11z"/><circle cx="20" cy="15.5" r="6.7"/>`
	}
	return `<path d="M8 5.5c2.6 2.5 5 3.4 8 3.6h8c3-.2 5.4-1.1 8-3.6.8 4.5 1.3 9.5.8 15C32.2 28.5 27.5 35 20 35S7.8 28.5 7.2 20.5c-.5-5.5 0-10.5.8-15z"/>` +
		`<circle class="piece-mark" cx="14.5" cy="15.5" r="4.7"/><circle class="piece-mark" cx="25.5" cy="15.5" r="4.7"/><circle class="piece-dot" cx="14.5" cy="15.5" r="2"/><circle class="piece-dot" cx="25.5" cy="15.5" r="2"/><path class="piece-dot" d="M20 17.5l2.2 4L20 24l-2.2-2.5z"/><path class="piece-mark" d="M13 26l2.3 2 2.3-2 2.4 2 2.4-2 2.3 2 2.3-2M15.5 30.5l2.2 1.7 2.3-1.7 2.3 1.7 2.2-1.7"/>`
}

// The signs of Owlman's board: the church tower, the lair, the trees of the wood.
const (
	tower = "M12 35V14l8-9 8 9v21zM17 35v-7a3 3 0 0 1 6 0v7M18 17h4v4h-4z"
	lair  = "M5 35c1-16 6-25 15-25s14 9 15 25zM13 35c.5-8 3-12 7-12s6.5 4 7 12"
	tree  = "M20 5l7 10h-4l6 8h-5l6.5 8H22v5h-4v-5H9.5L16 23h-5l6-8h-4z"
)
