package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"botarena/arena"
	"botarena/engine"
)

// An EloStep is one game in a bot's incremental Elo.
type EloStep struct {
	Event    string
	Game     string // canonical name of the game
	Number   int    // of the game in its event
	At       time.Time
	Version  int // of the bot
	Opponent string
	Side     engine.Side
	Result   arena.Result // from the first side's view
	Rating   float64      // after the game
	Change   float64
	Games    int // rated games of the bot in this event, this one included
}

// History lists a bot's rated games of an event, or of all events that are not
// archived if event is "", by event and in schedule order. The error is an
// *UnknownBotError if no such bot ever entered an event, and an *UnknownEventError if
// there is no such event.
func (s *Store) History(ctx context.Context, bot, event string) ([]EloStep, error) {
	return read(ctx, s, "read history", func(tx *sql.Tx) ([]EloStep, error) {
		if err := knownBot(ctx, tx, bot, "SELECT name FROM bots"); err != nil {
			return nil, err
		}
		where, args := countedEvents(event, "")
		events, err := readEvents(ctx, tx, where, args...)
		if err != nil {
			return nil, err
		}
		if event != "" && len(events) == 0 {
			return nil, unknownEvent(ctx, tx, event)
		}
		versions, err := readVersions(ctx, tx)
		if err != nil {
			return nil, err
		}
		own, err := versionsOf(ctx, tx, bot)
		if err != nil || len(own) == 0 {
			return nil, err
		}
		// A part for each version and side, in the order of its index: merging them sorts
		// nothing.
		var parts []string
		for _, id := range own {
			for i, side := range []string{"first", "second"} {
				other := []string{"second", "first"}[i]
				parts = append(parts, fmt.Sprintf(`SELECT number, game, start, %[1]s, %[2]s, %[3]d, result, rating_%[1]s, change_%[1]s, rated_%[1]s
					FROM games WHERE %[1]s = %[4]d AND event = ?1 AND number <= ?2`, side, other, i, id))
			}
		}
		query := strings.Join(parts, " UNION ALL ") + " ORDER BY 1"
		var steps []EloStep
		for i := range events {
			err := each(ctx, tx, query, []any{events[i].ID, events[i].Rated}, func(rows *sql.Rows) error {
				var version, opponent int64
				st := EloStep{Event: events[i].Name}
				err := rows.Scan(&st.Number, &st.Game, (*moment)(&st.At), &version, &opponent, &st.Side, &st.Result, &st.Rating, &st.Change, &st.Games)
				st.Version, st.Opponent = versions[version].Version, versions[opponent].Name
				steps = append(steps, st)
				return err
			})
			if err != nil {
				return nil, err
			}
		}
		return steps, nil
	})
}

// A RatingLine is a bot's incremental Elo in one event.
type RatingLine struct {
	Event   string
	Game    string // canonical name of the game
	Version int    // of the bot
	Start   float64
	Points  []RatingPoint // in the order of the schedule
}

// A RatingPoint is the rating after a game.
type RatingPoint struct {
	Number int // of the game in its event
	Games  int // rated games of the bot until then
	Rating float64
}

// Ratings returns the course of a bot's incremental Elo in each event, with at most
// most points each: evenly spread games if there are more, the first and the last among
// them. The time to read them does not grow with the games.
func (s *Store) Ratings(ctx context.Context, bot string, most int) ([]RatingLine, error) {
	return read(ctx, s, "read ratings", func(tx *sql.Tx) ([]RatingLine, error) {
		type span struct {
			RatingLine
			event, version int64
			rated          int
		}
		spans, err := list(ctx, tx, `SELECT e.id, e.name, e.game, e.elo_start, v.id, v.number, e.rated
			FROM bots b JOIN versions v ON v.bot = b.id JOIN entries n ON n.version = v.id JOIN events e ON e.id = n.event
			WHERE b.name = ? AND e.rated > 0 AND n.games > 0 ORDER BY e.id, v.id`, []any{bot}, func(rows *sql.Rows, p *span) error {
			return rows.Scan(&p.event, &p.Event, &p.Game, &p.Start, &p.version, &p.Version, &p.rated)
		})
		if err != nil {
			return nil, err
		}
		// The bot's game at a number or after it, or before it, from the index of either side.
		nearest := func(compare, order string) string {
			return strings.NewReplacer("<", compare, "ORDER", "ORDER BY number "+order).Replace(`SELECT * FROM (
				SELECT * FROM (SELECT number, rated_first, rating_first FROM games WHERE first = ?1 AND event = ?2 AND number < ?3 ORDER LIMIT 1)
				UNION ALL
				SELECT * FROM (SELECT number, rated_second, rating_second FROM games WHERE second = ?1 AND event = ?2 AND number < ?3 ORDER LIMIT 1)) ORDER LIMIT 1`)
		}
		next, err := tx.PrepareContext(ctx, nearest(">=", ""))
		if err != nil {
			return nil, err
		}
		defer func() { _ = next.Close() }()
		var lines []RatingLine
		for _, p := range spans {
			point := func(row *sql.Row) (to RatingPoint, err error) {
				return to, row.Scan(&to.Number, &to.Games, &to.Rating)
			}
			end, err := point(tx.QueryRowContext(ctx, nearest("<=", "DESC"), p.version, p.event, p.rated))
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return nil, err
			}
			step := max(1, float64(end.Number-1)/float64(max(1, most-1)))
			for at, last := 1.0, 0; last < end.Number; at += step {
				to, err := point(next.QueryRowContext(ctx, p.version, p.event, min(int(at), end.Number)))
				if err != nil {
					return nil, err
				}
				p.Points = append(p.Points, to)
				last = to.Number
				at = max(at, float64(last)) // none in between
			}
			lines = append(lines, p.RatingLine)
		}
		return lines, nil
	})
}
