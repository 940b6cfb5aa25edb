package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// toFile writes a file, stdout for "" and "-". A link keeps pointing to its file; a
// pipe or a device is written to. A regular file is replaced atomically.
func (a *app) toFile(path string, write func(io.Writer) error) error {
	if path == "" || path == "-" {
		return write(a.out)
	}
	w, done, err := create(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, reason(err))
	}
	wrote := write(w)
	if err := done(wrote == nil); err != nil && wrote == nil {
		return fmt.Errorf("write %s: %w", path, reason(err))
	}
	return wrote
}

// create opens a file for writing; done closes it, and keeps or removes it.
func create(path string) (w io.Writer, done func(keep bool) error, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, nil, err
	case err == nil && !info.Mode().IsRegular():
		return inPlace(path, os.O_WRONLY)
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		if _, err := os.Lstat(path); err == nil { // a link to a file that is not there yet
			return inPlace(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY)
		}
		target = path
	}
	f, err := os.OpenFile(target+".part", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, nil, err
	}
	return f, func(keep bool) error {
		var err error
		if info != nil {
			err = f.Chmod(info.Mode().Perm())
		}
		err = errors.Join(err, f.Close())
		if keep && err == nil {
			if err = os.Rename(f.Name(), target); err == nil {
				return nil
			}
		}
		return errors.Join(err, os.Remove(f.Name()))
	}, nil
}

func inPlace(path string, flags int) (io.Writer, func(bool) error, error) {
	f, err := os.OpenFile(path, flags, 0o666)
	if err != nil {
		return nil, nil, err
	}
	return f, func(bool) error { return f.Close() }, nil
}

// userFile returns the path of a file of this user's: below the folder that a variable
// names, or of the user's settings; "" if there is no place for it.
func (a *app) userFile(variable, name string) string {
	dir := a.getenv(variable)
	if !filepath.IsAbs(dir) {
		var err error
		if dir, err = os.UserConfigDir(); err != nil {
			return ""
		}
	}
	return filepath.Join(dir, "arena", name)
}
