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
	walk((&app{out: io.Discard, err: io.Discard}).rootCommand(), func(cmd *cobra.Command) {
		usages := cmd.Flags().FlagUsages() + cmd.PersistentFlags().FlagUsages()
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if named := strings.Contains(usages, "["+settingVariable(f.Name)+"]"); named != isSetting(f) {
				t.Errorf("%s --%s: the help names a variable: %t, it is a setting: %t", cmd.CommandPath(), f.Name, named, isSetting(f))
			}
		})
	})
}

// Every setting comes from its variable and from the settings file.
func TestEverySetting(t *testing.T) {
	values := map[string]string{
		"bool": "true", "string": "x", "int": "7", "uint64": "7", "duration": "7s",
		"clock": "depth=1", "limits": "memory=1GB", "resign": "score=1", "draw": "score=1,moves=1", "log": "protocol",
	}
	t.Chdir(t.TempDir())
	walk((&app{out: io.Discard, err: io.Discard}).rootCommand(), func(cmd *cobra.Command) {
		variables, file := map[string]string{}, ""
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if isSetting(f) {
				want := values[f.Value.Type()]
				variables[settingVariable(f.Name)] = want
				file += f.Name + ": " + want + "\n"
			}
		})
		for from, a := range map[string]*app{
			"variables": {getenv: func(name string) string { return variables[name] }},
			"file":      {getenv: func(string) string { return "" }},
		} {
			written := ""
			if from == "file" {
				written = file
			}
			if err := os.WriteFile(settingsFile, []byte(written), 0o666); err != nil {
				t.Fatal(err)
			}
			path := strings.Fields(cmd.CommandPath())[1:]
			fresh, _, err := a.commandOf(path).Find(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := a.settings(fresh); err != nil {
				t.Fatalf("%s by its %s: %v", cmd.CommandPath(), from, err)
			}
			cmd.Flags().VisitAll(func(f *pflag.Flag) {
				if got := fresh.Flag(f.Name).Value.String(); isSetting(f) && got != values[f.Value.Type()] {
					t.Errorf("%s --%s by its %s is %q, want %q", cmd.CommandPath(), f.Name, from, got, values[f.Value.Type()])
				}
			})
		}
	})
}
