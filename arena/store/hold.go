package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"botarena/arena"
	"botarena/arena/process"
	"botarena/arena/rating"
	"botarena/arena/schedule"
)

// A Hold is the right to write to one event. Each of its methods fails with
// ErrLost once another process has taken the event over.
type Hold struct {
	s        *Store
	id       int64
	event    int64
	name     string
	elo      rating.Elo
	versions map[string]int64 // name of a bot to its version's id; written under the store's turn
}

// Create records a new event with its bots, whose fingerprints must be set, and holds
// it for process me. config is the event's canonical text. The error is ErrExists if
// the name is in use, a *HeldError if a living process runs that event, an
// *arena.InvalidError if the event is not valid.
func (s *Store) Create(ctx context.Context, e arena.Event, config []byte, me process.Identity) (*Hold, error) {
	if err := schedule.Validate(&e, arena.Known{}); err != nil {
		return nil, fmt.Errorf("record event %q: %w", e.Name, err)
	}
	var h *Hold
	err := s.update(ctx, "record event "+e.Name, func(ctx context.Context, tx *sql.Tx) error {
		var err error
		h, err = s.create(ctx, tx, e, config, me)
		if errors.Is(err, ErrExists) { // another run may have begun it since this one looked
			var id int64
			if err := tx.QueryRowContext(ctx, "SELECT id FROM events WHERE name = ?", e.Name).Scan(&id); err != nil {
				return err
			}
			by, failed := holderOf(ctx, tx, id)
			if failed != nil {
				return failed
			}
			if by != nil {
				return cmp.Or(refuse(e.Name, *by, me, s.clock()), err)
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (s *Store) create(ctx context.Context, tx *sql.Tx, e arena.Event, config []byte, me process.Identity) (*Hold, error) {
	var id int64
	err := tx.QueryRowContext(ctx, `INSERT INTO events (name, game, format, config, state, created, elo_start, elo_k0, elo_kmin, elo_n0)
		VALUES (?, ?, ?, ?, 'planned', ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING RETURNING id`,
		e.Name, e.Game, string(e.Format), config, s.now(), e.Elo.Start, e.Elo.K0, e.Elo.KMin, e.Elo.N0).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("%q: %w", e.Name, ErrExists)
	}
	if err != nil {
		return nil, err
	}
	h := &Hold{s: s, event: id, name: e.Name, elo: rating.Elo(e.Elo), versions: map[string]int64{}}
	if h.id, err = s.insertHold(ctx, tx, id, me); err != nil {
		return nil, err
	}
	return h, h.enter(ctx, tx, e.Bots)
}

// Acquire holds an existing event for process me. An event held by a living
// process is refused with a *HeldError; a dead one's is taken over. The error is
// an *UnknownEventError if there is no such event.
func (s *Store) Acquire(ctx context.Context, event string, me process.Identity) (*Hold, error) {
	var h *Hold
	err := s.update(ctx, "open event "+event, func(ctx context.Context, tx *sql.Tx) error {
		h = &Hold{s: s, name: event, versions: map[string]int64{}}
		err := tx.QueryRowContext(ctx, "SELECT id, elo_start, elo_k0, elo_kmin, elo_n0 FROM events WHERE name = ?", event).
			Scan(&h.event, &h.elo.Start, &h.elo.K0, &h.elo.KMin, &h.elo.N0)
		if errors.Is(err, sql.ErrNoRows) {
			return unknownEvent(ctx, tx, event)
		}
		if err != nil {
			return err
		}
		by, err := holderOf(ctx, tx, h.event)
		if err != nil {
			return err
		}
		if by != nil {
			if err := refuse(event, *by, me, s.clock()); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, "DELETE FROM holds WHERE event = ?", h.event); err != nil {
				return err
			}
		}
		if h.id, err = s.insertHold(ctx, tx, h.event, me); err != nil {
			return err
		}
		return h.loadSeats(ctx, tx)
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// silence is how long a holder that cannot be observed may be without a sign of life
// ([Hold.Touch]) before it counts as dead.
const silence = 2 * time.Minute

// A Holder is a process that runs an event.
type Holder struct {
	process.Identity
	Since time.Time
	Seen  time.Time // last sign of life
}

// Alive reports whether the holder, seen from the calling process me, lives: one that
// cannot be observed does while it gives signs of life.
func (h *Holder) Alive(me process.Identity, now time.Time) bool {
	switch me.Sees(h.Identity) {
	case process.Alive:
		return true
	case process.OutOfSight:
		return now.Before(h.Seen.Add(silence))
	case process.Dead:
	}
	return false
}

// refuse returns a *HeldError unless by is dead.
func refuse(event string, by Holder, me process.Identity, now time.Time) error {
	if !by.Alive(me, now) {
		return nil
	}
	if me.Sees(by.Identity) == process.OutOfSight {
		return &HeldError{Event: event, By: by, Free: by.Seen.Add(silence)}
	}
	return &HeldError{Event: event, By: by, Sure: true}
}

func (s *Store) insertHold(ctx context.Context, tx *sql.Tx, event int64, me process.Identity) (id int64, err error) {
	now := s.now()
	err = tx.QueryRowContext(ctx, `INSERT INTO holds (event, pid, started, host, boot, namespace, since, seen)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		event, me.PID, me.Started, me.Host, me.Boot, me.Namespace, now, now).Scan(&id)
	return id, err
}

const holderQuery = "SELECT pid, started, host, boot, namespace, since, seen FROM holds"

func holderOf(ctx context.Context, q querier, event int64) (*Holder, error) {
	h := &Holder{}
	err := h.scan(q.QueryRowContext(ctx, holderQuery+" WHERE event = ?", event))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return h, err
}

// scan reads a row of holderQuery.
func (h *Holder) scan(row interface{ Scan(to ...any) error }) error {
	return row.Scan(&h.PID, &h.Started, &h.Host, &h.Boot, &h.Namespace, (*moment)(&h.Since), (*moment)(&h.Seen))
}

func (h *Hold) loadSeats(ctx context.Context, tx *sql.Tx) error {
	return each(ctx, tx, `SELECT b.name, v.id FROM entries e
		JOIN versions v ON v.id = e.version JOIN bots b ON b.id = v.bot WHERE e.event = ?`, []any{h.event}, func(rows *sql.Rows) error {
		var (
			name string
			id   int64
		)
		err := rows.Scan(&name, &id)
		h.versions[name] = id
		return err
	})
}

// enter records the bots that are not yet in the event.
func (h *Hold) enter(ctx context.Context, tx *sql.Tx, bots []arena.Bot) error {
	for place, b := range bots {
		if b.Fingerprint == "" {
			return fmt.Errorf("bot %q has no fingerprint", b.Name)
		}
		id, err := h.s.version(ctx, tx, b)
		if err != nil {
			return err
		}
		if known, ok := h.versions[b.Name]; ok {
			if known != id {
				return fmt.Errorf("bot %q is not the version that entered event %q", b.Name, h.name)
			}
			continue
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO entries (event, seat, version, rating) VALUES (?, ?, ?, ?)",
			h.event, place, id, h.elo.Start); err != nil {
			return err
		}
		h.versions[b.Name] = id
	}
	return nil
}

// fence fails if another process holds the event.
func (h *Hold) fence(ctx context.Context, tx *sql.Tx) error {
	var one int
	err := tx.StmtContext(ctx, h.s.stmt.fence).QueryRowContext(ctx, h.id).Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("event %q: %w", h.name, ErrLost)
	}
	return err
}

// update runs f in one transaction while the event is still held.
func (h *Hold) update(ctx context.Context, op string, f func(context.Context, *sql.Tx) error) error {
	return h.s.update(ctx, op, func(ctx context.Context, tx *sql.Tx) error {
		if err := h.fence(ctx, tx); err != nil {
			return err
		}
		return f(ctx, tx)
	})
}

// Event returns the name of the event held.
func (h *Hold) Event() string { return h.name }

// Touch renews the hold; call it a few times in two minutes. played is added to the
// event's playing time.
func (h *Hold) Touch(ctx context.Context, played time.Duration) error {
	return h.update(ctx, "keep hold of event "+h.name, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "UPDATE holds SET seen = ? WHERE id = ?", h.s.now(), h.id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE events SET played = played + ? WHERE id = ?", played.Microseconds(), h.event)
		return err
	})
}

// Release ends the hold. It is no error if another process has taken the event over.
func (h *Hold) Release(ctx context.Context) error {
	return h.s.exec(ctx, "release event "+h.name, "DELETE FROM holds WHERE id = ?", h.id)
}

// Extend replaces the event's configuration and enters the bots that are new in it; the
// event is open again. Bots that have entered keep their version: it is an error if the
// fingerprint of one differs, and an *arena.InvalidError if the event is not valid.
// Games that a withdrawn bot has not played are removed.
func (h *Hold) Extend(ctx context.Context, e arena.Event, config []byte) error {
	if err := schedule.Validate(&e, arena.Known{}); err != nil {
		return fmt.Errorf("extend event %q: %w", h.name, err)
	}
	return h.update(ctx, "extend event "+h.name, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE events SET config = ?, finished = 0,
			state = CASE state WHEN 'finished' THEN 'running' ELSE state END WHERE id = ?`, config, h.event); err != nil {
			return err
		}
		if err := h.enter(ctx, tx, e.Bots); err != nil {
			return err
		}
		for _, b := range e.Bots {
			if !b.Withdrawn {
				continue
			}
			id := h.versions[b.Name]
			if err := h.remove(ctx, tx, "result = '' AND ?2 IN (first, second)", id); err != nil {
				return err
			}
		}
		// Elo may go on where it waited for a game that is gone.
		return h.rate(ctx, tx)
	})
}

// Done marks the event as finished. It is an error if a planned game has no
// result.
func (h *Hold) Done(ctx context.Context) error {
	return h.update(ctx, "finish event "+h.name, h.done)
}

func (h *Hold) done(ctx context.Context, tx *sql.Tx) error {
	var open int
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(sum(games - played), 0) FROM totals WHERE event = ?", h.event).Scan(&open); err != nil {
		return err
	}
	if open > 0 {
		return fmt.Errorf("%d games of event %q are not played", open, h.name)
	}
	_, err := tx.ExecContext(ctx, "UPDATE events SET state = 'finished', finished = ? WHERE id = ?", h.s.now(), h.event)
	return err
}
