package store

import (
	"context"
	"database/sql"
	"time"
)

// A Bench is the count of nodes that a version of a bot searched: see package bench.
type Bench struct {
	Bot         string    `json:"bot"`
	Label       string    `json:"version"` // its own name of the version, "" if it has none
	Fingerprint string    `json:"fingerprint"`
	Game        string    `json:"game"`
	Task        string    `json:"task"`
	Nodes       int64     `json:"nodes"`            // 0 if the bot reports none
	Moves       string    `json:"moves"`            // identifies the moves found, "" of the bot's own bench
	Speed       int64     `json:"nodes_per_second"` // 0 if unknown
	Machine     string    `json:"machine"`
	Created     time.Time `json:"created"` // to the second
}

// Of reports whether the bench is one of the version and task of another: of the same
// program, or of a build of the version of the same name.
func (b *Bench) Of(other *Bench) bool {
	same := b.Fingerprint == other.Fingerprint || b.Label != "" && b.Label == other.Label
	return same && b.Bot == other.Bot && b.Game == other.Game && b.Task == other.Task
}

// AddBench records a bench now. If it is to replace those of the same version and task,
// they are removed.
func (s *Store) AddBench(ctx context.Context, b Bench, replace bool) error {
	return s.update(ctx, "record the bench of "+b.Bot, func(ctx context.Context, tx *sql.Tx) error {
		if replace {
			_, err := tx.ExecContext(ctx, `DELETE FROM benches WHERE bot = ?1 AND game = ?2 AND task = ?3 AND (fingerprint = ?4 OR label <> '' AND label = ?5)`,
				b.Bot, b.Game, b.Task, b.Fingerprint, b.Label)
			if err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO benches (bot, fingerprint, label, game, task, nodes, moves, speed, machine, created)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, b.Bot, b.Fingerprint, b.Label, b.Game, b.Task, b.Nodes, b.Moves, b.Speed, b.Machine, s.now())
		return err
	})
}

// Benches lists the benches of a bot in the order in which they were recorded.
func (s *Store) Benches(ctx context.Context, bot string) ([]Bench, error) {
	return readList(ctx, s, "read benches", `SELECT bot, fingerprint, label, game, task, nodes, moves, speed, machine, created
		FROM benches WHERE bot = ? ORDER BY id`, []any{bot}, func(rows *sql.Rows, b *Bench) error {
		err := rows.Scan(&b.Bot, &b.Fingerprint, &b.Label, &b.Game, &b.Task, &b.Nodes, &b.Moves, &b.Speed, &b.Machine, (*moment)(&b.Created))
		b.Created = b.Created.UTC().Truncate(time.Second)
		return err
	})
}
