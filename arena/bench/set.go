package bench

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"botarena/engine"
)

// The set of a game: its start, and positions of random games, one every few plies.
const (
	setSize  = 16
	setFirst = 4  // ply of the first position of a game
	setStep  = 6  // plies between two
	setEach  = 4  // positions of a game at most
	setGames = 64 // that are tried: those of small boards are short
	setSeed  = 0xbe0c
)

// set returns the moves to each position of the set of a game: always the same ones.
func set(game engine.Game) (paths [][]engine.Move, err error) {
	defer engine.Catch(&err)
	if !game.Start().Outcome().Over {
		paths = append(paths, nil)
	}
	var legal []engine.Move
	for n := uint64(0); n < setGames && len(paths) < setSize; n++ {
		pos, rng := game.Start(), rand.New(rand.NewPCG(setSeed, n))
		var moves []engine.Move
		for ply := 0; ply < setFirst+setEach*setStep && len(paths) < setSize; ply++ {
			if pos.Outcome().Over {
				break
			}
			if legal = pos.Legal(legal[:0]); len(legal) == 0 {
				break
			}
			if len(legal) > 1 && ply >= setFirst && (ply-setFirst)%setStep == 0 {
				paths = append(paths, slices.Clone(moves))
			}
			m := legal[rng.IntN(len(legal))]
			pos.Play(m)
			moves = append(moves, m)
		}
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("bench: %s has no position to search", game.Name())
	}
	return paths, nil
}
