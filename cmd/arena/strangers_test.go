package main

import (
	"database/sql"
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	_ "modernc.org/sqlite" // the driver

	"botarena/arena/text"
)

// unescape FILE... replaces what Go writes for a character in a string (\x1b) by
// the character, so that a script can hold all of them.
func unescape(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: unescape FILE...")
	}
	for _, name := range args {
		lines := strings.SplitAfter(ts.ReadFile(name), "\n")
		for i, line := range lines {
			said, err := strconv.Unquote(`"` + strings.NewReplacer("\n", `\n`, `"`, `\"`).Replace(line) + `"`)
			if err != nil {
				ts.Fatalf("%s:%d: %v", name, i+1, err)
			}
			lines[i] = said
		}
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(strings.Join(lines, "")), 0o666))
	}
}

// sqlite DATABASE FILE runs the SQL of a file: a record as no arena would write it.
func sqlite(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sqlite DATABASE FILE")
	}
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	defer func() { ts.Check(db.Close()) }()
	_, err = db.Exec(ts.ReadFile(args[1]))
	ts.Check(err)
}

// visible FILE... fails where something in a file cannot be seen; tabs and the ends
// of lines may be there. "stdout" and "stderr" are those of the last command.
func visible(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: [!] visible FILE...")
	}
	for _, name := range args {
		all := true
		for i, line := range strings.Split(ts.ReadFile(name), "\n") {
			line = strings.ReplaceAll(line, "\t", " ")
			if text.Escape(line) == line {
				continue
			}
			all = false
			if !neg {
				ts.Fatalf("%s:%d holds what cannot be seen: %q", name, i+1, line)
			}
		}
		if all && neg {
			ts.Fatalf("all of %s can be seen", name)
		}
	}
}
