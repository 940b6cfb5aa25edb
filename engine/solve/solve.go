// Package solve computes who wins the positions of a game, stores that in files of a
// folder, and looks it up there. The files are mapped into memory; a part of one is
// read and checked against its checksum when it is first needed.
//
// A [Solver] is one kind of knowledge: the tables of Owlman, the table of a board of
// Breakthrough, or the proof of who wins one from its start. An [Oracle] opens the
// solvers that are needed and only looks up positions.
//
// A file appears only when it is complete. So an interrupted computation resumes after
// the last file, from the saved state of the next one, and several processes may read a
// folder while one adds to it.
package solve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/edsrzf/mmap-go"

	"botarena/engine"
	"botarena/engine/breakthrough"
	bt "botarena/engine/breakthrough/exact"
	"botarena/engine/owlman/exact"
	"botarena/engine/solve/file"
)

// A Dir is a folder of tables and proofs.
type Dir string

// Default returns the folder of a user's tables, below the folder of a user's caches as
// os.UserCacheDir gives it.
func Default(cache string) Dir { return Dir(filepath.Join(cache, "arena", "tables")) }

// A Solver computes one kind of exact knowledge of a game and looks it up. Value is
// safe for concurrent use.
type Solver interface {
	// Solve computes the missing files. The error of an interrupted computation is the
	// context's.
	Solve(ctx context.Context, o Options) error
	// Verify checks the files against their checksums, and their contents against the
	// rules of the game, and passes lines about what agrees to say. The error is a
	// *MissingError if there is no file, or names a damaged file.
	Verify(ctx context.Context, o Options, say func(string)) error
	// Report describes what is known. All files must exist.
	Report() (Report, error)
	// Value returns who wins a position of the game: see [Oracle.Value].
	Value(pos engine.Position) (Value, error)
	// Close closes the files.
	Close()
}

// Options configures how a Solver computes and verifies.
type Options struct {
	Threads int
	Bytes   int64         // about the memory of a proof search's table
	Forced  int           // Owlman: up to how many helpers Doc's forced wins are computed
	Draws   int           // how many positions of each table Verify compares
	Keep    time.Duration // what is known of the file at hand is kept after each such time
	Now     func() time.Time
	Log     io.Writer // is told of the progress
}

// A Report describes what a Solver knows.
type Report struct {
	JSON    any // the same as a value with tags for encoding/json
	Title   string
	Columns []string
	Rows    [][]any // of strings, ints, uint64 counts, Bytes and nil
	Notes   []string
	Answer  string // who wins the game from its start, and what else there is to say
}

// Bytes is the size of files.
type Bytes int64

// A MissingError reports that a position is in no table or proof.
type MissingError struct {
	What   string // is missing, and what computes it
	Proved bool   // there is a proof, which does not have the position
}

// Error names what is missing.
func (e *MissingError) Error() string { return e.What }

func missing(format string, args ...any) error {
	return &MissingError{What: fmt.Sprintf(format, args...)}
}

// Has returns a *MissingError, which names the games that have them, if there can be no exact
// tables or proof of a game.
func Has(game engine.Game) error {
	if OfOwlman(game) || bt.Solvable(game) == nil || bt.Provable(game) == nil {
		return nil
	}
	return missing("%s is not solved; owlman and the small boards of breakthrough (up to 5x5, 4x6, 3x7, 7x4) are, "+
		"and boards of up to 35 squares (6x5, 7x5) can be proved from their start", game.Name())
}

// OfOwlman reports whether a game is Owlman, in either variant.
func OfOwlman(game engine.Game) bool {
	return slices.Contains([]string{"owlman", daybreak}, game.Name())
}

const daybreak = "owlman:daybreak"

// Solves returns the name by which `arena solve` computes the tables of a game.
func Solves(game engine.Game) string {
	if OfOwlman(game) {
		return "owlman"
	}
	return game.Name()
}

// Solver opens the solver of a game: Owlman's tables for at most helpers helpers, or a
// board's table, or its proof if that is requested or the board is too large for a
// table. The error is from [Has], or names a damaged file.
func (d Dir) Solver(game engine.Game, helpers int, proof bool) (Solver, error) {
	if err := Has(game); err != nil {
		return nil, err
	}
	g, ok := game.(*breakthrough.Game)
	switch {
	case !ok:
		return d.owlman(helpers)
	case proof || bt.Solvable(g) != nil:
		return d.proof(g)
	}
	return d.board(g)
}

// known opens the existing files of a game: for a board its table, else its proof.
func (d Dir) known(game engine.Game) (Solver, error) {
	s, err := d.Solver(game, exact.Most, false)
	b, ok := s.(*board)
	if !ok || err != nil || b.table != nil {
		return s, err
	}
	p, err := d.proof(b.game)
	if err != nil || p.proof != nil {
		return p, err
	}
	return b, nil
}

// A task computes one file.
type task struct {
	name, done string // what it is called, and what it is in the end: "solved"
	path       string // of the file
	kept       string // of the file that keeps what is known until then
	below      string // of a file that is read for it, "" for none
	run        func(context.Context, file.Options) (io.WriterTo, error)
}

// compute performs a task and writes its file. It resumes from saved state.
func (d Dir) compute(ctx context.Context, t task, o Options) error {
	from, err := os.ReadFile(t.kept)
	switch {
	case err == nil:
		fmt.Fprintf(o.Log, "%s: going on from what was kept\n", t.name)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	const tellEvery = 5 * time.Second
	begun, due := o.Now(), every(o.Now, tellEvery)
	result, err := t.run(ctx, file.Options{
		Threads: o.Threads,
		Tell: func(p fmt.Stringer) {
			if due() {
				fmt.Fprintf(o.Log, "%s: %s, %s\n", t.name, p, o.Now().Sub(begun).Round(time.Second))
			}
		},
		Due:  every(o.Now, o.Keep),
		Keep: func(part io.WriterTo) error { return d.write(t.kept, part) },
		From: from,
	})
	// The next file needs all the memory that this one took.
	debug.FreeOSMemory()
	var broken *file.DamagedError
	switch {
	case err != nil && ctx.Err() != nil:
		where := "behind the last table that is there"
		if _, err := os.Stat(t.kept); err == nil {
			where = "from what was kept last"
		}
		fmt.Fprintln(o.Log, "interrupted; the same command goes on "+where)
		return ctx.Err()
	case errors.As(err, &broken) && broken.Part:
		return damaged(t.kept, err)
	case errors.As(err, &broken):
		return damaged(t.below, err)
	case err != nil:
		return err
	}
	if err := errors.Join(d.write(t.path, result), forget(t.kept)); err != nil {
		return err
	}
	fmt.Fprintf(o.Log, "%s: %s in %s\n", t.name, t.done, o.Now().Sub(begun).Round(time.Millisecond))
	return nil
}

// every returns a function that returns true once in each span of time.
func every(now func() time.Time, span time.Duration) func() bool {
	last := now()
	return func() bool {
		at := now()
		if at.Sub(last) < span {
			return false
		}
		last = at
		return true
	}
}

// forget removes the saved state, and temporary files of a killed process.
func forget(path string) error {
	left, err := filepath.Glob(path + ".tmp*")
	if err != nil {
		return err
	}
	for _, p := range append(left, path) {
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// write writes a file atomically and syncs it.
func (d Dir) write(path string, data io.WriterTo) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	if err := os.MkdirAll(string(d), 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(string(d), filepath.Base(path)+".tmp*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = data.WriteTo(f)
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// opened maps a file into memory and calls read, which may keep references to it. It
// returns false for a file that is missing, or is of another version. The error names
// the file.
func opened(path string, read func([]byte) error) (mmap.MMap, bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, damaged(path, err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err == nil && info.Size() == 0 { // which cannot be mapped
		err = file.Damaged("it is empty")
	}
	if err != nil {
		return nil, false, damaged(path, err)
	}
	m, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		return nil, false, damaged(path, err)
	}
	if err = read(m); err == nil {
		return m, true, nil
	}
	_ = m.Unmap() // nothing was written
	if errors.Is(err, file.ErrVersion) {
		return nil, false, nil
	}
	return nil, false, damaged(path, err)
}

// damaged returns an error of a table with its file and what to do.
func damaged(path string, err error) error {
	return fmt.Errorf("%s: %w; delete it, and it is computed again", path, err)
}

// verify draws positions and compares them in batches, each by a seed of its own, until
// the context ends.
func verify(ctx context.Context, draws int, compare func(batch, draws int) error) error {
	const batch = 1000
	for done := 0; done < draws; done += batch {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := compare(done, min(batch, draws-done)); err != nil {
			return err
		}
	}
	return nil
}

// size returns the size of a file, 0 if unknown.
func size(path string) Bytes {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return Bytes(info.Size())
}

// trimmed returns the name of a file with another extension.
func trimmed(path, ending string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + ending
}

// whoWins describes who wins the game from its start.
func whoWins(g engine.Game, winner engine.Side) string {
	return fmt.Sprintf("\nWho wins? %s, the %s player.\n", g.SideNames()[winner], nth(winner))
}

// nth returns the order in which a side moves.
func nth(side engine.Side) string { return [2]string{"first", "second"}[side] }
