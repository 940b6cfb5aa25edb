// Package openings provides the positions and moves that games start from.
//
// A [Source] numbers openings from 0; both games of a pair take the same one.
// There are three kinds: random legal moves ([Random]), a book ([ReadBook],
// [List]) and random openings that a bot scores as level (package balanced). [New] opens the one that an event asks for.
//
// # Book format
//
// One opening a line; blank lines and lines that begin with # are skipped:
//
//	POSITION ; name
//	POSITION moves M1 M2 ... ; name
//	M1 M2 M3 ... ; name
//	startpos moves M1 M2 ... ; name
//
// The name may be missing. Moves are in any spelling that the game reads, move
// numbers between them (1. 2...) are skipped. A chess position may be an EPD of
// four fields: its counters come from the operations hmvc and fmvn (else 0 and
// 1), its name from id, and other operations are passed over. A file that begins
// with a PGN tag is a PGN book: each game is an opening, from the position of its
// FEN tag, named after its Opening and Variation or its ECO code.
//
// A file whose name ends in .bin is a Polyglot book of chess ([ReadPolyglot]): its
// openings are drawn move by move, by the book's weights and the event's seed.
//
// Every opening is played by the rules when it is read; one that is illegal, or
// over already, is an error.
package openings

import (
	"fmt"
	"math/rand/v2"

	"botarena/arena"
	"botarena/engine"
)

// A Source returns openings by number. It is not safe for concurrent use.
type Source interface {
	// Opening returns opening i, from 0 on: always the same one for the same i. After
	// the last it starts over with the first, see Len.
	Opening(i int) (arena.Opening, error)
	// Len returns the number of different openings, or 0 if no end is known. A caller
	// that needs more should report that openings will repeat.
	Len() int
}

// New opens the source that an event asks for. book holds balanced openings that were
// found; a file is read here. A book's errors name file and line.
func New(game engine.Game, o arena.Openings, seed uint64, book []arena.Opening) (Source, error) {
	switch {
	case o.File != "":
		data, err := ReadFile(o.File)
		if err != nil {
			return nil, err
		}
		if IsPolyglot(o.File) {
			polyglot, err := ReadPolyglot(data, o.File, game)
			if err != nil {
				return nil, err
			}
			return polyglot.Source(o.Plies, o.Start, seed)
		}
		if book, err = ReadBook(data, o.File, game); err != nil {
			return nil, err
		}
		for i := range book {
			if moves := book[i].Moves; o.Plies > 0 && len(moves) > o.Plies {
				book[i].Moves = moves[:o.Plies]
			}
		}
		return List(book, o, seed)
	case o.Balanced != nil:
		return List(book, o, seed)
	}
	return Random(game, o.Random, seed), nil
}

// After returns the position that an opening leads to. Moves that the game cannot parse
// are an error; whether they are legal is not checked again.
func After(game engine.Game, o arena.Opening) (engine.Position, error) {
	pos, err := begin(game, o)
	if err != nil {
		return nil, err
	}
	engine.Expect(pos, o.Moves, false)
	for _, text := range o.Moves {
		m, err := pos.ParseMove(text)
		if err != nil {
			return nil, err
		}
		pos.Play(m)
	}
	return pos, nil
}

// begin returns the position that an opening begins at, before its moves.
func begin(game engine.Game, o arena.Opening) (engine.Position, error) {
	if o.Position == "" {
		return game.Start(), nil
	}
	return game.Parse(o.Position)
}

// drawn is a source that finds openings one after another and keeps them.
type drawn struct {
	more  func() error // finds another one, or that there is none
	none  func() error // says that there is none at all
	rng   *rand.Rand
	found []arena.Opening
	skip  int             // of those found
	seen  map[uint64]bool // hashes of their last positions
	ended bool            // no more are to be found
}

func (d *drawn) Len() int {
	if d.ended {
		return len(d.found)
	}
	return 0
}

func (d *drawn) Opening(i int) (arena.Opening, error) {
	i += d.skip
	for i >= len(d.found) && !d.ended {
		if err := d.more(); err != nil {
			return arena.Opening{}, err
		}
	}
	if d.skip >= len(d.found) {
		return arena.Opening{}, d.none()
	}
	return d.found[i%len(d.found)], nil
}

type list []arena.Opening

func (l list) Opening(i int) (arena.Opening, error) { return l[i%len(l)], nil }
func (l list) Len() int                             { return len(l) }

// List returns a source of the openings given, in the order of o (its Order and
// Start), a shuffled one by the seed. Start counts in that order.
func List(book []arena.Opening, o arena.Openings, seed uint64) (Source, error) {
	n := len(book)
	if n == 0 {
		return nil, fmt.Errorf("the book has no openings: give at least one line")
	}
	start := max(1, o.Start)
	if start > n {
		return nil, fmt.Errorf("openings start at %d, but there are only %d", start, n)
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	switch o.Order {
	case "", "sequential":
	case "shuffled":
		r := rand.New(rand.NewPCG(seed, shuffleStream))
		r.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	default:
		return nil, fmt.Errorf("openings have no order %q: sequential or shuffled", o.Order)
	}
	l := make(list, n)
	for i := range l {
		l[i] = book[order[(start-1+i)%n]]
	}
	return l, nil
}

// The streams of random numbers drawn from one seed.
const (
	shuffleStream = 0x0be1
	randomStream  = 0x0be2
	// polyglotStream is that of moves from a Polyglot book.
	polyglotStream = 0x0be3
)
