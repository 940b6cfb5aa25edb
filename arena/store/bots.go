package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"botarena/arena"
	"botarena/engine"
	"botarena/engine/nearest"
)

// version returns the row of b's version, a new one where the fingerprint is
// new under that name.
func (s *Store) version(ctx context.Context, tx *sql.Tx, b arena.Bot) (id int64, err error) {
	if _, err := tx.ExecContext(ctx, "INSERT INTO bots (name) VALUES (?) ON CONFLICT DO NOTHING", b.Name); err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO versions (bot, number, fingerprint, label, created)
		SELECT b.id, (SELECT count(*) + 1 FROM versions v WHERE v.bot = b.id), ?, ?, ? FROM bots b WHERE b.name = ?
		ON CONFLICT (bot, fingerprint) DO NOTHING`, b.Fingerprint, b.Version, s.now(), b.Name); err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, "SELECT v.id FROM versions v JOIN bots b ON b.id = v.bot WHERE b.name = ? AND v.fingerprint = ?",
		b.Name, b.Fingerprint).Scan(&id)
	return id, err
}

// HasVersion reports whether a bot of that name and fingerprint ever entered an
// event.
func (s *Store) HasVersion(ctx context.Context, bot, fingerprint string) (bool, error) {
	var n int
	err := s.snapshot(ctx, "read versions", func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT count(*) FROM versions v JOIN bots b ON b.id = v.bot WHERE b.name = ? AND v.fingerprint = ?",
			bot, fingerprint).Scan(&n)
	})
	return n > 0, err
}

// A Version is a bot with one fingerprint.
type Version struct {
	Bot         string
	Number      int // 1-based, in the order in which they were seen
	Fingerprint string
	Label       string // the version's own name, where it has one
	Created     time.Time
}

// Versions lists the versions of all bots that ever entered an event.
func (s *Store) Versions(ctx context.Context) ([]Version, error) {
	var list []Version
	err := s.snapshot(ctx, "read versions", func(tx *sql.Tx) error {
		return each(ctx, tx, `SELECT b.name, v.number, v.fingerprint, v.label, v.created
			FROM versions v JOIN bots b ON b.id = v.bot ORDER BY b.name, v.number`, nil, func(rows *sql.Rows) error {
			var (
				v       Version
				created int64
			)
			if err := rows.Scan(&v.Bot, &v.Number, &v.Fingerprint, &v.Label, &created); err != nil {
				return err
			}
			v.Created = moment(created)
			list = append(list, v)
			return nil
		})
	})
	return list, err
}

// A Step is one game in a bot's incremental Elo.
type Step struct {
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

// History lists a bot's rated games, by event and in schedule order. The error
// is an *UnknownBotError where no such bot ever entered an event.
func (s *Store) History(ctx context.Context, bot string) ([]Step, error) {
	var list []Step
	err := s.snapshot(ctx, "read history", func(tx *sql.Tx) error {
		err := each(ctx, tx, `SELECT e.name, g.game, g.number, g.start, v.number, o.name, l.side, g.result, l.rating, l.change, l.games
			FROM bots b JOIN versions v ON v.bot = b.id
			JOIN games g ON g.first = v.id OR g.second = v.id
			JOIN elo l ON l.event = g.event AND l.number = g.number AND l.side = CASE v.id WHEN g.first THEN 1 ELSE 2 END
			JOIN events e ON e.id = g.event
			JOIN versions w ON w.id = CASE v.id WHEN g.first THEN g.second ELSE g.first END JOIN bots o ON o.id = w.bot
			WHERE b.name = ? ORDER BY e.id, g.number`, []any{bot}, func(rows *sql.Rows) error {
			var (
				st   Step
				at   int64
				side int8
			)
			if err := rows.Scan(&st.Event, &st.Game, &st.Number, &at, &st.Version, &st.Opponent, &side, &st.Result, &st.Rating, &st.Change, &st.Games); err != nil {
				return err
			}
			st.At, st.Side = moment(at), engine.Side(side-1)
			list = append(list, st)
			return nil
		})
		if err != nil || len(list) > 0 {
			return err
		}
		return knownBot(ctx, tx, bot, "SELECT name FROM bots")
	})
	return list, err
}

// knownBot returns an *UnknownBotError where bot is not among the names.
func knownBot(ctx context.Context, q querier, bot, query string) error {
	names, err := readNames(ctx, q, query)
	if err != nil || slices.Contains(names, bot) {
		return err
	}
	return &UnknownBotError{Name: bot, Nearest: nearest.Of(bot, names)}
}

// A Registered bot is one that a person named once, to enter it by name.
type Registered struct {
	Name    string
	Spec    []byte // JSON
	Created time.Time
	Updated time.Time
}

// Register keeps a bot's spec (JSON) under its name, in place of an older one.
func (s *Store) Register(ctx context.Context, name string, spec []byte) error {
	return s.update(ctx, "register bot "+name, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO registry (name, spec, created, updated) VALUES (?1, ?2, ?3, ?3)
			ON CONFLICT (name) DO UPDATE SET spec = excluded.spec, updated = excluded.updated`, name, string(spec), s.now())
		return err
	})
}

// Unregister forgets a registered bot; its games stay. The error is an
// *UnknownBotError where there is none.
func (s *Store) Unregister(ctx context.Context, name string) error {
	return s.update(ctx, "remove bot "+name, func(ctx context.Context, tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, "DELETE FROM registry WHERE name = ?", name)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return knownBot(ctx, tx, name, "SELECT name FROM registry")
	})
}

// RenameRegistered gives a registered bot another name; its games keep the old
// one. The error is an *UnknownBotError where there is none of that name, and
// ErrRegistered where the new name is taken.
func (s *Store) RenameRegistered(ctx context.Context, name, to string) error {
	return s.update(ctx, "rename bot "+name, func(ctx context.Context, tx *sql.Tx) error {
		var taken int
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM registry WHERE name = ?", to).Scan(&taken); err != nil {
			return err
		}
		if taken > 0 {
			return fmt.Errorf("bot %q: %w", to, ErrRegistered)
		}
		res, err := tx.ExecContext(ctx, "UPDATE registry SET name = ?, updated = ? WHERE name = ?", to, s.now(), name)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return knownBot(ctx, tx, name, "SELECT name FROM registry")
	})
}

// Registry lists the registered bots by name.
func (s *Store) Registry(ctx context.Context) ([]Registered, error) {
	var list []Registered
	err := s.snapshot(ctx, "read the registry of bots", func(tx *sql.Tx) (err error) {
		list, err = readRegistry(ctx, tx, "")
		return err
	})
	return list, err
}

// RegisteredBot returns one registered bot, or an *UnknownBotError.
func (s *Store) RegisteredBot(ctx context.Context, name string) (*Registered, error) {
	var found *Registered
	err := s.snapshot(ctx, "read the registry of bots", func(tx *sql.Tx) error {
		list, err := readRegistry(ctx, tx, "WHERE name = ?", name)
		switch {
		case err != nil:
			return err
		case len(list) == 0:
			return knownBot(ctx, tx, name, "SELECT name FROM registry")
		}
		found = &list[0]
		return nil
	})
	return found, err
}

func readRegistry(ctx context.Context, q querier, where string, args ...any) ([]Registered, error) {
	var list []Registered
	err := each(ctx, q, "SELECT name, spec, created, updated FROM registry "+where+" ORDER BY name", args, func(rows *sql.Rows) error {
		var (
			r                Registered
			created, updated int64
		)
		if err := rows.Scan(&r.Name, &r.Spec, &created, &updated); err != nil {
			return err
		}
		r.Created, r.Updated = moment(created), moment(updated)
		list = append(list, r)
		return nil
	})
	return list, err
}

// A RatingLine is how a bot's incremental Elo went in one event.
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

// Ratings returns how a bot's incremental Elo went in each event, at most so many
// points of each: evenly spread games where there are more, the first and the
// last among them. Reading them takes as long for a million games as for a
// thousand.
func (s *Store) Ratings(ctx context.Context, bot string, most int) ([]RatingLine, error) {
	var list []RatingLine
	err := s.snapshot(ctx, "read ratings", func(tx *sql.Tx) error {
		type part struct {
			event, version, first, last int64
		}
		var parts []part
		err := each(ctx, tx, `SELECT e.id, e.name, e.game, e.elo_start, v.id, v.number, e.rated
			FROM bots b JOIN versions v ON v.bot = b.id JOIN entries n ON n.version = v.id JOIN events e ON e.id = n.event
			WHERE b.name = ? AND e.rated > 0 AND n.games > 0 ORDER BY e.id, v.id`, []any{bot}, func(rows *sql.Rows) error {
			var (
				l RatingLine
				p part
			)
			p.first = 1
			if err := rows.Scan(&p.event, &l.Event, &l.Game, &l.Start, &p.version, &l.Version, &p.last); err != nil {
				return err
			}
			list, parts = append(list, l), append(parts, p)
			return nil
		})
		if err != nil {
			return err
		}
		// The bot's game at a number or after it, from the index of either side.
		next, err := tx.PrepareContext(ctx, `SELECT l.number, l.games, l.rating FROM (
				SELECT number, 1 AS side FROM (SELECT number FROM games WHERE first = ?1 AND event = ?2 AND number >= ?3 ORDER BY number LIMIT 1)
				UNION ALL
				SELECT number, 2 FROM (SELECT number FROM games WHERE second = ?1 AND event = ?2 AND number >= ?3 ORDER BY number LIMIT 1)
			) g JOIN elo l ON l.event = ?2 AND l.number = g.number AND l.side = g.side ORDER BY l.number LIMIT 1`)
		if err != nil {
			return err
		}
		defer func() { _ = next.Close() }()
		last, err := tx.PrepareContext(ctx, `SELECT l.number, l.games, l.rating FROM (
				SELECT number, 1 AS side FROM (SELECT number FROM games WHERE first = ?1 AND event = ?2 AND number <= ?3 ORDER BY number DESC LIMIT 1)
				UNION ALL
				SELECT number, 2 FROM (SELECT number FROM games WHERE second = ?1 AND event = ?2 AND number <= ?3 ORDER BY number DESC LIMIT 1)
			) g JOIN elo l ON l.event = ?2 AND l.number = g.number AND l.side = g.side ORDER BY l.number DESC LIMIT 1`)
		if err != nil {
			return err
		}
		defer func() { _ = last.Close() }()
		for i := range list {
			p := parts[i]
			var end RatingPoint
			err := last.QueryRowContext(ctx, p.version, p.event, p.last).Scan(&end.Number, &end.Games, &end.Rating)
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			p.last = int64(end.Number)
			step := max(1, float64(p.last-p.first)/float64(max(1, most-1)))
			for at := float64(p.first); ; at += step {
				var pt RatingPoint
				err := next.QueryRowContext(ctx, p.version, p.event, min(int64(at), p.last)).Scan(&pt.Number, &pt.Games, &pt.Rating)
				if errors.Is(err, sql.ErrNoRows) {
					break
				}
				if err != nil {
					return err
				}
				list[i].Points = append(list[i].Points, pt)
				at = max(at, float64(pt.Number)) // none in between
				if int64(at) >= p.last {
					break
				}
			}
		}
		return nil
	})
	return list, err
}
