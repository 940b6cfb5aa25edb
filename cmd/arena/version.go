package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is the release; builds from a checkout add the revision.
const version = "0.1.0"

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  arena version",
		Args:    takes(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return a.printJSON(map[string]string{
					"version": version, "revision": revision(), "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
				})
			}
			fmt.Fprintln(a.out, versionLine())
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// revision is of the checkout that arena was built from, "" if it is not known.
func revision() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				return s.Value[:12]
			}
		}
	}
	return ""
}

// versionLine returns what `arena version` and `arena --version` print.
func versionLine() string {
	of := ""
	if r := revision(); r != "" {
		of = " (" + r + ")"
	}
	return fmt.Sprintf("arena %s%s %s %s/%s", version, of, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
