//go:build linux || darwin

package store

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// FreeSpace returns how many bytes may still be written to the file system of a folder.
func FreeSpace(folder string) (uint64, error) {
	var st unix.Statfs_t
	err := unix.Statfs(folder, &st)
	return st.Bavail * uint64(st.Bsize), err
}

// noRoom reports whether the file system of path is out of space. SQLite reports
// some full disks as plain I/O errors.
func noRoom(path string) bool {
	const least = 256 << 10
	var st unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(path), &st); err != nil || st.Blocks == 0 {
		return false
	}
	return st.Bavail*uint64(st.Bsize) < least || st.Files > 0 && st.Ffree == 0
}
