package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"botarena/arena"
	"botarena/engine/nearest"
)

// A Worker is a machine that plays for this database's events: its key and its state.
// Zero times are "never".
type Worker struct {
	ID      int64
	Name    string
	Key     string // public; "" for one that joined a cluster whose keys are not ours
	Created time.Time
	Revoked time.Time
	Why     string // it was revoked
	Void    bool   // its games are to be taken back
	WorkerState
	Games  int // on record
	Voided int // taken back
}

// A WorkerState holds what a worker reports about itself and what was observed.
type WorkerState struct {
	Host     string
	Platform string
	Slots    int
	Speed    float64 // positions a second of one slot while all are busy; 0: not measured
	Spread   float64 // of the slots' speeds, as a share of it
	Seen     time.Time
	Faults   int // results that did not hold, and games that failed on its side
}

// An UnknownWorkerError reports that there is no worker of that name, or that it was
// revoked.
type UnknownWorkerError struct {
	Name    string
	Nearest string // "" for none
	Revoked bool   // there was one
}

// Error reports what to try.
func (e *UnknownWorkerError) Error() string {
	switch {
	case e.Revoked:
		return fmt.Sprintf("worker %q is revoked already", e.Name)
	case e.Nearest != "":
		return fmt.Sprintf("no worker %q; did you mean %q?", e.Name, e.Nearest)
	}
	return fmt.Sprintf("no worker %q; arena fleet list shows them", e.Name)
}

// A RevokedError reports that a worker was revoked.
type RevokedError struct{ Name string }

// Error names the worker.
func (e *RevokedError) Error() string {
	return fmt.Sprintf("worker %q was revoked: its key is not accepted again, and nothing of it is recorded", e.Name)
}

// ErrWorkerExists is reported by [Store.Invite] for a name that is in use.
var ErrWorkerExists = errors.New("there is a worker of that name; revoke it first, or choose another name")

// Invite admits a worker with that public key. The error is ErrWorkerExists if one of
// that name is not revoked, or a *RevokedError.
func (s *Store) Invite(ctx context.Context, name, key string) error {
	return s.update(ctx, "invite worker "+name, func(ctx context.Context, tx *sql.Tx) error {
		var old string
		err := tx.QueryRowContext(ctx, "SELECT name FROM workers WHERE key = ?", key).Scan(&old)
		if err == nil {
			return &RevokedError{old}
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		n, err := changed(ctx, tx, "INSERT INTO workers (name, key, created) VALUES (?, ?, ?) ON CONFLICT (name) WHERE revoked = 0 DO NOTHING", name, key, s.now())
		if err == nil && n == 0 {
			return ErrWorkerExists
		}
		return err
	})
}

// Revoke revokes a worker. Its games stay: void records that they are to be taken back,
// which Hold.VoidResults does. The error is an *UnknownWorkerError.
func (s *Store) Revoke(ctx context.Context, name, why string, void bool) (w Worker, err error) {
	err = s.update(ctx, "revoke worker "+name, func(ctx context.Context, tx *sql.Tx) error {
		list, err := readWorkers(ctx, tx)
		if err != nil {
			return err
		}
		found := false
		for i := range list {
			if list[i].Name == name && list[i].Revoked.IsZero() {
				w, found = list[i], true
			}
		}
		if !found {
			return unknownWorker(list, name)
		}
		now := s.now()
		w.Revoked, w.Why, w.Void = time.UnixMicro(now).UTC(), why, void
		_, err = tx.ExecContext(ctx, "UPDATE workers SET revoked = ?, why = ?, void = ? WHERE id = ?", now, why, void, w.ID)
		return err
	})
	return w, err
}

func unknownWorker(list []Worker, name string) error {
	e := &UnknownWorkerError{Name: name}
	var names []string
	for i := range list {
		if list[i].Name == name {
			e.Revoked = true
		} else if list[i].Revoked.IsZero() {
			names = append(names, list[i].Name)
		}
	}
	e.Nearest = nearest.Of(name, names)
	return e
}

// HasWorkers reports whether there was ever a worker.
func (s *Store) HasWorkers(ctx context.Context) (bool, error) {
	return read(ctx, s, "read workers", func(tx *sql.Tx) (has bool, err error) {
		return has, tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM workers)").Scan(&has)
	})
}

// Workers lists all workers ever known, in the order in which they came.
func (s *Store) Workers(ctx context.Context) ([]Worker, error) {
	return read(ctx, s, "read workers", func(tx *sql.Tx) ([]Worker, error) { return readWorkers(ctx, tx) })
}

func readWorkers(ctx context.Context, q querier) ([]Worker, error) {
	return list(ctx, q, `SELECT id, name, key, created, revoked, why, void, host, platform, slots, speed, spread, seen, faults,
		(SELECT count(*) FROM games g WHERE g.worker = w.id AND g.worker <> 0 AND g.result <> ''),
		(SELECT count(*) FROM voided v WHERE v.worker = w.id)
		FROM workers w ORDER BY id`, nil, func(rows *sql.Rows, w *Worker) error {
		return rows.Scan(&w.ID, &w.Name, &w.Key, (*moment)(&w.Created), (*moment)(&w.Revoked), &w.Why, &w.Void, &w.Host, &w.Platform, &w.Slots,
			&w.Speed, &w.Spread, (*moment)(&w.Seen), &w.Faults, &w.Games, &w.Voided)
	})
}

// WorkerKeys returns the names of the workers that may join, by public key.
func (s *Store) WorkerKeys(ctx context.Context) (map[string]string, error) {
	keys := map[string]string{}
	err := s.snapshot(ctx, "read workers", func(tx *sql.Tx) error {
		return each(ctx, tx, "SELECT key, name FROM workers WHERE key <> '' AND revoked = 0", nil, func(rows *sql.Rows) error {
			var key, name string
			err := rows.Scan(&key, &name)
			keys[key] = name
			return err
		})
	})
	return keys, err
}

// WorkersShut returns the names of workers that were revoked and not invited again.
func (s *Store) WorkersShut(ctx context.Context) (map[string]bool, error) {
	names, err := read(ctx, s, "read workers", func(tx *sql.Tx) ([]string, error) {
		return list(ctx, tx, "SELECT name FROM workers GROUP BY name HAVING min(revoked) > 0", nil, column[string])
	})
	shut := map[string]bool{}
	for _, name := range names {
		shut[name] = true
	}
	return shut, err
}

// NoteWorkers records the states of workers, by name; unknown ones joined an external
// cluster, and are recorded as such. Faults are added to earlier ones.
func (s *Store) NoteWorkers(ctx context.Context, states map[string]WorkerState) error {
	if len(states) == 0 {
		return nil
	}
	return s.update(ctx, "note workers", func(ctx context.Context, tx *sql.Tx) error {
		for name, w := range states {
			id, err := s.workerID(ctx, tx, name)
			var revoked *RevokedError
			if errors.As(err, &revoked) {
				continue
			}
			if err != nil {
				return err
			}
			var seen int64
			if !w.Seen.IsZero() {
				seen = w.Seen.UnixMicro()
			}
			if _, err := tx.ExecContext(ctx, `UPDATE workers SET host = ?, platform = ?, slots = ?, speed = ?, spread = ?, seen = max(seen, ?), faults = faults + ?
				WHERE id = ?`, w.Host, w.Platform, w.Slots, w.Speed, w.Spread, seen, w.Faults, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// workerID returns the row of the worker of that name that is not revoked, a new one if
// it is unknown; 0 for "". Workers that join with one key (names that differ after a
// "_") share a row. The error is a *RevokedError.
func (s *Store) workerID(ctx context.Context, tx *sql.Tx, name string) (id int64, err error) {
	if name == "" {
		return 0, nil
	}
	name, _, _ = strings.Cut(name, "_")
	const query = "SELECT id FROM workers WHERE name = ? AND revoked = 0"
	err = tx.QueryRowContext(ctx, query, name).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	err = tx.QueryRowContext(ctx, "SELECT id FROM workers WHERE name = ?", name).Scan(&id)
	if err == nil {
		return 0, &RevokedError{name}
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, "INSERT INTO workers (name, created) VALUES (?, ?) RETURNING id", name, s.now()).Scan(&id)
	return id, err
}

func workerNames(ctx context.Context, q querier) (map[int64]string, error) {
	return byID(ctx, q, "SELECT id, name FROM workers", named)
}

// A WorkerScore counts the results of two bots' pairs at one worker, by the number of
// games that it played of each pair: a pair shared by two workers is not complete for
// either.
type WorkerScore struct {
	Worker     int64
	A, B       string
	Of         int    // games of each pair, which it played
	Counts     [3]int // pairs that A lost, that were level, and that A won, by points
	Games      int
	TimeLosses [2]int // games that A and that B lost on time
}

// WorkerScores sums up the finished games of an event by worker and the two bots;
// worker 0 is the machine that runs the event.
func (s *Store) WorkerScores(ctx context.Context, event string) ([]WorkerScore, error) {
	const query = `WITH pairs AS (
		SELECT worker, min(first, second) AS a, max(first, second) AS b, count(*) AS n,
			sum(reason = ?2 AND blame = iif(first < second, 1, 2)) AS late_a, sum(reason = ?2 AND blame = iif(first < second, 2, 1)) AS late_b,
			sum(CASE WHEN result = '1/2-1/2' THEN 0 WHEN (result = '1-0') = (first < second) THEN 1 ELSE -1 END) AS lead
		FROM games WHERE event = (SELECT id FROM events WHERE name = ?1) AND result <> ''
		GROUP BY worker, pair, min(first, second), max(first, second))
		SELECT p.worker, b.name, c.name, p.n, sum(p.lead < 0), sum(p.lead = 0), sum(p.lead > 0), sum(p.n), sum(p.late_a), sum(p.late_b)
		FROM pairs p JOIN versions x ON x.id = p.a JOIN bots b ON b.id = x.bot
		JOIN versions y ON y.id = p.b JOIN bots c ON c.id = y.bot
		GROUP BY p.worker, p.a, p.b, p.n ORDER BY 1, 2, 3, 4`
	return readList(ctx, s, "read scores of workers", query, []any{event, string(arena.TimeForfeit)}, func(rows *sql.Rows, w *WorkerScore) error {
		return rows.Scan(&w.Worker, &w.A, &w.B, &w.Of, &w.Counts[0], &w.Counts[1], &w.Counts[2], &w.Games, &w.TimeLosses[0], &w.TimeLosses[1])
	})
}
