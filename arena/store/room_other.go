//go:build !linux

package store

// noRoom cannot be asked here: only SQLite's own report of a full disk counts.
func noRoom(string) bool { return false }
