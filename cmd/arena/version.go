package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"botarena/arena"
	"botarena/arena/store"
)

// version is the release; builds from a checkout add the revision.
const version = "1.0.0"

// commit is the revision of a release, set by the linker, so that the build does not
// depend on version control.
var commit string //nolint:gochecknoglobals // the linker knows no other place

// versionJSON is the output of `arena version --json`.
type versionJSON struct {
	Version   string       `json:"version"`
	Revision  string       `json:"revision"`
	Go        string       `json:"go"`
	Platform  string       `json:"platform"`
	Schema    int          `json:"schema"` // of databases that it writes; older ones are brought up to it
	Protocols []string     `json:"protocols"`
	Modules   []moduleJSON `json:"modules"`
}

type moduleJSON struct {
	Path    string `json:"path"`
	Version string `json:"version"`
}

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Print the version. --json adds the schema of databases that this arena writes, the
protocols that it speaks to bots, and the modules that it is built from.`,
		Example: "  arena version\n  arena version --json",
		RunE: func(*cobra.Command, []string) error {
			if !asJSON {
				fmt.Fprintln(a.out, versionLine())
				return nil
			}
			schema, err := store.SchemaVersion()
			if err != nil {
				return err
			}
			v := versionJSON{
				Version: version, Revision: revision(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
				Schema: schema, Protocols: []string{string(arena.ProtocolUGI), string(arena.ProtocolUCI), string(arena.ProtocolXBoard)},
				Modules: []moduleJSON{},
			}
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, m := range info.Deps {
					v.Modules = append(v.Modules, moduleJSON{m.Path, m.Version})
				}
			}
			return a.printJSON(v)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// revision returns the revision of the checkout that arena was built from, "" if
// unknown.
func revision() string {
	const short = 12
	of := commit
	if info, ok := debug.ReadBuildInfo(); ok && of == "" {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				of = s.Value
			}
		}
	}
	return of[:min(len(of), short)]
}

// versionLine returns what `arena version` and `arena --version` print.
func versionLine() string {
	of := ""
	if r := revision(); r != "" {
		of = " (" + r + ")"
	}
	return fmt.Sprintf("arena %s%s %s %s/%s", version, of, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
