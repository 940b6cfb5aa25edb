package openings

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"botarena/arena"
	"botarena/engine"
)

// PolyglotPlies is the default maximum number of plies of an opening from a Polyglot
// book.
const PolyglotPlies = 16

// IsPolyglot reports whether a book's file is a Polyglot book, by its name: the
// format has no mark of its own.
func IsPolyglot(file string) bool { return strings.EqualFold(filepath.Ext(file), ".bin") }

// A Polyglot is a book of chess moves with weights, as the program Polyglot and many
// engines use: a move for a position, 16 bytes each, in the order of the positions'
// keys.
type Polyglot struct {
	file    string
	game    engine.Game
	entries []polyglotEntry
	numbers [781]uint64
}

type polyglotEntry struct {
	key    uint64
	move   uint16
	weight uint16
}

const polyglotSize = 16 // bytes of an entry: key, move, weight, and 4 for learning

// ReadPolyglot reads a Polyglot book. File is its path as errors should name it.
func ReadPolyglot(data []byte, file string, game engine.Game) (*Polyglot, error) {
	b := &Polyglot{file: file, game: game}
	switch {
	case game.Name() != "chess":
		return nil, fmt.Errorf("%s: a Polyglot book (.bin) is for chess, not %s: give a book of lines or PGN", file, game.Name())
	case len(data) == 0:
		return nil, fmt.Errorf("%s: the book is empty", file)
	case len(data)%polyglotSize != 0:
		return nil, fmt.Errorf("%s: no Polyglot book: %d bytes are no whole number of entries of %d bytes", file, len(data), polyglotSize)
	}
	b.entries = make([]polyglotEntry, 0, len(data)/polyglotSize)
	for at := 0; at < len(data); at += polyglotSize {
		e := polyglotEntry{
			key:    binary.BigEndian.Uint64(data[at:]),
			move:   binary.BigEndian.Uint16(data[at+8:]),
			weight: binary.BigEndian.Uint16(data[at+10:]),
		}
		if n := len(b.entries); n > 0 && b.entries[n-1].key > e.key {
			return nil, fmt.Errorf("%s: no Polyglot book: entry %d (byte %d) is not in the order of the keys", file, n+1, at)
		}
		b.entries = append(b.entries, e)
	}
	for i := range b.numbers {
		n, err := strconv.ParseUint(polyglotNumbers[16*i:16*i+16], 16, 64)
		if err != nil {
			return nil, err
		}
		b.numbers[i] = n
	}
	if start := game.Start(); len(b.at(b.key(start.String(), ""))) == 0 {
		return nil, fmt.Errorf("%s: the book has no move for the start of chess", file)
	}
	return b, nil
}

// at returns the entries of a key.
func (b *Polyglot) at(key uint64) []polyglotEntry {
	from := sort.Search(len(b.entries), func(i int) bool { return b.entries[i].key >= key })
	to := from
	for to < len(b.entries) && b.entries[to].key == key {
		to++
	}
	return b.entries[from:to]
}

// The offsets of each kind in the table of numbers.
const (
	polyglotCastle = 768
	polyglotPassed = 772
	polyglotTurn   = 780
)

// key returns the key of a chess position, given as FEN, after a last move in UCI's form
// ("" for none). The file of en passant counts where a pawn of the side to move
// stands beside one that has just gone two squares, even if it may not take it.
func (b *Polyglot) key(fen, last string) uint64 {
	fields := strings.Fields(fen)
	var key uint64
	var board [64]byte
	row, file := 7, 0
	for _, c := range []byte(fields[0]) {
		switch {
		case c == '/':
			row, file = row-1, 0
		case c >= '1' && c <= '8':
			file += int(c - '0')
		default:
			board[8*row+file] = c
			kind := strings.IndexByte("pPnNbBrRqQkK", c)
			key ^= b.numbers[64*kind+8*row+file]
			file++
		}
	}
	for i, right := range []byte("KQkq") {
		if strings.IndexByte(fields[2], right) >= 0 {
			key ^= b.numbers[polyglotCastle+i]
		}
	}
	if len(last) >= 4 && last[0] == last[2] && (last[1] == '2' && last[3] == '4' || last[1] == '7' && last[3] == '5') {
		file, rank := int(last[0]-'a'), int(last[3]-'1')
		taker, pawn := byte('P'), byte('p')
		if rank == 3 {
			taker, pawn = 'p', 'P'
		}
		beside := file > 0 && board[8*rank+file-1] == taker || file < 7 && board[8*rank+file+1] == taker
		if board[8*rank+file] == pawn && beside {
			key ^= b.numbers[polyglotPassed+file]
		}
	}
	if fields[1] == "w" {
		key ^= b.numbers[polyglotTurn]
	}
	return key
}

// text returns the move of an entry in UCI's form; castling is the king taking his rook.
func (e polyglotEntry) text() string {
	square := func(bits uint16) string { return string([]byte{'a' + byte(bits&7), '1' + byte(bits>>3&7)}) }
	text := square(e.move>>6) + square(e.move)
	if promotion := e.move >> 12 & 7; promotion > 0 {
		text += string(" nbrq   "[promotion])
	}
	return text
}

// moves returns the legal moves that the book has for a position after the given last
// move, with their weights; moves of weight 0 are not played.
func (b *Polyglot) moves(pos engine.Position, last string) (moves []engine.Move, weights []int, total int, err error) {
	for _, e := range b.at(b.key(pos.String(), last)) {
		if e.weight == 0 {
			continue
		}
		m, err := pos.ParseMove(e.text())
		if err != nil {
			return nil, nil, 0, fmt.Errorf("%s: the book has a move that is not legal, in %s: %w", b.file, pos, err)
		}
		if i := slices.Index(moves, m); i >= 0 {
			weights[i] += int(e.weight)
		} else {
			moves, weights = append(moves, m), append(weights, int(e.weight))
		}
		total += int(e.weight)
	}
	return moves, weights, total, nil
}

// Source draws openings of at most so many plies from the book (0: PolyglotPlies), each
// move by its weight, from the seed; an opening ends where the book does. No two lead
// to the same position. start skips the first start-1 of them. The error is from the
// first opening.
func (b *Polyglot) Source(plies, start int, seed uint64) (Source, error) {
	if plies <= 0 {
		plies = PolyglotPlies
	}
	s := &polyglotSource{book: b, plies: plies, drawn: drawn{skip: max(start, 1) - 1, rng: rand.New(rand.NewPCG(seed, polyglotStream)), seen: map[uint64]bool{}}}
	s.drawn.more, s.none = s.more, func() error {
		return fmt.Errorf("%s: openings start at %d, but only %d were found in the book", b.file, s.skip+1, len(s.found))
	}
	if _, err := s.Opening(0); err != nil {
		return nil, err
	}
	return s, nil
}

type polyglotSource struct {
	drawn
	book  *Polyglot
	plies int
}

// more finds another opening, or returns an error.
func (s *polyglotSource) more() error {
	for range fewTries {
		pos := s.book.game.Start()
		var o arena.Opening
		last := ""
		for len(o.Moves) < s.plies && !pos.Outcome().Over {
			moves, weights, total, err := s.book.moves(pos, last)
			if err != nil {
				return err
			}
			if total == 0 {
				break
			}
			at, pick := 0, s.rng.IntN(total)
			for pick >= weights[at] {
				pick -= weights[at]
				at++
			}
			last = string(pos.AppendMove(nil, moves[at]))
			o.Moves = append(o.Moves, last)
			pos.Play(moves[at])
		}
		if hash := pos.Hash(); len(o.Moves) > 0 && !s.seen[hash] && !pos.Outcome().Over {
			s.seen[hash] = true
			s.found = append(s.found, o)
			return nil
		}
	}
	s.ended = true
	return nil
}
