//go:build !unix

package live

import "io/fs"

const sockets = false // that all versions of the system have

// private returns nil: the folder inherits the access rights of the database's folder.
func private(string, fs.FileInfo, fs.FileInfo) error { return nil }
