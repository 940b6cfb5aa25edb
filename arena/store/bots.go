package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"botarena/arena"
	"botarena/engine/nearest"
)

// version returns the row of b's version, a new one if the fingerprint is new under
// that name.
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

// A Version is a bot with one fingerprint.
type Version struct {
	Bot         string
	Number      int // 1-based, in the order in which they were seen
	Fingerprint string
	Label       string // the version's own name, if it has one
	Created     time.Time
}

// Versions lists the versions of all bots that ever entered an event.
func (s *Store) Versions(ctx context.Context) ([]Version, error) {
	return readList(ctx, s, "read versions", `SELECT b.name, v.number, v.fingerprint, v.label, v.created
		FROM versions v JOIN bots b ON b.id = v.bot ORDER BY b.name, v.number`, nil, func(rows *sql.Rows, v *Version) error {
		return rows.Scan(&v.Bot, &v.Number, &v.Fingerprint, &v.Label, (*moment)(&v.Created))
	})
}

// readVersions returns the name and number of each version, by its id.
func readVersions(ctx context.Context, q querier) (map[int64]arena.BotVersion, error) {
	return byID(ctx, q, "SELECT v.id, b.name, v.number FROM versions v JOIN bots b ON b.id = v.bot",
		func(rows *sql.Rows, id *int64, v *arena.BotVersion) error { return rows.Scan(id, &v.Name, &v.Version) })
}

// CheckBot returns an *UnknownBotError if no bot of that name ever entered an event.
func (s *Store) CheckBot(ctx context.Context, bot string) error {
	_, err := read(ctx, s, "look for a bot", func(tx *sql.Tx) (struct{}, error) {
		return struct{}{}, knownBot(ctx, tx, bot, "SELECT b.name FROM bots b WHERE EXISTS (SELECT 1 FROM versions v WHERE v.bot = b.id)")
	})
	return err
}

// knownBot returns an *UnknownBotError if bot is not among the names.
func knownBot(ctx context.Context, q querier, bot, query string) error {
	names, err := list(ctx, q, query, nil, column[string])
	if err != nil || slices.Contains(names, bot) {
		return err
	}
	return &UnknownBotError{Name: bot, Nearest: nearest.Of(bot, names)}
}

// A Registered bot is one that was stored to be entered by name.
type Registered struct {
	Name    string
	Spec    []byte // JSON
	Created time.Time
	Updated time.Time
}

// Register stores a bot's spec (JSON) under its name and replaces an older one.
func (s *Store) Register(ctx context.Context, name string, spec []byte) error {
	return s.exec(ctx, "register bot "+name, `INSERT INTO registry (name, spec, created, updated) VALUES (?1, ?2, ?3, ?3)
		ON CONFLICT (name) DO UPDATE SET spec = excluded.spec, updated = excluded.updated`, name, string(spec), s.now())
}

// Unregister removes a registered bot; its games stay. The error is an *UnknownBotError
// if there is none.
func (s *Store) Unregister(ctx context.Context, name string) error {
	return s.update(ctx, "remove bot "+name, func(ctx context.Context, tx *sql.Tx) error {
		return changeRegistered(ctx, tx, name, "DELETE FROM registry WHERE name = ?", name)
	})
}

// RenameRegistered gives a registered bot another name; its games keep the old
// one. The error is an *UnknownBotError if there is none of that name, and
// ErrRegistered if the new name is taken.
func (s *Store) RenameRegistered(ctx context.Context, name, to string) error {
	return s.update(ctx, "rename bot "+name, func(ctx context.Context, tx *sql.Tx) error {
		var taken int
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM registry WHERE name = ?", to).Scan(&taken); err != nil {
			return err
		}
		if taken > 0 {
			return fmt.Errorf("bot %q: %w", to, ErrRegistered)
		}
		return changeRegistered(ctx, tx, name, "UPDATE registry SET name = ?, updated = ? WHERE name = ?", to, s.now(), name)
	})
}

// changeRegistered executes a statement on a registered bot. The error is an
// *UnknownBotError if it changed nothing.
func changeRegistered(ctx context.Context, tx *sql.Tx, name, statement string, args ...any) error {
	if n, err := changed(ctx, tx, statement, args...); err != nil || n > 0 {
		return err
	}
	return knownBot(ctx, tx, name, "SELECT name FROM registry")
}

// Registry lists the registered bots by name.
func (s *Store) Registry(ctx context.Context) ([]Registered, error) {
	return read(ctx, s, "read the registry of bots", func(tx *sql.Tx) ([]Registered, error) { return readRegistry(ctx, tx, "") })
}

// RegisteredBot returns one registered bot, or an *UnknownBotError.
func (s *Store) RegisteredBot(ctx context.Context, name string) (*Registered, error) {
	return read(ctx, s, "read the registry of bots", func(tx *sql.Tx) (*Registered, error) {
		found, err := readRegistry(ctx, tx, "WHERE name = ?", name)
		if err != nil || len(found) == 0 {
			return nil, cmp.Or(err, knownBot(ctx, tx, name, "SELECT name FROM registry"))
		}
		return &found[0], nil
	})
}

func readRegistry(ctx context.Context, q querier, where string, args ...any) ([]Registered, error) {
	return list(ctx, q, "SELECT name, spec, created, updated FROM registry "+where+" ORDER BY name", args, func(rows *sql.Rows, r *Registered) error {
		return rows.Scan(&r.Name, &r.Spec, (*moment)(&r.Created), (*moment)(&r.Updated))
	})
}
