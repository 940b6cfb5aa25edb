//go:build unix

package sandbox

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Whatever way a stranger's entry or file names something of the machine's owner, it
// is not shown.
func TestStrangers(t *testing.T) {
	home := t.TempDir()
	for name, text := range map[string]string{
		"secret/key": "private", "secret/bin/key": "#!/bin/sh\n", "secret/lib/python3/key": "x", "tools/private": "#!/bin/sh\n# password\n",
		"tools/python3": "#!/bin/sh\n", "shared/net": "weights",
		"bundle/dir/bot": "#!/bin/sh\n", "bundle/dir/net": "weights", "bundle/dir/bot.sh": "private; python3 x\n",
		"bundle/dir/by": "#!HOME/secret/bin/key\n", "bundle/dir/named": "#!/usr/bin/env private\n", "bundle/dir/tool": "#!HOME/tools/private\n",
		"bundle/bin/python3": "#!/bin/sh\n", "bundle/pyvenv.cfg": "home = HOME/secret/bin\nexecutable = HOME/secret/key\nbase-executable = HOME/tools/private\n",
	} {
		file := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(text, "HOME", home)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"bundle/dir/link": home + "/secret", "shared/link": "../secret/key"} {
		if err := os.Symlink(target, filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(home, "bundle/dir")
	path := home + "/tools:/usr/bin:/bin"
	find := func(name string) (string, error) {
		for _, folder := range filepath.SplitList(path) {
			if file := filepath.Join(folder, name); isProgram(file) {
				return file, nil
			}
		}
		return "", os.ErrNotExist
	}
	for _, c := range []struct {
		command, show string
		want          string // what is shown, HOME apart; or the error
	}{
		{command: "./bot net --net=net", want: "/bundle/dir/bot /bundle/dir/net"},
		{command: "./bot ../../secret", want: "/bundle/dir/bot"},
		{command: "./bot HOME/secret/key --key=HOME/secret/key x:HOME/secret link link/key", want: "/bundle/dir/bot"},
		{command: "./bot HOME/shared/net HOME/shared/link", want: "/bundle/dir/bot /shared/net"},
		{command: "./bot", show: "../../secret", want: "not among what the owner"},
		{command: "./bot", show: "HOME/secret", want: "not among what the owner"},
		{command: "./bot", show: "link", want: "not among what the owner"},
		{command: "./bot", show: "HOME/shared", want: "/bundle/dir/bot /shared"},
		{command: "HOME/secret/bin/key", want: "not among what the owner"},
		{command: "../../secret/bin/key", want: "not among what the owner"},
		{command: "./by", want: "not among what the owner"},
		{command: "./tool", want: "not among what the owner"},
		{command: "./named", want: "/bundle/dir/named"},
		{command: "HOME/bundle/bin/python3", want: "/bundle/bin/python3 /bundle/pyvenv.cfg"},
		{command: "python3 net", want: "/bundle/dir/net /tools/python3"},
		{command: "private", want: "/tools/private"},
		{command: "sh bot.sh", want: "/bundle/dir/bot.sh /tools/python3"},
	} {
		words := strings.Fields(strings.ReplaceAll(c.command, "HOME", home))
		e := Entry{
			Program: words[0], Arguments: words[1:], Dir: dir, Within: []string{home + "/bundle", home + "/shared"},
			Home: home + "/owner", Path: path, Find: find, Known: &sync.Map{},
		}
		if c.show != "" {
			e.Show = []string{strings.ReplaceAll(c.show, "HOME", home)}
		}
		switch {
		case !strings.Contains(words[0], "/"):
			e.Program, _ = find(words[0])
		case !filepath.IsAbs(words[0]):
			e.Program = filepath.Join(dir, words[0])
		}
		v, err := Look(e)
		var got string
		if err != nil {
			got = err.Error()
		} else {
			got = strings.ReplaceAll(strings.Join(slices.Sorted(maps.Keys(v.shown)), " "), home, "")
		}
		if err == nil && got != c.want || err != nil && !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %q, want %q", c.command, c.show, got, c.want)
		}
		if err == nil && len(v.links) > 0 {
			t.Errorf("%s %s: the links %v are shown", c.command, c.show, v.links)
		}
	}
}
