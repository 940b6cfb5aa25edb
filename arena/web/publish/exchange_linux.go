package publish

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// exchangeFolders has two folders change places at one moment. The error is
// fs.ErrNotExist if one is not there, and errors.ErrUnsupported where the file system
// cannot do that.
func exchangeFolders(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	switch {
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS):
		return errors.ErrUnsupported
	case errors.Is(err, unix.ENOENT):
		return fs.ErrNotExist
	}
	return err
}
