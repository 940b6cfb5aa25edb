//go:build !unix

package live

import "io/fs"

const sockets = false // that all versions of the system have

// private is left to the rights that the folder of the database passes on.
func private(string, fs.FileInfo, fs.FileInfo) error { return nil }
