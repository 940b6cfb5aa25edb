// Command release makes everything that a version of arena is published as: archives,
// packages, an image, manifests of package managers, schemas, lists of components, and
// checksums with a signature.
//
// It is a module of its own, so that nothing of it is in anybody's build of arena. What it
// makes depends on the commit and on the version of Go alone: no clock, no name of a folder,
// a user or a machine is in it, and entries of archives are sorted.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr, os.Getenv("MINISIGN_PASSWORD"))
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// usage is what -h prints above the flags.
const usage = `usage: go -C cmd/release run . [flags]

Makes all artefacts of the commit that is checked out, in a folder.

  go -C cmd/release run .                                    all of them, in dist
  go -C cmd/release run . -targets linux/amd64 -dirty        quickly, to look at
  go -C cmd/release run . -key ~/arena.key -url https://...  to publish
  go -C cmd/release run . -sizes                             what is in the program, and how large it is

`

func run(ctx context.Context, args []string, out, say io.Writer, password string) error {
	root, err := project()
	if err != nil {
		return err
	}
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(say)
	flags.Usage = func() { fmt.Fprint(say, usage); flags.PrintDefaults() }
	folder := flags.String("out", filepath.Join(root, "dist"), "the `folder` to make; one of an earlier release is replaced")
	names := flags.String("targets", strings.Join(allTargets(), ","), "the `platforms` to build for")
	key := flags.String("key", "", "the minisign secret key, a `file`, to sign the checksums with; its password is in MINISIGN_PASSWORD")
	url := flags.String("url", exampleURL, "the `address` below which the artefacts will be found, for manifests of package managers")
	maintainer := flags.String("maintainer", "botarena maintainers <maintainers@botarena.invalid>", "the `name` and address in packages")
	dirty := flags.Bool("dirty", false, "also with changes that are not committed: the result cannot be repeated")
	sizes := flags.Bool("sizes", false, "print the sizes of the modules that are linked, and make nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("there are no arguments, such as %q; see -h", flags.Arg(0))
	}
	r, err := newRelease(ctx, root, *dirty)
	if err != nil {
		return err
	}
	defer r.close()
	r.out, r.url, r.maintainer, r.say = *folder, strings.TrimSuffix(*url, "/"), *maintainer, say
	if *sizes {
		return r.printSizes(ctx, out)
	}
	targets, err := parseTargets(*names)
	if err != nil {
		return err
	}
	if err := r.make(ctx, targets); err != nil {
		return err
	}
	return r.sign(*key, password)
}

// exampleURL stands in manifests where no address was given.
const exampleURL = "https://example.org/arena"

// project returns the folder of arena's module, above the current one.
func project() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module botarena\n") {
			return dir, nil
		}
		if filepath.Dir(dir) == dir {
			return "", errors.New("run it in the project's folder: `go -C cmd/release run .`")
		}
		dir = filepath.Dir(dir)
	}
}
