// Package solve computes who wins the positions of a game, keeps that in files of a
// folder, and looks it up there. The files are mapped into memory, and a part of one is
// read and held to its checksum when it is first needed.
//
// A [Solver] is one kind of knowledge: the tables of Owlman, the table of a board of
// Breakthrough, or the proof of who wins one from its start. An [Oracle] opens those that
// are needed and only looks positions up.
//
// A file is there once it is complete. So a computation that was ended goes on behind the
// last file that is there, from what was last kept of the next one, and several may look
// at a folder while one adds to it.
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

// A Solver computes one kind of exact knowledge of a game and looks it up. Several
// goroutines may look up at once.
type Solver interface {
	// Solve computes the files that are not there yet. The error of an interrupted
	// computation is the context's.
	Solve(ctx context.Context, o Options) error
	// Verify holds the files to their checksums, and what they say to the rules of the
	// game, and hands lines on what agrees to say. The error is a *MissingError where
	// there is no file, and names a file that is damaged.
	Verify(ctx context.Context, o Options, say func(string)) error
	// Report says what is known. All files have to be there.
	Report() (Report, error)
	// Value returns who wins a position of the game: see [Oracle.Value].
	Value(pos engine.Position) (Value, error)
	// Close ends the looking at the files.
	Close()
}

// Options say how a Solver computes and verifies.
type Options struct {
	Threads int
	Bytes   int64         // about the memory of a proof search's table
	Forced  int           // Owlman: up to how many helpers Doc's forced wins are computed
	Draws   int           // how many positions of each table Verify compares
	Keep    time.Duration // what is known of the file at hand is kept after each such time
	Now     func() time.Time
	Log     io.Writer // is told of the progress
}

// A Report says what a Solver knows.
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

// A MissingError reports that no table or proof has a position.
type MissingError struct {
	What   string // is missing, and what computes it
	Proved bool   // there is a proof, which does not have the position
}

// Error says what is missing.
func (e *MissingError) Error() string { return e.What }

func missing(format string, args ...any) error {
	return &MissingError{What: fmt.Sprintf(format, args...)}
}

// An UnsolvedError reports that a game has no exact tables.
type UnsolvedError struct{ Game string }

// Error names the games that have.
func (e *UnsolvedError) Error() string {
	return e.Game + " is not solved; owlman and the small boards of breakthrough (up to 5x5, 4x6, 3x7, 7x4) are, " +
		"and boards of up to 35 squares (6x5, 7x5) can be proved from their start"
}

// Has reports whether there can be exact tables of a game, or a proof. The error is an
// *UnsolvedError.
func Has(game engine.Game) error {
	if OfOwlman(game) || bt.Solvable(game) == nil || bt.Provable(game) == nil {
		return nil
	}
	return &UnsolvedError{game.Name()}
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

// Solver opens what computes a game: Owlman's tables for at most so many helpers, or a
// board's table, or its proof where that is asked for or the board is too large for a
// table. The error is an *UnsolvedError, or names a file that is damaged.
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

// known opens what there is to look up of a game: of a board its table, or else its
// proof.
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

// compute does a task and writes its file. It goes on from what was kept.
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

// every returns a function that reports, once in each span of time, that it is over.
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

// forget removes what was kept to go on from, and what a kill left of writing it.
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

// write puts a file there at once and for good.
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

// opened maps a file into memory and reads it there, which goes on to refer to it. It
// returns false for a file that is not there, or is of another version. The error names
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

// size is 0 if it is not known.
func size(path string) Bytes {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return Bytes(info.Size())
}

// trimmed returns the name of a file with another ending.
func trimmed(path, ending string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + ending
}

// whoWins answers the question that a board is solved for.
func whoWins(g engine.Game, winner engine.Side) string {
	return fmt.Sprintf("\nWho wins? %s, the %s player.\n", g.SideNames()[winner], nth(winner))
}

// nth returns the order in which a side moves.
func nth(side engine.Side) string { return [2]string{"first", "second"}[side] }
