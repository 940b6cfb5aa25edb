package sandbox_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"botarena/arena"
	"botarena/arena/process/sandbox"
)

func TestSharedFolders(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"a.py", "b.py", "net", "own/c.py", "arena.db"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(file)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	bot := func(name, dir string, read ...string) arena.Bot {
		return arena.Bot{Name: name, Dir: filepath.Join(root, dir), Command: []string{"python3", name + ".py"}, Sandbox: arena.SandboxStrict, SandboxRead: read}
	}
	open := func(b arena.Bot) arena.Bot { b.Sandbox = arena.SandboxNone; return b }
	for _, test := range []struct {
		name string
		bots []arena.Bot
		want []string
	}{
		{"each its own files", []arena.Bot{bot("a", ""), bot("b", ""), bot("c", "own", ".")}, nil},
		{"a shared network", []arena.Bot{bot("a", "", "net"), bot("b", "", "net")}, nil},
		{"nobody is shut in", []arena.Bot{open(bot("a", "", ".")), open(bot("b", "", "."))}, nil},
		{"one folder", []arena.Bot{bot("a", "", "."), bot("b", "", "."), bot("c", "own", ".")}, []string{"the strict sandbox of a, b shows " + root + ", where there is what belongs to a, b, c, the database: "}},
		{"one that sees others", []arena.Bot{bot("a", ""), bot("c", "own", "..")}, []string{"the strict sandbox of c shows " + root + ", where there is what belongs to a, c, the database: "}},
		{"the database alone", []arena.Bot{bot("a", "", "."), {Name: "d", Builtin: "greedy"}}, []string{"the strict sandbox of a shows " + root + ", where there is what belongs to the database: "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := sandbox.SharedFolders(test.bots, map[string]string{"the database": filepath.Join(root, "arena.db")})
			if !slices.EqualFunc(got, test.want, strings.HasPrefix) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
