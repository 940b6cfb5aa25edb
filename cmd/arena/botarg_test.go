package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/store"
)

func TestResolveBot(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	file := func(name, text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	file("sh", "#!/bin/sh\n", 0o700) // a shell that PATH need not have
	file("plain.sh", "true\n", 0o600)
	file("own.sh", "#!/bin/sh\n", 0o700)
	file("prog", "#!/bin/sh\n", 0o700)
	file("random", "#!/bin/sh\n", 0o700)
	file("with blank", "#!/bin/sh\n", 0o700)

	ctx := context.Background()
	s, err := store.Open(ctx, filepath.Join(dir, "arena.db"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	registered := config.DefaultBot()
	registered.Name, registered.Command, registered.Dir, registered.Protocol = "league-one", []string{"/opt/one"}, "/opt", arena.ProtocolUCI
	spec, err := config.EncodeBot(registered)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Register(ctx, "league-one", spec); err != nil {
		t.Fatal(err)
	}

	for _, test := range []struct {
		arg, name, builtin string
		command            []string
		said               string
	}{
		{arg: "minimax", name: "minimax", builtin: "minimax"},
		{arg: "deep=minimax", name: "deep", builtin: "minimax"},
		{arg: "random", name: "random", builtin: "random"},
		{arg: "./random", name: "random", command: []string{"./random"}},
		{arg: "prog", name: "prog", command: []string{"prog"}},
		{arg: "with blank", name: "with blank", command: []string{"with blank"}},
		{arg: "own.sh", name: "own", command: []string{"own.sh"}},
		{arg: "plain.sh", name: "plain", command: []string{"sh", "plain.sh"}, said: "plain.sh does not start by itself; it is run as: sh plain.sh\n"},
		{arg: `./sh  plain.sh "a b" --x=1`, name: "plain", command: []string{"./sh", "plain.sh", "a b", "--x=1"}},
		{arg: `v2=./prog --depth=4`, name: "v2", command: []string{"./prog", "--depth=4"}},
		{arg: "league-one", name: "league-one", command: []string{"/opt/one"}},
		{arg: "B=league-one", name: "B", command: []string{"/opt/one"}},
	} {
		var said bytes.Buffer
		a := &app{err: &said, getenv: func(string) string { return "" }}
		b, err := a.resolveBot(ctx, s, test.arg)
		if err != nil {
			t.Errorf("%s: %v", test.arg, err)
			continue
		}
		if b.Name != test.name || b.Builtin != test.builtin || !slices.Equal(b.Command, test.command) || said.String() != test.said {
			t.Errorf("%s: got %+v, said %q", test.arg, b, said.String())
		}
	}
	for arg, want := range map[string]string{
		"minmax":       `did you mean "minimax"?`,
		"leagve-one":   `did you mean "league-one"?`,
		"./progg":      `did you mean "./prog"?`,
		"zzzzzzzz":     "neither a registered or built-in bot",
		"":             "no bot is named",
		`./prog "open`: "is not closed",
		"./own.sh":     "",
	} {
		a := &app{err: &bytes.Buffer{}, getenv: func(string) string { return "" }}
		_, err := a.resolveBot(ctx, s, arg)
		if want == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", arg, err, want)
		}
	}
	a := &app{err: &bytes.Buffer{}, getenv: func(string) string { return "" }}
	if _, err := a.resolveBot(ctx, nil, "league-one"); err == nil {
		t.Error("a registered bot was found without a database")
	}
}
