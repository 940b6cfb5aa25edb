package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"botarena/arena/analysis"
)

// An Analysis holds the marks and scores that a bot, or exact tables, gave to a game.
type Analysis struct {
	At    time.Time // when
	Judge string    // the bot
	Plies []analysis.Ply
}

// SaveAnalysis stores the analysis of a finished game and replaces an earlier one.
func (s *Store) SaveAnalysis(ctx context.Context, game int64, a *Analysis) error {
	data, err := json.Marshal(a.Plies)
	if err != nil {
		return err
	}
	return s.exec(ctx, fmt.Sprintf("keep the analysis of game %d", game), `INSERT INTO analyses (game, at, judge, plies)
		SELECT id, ?, ?, ? FROM games WHERE id = ? AND result <> ''
		ON CONFLICT DO UPDATE SET at = excluded.at, judge = excluded.judge, plies = excluded.plies`, s.now(), a.Judge, string(data), game)
}

// Analysis returns the analysis of a game, nil if there is none.
func (s *Store) Analysis(ctx context.Context, game int64) (*Analysis, error) {
	return read(ctx, s, fmt.Sprintf("read the analysis of game %d", game), func(tx *sql.Tx) (*Analysis, error) {
		var data []byte
		a := &Analysis{}
		err := tx.QueryRowContext(ctx, "SELECT at, judge, plies FROM analyses WHERE game = ?", game).Scan((*moment)(&a.At), &a.Judge, &data)
		if errors.Is(err, sql.ErrNoRows) {
			return nil, nil
		}
		if err == nil {
			err = json.Unmarshal(data, &a.Plies)
		}
		if err != nil {
			return nil, fmt.Errorf("it is damaged in the database: %w", err)
		}
		return a, nil
	})
}
