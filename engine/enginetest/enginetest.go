// Package enginetest is the conformance suite that every game of package engine
// passes. A game's own tests call [Run] for each size and variant, and hand
// [FuzzPosition] and [FuzzMove] their fuzz targets:
//
//	func TestConformance(t *testing.T)   { enginetest.Run(t, game) }
//	func FuzzPosition(f *testing.F)      { enginetest.FuzzPosition(f, game) }
//	func FuzzMove(f *testing.F)          { enginetest.FuzzMove(f, game) }
//
// The default is short enough for every run of the tests; with the build tag
// external the games' packages run it long, with more [Games].
//
// The suite knows no rules. It holds a game to the contract of engine.Game and
// engine.Position; whether the rules are the right ones is for the game's tests.
package enginetest

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"botarena/engine"
)

// An Option adapts [Run] to a game.
type Option func(*suite)

// Games sets how many seeded random games each part of the suite plays (default 3).
func Games(n int) Option { return func(s *suite) { s.games = n } }

// Allocates excuses a game whose Legal, Play and Undo allocate, because its rules
// are another library's.
func Allocates() Option { return func(s *suite) { s.allocates = true } }

// OtherSpellings reports that two squares may also be another spelling of a legal
// move than its canonical one (castling written as king takes rook). Without it,
// a text of two squares is a legal move's canonical text or no move.
func OtherSpellings() Option { return func(s *suite) { s.spellings = true } }

// mostPlies is within how many a random game must end.
const mostPlies = 100_000

type suite struct {
	game      engine.Game
	games     int
	allocates bool
	spellings bool
}

// Run holds game to the contract of package engine, each part as a subtest: text
// round trips, legal moves being exactly the accepted ones, undo, clone, the
// outcome, the Reversible contract, hashes, typed errors on garbage, perft, and
// no allocation in Legal, Play and Undo. Random games are seeded, so a failure
// repeats.
func Run(t *testing.T, game engine.Game, opts ...Option) {
	t.Helper()
	s := &suite{game: game, games: 3}
	for _, o := range opts {
		o(s)
	}
	t.Run("game", s.testGame)
	t.Run("positions", s.testPositions)
	t.Run("moves", s.testMoves)
	t.Run("undo", s.testUndo)
	t.Run("clone", s.testClone)
	t.Run("reversible", s.testReversible)
	t.Run("hash", s.testHash)
	t.Run("end", s.testEnd)
	t.Run("garbage positions", s.testGarbagePositions)
	t.Run("garbage moves", s.testGarbageMoves)
	t.Run("perft", s.testPerft)
	t.Run("allocations", s.testAllocations)
}

// Check is rapid.Check with n checks, unless the flag -rapid.checks gives a number. It must
// not run beside other tests.
func Check(t *testing.T, n int, property func(*rapid.T)) {
	t.Helper()
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		defer func() { _ = f.Value.Set(f.DefValue) }()
		if err := f.Value.Set(strconv.Itoa(n)); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, property)
}

// Perft counts move paths the plain way, playing every move: the reference for
// engine.Perft and for a position's own Perft.
func Perft(pos engine.Position, depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	var nodes uint64
	for _, m := range pos.Legal(nil) {
		pos.Play(m)
		nodes += Perft(pos, depth-1)
		pos.Undo()
	}
	return nodes
}

// Playout plays random legal moves from pos to the end of the game, or until max
// plies were played, and returns how many. buf is scratch for the legal moves;
// its grown form is returned for the next call.
func Playout(pos engine.Position, rng *rand.Rand, maxPlies int, buf []engine.Move) (plies int, grown []engine.Move) {
	for plies < maxPlies && !pos.Outcome().Over {
		buf = pos.Legal(buf[:0])
		pos.Play(buf[rng.IntN(len(buf))])
		plies++
	}
	return plies, buf
}

// Play makes moves written in any spelling, separated by blanks.
func Play(t testing.TB, pos engine.Position, moves string) {
	t.Helper()
	for _, text := range strings.Fields(moves) {
		m, err := pos.ParseMove(text)
		if err != nil {
			t.Fatalf("%s: %v", pos, err)
		}
		pos.Play(m)
	}
}

// Legal lists the texts of the legal moves in alphabetical order.
func Legal(pos engine.Position) []string {
	var list []string
	for _, m := range pos.Legal(nil) {
		list = append(list, moveText(pos, m))
	}
	slices.Sort(list)
	return list
}

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
	for seed := range uint64(6) {
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
