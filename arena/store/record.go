package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"botarena/arena"
	"botarena/arena/rating"
)

func (st *statements) prepare(ctx context.Context, db *sql.DB) error {
	for _, p := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&st.fence, "SELECT 1 FROM holds WHERE id = ?"},
		{&st.insert, `INSERT INTO games (event, number, round, pair, stage, game, first, second, opening_name, opening_position, opening_moves, options)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`},
		{&st.find, "SELECT id, first, second, opening_position, opening_moves, result FROM games WHERE event = ? AND number = ?"},
		{&st.result, `UPDATE games SET result = ?, reason = ?, detail = ?,
			blame = CASE ? WHEN 0 THEN 0 WHEN first THEN 1 WHEN second THEN 2 END,
			plies = ?, start = ?, wall = ?, cpu_first = ?, cpu_second = ?, offturn_first = ?, offturn_second = ?, hash = ?, worker = ?, factor = ? WHERE id = ?`},
		{&st.moves, "INSERT INTO moves (game, data) VALUES (?, ?)"},
		{&st.rated, "SELECT rated, state FROM events WHERE id = ?"},
		// The + keeps the planner from looking at the value, for the partial indexes: it
		// would prepare the statement anew each time.
		{&st.next, "SELECT id, number, first, second, result FROM games WHERE event = ? AND number > +? ORDER BY number LIMIT 1"},
		{&st.entry, "SELECT rating, games FROM entries WHERE event = ? AND version = ?"},
		{&st.setEntry, "UPDATE entries SET rating = ?, games = ? WHERE event = ? AND version = ?"},
		{&st.rate, `UPDATE games SET rating_first = ?, change_first = ?, rated_first = ?, rating_second = ?, change_second = ?, rated_second = ? WHERE id = ?`},
		{&st.setRated, "UPDATE events SET rated = ?, state = 'running' WHERE id = ?"},
	} {
		var err error
		if *p.stmt, err = db.PrepareContext(ctx, p.text); err != nil {
			return err
		}
	}
	return nil
}

// Append plans games, all of them or none: rows without a result. Their numbers
// continue those planned before; both bots must have entered the event. The games'
// Event and results are ignored.
func (h *Hold) Append(ctx context.Context, games []arena.Game) error {
	return h.update(ctx, "plan games of event "+h.name, func(ctx context.Context, tx *sql.Tx) error {
		return h.append(ctx, tx, games)
	})
}

func (h *Hold) append(ctx context.Context, tx *sql.Tx, games []arena.Game) error {
	var last int
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(number), 0) FROM games WHERE event = ?", h.event).Scan(&last); err != nil {
		return err
	}
	insert := tx.StmtContext(ctx, h.s.stmt.insert)
	for i := range games {
		g := &games[i]
		if last++; g.Number != last {
			return fmt.Errorf("game %d cannot be planned as number %d", g.Number, last)
		}
		if err := h.plan(ctx, insert, g); err != nil {
			return err
		}
	}
	return nil
}

// plan inserts one game without a result.
func (h *Hold) plan(ctx context.Context, insert *sql.Stmt, g *arena.Game) error {
	first, second, set, err := h.fixed(g)
	if err != nil {
		return err
	}
	_, err = insert.ExecContext(ctx, h.event, g.Number, g.Round, g.Pair, g.Stage, g.Game, first, second,
		g.Opening.Name, g.Opening.Position, strings.Join(g.Opening.Moves, " "), set)
	return err
}

// fixed returns the columns of a game that do not stand in it so: the versions of its bots,
// and their options.
func (h *Hold) fixed(g *arena.Game) (first, second int64, set string, err error) {
	if first, err = h.version(g.First); err == nil {
		second, err = h.version(g.Second)
	}
	if err == nil {
		set, err = options(g.Options).text()
	}
	return first, second, set, err
}

func (h *Hold) version(bot string) (int64, error) {
	id, ok := h.versions[bot]
	if !ok {
		return 0, fmt.Errorf("bot %q has not entered event %q", bot, h.name)
	}
	return id, nil
}

// Finish records the results of the planned games of those numbers, with everything
// that the play filled in, in one transaction that is on disk when it returns: all of
// them or none. The incremental Elo is brought up to the last game before the first one
// that is unplayed. The error is ErrPlayed if one of the games has a result already,
// and a *RevokedError if its worker was revoked.
func (h *Hold) Finish(ctx context.Context, games ...*arena.Game) error {
	moves := make([][]byte, len(games))
	for i, g := range games {
		var err error
		if moves[i], err = h.s.encodeMoves(g.Moves); err != nil {
			return fmt.Errorf("game %d: %w", g.Number, err)
		}
	}
	what := "no game"
	if len(games) > 0 {
		what = fmt.Sprintf("game %d", games[0].Number)
	}
	if n := len(games); n > 1 {
		what += fmt.Sprintf(" and %d more", n-1)
	}
	return h.update(ctx, fmt.Sprintf("record %s of event %s", what, h.name), func(ctx context.Context, tx *sql.Tx) error {
		workers := map[string]int64{}
		for i, g := range games {
			worker, known := workers[g.Worker]
			if !known {
				var err error
				if worker, err = h.s.workerID(ctx, tx, g.Worker); err != nil {
					return err
				}
				workers[g.Worker] = worker
			}
			if err := h.finish(ctx, tx, g, worker, moves[i]); err != nil {
				return err
			}
		}
		return h.rate(ctx, tx)
	})
}

func (h *Hold) finish(ctx context.Context, tx *sql.Tx, g *arena.Game, worker int64, moves []byte) error {
	if g.Result == arena.Unplayed {
		return errors.New("a game without a result is not finished")
	}
	var (
		blame int64
		err   error
	)
	if g.Blame != "" {
		if blame, err = h.version(g.Blame); err != nil {
			return err
		}
	}
	var (
		id, first, second int64
		position, opening string
		result            arena.Result
	)
	err = tx.StmtContext(ctx, h.s.stmt.find).QueryRowContext(ctx, h.event, g.Number).Scan(&id, &first, &second, &position, &opening, &result)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return h.notPlanned(g.Number)
	case err != nil:
		return err
	case result != arena.Unplayed:
		return ErrPlayed
	}
	if _, err := tx.StmtContext(ctx, h.s.stmt.result).ExecContext(ctx, string(g.Result), string(g.Reason), g.Detail, blame,
		g.Plies, g.Start.UnixMicro(), g.Wall.Microseconds(), g.CPU[0].Microseconds(), g.CPU[1].Microseconds(),
		g.OffTurn[0].Microseconds(), g.OffTurn[1].Microseconds(),
		gameHash(first, second, position, opening, g.Moves), worker, g.Factor, id); err != nil {
		return err
	}
	_, err = tx.StmtContext(ctx, h.s.stmt.moves).ExecContext(ctx, id, moves)
	return err
}

// whyNot reports why an unplayed game of that number was not found.
func (h *Hold) whyNot(ctx context.Context, tx *sql.Tx, number int) error {
	var result string
	err := tx.QueryRowContext(ctx, "SELECT result FROM games WHERE event = ? AND number = ?", h.event, number).Scan(&result)
	if errors.Is(err, sql.ErrNoRows) {
		return h.notPlanned(number)
	}
	if err != nil {
		return err
	}
	return ErrPlayed
}

func (h *Hold) notPlanned(number int) error {
	return fmt.Errorf("event %q has no game %d planned", h.name, number)
}

// rate brings the incremental Elo up to the last game before the first unplayed
// one, in schedule order.
func (h *Hold) rate(ctx context.Context, tx *sql.Tx) error {
	var (
		rated int
		state string
	)
	if err := tx.StmtContext(ctx, h.s.stmt.rated).QueryRowContext(ctx, h.event).Scan(&rated, &state); err != nil {
		return err
	}
	before := rated
	standings := map[int64]rating.Standing{}
	standing := func(version int64) (rating.Standing, error) {
		if s, ok := standings[version]; ok {
			return s, nil
		}
		var s rating.Standing
		err := tx.StmtContext(ctx, h.s.stmt.entry).QueryRowContext(ctx, h.event, version).Scan(&s.Rating, &s.Games)
		return s, err
	}
	next, rate := tx.StmtContext(ctx, h.s.stmt.next), tx.StmtContext(ctx, h.s.stmt.rate)
	for {
		var (
			game   int64
			number int
			ids    [2]int64
			result arena.Result
		)
		err := next.QueryRowContext(ctx, h.event, rated).Scan(&game, &number, &ids[0], &ids[1], &result)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		points, played := result.Score()
		if err != nil || !played {
			break
		}
		rated = number
		var old, now [2]rating.Standing
		for i, id := range ids {
			if old[i], err = standing(id); err != nil {
				return err
			}
		}
		now[0], now[1] = h.elo.Update(old[0], old[1], rating.Score(2*points))
		standings[ids[0]], standings[ids[1]] = now[0], now[1]
		if _, err := rate.ExecContext(ctx, append(steps(old, now), game)...); err != nil {
			return err
		}
	}
	for version, s := range standings {
		if _, err := tx.StmtContext(ctx, h.s.stmt.setEntry).ExecContext(ctx, s.Rating, s.Games, h.event, version); err != nil {
			return err
		}
	}
	if rated == before && state != string(Planned) {
		return nil
	}
	_, err := tx.StmtContext(ctx, h.s.stmt.setRated).ExecContext(ctx, rated, h.event)
	return err
}

// steps returns the values of the columns rating_first to rated_second of a game.
func steps(old, now [2]rating.Standing) []any {
	return []any{
		now[0].Rating, now[0].Rating - old[0].Rating, now[0].Games,
		now[1].Rating, now[1].Rating - old[1].Rating, now[1].Games,
	}
}

// Void records an attempt at a game that nobody was at fault for: the game stays
// unplayed. It returns how many such attempts there were.
func (h *Hold) Void(ctx context.Context, number int, detail string) (attempts int, err error) {
	err = h.update(ctx, fmt.Sprintf("record a void attempt at game %d of event %s", number, h.name), func(ctx context.Context, tx *sql.Tx) error {
		var id int64
		err := tx.QueryRowContext(ctx, `UPDATE games SET attempts = attempts + 1
			WHERE event = ? AND number = ? AND result = '' RETURNING id, attempts`, h.event, number).Scan(&id, &attempts)
		if errors.Is(err, sql.ErrNoRows) {
			return h.whyNot(ctx, tx, number)
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO voids (game, attempt, at, detail) VALUES (?, ?, ?, ?)", id, attempts, h.s.now(), detail)
		return err
	})
	return attempts, err
}

// Drop removes the planned games with numbers above after, if an event ends before its
// schedule does. It is an error if one of them has a result.
func (h *Hold) Drop(ctx context.Context, after int) error {
	return h.update(ctx, "shorten event "+h.name, func(ctx context.Context, tx *sql.Tx) error {
		var played int
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM games WHERE event = ? AND number > ? AND result <> ''", h.event, after).Scan(&played); err != nil {
			return err
		}
		if played > 0 {
			return fmt.Errorf("%d games after number %d have results", played, after)
		}
		return h.remove(ctx, tx, "number > ?2", after)
	})
}

// remove removes the games of the event for which a term of SQL with ?2 holds, and their
// void attempts.
func (h *Hold) remove(ctx context.Context, tx *sql.Tx, which string, arg any) error {
	which = "event = ?1 AND " + which
	if _, err := tx.ExecContext(ctx, "DELETE FROM voids WHERE game IN (SELECT id FROM games WHERE "+which+")", h.event, arg); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM games WHERE "+which, h.event, arg)
	return err
}

// A VoidAttempt is an attempt at a game that did not count.
type VoidAttempt struct {
	Number  int // of the game in its event
	Attempt int // 1-based
	At      time.Time
	Detail  string
}

// Voids lists the void attempts of an event, in the order of games; of one of its
// games if number is not 0.
func (s *Store) Voids(ctx context.Context, event string, number int) ([]VoidAttempt, error) {
	last := number
	if number == 0 {
		last = math.MaxInt
	}
	return readList(ctx, s, "read void attempts", `SELECT g.number, v.attempt, v.at, v.detail FROM voids v
		JOIN games g ON g.id = v.game JOIN events e ON e.id = g.event
		WHERE e.name = ? AND g.number BETWEEN ? AND ? ORDER BY g.number, v.attempt`, []any{event, number, last}, func(rows *sql.Rows, v *VoidAttempt) error {
		return rows.Scan(&v.Number, &v.Attempt, (*moment)(&v.At), &v.Detail)
	})
}
