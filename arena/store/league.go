package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"botarena/arena"
)

// VoidResults takes back the results of games, all of them or none, and keeps them in
// the list that Voided returns. The games are unplayed again, or removed if one of the
// bots is withdrawn; the incremental Elo continues from before them. It is an error if
// a game has no result.
func (h *Hold) VoidResults(ctx context.Context, numbers []int, withdrawn func(bot string) bool, why string) error {
	if len(numbers) == 0 {
		return nil
	}
	return h.update(ctx, "void games of event "+h.name, func(ctx context.Context, tx *sql.Tx) error {
		names := map[int64]string{}
		for name, id := range h.versions {
			names[id] = name
		}
		for _, n := range numbers {
			if err := h.voidResult(ctx, tx, n, why, func(id int64) bool { return withdrawn(names[id]) }); err != nil {
				return fmt.Errorf("game %d: %w", n, err)
			}
		}
		if err := h.unrate(ctx, tx, slices.Min(numbers)); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE events SET finished = 0, state = 'running' WHERE id = ?", h.event); err != nil {
			return err
		}
		return h.rate(ctx, tx)
	})
}

// unrate resets the incremental Elo to the state before the game of that number.
func (h *Hold) unrate(ctx context.Context, tx *sql.Tx, number int) error {
	n, err := changed(ctx, tx, "UPDATE events SET rated = ?2 - 1 WHERE id = ?1 AND rated >= ?2", h.event, number)
	if err != nil || n == 0 {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE entries SET (rating, games) = (SELECT rating, rated FROM (
			SELECT * FROM (SELECT number, rating_first AS rating, rated_first AS rated FROM games
				WHERE first = entries.version AND event = entries.event AND number < ?2 ORDER BY number DESC LIMIT 1)
			UNION ALL
			SELECT * FROM (SELECT number, rating_second, rated_second FROM games
				WHERE second = entries.version AND event = entries.event AND number < ?2 ORDER BY number DESC LIMIT 1)
			UNION ALL
			SELECT 0, elo_start, 0 FROM events WHERE id = entries.event
		) ORDER BY number DESC LIMIT 1) WHERE event = ?1`, h.event, number)
	return err
}

func (h *Hold) voidResult(ctx context.Context, tx *sql.Tx, number int, why string, withdrawn func(version int64) bool) error {
	var (
		id, first, second int64
		g                 arena.Game
		moves, set        string
	)
	err := tx.QueryRowContext(ctx, `SELECT id, first, second, result, round, pair, stage, game, opening_name, opening_position, opening_moves, attempts, options
		FROM games WHERE event = ? AND number = ?`, h.event, number).
		Scan(&id, &first, &second, &g.Result, &g.Round, &g.Pair, &g.Stage, &g.Game, &g.Opening.Name, &g.Opening.Position, &moves, &g.Attempts, &set)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return h.notPlanned(number)
	case err != nil:
		return err
	case g.Result == arena.Unplayed:
		return errors.New("has no result to void")
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO voided
		(event, number, at, why, first, second, result, reason, detail, blame, plies, start, wall, cpu_first, cpu_second, moves, worker)
		SELECT g.event, g.number, ?, ?, g.first, g.second, g.result, g.reason, g.detail, g.blame, g.plies, g.start, g.wall,
		g.cpu_first, g.cpu_second, m.data, g.worker FROM games g JOIN moves m ON m.game = g.id WHERE g.id = ?`, h.s.now(), why, id); err != nil {
		return err
	}
	again := !withdrawn(first) && !withdrawn(second)
	// Its void attempts are without a game for a moment.
	if _, err := tx.ExecContext(ctx, "PRAGMA defer_foreign_keys = ON"); err != nil {
		return err
	}
	queries := []string{"DELETE FROM moves WHERE game = ?", "DELETE FROM games WHERE id = ?"}
	if !again {
		queries = append(queries, "DELETE FROM voids WHERE game = ?")
	}
	for _, query := range queries {
		if _, err := tx.ExecContext(ctx, query, id); err != nil {
			return err
		}
	}
	if !again {
		return nil
	}
	// A result never changes, whoever writes (see games_once): the game to be played
	// again is a new row in the old one's place, so that its void attempts stay its.
	_, err = tx.ExecContext(ctx, `INSERT INTO games
		(id, event, number, round, pair, stage, game, first, second, opening_name, opening_position, opening_moves, attempts, options)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, id, h.event, number, g.Round, g.Pair, g.Stage, g.Game, first, second,
		g.Opening.Name, g.Opening.Position, moves, g.Attempts, set)
	return err
}

// A VoidedResult is a result that was taken back.
type VoidedResult struct {
	Event         string
	Number        int // of the game
	At            time.Time
	Why           string
	First, Second string
	Result        arena.Result
	Reason        arena.Reason
	Detail        string
	Moves         []arena.MoveRecord
}

// Voided lists the results that were taken back, of one event or, if it is empty, of
// all, in the order in which that was done.
func (s *Store) Voided(ctx context.Context, event string) (voided []VoidedResult, err error) {
	err = s.snapshot(ctx, "read voided games", func(tx *sql.Tx) error {
		if event != "" {
			if err := knownEvent(ctx, tx, event); err != nil {
				return err
			}
		}
		voided, err = list(ctx, tx, `SELECT e.name, v.number, v.at, v.why, b.name, c.name, v.result, v.reason, v.detail, v.moves
			FROM voided v JOIN events e ON e.id = v.event
			JOIN versions x ON x.id = v.first JOIN bots b ON b.id = x.bot
			JOIN versions y ON y.id = v.second JOIN bots c ON c.id = y.bot
			WHERE ?1 = '' OR e.name = ?1 ORDER BY v.id`, []any{event},
			func(rows *sql.Rows, v *VoidedResult) error {
				var moves []byte
				err := rows.Scan(&v.Event, &v.Number, (*moment)(&v.At), &v.Why, &v.First, &v.Second, &v.Result, &v.Reason, &v.Detail, &moves)
				if err != nil {
					return err
				}
				if v.Moves, err = decodeMoves(moves); err != nil {
					return fmt.Errorf("game %d of event %s: %w", v.Number, v.Event, err)
				}
				return nil
			})
		return err
	})
	return voided, err
}

// TakenBack returns a number that changes with each result of an event that is taken
// back, by the event's id.
func (s *Store) TakenBack(ctx context.Context, event int64) (n int64, err error) {
	err = s.snapshot(ctx, "read voided games", func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT coalesce(max(id), 0) FROM voided WHERE event = ?", event).Scan(&n)
	})
	return n, err
}

// Archive reports whether an event is left out of tables over several events. The error
// is an *UnknownEventError if there is none of that name.
func (s *Store) Archive(ctx context.Context, event string, archived bool) error {
	return s.update(ctx, "archive event "+event, func(ctx context.Context, tx *sql.Tx) error {
		var (
			id  int64
			was bool
		)
		err := tx.QueryRowContext(ctx, "SELECT id, archived FROM events WHERE name = ?", event).Scan(&id, &was)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return unknownEvent(ctx, tx, event)
		case err != nil || was == archived:
			return err
		case archived:
			if err := countElsewhere(ctx, tx, id, -1); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, "UPDATE events SET archived = ? WHERE id = ?", archived, id); err != nil || archived {
			return err
		}
		return countElsewhere(ctx, tx, id, 1)
	})
}

// countElsewhere adds the games of an event that is not archived to the repeats between
// events, or removes them: by is 1 or -1.
func countElsewhere(ctx context.Context, tx *sql.Tx, event int64, by int) error {
	_, err := tx.ExecContext(ctx, `UPDATE repeats SET elsewhere = elsewhere + ?1 * s.games FROM (
			SELECT counts_in, first, second, count(*) AS games FROM (SELECT DISTINCT hash, first, second, counts_in FROM shared WHERE event = ?2)
			GROUP BY counts_in, first, second) AS s
		WHERE repeats.event = s.counts_in AND repeats.first = s.first AND repeats.second = s.second`, by, event)
	return err
}

// Remove deletes the held event with everything recorded of it, and ends the hold. Bots
// and their versions stay known: their numbers are not reused.
func (h *Hold) Remove(ctx context.Context) error {
	return h.update(ctx, "remove event "+h.name, func(ctx context.Context, tx *sql.Tx) error {
		for _, query := range []string{
			"DELETE FROM moves WHERE game IN (SELECT id FROM games WHERE event = ?)",
			"DELETE FROM voids WHERE game IN (SELECT id FROM games WHERE event = ?)",
			"DELETE FROM voided WHERE event = ?",
			"DELETE FROM games WHERE event = ?",
			"DELETE FROM entries WHERE event = ?",
			"DELETE FROM holds WHERE event = ?",
			"DELETE FROM events WHERE id = ?",
		} {
			if _, err := tx.ExecContext(ctx, query, h.event); err != nil {
				return err
			}
		}
		return nil
	})
}
