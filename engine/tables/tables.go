// Package tables keeps the exact tables of games in a folder: who wins each
// position. They are computed once, by what a game's package knows of solving it,
// and then only looked at: files are mapped into memory, and a part of one is read
// and held to its checksum when it is first needed.
//
// [Oracle] is how they are asked.
//
// A table is one file, there once it is complete. So a computation that was ended
// goes on behind the last table that is there, from what was last kept of the next one,
// and several may look at a folder while one adds to it.
package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/edsrzf/mmap-go"

	"botarena/engine/owlman/exact"
	"botarena/engine/tables/sealed"
)

// A Dir is a folder of tables.
type Dir string

// Default returns the folder of a user's tables, below the folder of a user's caches as
// os.UserCacheDir gives it.
func Default(cache string) Dir { return Dir(filepath.Join(cache, "arena", "tables")) }

// Owlman are Owlman's tables that are there, from one helper up without a gap.
type Owlman struct {
	exact.Tables
	maps []mmap.MMap
}

// File returns the name of a table's file.
func (d Dir) File(kind exact.Kind, helpers int) string {
	who := [...]string{exact.OwlmanCatches: "owlman", exact.DocForces: "owlman-doc"}[kind]
	return filepath.Join(string(d), fmt.Sprintf("%s-%02d.table", who, helpers))
}

// Owlman opens the tables for at most so many helpers, as far as they are there. A
// table of another version counts as not there. The error names the file.
func (d Dir) Owlman(most int) (*Owlman, error) {
	o := &Owlman{Tables: exact.Bottoms()}
	for _, layers := range o.kinds() {
		for len(*layers) <= most {
			there, err := d.next(o, layers)
			if err != nil {
				o.Close()
				return nil, err
			}
			if !there {
				break
			}
		}
	}
	return o, nil
}

func (o *Owlman) kinds() [2]*[]*exact.Layer { return [2]*[]*exact.Layer{&o.Catch, &o.Force} }

// next opens the next layer of a kind, and reports whether it is there.
func (d Dir) next(o *Owlman, layers *[]*exact.Layer) (there bool, err error) {
	kind, n := (*layers)[0].Kind, len(*layers)
	m, err := open(d.File(kind, n))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, damaged(d.File(kind, n), err)
	}
	o.maps = append(o.maps, m)
	l, err := exact.Read(m)
	if errors.Is(err, sealed.ErrVersion) {
		return false, nil
	}
	if err == nil && (l.Helpers != n || l.Kind != kind) {
		err = &sealed.DamagedError{What: "it is another table"}
	}
	if err != nil {
		return false, damaged(d.File(kind, n), err)
	}
	*layers = append(*layers, l)
	return true, nil
}

// Close ends the looking at the tables: none of them may be used any more.
func (o *Owlman) Close() {
	for _, m := range o.maps {
		_ = m.Unmap() // nothing was written
	}
	o.maps = nil
}

// CheckOwlman reads all that is there. The error names the file that is damaged.
func (d Dir) CheckOwlman(o *Owlman) error {
	for _, layers := range o.kinds() {
		for n, l := range *layers {
			if n == 0 {
				continue
			}
			if err := l.Check(); err != nil {
				return damaged(d.File(l.Kind, n), err)
			}
		}
	}
	return nil
}

// SolveOwlman computes the table of a kind for the next number of helpers, writes it
// and opens it. Whenever due, which may be nil, reports that it is time for it, it keeps
// what is known so far beside the tables, and goes on from what was kept another time.
func (d Dir) SolveOwlman(ctx context.Context, o *Owlman, kind exact.Kind, threads int, due func() bool, tell func(exact.Progress)) error {
	layers, solve := o.kinds()[kind], exact.Solve
	if kind == exact.DocForces {
		solve = exact.Force
	}
	n := len(*layers)
	options := exact.Options{Threads: threads, Tell: tell, Due: due, Keep: func(p *exact.Part) error { return d.write(d.part(kind, n), p) }}
	var err error
	if options.From, err = kept(d.part(kind, n), exact.ReadPart); err != nil {
		return err
	}
	l, err := solve(ctx, n, (*layers)[n-1], options)
	var broken *sealed.DamagedError
	if errors.As(err, &broken) {
		if options.From != nil {
			return fmt.Errorf("%s or %s: %w; delete the first, or `arena solve owlman --verify` says what is wrong with the second", d.part(kind, n), d.File(kind, n-1), err)
		}
		return damaged(d.File(kind, n-1), err)
	}
	if err != nil {
		return err
	}
	if err := d.write(d.File(kind, n), l); err != nil {
		return err
	}
	if err := forget(d.part(kind, n)); err != nil {
		return err
	}
	if opened, err := d.next(o, layers); err != nil || !opened {
		return damaged(d.File(kind, n), errors.Join(err, errors.New("it went away")))
	}
	return nil
}

// part returns the name of the file that keeps what is known of a table that is being
// computed.
func (d Dir) part(kind exact.Kind, helpers int) string {
	return strings.TrimSuffix(d.File(kind, helpers), ".table") + ".part"
}

// OwlmanBegun reports whether a part of a table is kept, to go on from.
func (d Dir) OwlmanBegun(kind exact.Kind, helpers int) bool { return there(d.part(kind, helpers)) }

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// kept reads what was kept to go on from, nil if there is nothing, or something of
// another version.
func kept[T any](path string, read func([]byte) (*T, error)) (*T, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	part, err := read(data)
	switch {
	case errors.Is(err, sealed.ErrVersion):
		return nil, nil
	case err != nil:
		return nil, damaged(path, err)
	}
	return part, nil
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

// write puts a table there at once and for good.
func (d Dir) write(path string, l io.WriterTo) (err error) {
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
	_, err = l.WriteTo(f)
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// open maps a file into memory.
func open(path string) (mmap.MMap, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() == 0 { // which cannot be mapped
		return nil, &sealed.DamagedError{What: "it is empty"}
	}
	return mmap.Map(f, mmap.RDONLY, 0)
}
