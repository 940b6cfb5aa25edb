package process

import (
	"slices"
	"strings"
)

// systemDirs hold what is installed on a machine. A strict sandbox shows them
// read-only; links among them stay links.
func systemDirs() []string {
	return []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt"}
}

// OfSystem reports whether a path without links is that of something installed on
// the machine, and nobody's own.
func OfSystem(path string) bool {
	return slices.ContainsFunc(systemDirs(), func(dir string) bool { return under(path, dir) })
}

// under reports whether path is dir or inside it.
func under(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
