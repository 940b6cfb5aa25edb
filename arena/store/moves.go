package store

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"botarena/arena"
)

// The moves of a game are one blob: a byte for the form (plain, or deflated where that
// is shorter), then the body. The body holds, each field as a column, since similar
// values compress well together:
//
//	uvarint  number of moves
//	uvarint  length of the text, then the moves joined by spaces
//	uvarint  thinking time in microseconds, one a move
//	varint   depth, one a move
//	varint   nodes, one a move
//	varint   score, one a move: 0 none, else 4*score + 1 (centipawns) or + 3 (mate)
const (
	formPlain    byte = 1
	formDeflated byte = 2
)

// deflateFrom is the body's length in bytes from which compressing is tried: shorter
// ones gain little and take seven times as long to write.
const deflateFrom = 4096

var errMoves = errors.New("the moves of a game are damaged in the database")

// encodeMoves writes the moves' blob. Times are cut to whole microseconds.
func (s *Store) encodeMoves(moves []arena.MoveRecord) ([]byte, error) {
	text := make([]string, len(moves))
	for i, m := range moves {
		if m.Move == "" || strings.ContainsRune(m.Move, ' ') {
			return nil, fmt.Errorf("move %d, %q, cannot be stored: a move is one word", i+1, m.Move)
		}
		text[i] = m.Move
	}
	joined := strings.Join(text, " ")
	b := make([]byte, 0, 16+len(joined)+10*len(moves))
	b = append(b, formPlain)
	b = binary.AppendUvarint(b, uint64(len(moves)))
	b = binary.AppendUvarint(b, uint64(len(joined)))
	b = append(b, joined...)
	for _, m := range moves {
		b = binary.AppendUvarint(b, uint64(max(0, m.Time.Microseconds()))) //nolint:gosec // not negative
	}
	for _, m := range moves {
		b = binary.AppendVarint(b, int64(m.Depth))
	}
	for _, m := range moves {
		b = binary.AppendVarint(b, m.Nodes)
	}
	for _, m := range moves {
		b = binary.AppendVarint(b, packScore(m))
	}
	if len(b) < deflateFrom {
		return b, nil
	}
	var out bytes.Buffer
	out.WriteByte(formDeflated)
	w, _ := s.deflaters.Get().(*flate.Writer)
	defer s.deflaters.Put(w)
	w.Reset(&out)
	if _, err := w.Write(b[1:]); err != nil {
		return nil, fmt.Errorf("compress moves: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("compress moves: %w", err)
	}
	if out.Len() >= len(b) {
		return b, nil
	}
	return out.Bytes(), nil
}

// packScore encodes a score that fits; a bot may report any number.
func packScore(m arena.MoveRecord) int64 {
	if !m.HasScore {
		return 0
	}
	const most = math.MaxInt64/4 - 1
	score := min(max(int64(m.Score), -most), most)
	if m.Mate {
		return 4*score + 3
	}
	return 4*score + 1
}

// decodeMoves reads what encodeMoves wrote.
func decodeMoves(data []byte) ([]arena.MoveRecord, error) {
	if len(data) == 0 {
		return nil, errMoves
	}
	body := data[1:]
	switch data[0] {
	case formPlain:
	case formDeflated:
		r := flate.NewReader(bytes.NewReader(body))
		var err error
		if body, err = io.ReadAll(r); err != nil {
			return nil, fmt.Errorf("%w: %w", errMoves, err)
		}
	default:
		return nil, fmt.Errorf("%w: unknown form %d", errMoves, data[0])
	}
	rd := bytes.NewReader(body)
	count, err := binary.ReadUvarint(rd)
	if err != nil || count > uint64(len(body)) {
		return nil, errMoves
	}
	length, err := binary.ReadUvarint(rd)
	if err != nil || length > uint64(rd.Len()) {
		return nil, errMoves
	}
	at := len(body) - rd.Len()
	words := strings.Fields(string(body[at : at+int(length)])) //nolint:gosec // within the body
	if uint64(len(words)) != count {
		return nil, errMoves
	}
	rd.Reset(body[at+int(length):]) //nolint:gosec // within the body
	moves := make([]arena.MoveRecord, count)
	for i := range moves {
		v, err := binary.ReadUvarint(rd)
		if err != nil || v > math.MaxInt64/1000 {
			return nil, errMoves
		}
		moves[i].Move, moves[i].Time = words[i], time.Duration(v)*time.Microsecond //nolint:gosec // checked
	}
	for _, set := range []func(*arena.MoveRecord, int64){
		func(m *arena.MoveRecord, depth int64) { m.Depth = int(depth) },
		func(m *arena.MoveRecord, nodes int64) { m.Nodes = nodes },
		unpackScore,
	} {
		for i := range moves {
			v, err := binary.ReadVarint(rd)
			if err != nil {
				return nil, errMoves
			}
			set(&moves[i], v)
		}
	}
	return moves, nil
}

// unpackScore decodes what packScore encoded.
func unpackScore(m *arena.MoveRecord, packed int64) {
	if packed&1 == 1 {
		m.HasScore, m.Mate, m.Score = true, packed&2 != 0, int(packed>>2)
	}
}

// gameHash returns a hash that is equal for games that are equal move for move between
// the same versions on the same sides: 0 for a game without moves. Among a million
// different games, two have the same hash with a chance of 1 in 30 million.
func gameHash(first, second int64, position, opening string, moves []arena.MoveRecord) int64 {
	if len(moves) == 0 {
		return 0
	}
	key := binary.AppendVarint(nil, first)
	key = binary.AppendVarint(key, second)
	// The length goes first, so that no two texts run together to the same bytes.
	// Moves are single words: the opening's and the game's are one line.
	key = binary.AppendUvarint(key, uint64(len(position)))
	key = append(key, position...)
	for _, m := range strings.Fields(opening) {
		key = append(append(key, m...), ' ')
	}
	for _, m := range moves {
		key = append(append(key, m.Move...), ' ')
	}
	sum := sha256.Sum256(key)
	return int64(max(1, binary.BigEndian.Uint64(sum[:])>>1)) //nolint:gosec // 63 bits
}
