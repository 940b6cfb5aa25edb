//go:build unix

package live

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

const sockets = true // in the file system, for whom its folder lets in

// private returns an error if a folder is open to others than this user and
// the owner of the database, which may be nil.
func private(dir string, info, db fs.FileInfo) error {
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	mine := int(owner.Uid) == os.Geteuid()
	if db != nil && !mine {
		of, ok := db.Sys().(*syscall.Stat_t)
		mine = ok && of.Uid == owner.Uid
	}
	if !mine {
		return fmt.Errorf("%s is another user's; it is removed when the last run on the database ends, and may be removed by hand", dir)
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return fmt.Errorf("%s can be used by other users (%v); remove it", dir, perm)
	}
	return nil
}
