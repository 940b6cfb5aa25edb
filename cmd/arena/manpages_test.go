package main

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Every command has an example and a page, which names it, its subcommands and its flags
// with what they are for; those that are completed by name are found by it.
func TestEverythingIsDocumented(t *testing.T) {
	t.Parallel()
	root := (&app{out: io.Discard, err: io.Discard}).rootCommand()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	pages := manPages(root)
	walk(root, func(cmd *cobra.Command) {
		ofCobra := strings.HasPrefix(cmd.CommandPath(), "arena completion")
		switch {
		case cmd.Hidden || cmd.Name() == "help":
			return
		case cmd.Example == "" && cmd.Runnable() && !ofCobra:
			t.Errorf("%s has no example", cmd.CommandPath())
		case cmd.Short == "" || strings.HasSuffix(cmd.Short, "."):
			t.Errorf("%s: its summary is %q", cmd.CommandPath(), cmd.Short)
		}
		page := string(pages[manName(cmd)+".1"])
		names := []string{roff(manName(cmd)) + ` \- `, roff(cmd.CommandPath())}
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				names = append(names, roff(manName(sub))+"(1)")
			}
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s --%s is not described", cmd.CommandPath(), f.Name)
			}
			if f.Hidden {
				return
			}
			names = append(names, roff("--"+f.Name))
		})
		for _, name := range names {
			if !strings.Contains(page, name) {
				t.Errorf("the page of %s does not have %q", cmd.CommandPath(), name)
			}
		}
	})
}

// A text looks in a page as it is: nothing in it is a request or an escape of roff.
func TestRoff(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		".so /etc/passwd":      `\&.so /etc/passwd`,
		"a\n.b":                "a\n" + `\&.b`,
		"'quoted' -x `c`":      `\(aqquoted\(aq \-x \(gac\(ga`,
		`a\nb`:                 `a\enb`,
		"~/nets ^ 1.5 . done.": `\(ti/nets \(ha 1.5 . done.`,
	} {
		if got := roff(text); got != want {
			t.Errorf("roff(%q) = %q, want %q", text, got, want)
		}
	}
}
