package enginetest

import (
	"math/rand/v2"
	"testing"

	"botarena/engine"
)

// FuzzPosition fuzzes the game's position reader: any text is either refused with
// an *engine.PositionError or a position that keeps the whole contract, its
// canonical text round trip included. It calls f.Fuzz.
func FuzzPosition(f *testing.F, game engine.Game) {
	f.Helper()
	s := &suite{game: game}
	for seed := range 20 {
		rng := rngFor(seed)
		text := s.reach(rng).String()
		f.Add(text)
		f.Add(mutate(rng, text))
	}
	f.Fuzz(func(t *testing.T, text string) { checkParse(t, game, text) })
}

// FuzzMove fuzzes the game's move reader on positions of random games: any text
// is either refused with an *engine.MoveError or returns a legal move. It calls
// f.Fuzz.
func FuzzMove(f *testing.F, game engine.Game) {
	f.Helper()
	s := &suite{game: game}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 4))
		pos := s.reach(rng)
		for _, m := range pos.Legal(nil) {
			f.Add(seed, moveText(pos, m))
			f.Add(seed, mutate(rng, moveText(pos, m)))
		}
	}
	f.Fuzz(func(t *testing.T, seed uint64, text string) {
		checkMove(t, s.reach(rand.New(rand.NewPCG(seed, 4))), text)
	})
}
