package main

import (
	"os"

	"botarena/engine/solve"
)

// lacking makes a usage error of an error about missing tables.
func lacking(err error) error {
	if solve.Lacking(err) {
		return usageError(err)
	}
	return err
}

// oracle opens the tables in a folder; "" is the user's default folder.
func oracle(dir string) (*solve.Oracle, error) {
	folder, err := tablesDir(dir)
	return &solve.Oracle{Dir: folder}, err
}

// tablesDir returns the folder of the tables.
func tablesDir(dir string) (solve.Dir, error) {
	if dir != "" {
		return solve.Dir(dir), nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", usagef("where are the tables to be kept? %v: give --tables DIR", err)
	}
	return solve.Default(cache), nil
}
