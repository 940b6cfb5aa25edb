package store

import "golang.org/x/sys/windows"

// FreeSpace returns how many bytes may still be written to the file system of a folder.
func FreeSpace(folder string) (free uint64, err error) {
	name, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return 0, err
	}
	return free, windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
}

// noRoom returns false on this platform: only SQLite's own report of a full disk
// counts.
func noRoom(string) bool { return false }
