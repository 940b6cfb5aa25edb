package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manPagesName is the name of the hidden command of the man pages.
const manPagesName = "man-pages"

// manPagesCommand returns the hidden command that writes the man pages of a release.
func (a *app) manPagesCommand() *cobra.Command {
	return &cobra.Command{
		Use:    manPagesName + " FOLDER",
		Short:  "Write the manual pages of all commands into a folder",
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			for name, page := range manPages(cmd.Root()) {
				if err := os.WriteFile(filepath.Join(args[0], name), page, 0o666); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// manPages returns the pages of a command and those below it, by the names of their files.
func manPages(cmd *cobra.Command) map[string][]byte {
	pages := map[string][]byte{}
	var add func(*cobra.Command)
	add = func(cmd *cobra.Command) {
		if cmd.Hidden || cmd.Name() == "help" {
			return
		}
		var page bytes.Buffer
		writeManPage(&page, cmd)
		pages[manName(cmd)+".1"] = page.Bytes()
		for _, sub := range cmd.Commands() {
			add(sub)
		}
	}
	add(cmd)
	return pages
}

func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// writeManPage writes a page in the man macros of roff. Texts keep their lines: they are
// laid out as --help shows them.
func writeManPage(w io.Writer, cmd *cobra.Command) {
	fmt.Fprintf(w, ".TH %s 1 \"\" \"arena %s\" \"User Commands\"\n", strings.ToUpper(roff(manName(cmd))), version)
	fmt.Fprintf(w, ".SH NAME\n%s \\- %s\n", roff(manName(cmd)), roff(cmd.Short))
	use := cmd.UseLine()
	if cmd.HasAvailableSubCommands() {
		use += "\n" + cmd.CommandPath() + " COMMAND"
	}
	asShown(w, "SYNOPSIS", use)
	if cmd.Long != "" {
		asShown(w, "DESCRIPTION", cmd.Long)
	}
	manFlags(w, "OPTIONS", cmd.NonInheritedFlags())
	manFlags(w, "OPTIONS OF ALL COMMANDS", cmd.InheritedFlags())
	if cmd.Example != "" {
		asShown(w, "EXAMPLES", cmd.Example)
	}
	var also []string
	if cmd.HasParent() {
		also = append(also, manName(cmd.Parent())+"(1)")
	}
	for _, sub := range cmd.Commands() {
		if !sub.Hidden && sub.Name() != "help" {
			also = append(also, manName(sub)+"(1)")
		}
	}
	fmt.Fprintf(w, ".SH SEE ALSO\n%s\n", roff(strings.Join(also, ", ")))
}

func asShown(w io.Writer, title, text string) {
	fmt.Fprintf(w, ".SH %s\n.nf\n%s\n.fi\n", title, roff(strings.TrimRight(text, "\n")))
}

func manFlags(w io.Writer, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(w, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		noun, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		switch {
		case f.NoOptDefVal != "" && noun != "":
			name += "[=" + noun + "]"
		case noun != "":
			name += " " + noun
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" && f.DefValue != "0" && !strings.Contains(usage, "default") {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(name), roff(usage))
	})
}

// roff escapes a text: what roff reads as characters of its own, and lines that would be
// requests.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
