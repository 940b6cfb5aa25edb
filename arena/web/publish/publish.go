// Package publish replaces a folder of files as a whole, so that nobody ever sees half of
// it: the new files are written beside the folder and put in its place at the end.
//
// Where the system can exchange two folders, there is a whole one at any moment. Elsewhere
// there is none between two renames, and what a kill leaves then is put back by the next
// [Begin].
package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// mark is a file in each folder that was published, by which it is known that it may be
// replaced.
const mark = ".arena-site"

// oldFolder ends the name of what was in a folder before, while it is replaced.
const oldFolder = ".old"

// A RefusedError reports why a folder is not replaced, and what to do.
type RefusedError struct{ Why string }

func (e *RefusedError) Error() string { return e.Why }

// A Folder is being written.
type Folder struct {
	Path string // where to write its files
	dir  string // its place
}

// Begin returns an empty folder that is to take the place of dir, or of the folder that dir
// is a link to. The error is a *RefusedError if something is there that was not published
// before, unless force is set.
func Begin(dir string, force bool) (*Folder, error) {
	dir, err := target(dir, force)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return nil, fmt.Errorf("write %s: %w", dir, err)
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".part-*")
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", dir, err)
	}
	return &Folder{Path: part, dir: dir}, nil
}

// Discard removes what was written, unless it has been published.
func (f *Folder) Discard() { _ = os.RemoveAll(f.Path) }

// Publish puts the folder in its place. What was there goes away last.
func (f *Folder) Publish() error {
	err := errors.Join(os.WriteFile(filepath.Join(f.Path, mark), []byte("written by arena site\n"), 0o666), os.Chmod(f.Path, 0o755)) //nolint:gosec // for all to read
	if err != nil {
		return fmt.Errorf("write %s: %w", f.dir, err)
	}
	old := f.Path
	err = exchangeFolders(f.Path, f.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist): // nothing was there
		old, err = "", os.Rename(f.Path, f.dir)
	case errors.Is(err, errors.ErrUnsupported):
		old = f.Path + oldFolder
		if err = os.Rename(f.dir, old); err != nil {
			break
		}
		if err = os.Rename(f.Path, f.dir); err != nil {
			err = errors.Join(err, os.Rename(old, f.dir))
		}
	}
	if err != nil {
		return fmt.Errorf("replace %s: %w", f.dir, err)
	}
	if old == "" {
		return nil
	}
	if err := os.RemoveAll(old); err != nil {
		return fmt.Errorf("remove what was in %s before: %w", f.dir, err)
	}
	return nil
}

// target returns the folder itself if dir is a link to one.
func target(dir string, force bool) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if to, err := filepath.EvalSymlinks(dir); err == nil {
		dir = to
	}
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err = putBack(dir); err != nil {
			return "", err
		}
		info, err = os.Stat(dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return dir, nil
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", dir, err)
	}
	if !info.IsDir() {
		return "", &RefusedError{dir + " is a file: name a folder"}
	}
	here, err := os.Getwd()
	if err == nil && (dir == here || dir == filepath.Dir(dir)) {
		return "", &RefusedError{dir + " cannot be replaced as a whole from within: name a folder in it"}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("%s: %w", dir, err)
	}
	if _, err := os.Stat(filepath.Join(dir, mark)); err != nil && len(entries) > 0 && !force {
		return "", &RefusedError{dir + " has files that arena site did not write: name another folder, or add --force to replace it and all that is in it"}
	}
	return dir, nil
}

// putBack gives a folder that is missing back what was in it, if a call that was killed had
// just taken it away.
func putBack(dir string) error {
	left, err := filepath.Glob(filepath.Join(filepath.Dir(dir), "."+filepath.Base(dir)+".part-*"+oldFolder))
	if err != nil || len(left) == 0 {
		return nil //nolint:nilerr // a name that is no pattern has nothing left of it
	}
	if err := os.Rename(left[len(left)-1], dir); err != nil {
		return fmt.Errorf("put back %s: %w", dir, err)
	}
	return nil
}
