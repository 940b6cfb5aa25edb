package process

import (
	"os"
	"path/filepath"
	"strings"
)

// place is a path from dir, left as it is written: behind a symbolic link ".." is
// not the folder above it.
func place(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return dir + string(filepath.Separator) + name
}

// named lists the files and folders that an argument names, as paths under dir
// where they are relative: all of it, what follows a "=", as in --net=FILE, or
// parts of a list such as a class path.
func named(dir, argument string) []string {
	var files []string
	try := func(name string) bool {
		if name == "" || strings.HasPrefix(name, "-") {
			return false
		}
		info, err := os.Stat(place(dir, name))
		if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
			return false
		}
		files = append(files, place(dir, name))
		return true
	}
	_, value, _ := strings.Cut(argument, "=")
	for _, text := range []string{argument, value} {
		if try(text) {
			break
		}
		if parts := strings.Split(text, ":"); len(parts) > 1 {
			for _, part := range parts {
				try(part)
			}
		}
	}
	return files
}
