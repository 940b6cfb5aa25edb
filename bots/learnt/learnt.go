// Package learnt judges positions by learnt weights, by patterns in Breakthrough, by the way
// home in Outwit and by pairs of pieces in Owlman, and has the tables that come with arena.
//
// A table is a file: a line that names its kind, what it is for, as its kind writes that, and
// two bytes a weight, the lower one first.
package learnt

import (
	"bytes"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"botarena/engine"
	"botarena/engine/breakthrough"
	"botarena/engine/outwit"
)

// Unit is the number of units of a weight in a centipawn.
const Unit = 16

// tables holds the tables that come with arena, made by bots/train: files by the name of the
// game, with - for the colon.
//
//go:embed tables
var tables embed.FS

// Table returns the table of a game that comes with arena, nil if there is none.
func Table(game engine.Game) []byte {
	name := game.Name()
	if isOwlman(game) {
		name = owlmanName
	}
	data, err := tables.ReadFile("tables/" + strings.ReplaceAll(name, ":", "-") + ".table")
	if err != nil {
		return nil
	}
	return data
}

// A format is how the table of a game begins, and the number of its weights.
type format struct {
	head string
	size int
}

// formats lists those of a game, the one that is written first; none for a game that is not
// judged by a table.
func formats(game engine.Game) (list []format) {
	switch g := game.(type) {
	case *breakthrough.Game:
		for kind := kindFor(g.Cols(), g.Rows()); kind >= small; kind-- {
			head := fmt.Sprintf("arena patterns %d\n%s", kind+1, []byte{byte(g.Cols()), byte(g.Rows())})
			list = append(list, format{head, newLayout(g.Cols(), g.Rows(), kind).size})
		}
	case *outwit.Game:
		list = []format{{"arena homing 1\n", homingSize}}
	default:
		if isOwlman(game) {
			list = []format{{fmt.Sprintf("arena pairs 1\n%c%s", len(owlmanName), owlmanName), pairsSize}}
		}
	}
	return list
}

// Decode reads the weights of a table for a game. The error says why the game cannot use it.
func Decode(game engine.Game, data []byte) ([]int16, error) {
	list := formats(game)
	if list == nil {
		return nil, fmt.Errorf("%s is not judged by a table", game.Name())
	}
	for _, f := range list {
		rest, ok := bytes.CutPrefix(data, []byte(f.head))
		kind, own, _ := strings.Cut(f.head, "\n")
		switch size, other := bytes.CutPrefix(data, []byte(kind+"\n")); {
		case ok && len(rest) != 2*f.size:
			return nil, fmt.Errorf("a table for this game has %d weights, this has %d bytes", f.size, len(rest))
		case ok:
			weights := make([]int16, f.size)
			for i := range weights {
				weights[i] = int16(binary.LittleEndian.Uint16(rest[2*i:]))
			}
			return weights, nil
		case other && strings.HasPrefix(kind, "arena patterns") && len(size) >= len(own):
			return nil, fmt.Errorf("the table is for boards of %dx%d, the game is %s", size[0], size[1], game.Name())
		case other:
			return nil, fmt.Errorf("the table of %s is for another game", strings.TrimPrefix(kind, "arena "))
		}
	}
	return nil, errors.New("no table for this game: it begins otherwise")
}

// Encode returns a game's table of weights.
func Encode(game engine.Game, weights []int16) []byte {
	data := []byte(formats(game)[0].head)
	for _, w := range weights {
		data = binary.LittleEndian.AppendUint16(data, uint16(w))
	}
	return data
}

// RulesOfThumb returns weights by which a game is judged as package eval judges it, nil if
// there are none. Those of Breakthrough may be the beginning of what a table has.
func RulesOfThumb(game engine.Game) []int16 {
	switch g := game.(type) {
	case *breakthrough.Game:
		return patternsOfThumb(g.Cols(), g.Rows())
	case *outwit.Game:
		return homingOfThumb()
	}
	return nil
}

// A Form says which weights a position has, for those who learn them.
type Form struct {
	Size int // number of weights
	// Common has for each weight the number of one that it shares with others, from Size on:
	// what they are worth together is learnt from more positions than what each is worth for
	// itself. nil if nothing is shared.
	Common []int32
	// Indexes appends where the weights of a position are.
	Indexes func(dst []int32, pos engine.Position) []int32
}

// FormOf returns the form of a game's table, which is not for several goroutines at once. The
// error names the games that have one.
func FormOf(game engine.Game) (*Form, error) {
	list := formats(game)
	if list == nil {
		return nil, fmt.Errorf("%s has no tables to learn; breakthrough, outwit and owlman have", game.Name())
	}
	f := &Form{Size: list[0].size}
	switch g := game.(type) {
	case *breakthrough.Game:
		l := newLayout(g.Cols(), g.Rows(), kindFor(g.Cols(), g.Rows()))
		f.Common, f.Indexes = l.common(), l.coder().positions
	case *outwit.Game:
		f.Indexes = newGeometry().indexes
	default:
		f.Indexes = pairsIndexes
	}
	return f, nil
}
