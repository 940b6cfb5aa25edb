package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// place returns a path relative to dir without cleaning it: after a symbolic link ".."
// is not the folder above it.
func place(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return dir + string(filepath.Separator) + name
}

// A Part is a piece of an argument: a text, or the path of a file or a folder.
type Part struct {
	Text string
	Path bool
}

// Parts splits an argument into texts and existing paths, as seen from dir: all of it,
// what follows a "=", as in --net=FILE, or members of a list such as a class path. The
// parts' texts in a row are the argument.
func Parts(dir, argument string) []Part {
	if exists(dir, argument) {
		return []Part{{argument, true}}
	}
	name, value, ok := strings.Cut(argument, "=")
	if ok && exists(dir, value) {
		return []Part{{name + "=", false}, {value, true}}
	}
	whole := listed(dir, argument)
	if !ok {
		return whole
	}
	behind := slices.Concat([]Part{{name + "=", false}}, listed(dir, value))
	if count(behind) > count(whole) {
		return behind
	}
	return whole
}

// listed cuts a list at its colons.
func listed(dir, text string) []Part {
	members := strings.Split(text, ":")
	if len(members) == 1 {
		return []Part{{text, false}}
	}
	var parts []Part
	for i, member := range members {
		if i > 0 {
			parts = append(parts, Part{":", false})
		}
		parts = append(parts, Part{member, exists(dir, member)})
	}
	return parts
}

func count(parts []Part) (paths int) {
	for _, p := range parts {
		if p.Path {
			paths++
		}
	}
	return paths
}

// exists reports whether a name is that of a regular file or a folder; a name that
// begins with a dash is a flag.
func exists(dir, name string) bool {
	if name == "" || strings.HasPrefix(name, "-") {
		return false
	}
	info, err := os.Stat(place(dir, name))
	return err == nil && (info.IsDir() || info.Mode().IsRegular())
}

// Named lists the files and folders that an argument names, as paths under dir
// where they are relative.
func Named(dir, argument string) []string {
	var files []string
	for _, p := range Parts(dir, argument) {
		if p.Path {
			files = append(files, place(dir, p.Text))
		}
	}
	return files
}
