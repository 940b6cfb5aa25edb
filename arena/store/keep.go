package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize"
)

// copyName returns the name of the copy kept of a database with that schema version.
func copyName(path string, version int) string { return fmt.Sprintf("%s.schema-%d", path, version) }

// keepCopy copies a database beside it before it is migrated, for going back to an
// older arena. If there is no room for a copy, it only reports that: a step of a
// migration is a transaction, and no danger to the record.
func (s *Store) keepCopy(ctx context.Context, last int) error {
	var version int
	err := s.write.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	if err != nil || version == 0 || version >= last {
		return err
	}
	name := copyName(s.path, version)
	if err := s.copyTo(ctx, name, version); err != nil {
		s.notice(fmt.Sprintf("no copy of %s is kept before it is brought from schema %d to %d: %v", s.path, version, last, err))
		return ctx.Err()
	}
	s.notice(fmt.Sprintf("%s is brought from schema %d to %d; as it was, for an older arena, it is kept as %s", s.path, version, last, name))
	return nil
}

// copyTo writes the database to a file atomically.
func (s *Store) copyTo(ctx context.Context, name string, version int) error {
	info, err := os.Stat(s.path)
	if err != nil {
		return err
	}
	folder := filepath.Dir(s.path)
	need := uint64(info.Size()) * 2 // the migration itself needs room, too
	if free, err := FreeSpace(folder); err == nil && free < need {
		return fmt.Errorf("that takes %s, and %s are free", humanize.Bytes(need), humanize.Bytes(free))
	}
	f, err := os.CreateTemp(folder, filepath.Base(name)+".*.part")
	if err != nil {
		return err
	}
	part := f.Name()
	err = errors.Join(f.Chmod(info.Mode().Perm()), f.Close())
	if err == nil {
		_, err = s.write.ExecContext(ctx, "VACUUM INTO ?", part)
	}
	if err == nil {
		var now int
		if now, err = probe(ctx, part, version); err == nil && now == version { // else another process has migrated it meanwhile
			return os.Rename(part, name)
		}
	}
	return errors.Join(err, os.Remove(part))
}
