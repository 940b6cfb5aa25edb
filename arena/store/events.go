package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

	"botarena/arena"
	"botarena/engine/nearest"
)

// A State is the state of an event.
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
	Round    int  // of the last planned game
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
	Label       string    // the version's own name, where it has one
	Rating      float64   // after the last game in schedule order that is rated
	Rated       int       // games that count in Rating
	Created     time.Time // when this version was first seen
}

// Events lists all events in the order in which they were created.
func (s *Store) Events(ctx context.Context) ([]Event, error) {
	return read(ctx, s, "read events", func(tx *sql.Tx) ([]Event, error) { return readEvents(ctx, tx, "") })
}

// Event returns one event. The error is an *UnknownEventError if there is none of
// that name.
func (s *Store) Event(ctx context.Context, name string) (*Event, error) {
	return read(ctx, s, "read event "+name, func(tx *sql.Tx) (*Event, error) {
		events, err := readEvents(ctx, tx, "WHERE e.name = ?", name)
		if err != nil || len(events) == 0 {
			return nil, cmp.Or(err, unknownEvent(ctx, tx, name))
		}
		return &events[0], nil
	})
}

// readEvents lists the events that a WHERE clause on e selects.
func readEvents(ctx context.Context, tx *sql.Tx, where string, args ...any) ([]Event, error) {
	events, err := list(ctx, tx, `SELECT e.id, e.name, e.game, e.format, e.state, e.config, e.created, e.finished, e.played,
		e.elo_start, e.elo_k0, e.elo_kmin, e.elo_n0, e.rated, e.archived,
		coalesce(n.games, 0), coalesce(n.played, 0), coalesce(n.attempts, 0),
		coalesce((SELECT g.round FROM games g WHERE g.event = e.id ORDER BY g.number DESC LIMIT 1), 0)
		FROM events e LEFT JOIN totals n ON n.event = e.id `+where+" ORDER BY e.id", args, func(rows *sql.Rows, e *Event) error {
		return rows.Scan(&e.ID, &e.Name, &e.Game, &e.Format, &e.State, &e.Config, (*moment)(&e.Created), (*moment)(&e.Finished), (*micros)(&e.PlayTime),
			&e.Elo.Start, &e.Elo.K0, &e.Elo.KMin, &e.Elo.N0, &e.Rated, &e.Archived, &e.Games, &e.Played, &e.Voids, &e.Round)
	})
	if err != nil {
		return nil, err
	}
	for i := range events {
		if events[i].Holder, err = holderOf(ctx, tx, events[i].ID); err != nil {
			return nil, err
		}
		if events[i].Entries, err = readEntries(ctx, tx, events[i].ID); err != nil {
			return nil, err
		}
	}
	return events, nil
}

func readEntries(ctx context.Context, tx *sql.Tx, event int64) ([]Entry, error) {
	return list(ctx, tx, `SELECT b.name, v.number, v.fingerprint, v.label, n.rating, n.games, v.created FROM entries n
		JOIN versions v ON v.id = n.version JOIN bots b ON b.id = v.bot WHERE n.event = ? ORDER BY n.seat, n.version`, []any{event},
		func(rows *sql.Rows, e *Entry) error {
			return rows.Scan(&e.Name, &e.Version, &e.Fingerprint, &e.Label, &e.Rating, &e.Rated, (*moment)(&e.Created))
		})
}

// knownEvent returns an *UnknownEventError if there is no event of that name.
func knownEvent(ctx context.Context, q querier, name string) error {
	var one int
	err := q.QueryRowContext(ctx, "SELECT 1 FROM events WHERE name = ?", name).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return unknownEvent(ctx, q, name)
	}
	return err
}

// unknownEvent returns the *UnknownEventError for a name.
func unknownEvent(ctx context.Context, q querier, name string) error {
	names, err := list(ctx, q, "SELECT name FROM events", nil, column[string])
	if err != nil {
		return err
	}
	return &UnknownEventError{Name: name, Nearest: nearest.Of(name, names), Known: len(names)}
}

func eventNames(ctx context.Context, q querier) (map[int64]string, error) {
	return byID(ctx, q, "SELECT id, name FROM events", named)
}

// Changes returns a number that differs after each change of the database by any
// process. It is meaningful for this Store only.
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

// Holders lists the processes that hold events, including dead ones.
func (s *Store) Holders(ctx context.Context) ([]Holder, error) {
	return readList(ctx, s, "read who runs events", holderQuery+" ORDER BY event", nil, func(rows *sql.Rows, h *Holder) error { return h.scan(rows) })
}
