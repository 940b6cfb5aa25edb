package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"botarena/arena"
	"botarena/engine/nearest"
)

// A State is how far an event is.
type State string

// The states.
const (
	Planned  State = "planned" // no game has a result
	Running  State = "running"
	Finished State = "finished"
)

// An Event is one event's row of the record.
type Event struct {
	ID       int64
	Name     string
	Game     string
	Format   arena.Format
	State    State
	Config   []byte // canonical text of its configuration
	Created  time.Time
	Finished time.Time     // zero while it is not
	PlayTime time.Duration // over all runs
	Elo      arena.Elo
	Games    int  // planned, played or not
	Played   int  // with a result
	Voids    int  // attempts that did not count
	Rated    int  // games 1 to Rated have a result, and are in the incremental Elo
	Archived bool // in no table over several events
	Holder   *Holder
	Entries  []Entry // in the order of the configuration
}

// An Entry is a bot in an event, with its incremental Elo.
type Entry struct {
	Name        string
	Version     int // 1-based number of the bot's version
	Fingerprint string
	Label       string  // the version's own name, where it has one
	Rating      float64 // after the last game in schedule order that is rated
	Rated       int     // games that count in Rating
}

// Events lists all events in the order in which they were created.
func (s *Store) Events(ctx context.Context) ([]Event, error) {
	var list []Event
	err := s.snapshot(ctx, "read events", func(tx *sql.Tx) (err error) {
		list, err = readEvents(ctx, tx, "")
		return err
	})
	return list, err
}

// Event returns one event. The error is an *UnknownEventError where there is
// none of that name.
func (s *Store) Event(ctx context.Context, name string) (*Event, error) {
	var event *Event
	err := s.snapshot(ctx, "read event "+name, func(tx *sql.Tx) error {
		list, err := readEvents(ctx, tx, "WHERE e.name = ?", name)
		switch {
		case err != nil:
			return err
		case len(list) == 0:
			return unknownEvent(ctx, tx, name)
		}
		event = &list[0]
		return nil
	})
	return event, err
}

// readEvents lists the events that a WHERE clause on e chooses.
func readEvents(ctx context.Context, tx *sql.Tx, where string, args ...any) ([]Event, error) {
	var list []Event
	err := each(ctx, tx, `SELECT e.id, e.name, e.game, e.format, e.state, e.config, e.created, e.finished, e.played,
		e.elo_start, e.elo_k0, e.elo_kmin, e.elo_n0, e.rated, e.archived,
		coalesce(n.games, 0), coalesce(n.played, 0), coalesce(n.attempts, 0)
		FROM events e LEFT JOIN totals n ON n.event = e.id `+where+" ORDER BY e.id", args,
		func(rows *sql.Rows) error {
			var (
				e                         Event
				created, finished, played int64
			)
			if err := rows.Scan(&e.ID, &e.Name, &e.Game, &e.Format, &e.State, &e.Config, &created, &finished, &played,
				&e.Elo.Start, &e.Elo.K0, &e.Elo.KMin, &e.Elo.N0, &e.Rated, &e.Archived, &e.Games, &e.Played, &e.Voids); err != nil {
				return err
			}
			e.Created, e.Finished, e.PlayTime = moment(created), moment(finished), time.Duration(played)*time.Microsecond
			list = append(list, e)
			return nil
		})
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Holder, err = holderOf(ctx, tx, list[i].ID); err != nil {
			return nil, err
		}
		if list[i].Entries, err = readEntries(ctx, tx, list[i].ID); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func readEntries(ctx context.Context, tx *sql.Tx, event int64) ([]Entry, error) {
	var list []Entry
	err := each(ctx, tx, `SELECT b.name, v.number, v.fingerprint, v.label, n.rating, n.games FROM entries n
		JOIN versions v ON v.id = n.version JOIN bots b ON b.id = v.bot WHERE n.event = ? ORDER BY n.seat, n.version`, []any{event},
		func(rows *sql.Rows) error {
			var e Entry
			if err := rows.Scan(&e.Name, &e.Version, &e.Fingerprint, &e.Label, &e.Rating, &e.Rated); err != nil {
				return err
			}
			list = append(list, e)
			return nil
		})
	return list, err
}

// unknownEvent returns the error that says so.
func unknownEvent(ctx context.Context, q querier, name string) error {
	names, err := readNames(ctx, q, "SELECT name FROM events")
	if err != nil {
		return err
	}
	return &UnknownEventError{Name: name, Nearest: nearest.Of(name, names), Known: len(names)}
}

func readNames(ctx context.Context, q querier, query string) ([]string, error) {
	var list []string
	err := each(ctx, q, query, nil, func(rows *sql.Rows) error {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		list = append(list, name)
		return nil
	})
	return list, err
}

// snapshot runs f, which only reads, on the database as of one moment.
func (s *Store) snapshot(ctx context.Context, op string, f func(*sql.Tx) error) error {
	tx := s.frozen
	if tx == nil {
		var err error
		if tx, err = s.beginReading(ctx); err != nil {
			return s.explain(op, err)
		}
		defer func() { _ = tx.Rollback() }() // there is nothing to commit
	}
	err := f(tx)
	var (
		event *UnknownEventError
		bot   *UnknownBotError
	)
	if errors.As(err, &event) || errors.As(err, &bot) {
		return err // which says all
	}
	return s.explain(op, err)
}

// A querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// each calls f for each row of a query, and stops at its first error.
func each(ctx context.Context, q querier, query string, args []any, f func(*sql.Rows) error) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func readVersions(ctx context.Context, q querier) (map[int64]arena.BotVersion, error) {
	m := map[int64]arena.BotVersion{}
	err := each(ctx, q, "SELECT v.id, b.name, v.number FROM versions v JOIN bots b ON b.id = v.bot", nil, func(rows *sql.Rows) error {
		var (
			id int64
			v  arena.BotVersion
		)
		if err := rows.Scan(&id, &v.Name, &v.Version); err != nil {
			return err
		}
		m[id] = v
		return nil
	})
	return m, err
}

// Changes returns a number that is another one after each change of the database
// by whatever process. It means something to this Store alone.
func (s *Store) Changes(ctx context.Context) (int64, error) {
	s.watching.Lock()
	defer s.watching.Unlock()
	// SQLite counts the commits of others, for each connection by itself: this one is
	// kept for nothing else.
	if s.watch == nil {
		conn, err := s.read.Conn(ctx)
		if err != nil {
			return 0, s.explain("look for changes", err)
		}
		s.watch = conn
	}
	var n int64
	err := s.watch.QueryRowContext(ctx, "PRAGMA data_version").Scan(&n)
	return n, s.explain("look for changes", err)
}

// Holders lists the processes that run events, dead ones as well.
func (s *Store) Holders(ctx context.Context) ([]Holder, error) {
	var list []Holder
	err := s.snapshot(ctx, "read who runs events", func(tx *sql.Tx) error {
		return each(ctx, tx, holderQuery+" ORDER BY event", nil, func(rows *sql.Rows) error {
			h, err := scanHolder(rows)
			list = append(list, h)
			return err
		})
	})
	return list, err
}
