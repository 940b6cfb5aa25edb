package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"botarena/arena"
)

// gameHash tells games apart that are not the same move for move between the
// same versions on the same sides: 0 for a game without moves. Of a million
// games, two that differ have the same one with a chance of 1 in 30 million.
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

// fillHashes computes the hashes of the finished games of an old database.
func fillHashes(ctx context.Context, tx *sql.Tx, notice func(string)) error {
	const batch, every = 2_000, 100_000
	update, err := tx.PrepareContext(ctx, "UPDATE games SET hash = ? WHERE id = ?")
	if err != nil {
		return err
	}
	defer func() { _ = update.Close() }()
	type game struct{ id, hash int64 }
	done := 0
	for last := int64(-1); ; {
		var games []game
		// Rows are read before any is changed: one statement at a time on one connection.
		rows, err := tx.QueryContext(ctx, `SELECT g.id, g.first, g.second, g.opening_position, g.opening_moves, m.data
			FROM games g JOIN moves m ON m.game = g.id WHERE g.id > ? ORDER BY g.id LIMIT ?`, last, batch)
		if err != nil {
			return err
		}
		for rows.Next() {
			var (
				g                 game
				first, second     int64
				position, opening string
				data              sql.RawBytes
			)
			if err := rows.Scan(&g.id, &first, &second, &position, &opening, &data); err != nil {
				_ = rows.Close()
				return err
			}
			// Damaged moves cost nothing but this game's place among the repeats.
			moves, _ := decodeMoves(data)
			g.hash = gameHash(first, second, position, opening, moves)
			games = append(games, g)
		}
		if err := rows.Close(); err != nil {
			return err
		}
		if err := rows.Err(); err != nil {
			return err
		}
		if len(games) == 0 {
			return nil
		}
		last = games[len(games)-1].id
		if done += len(games); done%every == 0 {
			notice(fmt.Sprintf("looked at the moves of %d games", done))
		}
		games = slices.DeleteFunc(games, func(g game) bool { return g.hash == 0 })
		for _, g := range games {
			if _, err := update.ExecContext(ctx, g.hash, g.id); err != nil {
				return err
			}
		}
	}
}
