package main

import (
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The README lists the flags that are settings, and those only.
func TestSettingsAreDocumented(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "\n## Settings\n")
	rest, _, _ = strings.Cut(rest, "All other flags")
	_, rest, _ = strings.Cut(rest, "Of all commands")
	rest, _, _ = strings.Cut(rest, ": `ARENA_")
	var documented []string
	for _, m := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(rest, -1) {
		documented = append(documented, m[1])
	}
	documented = slices.DeleteFunc(documented, func(w string) bool { return w == "run" || w == "match" || w == "sprt" || w == "serve" })
	slices.Sort(documented)
	root := (&app{out: io.Discard, err: io.Discard}).rootCommand()
	if names := settingNames(root); !slices.Equal(documented, names) {
		t.Errorf("README.md has  %q\nthe flags are %q", documented, names)
	}
}

// Every setting comes from its variable and from the settings file.
func TestEverySetting(t *testing.T) {
	values := map[string]string{
		"bool": "true", "string": "x", "int": "7", "uint64": "7", "duration": "7s",
		"clock": "depth=1", "limits": "memory=1GB", "resign": "score=1", "draw": "score=1,moves=1", "log": "protocol",
	}
	t.Chdir(t.TempDir())
	var walk func(path []string, cmd *cobra.Command)
	walk = func(path []string, cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			want := values[f.Value.Type()]
			if !isSetting(f) {
				return
			}
			for _, from := range []string{"variable", "file"} {
				if err := os.Remove(settingsFile); err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
				a := &app{out: io.Discard, err: io.Discard, getenv: func(name string) string {
					if from == "variable" && name == settingVariable(f.Name) {
						return want
					}
					return ""
				}}
				if from == "file" {
					if err := os.WriteFile(settingsFile, []byte(f.Name+": "+want+"\n"), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				fresh, _, err := a.rootCommand().Find(path)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := a.settings(fresh); err != nil {
					t.Fatalf("%v --%s: %v", path, f.Name, err)
				}
				if got := fresh.Flag(f.Name).Value.String(); got != want {
					t.Errorf("%v --%s by its %s is %q, want %q", path, f.Name, from, got, want)
				}
			}
		})
		for _, sub := range cmd.Commands() {
			walk(append(path[:len(path):len(path)], sub.Name()), sub)
		}
	}
	walk(nil, (&app{out: io.Discard, err: io.Discard}).rootCommand())
}
