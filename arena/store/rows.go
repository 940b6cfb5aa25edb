package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// querier is a database or a transaction.
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

// list returns the rows of a query, each read by scan.
func list[T any](ctx context.Context, q querier, query string, args []any, scan func(*sql.Rows, *T) error) ([]T, error) {
	var all []T
	err := each(ctx, q, query, args, func(rows *sql.Rows) error {
		var one T
		if err := scan(rows, &one); err != nil {
			return err
		}
		all = append(all, one)
		return nil
	})
	return all, err
}

// readList returns the rows of a query, as of one moment.
func readList[T any](ctx context.Context, s *Store, op, query string, args []any, scan func(*sql.Rows, *T) error) ([]T, error) {
	return read(ctx, s, op, func(tx *sql.Tx) ([]T, error) { return list(ctx, tx, query, args, scan) })
}

// changed runs a statement, and returns how many rows it changed.
func changed(ctx context.Context, tx *sql.Tx, statement string, args ...any) (int64, error) {
	res, err := tx.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// column scans a row of a single column.
func column[T any](rows *sql.Rows, to *T) error { return rows.Scan(to) }

// byID returns the rows of a query by their first column.
func byID[T any](ctx context.Context, q querier, query string, scan func(rows *sql.Rows, id *int64, to *T) error) (map[int64]T, error) {
	all := map[int64]T{}
	err := each(ctx, q, query, nil, func(rows *sql.Rows) error {
		var (
			id  int64
			one T
		)
		err := scan(rows, &id, &one)
		all[id] = one
		return err
	})
	return all, err
}

// named scans an id and a name.
func named(rows *sql.Rows, id *int64, to *string) error { return rows.Scan(id, to) }

// moment scans a time that is stored in microseconds; 0 is the zero time. A time
// outside of the years that formats can write is clamped, so that one bad row does not
// break an export.
type moment time.Time

// The first and the last moment, in microseconds.
const (
	firstMoment = -62_135_596_800_000_000
	lastMoment  = 253_402_300_799_999_999
)

// Scan implements sql.Scanner.
func (m *moment) Scan(value any) error {
	micro, ok := value.(int64)
	if !ok {
		return fmt.Errorf("%v (%[1]T) is no time", value)
	}
	*m = moment{}
	if micro != 0 {
		*m = moment(time.UnixMicro(min(max(micro, firstMoment), lastMoment)).UTC())
	}
	return nil
}

// micros scans a duration that is stored in microseconds.
type micros time.Duration

// Scan implements sql.Scanner.
func (d *micros) Scan(value any) error {
	micro, ok := value.(int64)
	if !ok {
		return fmt.Errorf("%v (%[1]T) is no duration", value)
	}
	*d = micros(time.Duration(micro) * time.Microsecond)
	return nil
}

// words scans a list that is stored as one text, separated by spaces.
type words []string

// Scan implements sql.Scanner.
func (w *words) Scan(value any) error {
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("%v (%[1]T) is no text", value)
	}
	*w = nil
	if text != "" {
		*w = strings.Split(text, " ")
	}
	return nil
}
