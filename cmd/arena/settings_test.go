package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The help of a flag names its variable if it is a setting, and only then.
func TestSettingsAreDocumented(t *testing.T) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		usages := cmd.Flags().FlagUsages() + cmd.PersistentFlags().FlagUsages()
		look := func(f *pflag.Flag) {
			if named := strings.Contains(usages, "["+settingVariable(f.Name)+"]"); named != isSetting(f) {
				t.Errorf("%s --%s: the help names a variable: %t, it is a setting: %t", cmd.CommandPath(), f.Name, named, isSetting(f))
			}
		}
		cmd.LocalFlags().VisitAll(look)
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk((&app{out: io.Discard, err: io.Discard}).rootCommand())
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

// Flags are typed again as they were given, lists among them.
func TestAsTyped(t *testing.T) {
	t.Parallel()
	var f fleetFlags
	cmd := &cobra.Command{}
	f.register(cmd)
	for _, args := range []string{"--fleet", "--fleet=0.0.0.0:4270 --local=0 --send-env=KEY,TOKEN"} {
		if err := cmd.ParseFlags(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		if got := asTyped(cmd.Flags(), "fleet", "local", "send-env"); got != " "+args {
			t.Errorf("%q is typed again as %q", args, got)
		}
	}
}
